import { factsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, formatPercent, formatPrice, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { FACTS, WRITE_OPERATIONS } from '../../exchange/description.js';
import { batchOf } from '../../trading/batches/batch-sender.js';
import { type Job, MAX_PAIRS } from '../../trading/batches/job.js';
import { totals } from '../../trading/batches/lines.js';
import type { BatchLine } from '../../trading/journal/write.js';
import { distanceFrom, type Reference } from '../../trading/preview/market-view.js';
import { type DryRequest, dryRunShape, REQUEST } from '../writes/dry-run.js';
import { GUARDS_FACT, PREVIEW_FIELDS, previewJson } from '../writes/preview-facts.js';
import type { WriteContext } from '../writes/write.js';
import type { LadderInput } from './batch-input.js';
import { progressOf } from './batch-result.js';
import type { PlannedOrders, Previewed } from './guarded-orders.js';
import { BOOK_FACT, COST_FACTS, PLACE_FACTS, UNKNOWN } from './preview.js';

/** The orders of a job, checked. */
export interface PlannedBatch extends PlannedOrders {
  readonly lines: readonly BatchLine[];
  readonly summary: OrdersSummary;
  readonly namesSpot?: boolean | undefined;
  /** A ladder with its expressions evaluated. */
  readonly ladder?: LadderInput | undefined;
  /** What a ladder leaves of its amount. */
  readonly unused?: string | undefined;
  /** The job that goes on, as an earlier run left it. */
  readonly resumed?: Job;
}

/** What orders come to. */
interface OrdersSummary {
  readonly orders: number;
  readonly requests: number;
  /** Of all orders, in the base coin. */
  readonly amount: string;
  /** The lowest and the highest price; null without an order. */
  readonly lowest: string | null;
  readonly highest: string | null;
}

export function summaryOf(lines: readonly BatchLine[]): OrdersSummary {
  const { amount } = totals(lines);
  const prices = lines.map(([, price]) => Decimal.of(price)).sort((left, right) => left.compare(right));
  return {
    orders: lines.length,
    requests: Math.ceil(lines.length / MAX_PAIRS),
    amount: amount.trimmed().toString(),
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
function batchText({ plan: { side, market }, summary }: PlannedBatch): string {
  const { orders, amount, lowest, highest } = summary;
  const prices = [...new Set([lowest, highest])].flatMap((price) => (price === null ? [] : formatPrice(price, market)));
  return `${side} ${formatAmount(amount)} ${market.market}${orders > 1 ? ' in all' : ''} at ${prices.join(' to ')}`;
}

const fact = factsOf<Previewed<PlannedBatch>>();

/** What is known of a job before it is sent. */
export const BATCH_FACTS = {
  ...PLACE_FACTS,
  progress: fact({ label: 'so far', text: ({ resumed }) => (resumed === undefined ? undefined : progressOf(resumed)) }),
  orders: fact({
    label: 'orders',
    text: ({ summary: { orders, requests } }) => {
      const seconds = Math.max(1, Math.ceil(FACTS.timeFor(requests) / 1_000));
      return `${grouped(String(orders))} in ${counted(requests, 'request')}, about ${seconds} s`;
    },
    json: {
      orders: [shape.integer('how many'), ({ summary }) => summary.orders],
      requests: [shape.integer('how many'), ({ summary }) => summary.requests],
    },
  }),
  amount: fact({
    label: 'amount',
    text: ({ plan, summary }) => `${formatAmount(summary.amount)} ${plan.market.base}`,
    json: { amount: [PREVIEW_FIELDS.amount, ({ summary }) => summary.amount] },
  }),
  prices: fact({
    label: 'prices',
    text: ({ plan: { market }, summary: { lowest, highest } }) => {
      if (lowest === null || highest === null) return null;
      return `${formatPrice(lowest, market)} to ${formatPrice(highest, market)} ${market.quote}`;
    },
    json: {
      price: [PREVIEW_FIELDS.price, ({ summary: { lowest, highest } }) => (lowest === highest ? lowest : null)],
      lowest: [shape.decimal('price; of the whole job if nothing is left to send'), (batch) => rangeOf(batch).lowest],
      highest: [shape.decimal('price; likewise'), (batch) => rangeOf(batch).highest],
    },
  }),
  distance: fact({
    label: 'from mid',
    text: ({ plan, summary: { lowest, highest }, preview }) =>
      distances([lowest, highest], preview.reference, plan.market),
  }),
  book: BOOK_FACT,
  fills: fact({
    label: 'fill at once',
    text: ({ summary, preview: { crossing } }) => {
      if (crossing === null) return UNKNOWN;
      if (crossing === 0) return 'nothing';
      return `${grouped(String(crossing))} of ${grouped(String(summary.orders))} reach the other side of the book`;
    },
    json: {
      fillingAtOnce: [
        shape.nullable(shape.integer('orders that would fill at once')),
        ({ preview }) => preview.crossing,
      ],
    },
  }),
  ...COST_FACTS,
  account: fact({
    label: 'account',
    text: ({ plan: { account } }) => (account === 'spot' ? 'spot' : `${account} margin`),
  }),
  job: fact({ label: 'job', text: ({ id }) => id }),
  guards: GUARDS_FACT,
};

/** Programs always get prices, even if nothing is left to send. */
function rangeOf({ lines, summary, resumed }: PlannedBatch) {
  const { lowest, highest } = lines.length > 0 ? summary : summaryOf(resumed?.terms.lines ?? []);
  if (lowest === null || highest === null) throw new Error('a job has lines');
  return { lowest, highest };
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
): DryRequest & { readonly requests: readonly object[] } {
  const { lines, summary, plan, namesSpot } = planned;
  const { market, side, account } = plan;
  const requests = Array.from({ length: summary.requests }, (_, index) => {
    const pairs = lines.slice(index * MAX_PAIRS, (index + 1) * MAX_PAIRS);
    const batch = batchOf({ market: market.market, side, account, namesSpot, lines: pairs }, [...pairs.keys()]);
    return client.requestOf({ kind: 'batch', batch }).request;
  });
  const preview = previewJson(BATCH_FACTS, planned);
  return { operation: WRITE_OPERATIONS.batch, request: requests[0] ?? null, requests, preview };
}

/** The dry run of a job. */
export const DRY_BATCH = dryRunShape(BATCH_FACTS, {
  request: shape.nullable(REQUEST),
  requests: shape.array(REQUEST),
});
