import { requireConsent } from '../../cli/consent.js';
import { flag, required } from '../../cli/definition.js';
import { type Advice, tryRead } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { checkLines } from '../../trading/batches/check-lines.js';
import { Job } from '../../trading/batches/job.js';
import type { BatchPlan } from '../../trading/batches/lines.js';
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
import type { RecordOptions } from '../../trading/orders/place.js';
import { settleMarket, settleSide } from '../../trading/settle.js';
import { define } from '../command.js';
import { overriddenBy, overrideFlag } from '../guard-overrides.js';
import { filePath, marketName, oneOf, unresolvedId } from '../inputs.js';
import { openWrite, reportingSignals, type WriteContext } from '../write.js';
import {
  ladderText,
  type NewOrders,
  newOrders,
  type OrdersIn,
  parseLadder,
  readInput,
  requireConsistent,
} from './batch-input.js';
import { batchPreviewText, batchQuestion, DRY_BATCH, dryBatch, type PlannedBatch } from './batch-preview.js';
import {
  BATCH,
  BATCH_LINE,
  BATCH_NOT_CHECKED_FOR_DUPLICATES,
  batchAnswer,
  progressOf,
  RunningJob,
} from './batch-result.js';
import { checkGiven } from './order-args.js';
import { marketSnapshot, sendOrders } from './send-orders.js';

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
  dryRunOutput: DRY_BATCH,
  row: BATCH_LINE,
  async run(context, { side, market, account, override, ...flags }) {
    requireConsistent(flags);
    checkGiven({ account: account ?? 'spot', borrow: false, repay: false, amount: flags.amount });
    requireConsent(context);
    const input = await readInput(context, flags);
    const write = await openWrite(context);
    const overridden = overriddenBy(override);
    if (input.kind === 'resume')
      return resumeBatch(write, input.job, { side, market, account, lines: input.lines }, overridden);
    return startBatch(write, { side, market, account: account ?? 'spot' }, input, overridden);
  },
});

/** Starts a job with the orders of a file or a ladder. */
export function startBatch(
  context: WriteContext,
  where: Pick<BatchTerms, 'market' | 'side' | 'account'>,
  input: NewOrders,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const { trading } = context;
  const job = newJobId(context.host);
  const ladder = ladderText(input);
  const termsOf = (lines: readonly BatchLine[]) => ({ ...where, lines, ...(ladder === undefined ? {} : { ladder }) });
  return sendBatch(context, {
    ...where,
    job,
    overridden,
    ordersIn: async (snapshot, market) => {
      const orders = await newOrders(input, snapshot, market, where.side);
      refuseIdenticalLines(trading, termsOf(orders.lines), job);
      return orders;
    },
    begin: (lines, options) => startJob(trading, termsOf(lines), job, options),
  });
}

/**
 * Starts a job with the orders of a ladder that was prepared: exactly these, or none. No guard can be overridden.
 * @param job its id
 */
export function sendPreparedLadder(
  context: WriteContext,
  job: string,
  plan: BatchPlan,
  ifBlocked: Advice,
): Promise<Answer> {
  return sendBatch(context, { ...preparedLadder(context, job, plan), ifBlocked });
}

/** The same to be checked only. Throws Failure as {@link startBatch}. */
export async function planLadder(
  context: WriteContext,
  where: Pick<BatchTerms, 'market' | 'side' | 'account'>,
  input: NewOrders,
): Promise<{ readonly planned: PlannedBatch; readonly plan: BatchPlan }> {
  const job = newJobId(context.host);
  const ladder = ladderText(input);
  const market = await (await context.session.exchange.markets()).find(where.market);
  const snapshot = marketSnapshot(context, market, { ...where, levels: 1 }, undefined);
  const { lines, unused } = await newOrders(input, snapshot, market, where.side);
  const plan = { ...where, lines, ...(ladder === undefined ? {} : { ladder }) };
  const planned = await planBatch(context, preparedLadder(context, job, plan), undefined);
  return { planned: { ...planned, unused }, plan };
}

function preparedLadder({ trading }: WriteContext, job: string, plan: BatchPlan): Batch {
  return {
    market: plan.market,
    side: plan.side,
    account: plan.account,
    job,
    overridden: [],
    ordersIn: async (_, market) => {
      checkLines(market, plan.lines, 'Order');
      refuseIdenticalLines(trading, plan, job);
      return { lines: plan.lines };
    },
    begin: (_, options) => startJob(trading, plan, job, options),
  };
}

/** Continues a job where an earlier run ended. */
async function resumeBatch(
  context: WriteContext,
  id: string,
  request: ResumeRequest,
  overridden: readonly GuardName[],
): Promise<Answer> {
  const { trading, globals } = context;
  const job = new Job(jobToResume(trading, id, request));
  const isFinished = job.openRequests.length === 0 && job.unsent().length === 0;
  if (isFinished && !globals.dryRun) return finishedAnswer(context, job);
  const { terms } = job;
  const unsent = new Set(job.unsent());
  const lines = terms.lines.filter((_, index) => unsent.has(index));
  const { market, side, account } = terms;
  return sendBatch(context, {
    market,
    side,
    account,
    job: id,
    overridden,
    resumed: { lines: terms.lines, progress: progressOf(job) },
    ordersIn: async () => ({ lines }),
    begin: async (_, options) => resumeJob(trading, id, options),
  });
}

/** The outcome of a job that has nothing left to send, with duplicates that its requests may have made since. */
async function finishedAnswer(context: WriteContext, job: Job): Promise<Answer> {
  const { trading, output } = context;
  const { id, terms } = job;
  if (trading.journal.findUnsettled(id) !== undefined) {
    const running = new RunningJob(context);
    return reportingSignals(context, running, async () => running.run(await resumeJob(trading, id)));
  }
  const { market, side } = terms;
  if ((await tryRead(() => settleSide(trading, { market, side }))) === undefined)
    output.warn(BATCH_NOT_CHECKED_FOR_DUPLICATES);
  const entry = trading.journal.findJob(id);
  return batchAnswer(entry === undefined ? job : new Job(entry), { kind: 'finished' });
}

/** A job that is about to run. */
interface Batch extends Pick<BatchTerms, 'market' | 'side' | 'account'>, Pick<PlannedBatch, 'resumed'> {
  readonly job: string;
  readonly overridden: readonly GuardName[];
  /** As in {@link Orders}. */
  readonly ifBlocked?: Advice;
  /** The orders to send. Those of a ladder may depend on the market. */
  readonly ordersIn: OrdersIn;
  /** Gives the job to this process. */
  readonly begin: (lines: readonly BatchLine[], options: RecordOptions) => Promise<Job>;
}

/** Previews a job, asks, and runs it; for `--dry-run` only the preview. */
function sendBatch(context: WriteContext, batch: Batch): Promise<Answer> {
  const { overridden, ifBlocked } = batch;
  const running = new RunningJob(context);
  return sendOrders<PlannedBatch, Answer>(context, {
    overridden,
    ...(ifBlocked === undefined ? {} : { ifBlocked }),
    prepare: (earlier) => planBatch(context, batch, earlier),
    question: batchQuestion,
    preview: batchPreviewText,
    dryRun: (planned) => dryBatch(context, planned, overridden),
    send: async ({ lines }, options, lifted) => {
      await settleMarket(context.trading, batch.market);
      return running.run(await batch.begin(lines, options), lifted);
    },
    interrupted: () => running.interrupted(),
    stop: () => running.stop(),
    result: (_, answer) => answer,
  });
}

/** Resolves and checks the orders of a job. */
async function planBatch(
  context: WriteContext,
  { market: name, side, account, job, resumed, ordersIn }: Batch,
  earlier: PlannedBatch | undefined,
): Promise<PlannedBatch> {
  const market = await (await context.session.exchange.markets()).find(name);
  const snapshot = marketSnapshot(context, market, { side, account, levels: 1 }, earlier?.snapshot);
  const { lines, unused } = await ordersIn(snapshot, market);
  if (unused !== undefined && unused !== earlier?.unused)
    context.output.note(`Rounding down to whole lots leaves ${unused} unused.`);
  const orders = lines.map(([line, price, amount]) => ({ line, price, amount }));
  const plan = { market, side, type: 'limit', account, orders } as const;
  return { id: job, plan, snapshot, lines, unused, resumed };
}
