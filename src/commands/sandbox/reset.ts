import { confirm, requireConsent } from '../../cli/consent.js';
import { define } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import * as shape from '../../cli/shapes.js';

export default define({
  summary: 'Stop the sandbox and forget its orders, balances and history; asks',
  examples: ['sandbox reset', 'sandbox reset --yes'],
  output: shape.record({ stopped: shape.yesNo('false where it did not run') }),
  dry: DRY_CHANGE,
  async run(context) {
    requireConsent(context);
    if (context.globals.dryRun)
      return dryChange('sandbox reset', 'Would forget all orders, balances and history of the sandbox.');
    await confirm(context, 'Forget all orders, balances and history of the sandbox?');
    const { resetSandbox } = await import('../../sandbox/lifecycle/index.js');
    const stopped = await resetSandbox(context.host);
    context.session.forgetSandboxJournal();
    context.session.forgetSandboxLimits();
    return { data: { stopped }, show: () => 'The sandbox is as new; its keys are the same.' };
  },
});
