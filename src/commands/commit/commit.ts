import { listing } from '../../cli/answers.js';
import { optional } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Failure } from '../../errors.js';
import { AgentLimits } from '../../trading/guards/agent-limits.js';
import { PreparedStore } from '../../trading/prepared/prepared-store.js';
import type { PreparedWrite } from '../../trading/prepared/prepared-write.js';
import { ALGO } from '../algo/view/algo-fields.js';
import { CANCELLED } from '../cancel/cancel-result.js';
import { preparedId } from '../inputs/parsers.js';
import { DRY_ALGO } from '../order/algo-preview.js';
import { DRY_BATCH } from '../order/batch-preview.js';
import { BATCH } from '../order/batch-result.js';
import { SENT_OR_EXISTING_ORDER } from '../order/order-result.js';
import { DRY_ORDER } from '../order/preview.js';
import { DRY_REPLACEMENT, REPLACED } from '../order/replace-view.js';
import { type Context, define } from '../session/command.js';
import { dryRunShape } from '../writes/dry-run.js';
import { openWrite } from '../writes/write.js';
import { PREPARED, type PreparedRow, preparedRow } from './prepared-facts.js';
import { commitPrepared, findPrepared, reporting } from './send-prepared.js';

export default define({
  summary: 'Confirm and send what an agent prepared, or list it',
  arguments: { id: optional('the id of a prepared write (default: list them)', preparedId) },
  examples: ['commit', 'commit pit5b39c93435bd27d2fb168cd7', 'commit pit5b39c93435bd27d2fb168cd7 --dry-run --json'],
  output: shape.anyOf(
    shape.array(shape.object(PREPARED), 'without an id'),
    { ...SENT_OR_EXISTING_ORDER, description: 'of an order' },
    { ...REPLACED, description: 'of a replacement' },
    { ...BATCH, description: 'of a ladder' },
    shape.array(shape.object(CANCELLED), 'of cancellations'),
    shape.object(ALGO, 'of an algo order'),
    shape.array(shape.object(ALGO), 'of changes of algo orders'),
  ),
  // what it answers is checked by the definition of the command that it runs
  dryRunOutput: shape.anyOf<readonly shape.Shape[]>(
    DRY_ORDER,
    DRY_REPLACEMENT,
    DRY_BATCH,
    shape.array(dryRunShape()),
    DRY_ALGO,
    shape.array(shape.object(ALGO)),
  ),
  async run(context, { id }) {
    if (id === undefined) {
      const store = new PreparedStore(context.host);
      for (const problem of store.unread()) context.output.warn(problem);
      return listOf(store.waiting());
    }
    requireTerminal(context);
    // --yes does not confirm what an agent has prepared
    const asking = { ...context, globals: { ...context.globals, yes: false } };
    const write = await openWrite(asking);
    const prepared = await findPrepared(write, id);
    return reporting(write, prepared, () => commitPrepared(asking, write, prepared, new AgentLimits(prepared.limits)));
  },
});

/** Throws Failure `declined` if pit cannot ask for confirmation. Called before any request. */
function requireTerminal({ globals, prompts }: Context): void {
  if (globals.dryRun || prompts.available) return;
  throw new Failure('declined', `A person has to confirm what an agent prepared, and ${prompts.whyUnavailable}.`, {
    hint: 'Run this in a terminal without --yes, which does not confirm it, or add --dry-run to see what it would do.',
  });
}

const column = fieldColumns<PreparedRow>(shape.object(PREPARED));

function listOf(waiting: readonly PreparedWrite[]) {
  return listing({
    rows: waiting.map(preparedRow),
    row: shape.object(PREPARED),
    columns: [
      column('id', { importance: 3 }),
      column('text', { title: 'what it does', importance: 2, wraps: true }),
      column('profile'),
      column('expires'),
    ],
    empty: 'Nothing is prepared.',
  });
}
