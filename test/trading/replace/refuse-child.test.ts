import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { OrderReference } from '../../../src/domain/order.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { parsePrice } from '../../../src/trading/expressions.js';
import { planReplacement } from '../../../src/trading/replace/plan.js';
import { anOrder, ScriptedExchange } from '../../support/scripted-exchange.js';
import { limit } from '../algos/support/entries.js';
import { buy } from '../algos/support/terms.js';
import { MARKET } from '../support/market.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

// The orders of an algo order are its own: a replaced one would leave the algo order, and fill beside its stop.

const ALGO = 'aaaaaaa';
const CHILD = `${ALGO}e1`;
const LINE = { child: CHILD, type: 'limit', price: '30000', amount: '0.01', time: 1 } as const;
const REFUSED = {
  kind: 'usage',
  message: `Order 7 is not replaced: it belongs to algo order ${ALGO}, and a new order would not.`,
};

interface Fixture {
  readonly exchange: ScriptedExchange;
  readonly trading: TestTrading;
  readonly store: AlgoStore;
  /** The folder of the records of the algo orders. */
  readonly folder: string;
}

/** An algo order whose entry order rests as order 7; the order is known to the journal unless its answer was lost. */
async function childAtWork({
  isRecorded = true,
  isNamed = true,
  duplicates = [] as readonly string[],
} = {}): Promise<Fixture> {
  const exchange = new ScriptedExchange({ orders: [anOrder({ clientId: CHILD })] });
  const made = tradingOf(exchange);
  const { state } = made;
  const trading = { ...made, host: { ...made.host, directories: { config: state, state, cache: state } } };
  const store = new AlgoStore(trading.host, state, 'test');
  const terms = { ...buy('0.01', { entry: limit('30000'), stop: '27000' }), id: ALGO };
  store.create(() => ({ fact: 'began', time: 1, terms, bid: null, ask: null }), ALGO);
  if (isNamed) store.addLine(ALGO, LINE);
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: CHILD, reqTime: 1 });
  if (isRecorded) entry.settle({ outcome: 'placed', id: '7', duplicates }, 'placed');
  return { exchange, trading, store, folder: path.join(state, 'algos', 'test', 'open') };
}

async function plan({ trading }: Fixture, order: OrderReference = { id: '7' }): Promise<unknown> {
  const changes = { at: parsePrice('30100'), amount: undefined, account: undefined, borrow: false, repay: false };
  return planReplacement(trading, MARKET, order, changes);
}

/** The user's own order, which pit placed. */
function ownOrder({ trading }: Fixture): void {
  const entry = trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'pit8', reqTime: 1 });
  entry.settle({ outcome: 'placed', id: '7', duplicates: [] }, 'placed');
}

describe('an order of an algo order at work is not replaced', () => {
  it.each<[string, OrderReference]>([
    ['id', { id: '7' }],
    ['client id', { clientId: CHILD }],
  ])('by its %s', async (_, order) => {
    const fixture = await childAtWork();
    await expect(plan(fixture, order)).rejects.toMatchObject({
      ...REFUSED,
      hints: [
        { argv: ['algo', 'show', ALGO] },
        { note: 'To change it, cancel the algo order and place a new one', argv: ['algo', 'cancel', ALGO] },
      ],
    });
    expect(fixture.exchange.count('cancel', 'order')).toBe(0);
  });

  it.each([
    ['only the record of its algo order names it', { isRecorded: false }],
    ['only the journal names it', { isRecorded: false, isNamed: false }],
  ])('if its answer was lost, and %s', async (_, known) => {
    await expect(plan(await childAtWork(known))).rejects.toMatchObject(REFUSED);
  });

  it('nor a duplicate of one that the network made, which counts in the amount of the algo order', async () => {
    const fixture = await childAtWork({ isNamed: false, duplicates: ['8'] });
    fixture.exchange.has.orders.push(anOrder({ id: '8' }));
    await expect(plan(fixture, { id: '8' })).rejects.toMatchObject({
      ...REFUSED,
      message: REFUSED.message.replace('7', '8'),
    });
  });

  it('nor one that may be, because the record of the algo order is damaged', async () => {
    const fixture = await childAtWork();
    writeFileSync(path.join(fixture.folder, ALGO), 'x');
    await expect(plan(fixture)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`: it may belong to algo order ${ALGO}, but its record is damaged: `) as string,
      hints: [{ note: 'If the order is yours, cancel it and place a new one', argv: ['cancel', MARKET.market, '7'] }],
    });
  });

  it('nor one that may be, because a record cannot be read', async () => {
    const fixture = await childAtWork({ isRecorded: false });
    mkdirSync(path.join(fixture.folder, 'aaaaaa2'));
    await expect(plan(fixture)).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /^Order 7 is not replaced: it may belong to algo order aaaaaa2, but its record cannot be read: /,
      ) as string,
    });
  });
});

describe('an order that belongs to no algo order at work is replaced', () => {
  it('if its algo order has ended', async () => {
    const fixture = await childAtWork();
    const left = { filled: Decimal.zero, remaining: Decimal.of('0.01'), position: Decimal.zero };
    fixture.store.add(ALGO, { fact: 'ended', time: 2, outcome: 'cancelled', reason: 'It was cancelled', ...left });
    await expect(plan(fixture)).resolves.toMatchObject({ order: { id: '7' } });
  });

  it("if the journal knows it as the user's, whatever the records of algo orders are like", async () => {
    const fixture = await childAtWork({ isRecorded: false });
    fixture.trading.journal.findUnsettled(CHILD)?.discard();
    ownOrder(fixture);
    writeFileSync(path.join(fixture.folder, ALGO), 'x');
    await expect(plan(fixture)).resolves.toMatchObject({ order: { id: '7' } });
  });

  it('if the journal does not know it, and the client ids of the algo order lead to another order of the same terms', async () => {
    const fixture = await childAtWork({ isRecorded: false });
    fixture.trading.journal.findUnsettled(CHILD)?.discard();
    fixture.exchange.has.orders.push(anOrder({ id: '8', clientId: CHILD }));
    await expect(plan(fixture)).resolves.toMatchObject({ order: { id: '7' } });
  });
});
