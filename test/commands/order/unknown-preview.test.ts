import { describe, expect, it } from 'vitest';
import { type Facts, shownOf } from '../../../src/cli/fact-list.js';
import { BATCH_FACTS, type PlannedBatch, summaryOf } from '../../../src/commands/order/batch-preview.js';
import type { Previewed } from '../../../src/commands/order/guarded-orders.js';
import { type dryOrder, ORDER_FACTS } from '../../../src/commands/order/preview.js';
import { previewJson } from '../../../src/commands/writes/preview-facts.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { PreviewData } from '../../../src/trading/preview/preview.js';
import { pipe } from '../../terminal/screens.js';
import { lines, recordedJob } from '../../trading/batches/jobs.js';
import { MARKET } from '../../trading/support/market.js';
import { TERMS } from '../../trading/support/terms.js';

/** What is known if nothing could be read. */
const NOTHING: PreviewData = {
  ...{ bid: null, ask: null, reference: null, fills: null, crossing: null, fee: null, balance: null },
};
const PLAN = { market: MARKET, side: 'buy', type: 'limit', account: 'spot', orders: [TERMS] } as const;

type Single = Parameters<typeof dryOrder>[1];

function orderWith(preview: Partial<PreviewData>): Single {
  const common = { plan: PLAN, warnings: [], breaches: [], overridden: [], clientId: 'mine1', terms: TERMS };
  return { ...common, preview: { ...NOTHING, ...preview } } as unknown as Single;
}

function batchWith(preview: Partial<PreviewData>, changes: Partial<PlannedBatch> = {}): Previewed<PlannedBatch> {
  const orders = lines(2);
  const common = { id: 'job1', plan: PLAN, warnings: [], breaches: [], overridden: [], lines: orders };
  const batch = { ...common, summary: summaryOf(orders), preview: { ...NOTHING, ...preview }, ...changes };
  return batch as unknown as Previewed<PlannedBatch>;
}

/** The lines of a preview by their labels. */
function textsOf<Of>(facts: Facts<Of>, of: Of): Readonly<Record<string, string | null>> {
  const { lines: rows } = shownOf(facts, of);
  return Object.fromEntries(rows(pipe()).map(([label, text]) => [label, text]));
}

describe('the preview of an order', () => {
  it('says of what could not be read that it is unknown, and never that it is zero', () => {
    expect(textsOf(ORDER_FACTS, orderWith({}))).toMatchObject({
      ...{ 'from mid': 'unknown', 'bid, ask': 'unknown', 'fills at once': 'unknown', available: 'unknown' },
      fee: 'unknown (no fill among your newest buys in this market)',
    });
    expect(previewJson(ORDER_FACTS, orderWith({}))).toMatchObject({
      ...{ bid: null, ask: null, mid: null, distance: null, fillsAtOnce: null, averagePrice: null },
      ...{ fee: null, feeCoin: null, balanceBefore: null, balanceAfter: null, fillsAtLeast: false },
    });
  });

  it('says which side of the book is empty, and by what the price is compared then', () => {
    const bid = Decimal.of('29990');
    const preview = { bid, reference: { name: 'the best bid', price: bid } } as const;
    expect(textsOf(ORDER_FACTS, orderWith(preview))).toMatchObject({
      ...{ 'bid, ask': '29,990.00, none usdt', 'from mid': '0.04% above the best bid 29,990.00' },
    });
  });

  it.each<[amount: string, atLeast: boolean, text: string]>([
    ['0.01', false, 'all 0.01 btc at 30,000.00 usdt on average'],
    ['0.004', false, '0.004 of 0.01 btc at 30,000.00 usdt on average'],
    ['0.004', true, 'at least 0.004 of 0.01 btc at 30,000.00 usdt on average'],
    ['0', false, 'nothing'],
  ])('says how much of it fills at once: %s, %s', (filled, atLeast, text) => {
    const amount = Decimal.of(filled);
    const fills = { amount, value: amount.times(Decimal.of('30000')), atLeast };
    const order = orderWith({ fills } as unknown as Partial<PreviewData>);
    expect(textsOf(ORDER_FACTS, order)['fills at once']).toBe(text);
    expect(previewJson(ORDER_FACTS, order)).toMatchObject({ fillsAtOnce: filled, fillsAtLeast: atLeast });
  });

  it('says what the fee comes to, and in which coin', () => {
    const fee = { fee: Decimal.of('0.00002'), coin: 'btc' };
    const order = orderWith({ fee });
    expect(textsOf(ORDER_FACTS, order).fee).toBe('about 0.00002 btc if it fills, at the rate of earlier orders');
    expect(previewJson(ORDER_FACTS, order)).toMatchObject({ fee: '0.00002', feeCoin: 'btc' });
  });
});

describe('the preview of a batch', () => {
  it('says of what could not be read that it is unknown', () => {
    expect(textsOf(BATCH_FACTS, batchWith({}))).toMatchObject({
      ...{ 'fill at once': 'unknown', 'bid, ask': 'unknown', 'from mid': null, job: 'job1' },
    });
    expect(previewJson(BATCH_FACTS, batchWith({}))).toMatchObject({
      ...{ fillingAtOnce: null, price: null, lowest: '20000', highest: '20001', orders: 2, requests: 1 },
    });
  });

  it.each([
    [0, 'nothing'],
    [2, '2 of 2 reach the other side of the book'],
  ])('says how many of its orders fill at once: %i', (crossing, text) => {
    expect(textsOf(BATCH_FACTS, batchWith({ crossing }))['fill at once']).toBe(text);
  });

  it('of which nothing is left to send says how far it came, and its prices for programs', () => {
    const resumed = recordedJob(lines(3), []);
    const batch = batchWith({}, { resumed, lines: [], summary: summaryOf([]) });
    expect(textsOf(BATCH_FACTS, batch)['so far']).toBe('0 of 3 orders placed, 3 not sent');
    expect(previewJson(BATCH_FACTS, batch)).toMatchObject({
      lowest: '20000',
      highest: '20002',
      price: null,
      orders: 0,
    });
  });
});
