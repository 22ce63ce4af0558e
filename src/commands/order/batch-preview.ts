import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, formatPercent, formatPrice, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { FACTS, WRITE_OPERATIONS } from '../../exchange/description.js';
import type { RecordLine } from '../../terminal/table.js';
import { batchOf } from '../../trading/batches/batch-sender.js';
import { type Job, MAX_PAIRS } from '../../trading/batches/job.js';
import { totals } from '../../trading/batches/lines.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { BatchLine } from '../../trading/journal/write.js';
import { distanceFrom, type Reference } from '../../trading/preview/market-view.js';
import { dryRunShape, REQUEST } from '../writes/dry-run.js';
import type { WriteContext } from '../writes/write.js';
import type { LadderInput } from './batch-input.js';
import { progressOf } from './batch-result.js';
import type { PlannedOrders, Previewed } from './guarded-orders.js';
import { COMMON_PREVIEW_FIELDS, type PreviewText, previewData, UNKNOWN } from './preview.js';

/** The orders of a job, checked. */
export interface PlannedBatch extends PlannedOrders {
  readonly lines: readonly BatchLine[];
  readonly namesSpot?: boolean | undefined;
  /** A ladder with its expressions evaluated. */
  readonly ladder?: LadderInput | undefined;
  /** What a ladder leaves of its amount. */
  readonly unused?: string | undefined;
  /** The job that goes on, as an earlier run left it. */
  readonly resumed?: Job;
}

/** The dry run of a job. */
export const DRY_BATCH = dryRunShape(
  {
    ...COMMON_PREVIEW_FIELDS,
    orders: shape.integer('how many'),
    requests: shape.integer('how many'),
    lowest: shape.decimal('price; of the whole job if nothing is left to send'),
    highest: shape.decimal('price; likewise'),
    fillingAtOnce: shape.nullable(shape.integer('orders that would fill at once')),
  },
  { request: shape.nullable(REQUEST), requests: shape.array(REQUEST) },
);

/** What orders come to. */
function summaryOf(lines: readonly BatchLine[]) {
  const { amount, notional } = totals(lines);
  const prices = lines.map(([, price]) => Decimal.of(price)).sort((left, right) => left.compare(right));
  return {
    orders: lines.length,
    requests: Math.ceil(lines.length / MAX_PAIRS),
    amount: amount.trimmed().toString(),
    notional: notional.trimmed().toString(),
    lowest: prices[0]?.toString() ?? null,
    highest: prices.at(-1)?.toString() ?? null,
  };
}

/** The question of a job. `isAgain` is true if the orders have changed since it was last asked. */
export function batchQuestion(batch: PlannedBatch, isAgain: boolean): string {
  const { lines, resumed } = batch;
  const orders = lines.length === 1 ? 'this order' : `these ${counted(lines.length, 'order')}`;
  const what = isAgain ? `Place ${orders} as they are now` : resumed === undefined ? `Place ${orders}` : 'Continue';
  return lines.length === 0 ? `${what}?` : `${what}: ${batchText(batch)}?`;
}

/** Orders as a part of a sentence: `buy 0.05 btc_usdt in all at 28,000.00 to 28,400.00`. */
function batchText({ plan: { side, market }, lines }: PlannedBatch): string {
  const { amount, lowest, highest } = summaryOf(lines);
  const prices = [...new Set([lowest, highest])].flatMap((price) => (price === null ? [] : formatPrice(price, market)));
  return `${side} ${formatAmount(amount)} ${market.market}${lines.length > 1 ? ' in all' : ''} at ${prices.join(' to ')}`;
}

/** The preview table's own parts for a job. */
export function batchPreviewText({ id: job, plan, lines, resumed, preview }: Previewed<PlannedBatch>): PreviewText {
  const { market, account } = plan;
  const { reference, crossing } = preview;
  const { base, quote } = market;
  const { orders, requests, amount, notional, lowest, highest } = summaryOf(lines);
  const seconds = Math.max(1, Math.ceil(FACTS.timeFor(requests) / 1_000));
  const filling =
    crossing === 0
      ? 'nothing'
      : `${grouped(String(crossing))} of ${grouped(String(orders))} reach the other side of the book`;
  return {
    requested: [
      ...(resumed === undefined ? [] : [['so far', progressOf(resumed)] as RecordLine]),
      ['orders', `${grouped(String(orders))} in ${counted(requests, 'request')}, about ${seconds} s`],
      ['amount', `${formatAmount(amount)} ${base}`],
      [
        'prices',
        lowest === null ? null : `${formatPrice(lowest, market)} to ${formatPrice(highest ?? lowest, market)} ${quote}`,
      ],
    ],
    distance: distances([lowest, highest], reference, market),
    fills: ['fill at once', crossing === null ? UNKNOWN : filling],
    notional,
    details: [
      ['account', account === 'spot' ? 'spot' : `${account} margin`],
      ['job', job],
    ],
  };
}

function distances(prices: readonly (string | null)[], reference: Reference | null, market: Market): string | null {
  const priced = [...new Set(prices.flatMap((price) => price ?? []))];
  if (reference === null || priced.length === 0) return null;
  const from = (price: string) => distanceFrom(Decimal.of(price), reference);
  const signed = priced.map(from).map((percent) => `${percent.sign > 0 ? '+' : ''}${formatPercent(percent)}`);
  return `${signed.join(' to ')} of ${formatPrice(reference.price, market)}`;
}

/** What a job would send: all its requests, with keys and signatures masked. */
export function dryBatch(
  { trading: { client } }: WriteContext,
  planned: Previewed<PlannedBatch>,
  overridden: readonly GuardName[],
) {
  const { lines, resumed, plan, namesSpot } = planned;
  const { market, side, account } = plan;
  const { orders, requests: count, amount, notional, ...sent } = summaryOf(lines);
  // programs always get prices, even if nothing is left to send
  const { lowest, highest } = lines.length > 0 ? sent : summaryOf(resumed?.terms.lines ?? []);
  const requests = Array.from({ length: count }, (_, index) => {
    const pairs = lines.slice(index * MAX_PAIRS, (index + 1) * MAX_PAIRS);
    const batch = batchOf({ market: market.market, side, account, namesSpot, lines: pairs }, [...pairs.keys()]);
    return client.requestOf({ kind: 'batch', batch }).request;
  });
  const preview = previewData(planned, overridden, {
    sums: { price: sent.lowest === sent.highest ? sent.lowest : null, amount, notional },
    batch: { orders, requests: count, lowest, highest },
    order: { fillingAtOnce: planned.preview.crossing },
  });
  return { dryRun: true, operation: WRITE_OPERATIONS.batch, request: requests[0] ?? null, requests, preview };
}
