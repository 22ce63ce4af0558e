import { Decimal } from '../../domain/decimal.js';
import type { Order, OrderReference } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import { parentOf } from '../algos/record/child-name.js';
import type { FactRecord } from '../algos/record/fact-record.js';
import { recordedParent } from '../algos/record/recorded-parent.js';
import { AlgoStore } from '../algos/record/store.js';
import { isKind } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';

/**
 * Throws Failure `usage` for a child of an algo order that has not ended, or a duplicate of one, which counts in its amount too: it would
 * take the replaced order for cancelled elsewhere, and the new one would fill beside its other orders. Throws Failure `usage` if the
 * records cannot be read, and `credentials` if others can change them; otherwise whatever keeps the exchange from being read.
 */
export async function refuseChild(trading: TradingContext, order: Order, reference: OrderReference): Promise<void> {
  const clientId = order.clientId ?? ('clientId' in reference ? reference.clientId : undefined);
  const parent = clientId === undefined ? recordedParent(trading.journal, order)?.algo : (parentOf(clientId) ?? null);
  if (parent === null) return;
  for (const { id, facts, problem, children } of recordsAtWork(trading, order, parent)) {
    if (facts === undefined)
      throw usage(
        `Order ${order.id} is not replaced: it may belong to algo order ${id}, but ${problem}.`,
        suggest('If the order is yours, cancel it and place a new one', 'cancel', order.market, order.id),
      );
    const isOwn = parent === id || (await isAmong(trading, order, id, { children }));
    if (!isOwn) continue;
    throw usage(`Order ${order.id} is not replaced: it belongs to algo order ${id}, and a new order would not.`, [
      suggest('See the algo order', 'algo', 'show', id),
      suggest('To change it, cancel the algo order and place a new one', 'algo', 'cancel', id),
    ]);
  }
}

/** The algo orders of the market that have not ended. @param only the id of the only one that counts, if one is named */
function recordsAtWork({ host, journal }: TradingContext, order: Order, only: string | undefined): FactRecord[] {
  try {
    const store = new AlgoStore(host, host.directories.state, journal.folder);
    const ids = store.openIds().filter((id) => only === undefined || id === only);
    const records = ids.flatMap((id) => store.read(id) ?? []);
    return records.filter(
      ({ facts }) => facts === undefined || (facts.ended === null && facts.began.terms.market.market === order.market),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const text = `Order ${order.id} is not replaced: whether it belongs to an algo order cannot be read. ${error.message}`;
    throw new Failure(error.kind, text, { hint: error.hints });
  }
}

/** Whether an order that the journal does not know is a child: its answer may have been lost, or the journal has forgotten it. */
async function isAmong(
  { client, journal }: TradingContext,
  { id, market, price, amount }: Order,
  parent: string,
  { children }: Pick<FactRecord, 'children'>,
): Promise<boolean> {
  const isSame = (one: string, other: string) => Decimal.of(one).equals(Decimal.of(other));
  const unsettled = journal
    .unsettledEntries()
    .flatMap(({ write }) =>
      isKind(write, 'order') && parentOf(write.id) === parent ? { child: write.id, ...write.terms } : [],
    );
  const closed = new Set(children.flatMap((one) => (one.closed === undefined ? [] : one.clientId)));
  const names = [...children.flatMap(({ sent }) => sent ?? []), ...unsettled].flatMap((line) =>
    isSame(line.price, price) && isSame(line.amount, amount) && !closed.has(line.child) ? line.child : [],
  );
  for (const clientId of new Set(names)) if ((await client.findOrder(market, { clientId }))?.id === id) return true;
  return false;
}
