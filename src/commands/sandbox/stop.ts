import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';

export default define({
  summary: 'Stop the sandbox exchange; its state is kept',
  examples: ['sandbox stop', 'sandbox stop --json'],
  output: shape.record({ stopped: shape.yesNo('false where it did not run') }),
  async run({ host }) {
    const { stopSandbox } = await import('../../sandbox/lifecycle/index.js');
    const stopped = await stopSandbox(host);
    return {
      data: { stopped },
      show: () => (stopped ? 'Stopped the sandbox; its state is kept.' : 'The sandbox was not running.'),
    };
  },
});
