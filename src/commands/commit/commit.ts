import { listing } from '../../cli/answers.js';
import { optional } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Failure } from '../../errors.js';
import { isoTime } from '../../terminal/time.js';
import { AgentLimits } from '../../trading/guards/agent-limits.js';
import { notionalText } from '../../trading/orders/terms.js';
import { PreparedStore } from '../../trading/prepared/prepared-store.js';
import { PREPARED_KINDS, type PreparedWrite } from '../../trading/prepared/prepared-write.js';
import { ALGO } from '../algo/view/algo-shapes.js';
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
import { commitPrepared, findPrepared, reporting } from './send-prepared.js';

/** A prepared write. */
export const PREPARED = {
  id: shape.text('to commit it; then the id of its record, and the client id of its order'),
  kind: shape.enumOf(PREPARED_KINDS, ''),
  market: shape.text(''),
  text: shape.text('what it does'),
  does: shape.array(shape.text(''), 'of an algo order, in sentences'),
  places: shape.array(
    shape.object({
      side: shape.enumOf(['buy', 'sell'], ''),
      type: shape.enumOf(['limit', 'postOnly', 'ioc'], ''),
      account: shape.enumOf(['spot', 'isolated', 'cross'], ''),
      price: shape.decimal('in the quote coin'),
      amount: shape.decimal('in the base coin'),
      notional: shape.decimal('price times amount, in the quote coin'),
    }),
    'the orders that it places, exactly',
  ),
  cancels: shape.array(
    shape.object({
      id: shape.id('of the order'),
      side: shape.enumOf(['buy', 'sell'], ''),
      price: shape.decimal(''),
      amount: shape.decimal(''),
      filled: shape.decimal('when it was prepared'),
    }),
    'the orders that it cancels',
  ),
  notional: shape.nullable(shape.decimal('of all orders that it places')),
  fee: shape.nullable(shape.decimal('an estimate')),
  feeCoin: shape.nullable(shape.text('')),
  spentCoin: shape.nullable(shape.text('the coin that pays for it')),
  balanceBefore: shape.nullable(shape.decimal('available now, in the coin that is spent')),
  balanceAfter: shape.nullable(shape.decimal('available with the orders open')),
  warnings: shape.array(shape.text('')),
  profile: shape.text('that it was prepared for'),
  made: shape.time("by this machine's clock"),
  expires: shape.time('after which it cannot be committed'),
};

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
    if (id === undefined) return listOf(new PreparedStore(context.host).waiting());
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

export type PreparedRow = shape.InferFields<typeof PREPARED>;

/** A prepared write, as programs read it: what it does, and what was estimated. */
export function preparedRow({ id, write, estimates, profile, made, expires }: PreparedWrite): PreparedRow {
  const { kind, market, text, does, cancels, notional } = write;
  const named = { id, kind, market };
  const places = write.places.map(({ side, type, account, price, amount }) => {
    return { side, type, account, price, amount, notional: notionalText({ price, amount }) };
  });
  const costs = { notional, ...estimates };
  return { ...named, text, does, places, cancels, ...costs, profile, made: isoTime(made), expires: isoTime(expires) };
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
