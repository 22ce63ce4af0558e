import { requireConsent } from '../../cli/consent.js';
import { flag, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { counted, Decimal, formatAmount, formatPercent, formatPrice, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure, tryRead } from '../../errors.js';
import { FACTS, WRITE_OPERATIONS } from '../../exchange/description.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { Entry } from '../../terminal/table.js';
import { batchOf } from '../../trading/batches/batch-sender.js';
import { checkLines, refuseGroupedRows } from '../../trading/batches/check-lines.js';
import { Job, MAX_PAIRS } from '../../trading/batches/job.js';
import { totals } from '../../trading/batches/lines.js';
import {
  jobToResume,
  newJobId,
  type ResumeRequest,
  refuseIdenticalLines,
  resumeJob,
  startJob,
} from '../../trading/batches/start-job.js';
import { parseAmount } from '../../trading/expressions.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { BatchLine, BatchTerms } from '../../trading/journal/write.js';
import { distanceFrom, type Reference, referenceOf } from '../../trading/market-view.js';
import type { RecordOptions } from '../../trading/orders/place.js';
import type { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import type { OrderPlan, PreviewData } from '../../trading/preview/preview.js';
import { settleMarket, settleSide } from '../../trading/settle.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { type Context, define } from '../command.js';
import { dryRunShape, REQUEST } from '../dry-run.js';
import { overriddenBy, overrideFlag } from '../guard-overrides.js';
import { filePath, marketName, oneOf, unresolvedId } from '../inputs.js';
import {
  type BatchInput,
  ladderText,
  parseLadder,
  readInput,
  requireConsistent,
  resolveLadder,
} from './batch-input.js';
import {
  BATCH,
  BATCH_LINE,
  BATCH_NOT_CHECKED_FOR_DUPLICATES,
  batchAnswer,
  progressOf,
  runJob,
} from './batch-result.js';
import { assessOrders, confirmOrders, loadCheckInputs } from './confirm.js';
import { unknownWriteWarnings } from './order.js';
import { checkGiven } from './order-args.js';
import { type AssessedOrders, COMMON_PREVIEW_FIELDS, type PreviewText, previewData, UNKNOWN } from './preview.js';

export default define({
  summary: 'Place many orders from a file or as a ladder',
  arguments: {
    side: required('buy or sell', oneOf('The side', 'buy', 'sell')),
    market: required('the market', marketName),
  },
  flags: {
    file: flag('--file <path>', 'price,amount lines, or {"price":…,"amount":…} lines; - reads stdin', filePath),
    ladder: flag('--ladder <from:to:n>', 'n orders at prices from one to the other: 30000:31000:20', parseLadder),
    amount: flag('--amount <total>', 'the most that all orders of a ladder come to: 0.5, 100usdt or 50%', parseAmount),
    weight: flag(
      '--weight <how>',
      'equal amounts, or linear: growing towards the end (default: equal)',
      oneOf('--weight', 'equal', 'linear'),
    ),
    account: flag(
      '--account <name>',
      'spot, isolated or cross (default: spot)',
      oneOf('--account', 'spot', 'isolated', 'cross'),
    ),
    override: overrideFlag,
    resume: flag('--resume <job>', 'continue a job that was stopped', unresolvedId),
  },
  examples: [
    'order batch buy btc_usdt --file orders.csv',
    'order batch sell btc_usdt --ladder ask+1%:ask+5%:20 --amount 0.5 --weight linear',
    'order batch buy btc_usdt --resume job5b39c93435bd27d2fb16',
  ],
  output: BATCH,
  dryRunOutput: dryRunShape(
    {
      ...COMMON_PREVIEW_FIELDS,
      orders: shape.integer('how many'),
      requests: shape.integer('how many'),
      lowest: shape.decimal('price; of the whole job if nothing is left to send'),
      highest: shape.decimal('price; likewise'),
      fillingAtOnce: shape.nullable(shape.integer('orders that would fill at once')),
    },
    { request: shape.nullable(REQUEST), requests: shape.array(REQUEST) },
  ),
  row: BATCH_LINE,
  async run(context, { side, market, account, override, ...flags }) {
    requireConsistent(flags);
    checkGiven({ account: account ?? 'spot', borrow: false, repay: false, amount: flags.amount });
    requireConsent(context);
    const input = await readInput(context, flags);
    const overridden = overriddenBy(override);
    if (input.kind === 'resume')
      return resumeBatch(context, input.job, { side, market, account, lines: input.lines }, overridden);
    return startBatch(context, { side, market, account: account ?? 'spot' }, input, overridden);
  },
});

/** Starts a job with the orders of a file or a ladder. */
export async function startBatch(
  context: Context,
  where: Pick<BatchTerms, 'market' | 'side' | 'account'>,
  input: Exclude<BatchInput, { kind: 'resume' }>,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const trading = await context.trading.open();
  const market = await (await context.session.exchange.markets()).find(where.market);
  const job = newJobId(context.host);
  const ladder = ladderText(input);
  const planOf = (lines: readonly BatchLine[]) => ({ ...where, lines, ...(ladder === undefined ? {} : { ladder }) });
  let noted: string | undefined;
  const linesIn = async (snapshot: MarketSnapshot) => {
    const { lines, unused } = await linesOf(input, snapshot, market, where.side);
    if (unused !== undefined && unused !== noted)
      context.output.note(`Rounding down to whole lots leaves ${unused} unused.`);
    noted = unused;
    if (input.kind === 'lines' && input.grouped.length > 0) {
      const book = await snapshot.book();
      const reference = book instanceof Failure ? null : referenceOf(book, where.side);
      refuseGroupedRows(input.grouped, lines, market, reference);
    }
    checkLines(market, lines, input.kind === 'lines' ? 'Line' : 'Order');
    refuseIdenticalLines(trading, planOf(lines), job);
    return lines;
  };
  const begin = (lines: readonly BatchLine[], recordOptions: RecordOptions) =>
    startJob(trading, planOf(lines), job, recordOptions);
  return sendBatch(context, trading, { ...where, market, job, overridden, linesIn, begin });
}

/** The orders of a file or a ladder, and what a ladder leaves of its amount. */
async function linesOf(
  input: Exclude<BatchInput, { kind: 'resume' }>,
  snapshot: MarketSnapshot,
  market: Market,
  side: BatchTerms['side'],
): Promise<{ readonly lines: readonly BatchLine[]; readonly unused?: string }> {
  if (input.kind === 'lines') return input;
  const { ladder, amount, weight } = input;
  const {
    lines,
    unused,
    requested: asked,
    coin,
  } = await resolveLadder(snapshot, market, ladder, { side, amount, weight });
  if (unused.sign <= 0) return { lines };
  return { lines, unused: `${formatAmount(unused)} of ${formatAmount(asked)} ${coin}` };
}

/** Continues a job where an earlier run ended. */
async function resumeBatch(
  context: Context,
  id: string,
  request: ResumeRequest,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const trading = await context.trading.open();
  const job = new Job(jobToResume(trading, id, request));
  const isFinished = job.openRequests.length === 0 && job.unsent().length === 0;
  if (isFinished && !context.globals.dryRun) return finishedAnswer(context, trading, job);
  const { terms } = job;
  const market = await (await context.session.exchange.markets()).find(request.market);
  const unsent = new Set(job.unsent());
  const lines = terms.lines.filter((_, index) => unsent.has(index));
  const { side, account } = terms;
  return sendBatch(context, trading, {
    market,
    side,
    account,
    job: id,
    overridden,
    resumed: { lines: terms.lines, progress: progressOf(job) },
    linesIn: async () => lines,
    begin: async (_, recordOptions) => resumeJob(trading, id, recordOptions),
  });
}

/** The outcome of a job that has nothing left to send, with duplicates that its requests may have made since. */
async function finishedAnswer(context: Context, trading: TradingContext, job: Job): Promise<Answer> {
  const { id, terms } = job;
  if (trading.journal.findUnsettled(id) !== undefined) return runJob(context, trading, resumeJob(trading, id));
  const { market, side } = terms;
  if ((await tryRead(() => settleSide(trading, { market, side }))) === undefined)
    context.output.warn(BATCH_NOT_CHECKED_FOR_DUPLICATES);
  const entry = trading.journal.findJob(id);
  return batchAnswer(entry === undefined ? job : new Job(entry), { kind: 'finished' });
}

/** A job that is about to run. */
interface Batch extends Pick<BatchTerms, 'side' | 'account'> {
  readonly job: string;
  readonly market: Market;
  readonly overridden: readonly GuardName[];
  /** All its orders, and how far an earlier run came with them. */
  readonly resumed?: { readonly lines: readonly BatchLine[]; readonly progress: string };
  /** The orders to send. Those of a ladder may depend on the market. */
  readonly linesIn: (snapshot: MarketSnapshot) => Promise<readonly BatchLine[]>;
  /** Gives the job to this process. */
  readonly begin: (lines: readonly BatchLine[], recordOptions: RecordOptions) => Promise<Job>;
}

/** The orders of a job that were checked, ready to be sent. */
interface AssessedBatch extends AssessedOrders {
  readonly lines: readonly BatchLine[];
}

/** Previews a job, asks, and runs it; for `--dry-run` only the preview. */
async function sendBatch(context: Context, trading: TradingContext, batch: Batch): Promise<Answer> {
  const { overridden, market, resumed } = batch;
  const confirmed = await confirmOrders<AssessedBatch>(context, trading, {
    prepare: (earlier) => prepareBatch(context, trading, batch, earlier),
    overridden,
    question: ({ lines }, isAgain) => {
      const orders = lines.length === 1 ? 'this order' : `these ${counted(lines.length, 'order')}`;
      const what = isAgain ? `Place ${orders} as they are now` : resumed === undefined ? `Place ${orders}` : 'Continue';
      return lines.length === 0 ? `${what}?` : `${what}: ${batchText(batch, lines)}?`;
    },
    text: ({ lines }, preview) => batchPreviewText(batch, lines, preview),
    dryRun: (assessed, preview, show) => dryBatch(trading, batch, { ...assessed, preview }, show),
  });
  if (confirmed.answer !== undefined) return confirmed.answer;
  const { assessed, recordOptions } = confirmed;
  context.budget.extend(FACTS.timeFor(Math.ceil(assessed.lines.length / MAX_PAIRS)));
  await settleMarket(trading, market.market);
  return runJob(context, trading, await batch.begin(assessed.lines, recordOptions));
}

/**
 * Resolves and checks the orders of a job.
 * @param earlier what this returned before, to be read again
 */
async function prepareBatch(
  context: Context,
  trading: TradingContext,
  { market, side, account, job, overridden, linesIn }: Batch,
  earlier: AssessedBatch | undefined,
): Promise<AssessedBatch> {
  const needs = { side, type: 'limit', account, overridden, levels: 1 } as const;
  const snapshot = earlier?.inputs.snapshot.refreshed();
  const inputs = await loadCheckInputs(context, trading, market, { ...needs, snapshot });
  const lines = await linesIn(inputs.snapshot);
  const orders = lines.map(([line, price, amount]) => ({ line, price, amount }));
  const plan: OrderPlan = { market, side, type: 'limit', account, orders };
  const assessed = await assessOrders(trading, plan, inputs);
  return {
    ...assessed,
    warnings: [...unknownWriteWarnings(context, trading, market.market, job), ...assessed.warnings],
    lines,
  };
}

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

/** Orders as a part of a sentence: `buy 0.05 btc_usdt in all at 28,000.00 to 28,400.00`. */
function batchText({ side, market }: Batch, lines: readonly BatchLine[]): string {
  const { amount, lowest, highest } = summaryOf(lines);
  const prices = [...new Set([lowest, highest])].flatMap((price) => (price === null ? [] : formatPrice(price, market)));
  return `${side} ${formatAmount(amount)} ${market.market}${lines.length > 1 ? ' in all' : ''} at ${prices.join(' to ')}`;
}

/** The preview table's own parts for a job. */
function batchPreviewText(
  { market, account, job, resumed }: Batch,
  lines: readonly BatchLine[],
  { reference, crossing }: PreviewData,
): PreviewText {
  const { base, quote } = market;
  const { orders, requests, amount, notional, lowest, highest } = summaryOf(lines);
  const seconds = Math.max(1, Math.ceil(FACTS.timeFor(requests) / 1_000));
  const filling =
    crossing === 0
      ? 'nothing'
      : `${grouped(String(crossing))} of ${grouped(String(orders))} reach the other side of the book`;
  return {
    requested: [
      ...(resumed === undefined ? [] : [['so far', resumed.progress] as Entry]),
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
function dryBatch(
  { client }: TradingContext,
  { side, account, market, overridden, resumed }: Batch,
  { lines, ...assessed }: AssessedBatch & { readonly preview: PreviewData },
  show: (screen: Screen) => string,
): Answer {
  const { orders, requests: count, amount, notional, ...sent } = summaryOf(lines);
  // programs always get prices, even if nothing is left to send
  const { lowest, highest } = lines.length > 0 ? sent : summaryOf(resumed?.lines ?? []);
  const requests = Array.from({ length: count }, (_, index) => {
    const pairs = lines.slice(index * MAX_PAIRS, (index + 1) * MAX_PAIRS);
    const batch = batchOf({ market: market.market, side, account, lines: pairs }, [...pairs.keys()]);
    return client.requestOf({ kind: 'batch', batch }).request;
  });
  const preview = previewData(assessed, overridden, {
    sums: { price: sent.lowest === sent.highest ? sent.lowest : null, amount, notional },
    batch: { orders, requests: count, lowest, highest },
    order: { fillingAtOnce: assessed.preview.crossing },
  });
  return {
    data: { dryRun: true, operation: WRITE_OPERATIONS.batch, request: requests[0] ?? null, requests, preview },
    show: (screen) => `${show(screen)}\n${screen.paint.faint('Dry run: nothing was sent.')}`,
  };
}
