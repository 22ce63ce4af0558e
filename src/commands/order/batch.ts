import { flag, required } from '../../cli/definition.js';
import type * as shape from '../../cli/shapes.js';
import { ACCOUNT_TYPES, SIDES } from '../../domain/order.js';
import { tryRead, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
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
import { closeMarket, closeSide } from '../../trading/settling/reconcile-orders.js';
import { filePath, marketName, oneOf, unresolvedId } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import type { DryRequest, DryRun } from '../writes/dry-run.js';
import { overriddenBy, overrideFlag } from '../writes/guard-overrides.js';
import { interruptible } from '../writes/interruptible.js';
import { openWrite, runWrite, type WriteContext } from '../writes/write.js';
import { ladderText, type NewOrders, newOrders, parseLadder, readInput } from './batch-input.js';
import { BATCH_FACTS, batchQuestion, DRY_BATCH, dryBatch, type PlannedBatch, summaryOf } from './batch-preview.js';
import { BATCH, BATCH_LINE, BATCH_NOT_CHECKED_FOR_DUPLICATES, batchAnswer, RunningJob } from './batch-result.js';
import { ladderForAgent } from './for-agent.js';
import { guardedOrders, marketSnapshot } from './guarded-orders.js';
import { checkGiven } from './order-args.js';

export default define({
  summary: 'Place many orders from a file or as a ladder',
  arguments: {
    side: required('buy or sell', oneOf('The side', ...SIDES)),
    market: required('the market', marketName),
  },
  flags: {
    file: flag('--file <path>', 'price,amount lines, or {"price":…,"amount":…} lines; - reads stdin', filePath),
    ladder: flag('--ladder <from:to:n>', 'n orders at prices from one to the other: 30000:31000:20', parseLadder, {
      needs: ['--amount'],
      excludes: ['--file', '--resume'],
    }),
    amount: flag('--amount <total>', 'the most that all its orders come to: 0.5, 100usdt or 50%', parseAmount, {
      needs: ['--ladder'],
    }),
    weight: flag(
      '--weight <how>',
      'equal amounts, or linear: growing towards the end (default: equal)',
      oneOf('--weight', 'equal', 'linear'),
      { needs: ['--ladder'] },
    ),
    account: flag('--account <name>', 'spot, isolated or cross (default: spot)', oneOf('--account', ...ACCOUNT_TYPES)),
    override: overrideFlag,
    resume: flag('--resume <job>', 'continue a job that was stopped', unresolvedId),
  },
  needs: [['--file', '--ladder', '--resume']],
  examples: [
    'order batch buy btc_usdt --file orders.csv',
    'order batch sell btc_usdt --ladder ask+1%:ask+5%:20 --amount 0.5 --weight linear',
    'order batch buy btc_usdt --resume job5b39c93435bd27d2fb16',
  ],
  output: BATCH,
  dryRunOutput: DRY_BATCH,
  row: BATCH_LINE,
  async run(context, { side, market, account, override, ...flags }) {
    checkGiven({ account: account ?? 'spot', borrow: false, repay: false, amount: flags.amount });
    const input = await readInput(context, flags);
    const write = await openWrite(context);
    const overridden = overriddenBy(override);
    if (input.kind === 'resume')
      return resumeBatch(write, input.job, { side, market, account, lines: input.lines }, overridden);
    return sendBatch(write, { side, market, account: account ?? 'spot' }, input, overridden);
  },
});

/** Continues a job where an earlier run ended, or returns its outcome if nothing is left to send. */
async function resumeBatch(
  context: WriteContext,
  id: string,
  request: ResumeRequest,
  overridden: readonly GuardName[],
) {
  const job = new Job(jobToResume(context.trading, id, request));
  const isFinished = job.openRequests.length === 0 && job.unsent().length === 0;
  if (isFinished && !context.globals.dryRun) return finishedAnswer(context, job);
  return sendBatch(context, job.terms, job, overridden);
}

/** The outcome of a job that has nothing left to send, with duplicates that its requests may have made since. */
async function finishedAnswer(context: WriteContext, job: Job): Promise<Answer<Batch>> {
  const { trading, output } = context;
  const { id, terms } = job;
  if (trading.journal.findUnsettled(id) !== undefined) {
    const running = new RunningJob(context);
    return interruptible(context, running, async (signal) => running.run(await resumeJob(trading, id), signal));
  }
  const { market, side } = terms;
  if ((await tryRead(() => closeSide(trading, { market, side }))) === undefined)
    output.warn(BATCH_NOT_CHECKED_FOR_DUPLICATES);
  const entry = trading.journal.findJob(id);
  return batchAnswer(entry === undefined ? job : new Job(entry), { kind: 'finished' });
}

type Batch = shape.Infer<typeof BATCH>;

/** Where the orders of a batch go. */
type BatchTarget = Pick<BatchTerms, 'market' | 'side' | 'account' | 'namesSpot'>;

/** The orders of a job that are to be sent: those of a file or a ladder, or a job to continue. */
interface BatchOrders {
  /** The id of the job. */
  readonly id: string;
  readonly orders: NewOrders | Job;
}

/**
 * Previews a job, asks, and runs it; for `--dry-run` only the preview.
 * @param orders those of a file or a ladder, or a job to continue
 */
export function sendBatch(
  context: WriteContext,
  where: BatchTarget,
  orders: NewOrders | Job,
  overridden: readonly GuardName[],
): Promise<Answer<Batch | DryRun>> {
  const id = orders instanceof Job ? orders.id : (context.agent?.id ?? newJobId(context.host));
  return runWrite(context, placing(context, where, { id, orders }, overridden));
}

function placing(
  context: WriteContext,
  where: BatchTarget,
  { id, orders }: BatchOrders,
  overridden: readonly GuardName[],
) {
  const { trading } = context;
  const running = new RunningJob(context);
  return guardedOrders<PlannedBatch, Batch, DryRequest>(context, {
    overridden,
    plan: (earlier) => planBatch(context, where, { id, orders }, earlier),
    question: batchQuestion,
    facts: BATCH_FACTS,
    dryRun: (planned) => dryBatch(context, planned),
    forAgent: ({ lines, ladder }) => {
      if (orders instanceof Job || orders.kind === 'lines' || ladder === undefined)
        throw usage('An agent sends no file and continues no job.', 'Give a ladder.');
      return ladderForAgent(where, { asked: orders, evaluated: ladder, lines });
    },
    run: async ({ lines }, options, signal) => {
      await closeMarket(trading, where.market);
      signal.throwIfAborted();
      const job =
        orders instanceof Job
          ? await resumeJob(trading, id, options)
          : await startJob(trading, termsOf(where, orders, lines), id, options);
      return running.run(job, signal, options.checkLines);
    },
    left: running.left,
    soFar: running.soFar,
  });
}

function termsOf(
  { market, side, account, namesSpot }: BatchTarget,
  orders: NewOrders,
  lines: readonly BatchLine[],
): BatchPlan {
  const ladder = orders.kind === 'ladder' ? { ladder: ladderText(orders) } : {};
  return { market, side, account, namesSpot, lines, ...ladder };
}

/** Resolves and checks the orders of a job. */
async function planBatch(
  context: WriteContext,
  where: BatchTarget,
  { id, orders }: BatchOrders,
  earlier: PlannedBatch | undefined,
): Promise<PlannedBatch> {
  const { session, trading, output, agent } = context;
  const { side, account, namesSpot } = where;
  const market = await (await session.markets()).find(where.market);
  const snapshot = marketSnapshot(context, market, { side, account, levels: 1 }, earlier?.snapshot);
  const planned = (lines: readonly BatchLine[]) => {
    const rows = lines.map(([line, price, amount]) => ({ line, price, amount }));
    const plan = { market, side, type: 'limit', account, orders: rows } as const;
    return { id, plan, snapshot, lines, summary: summaryOf(lines), namesSpot };
  };
  if (orders instanceof Job) {
    const lines = orders.unsent().flatMap((line) => orders.terms.lines.slice(line, line + 1));
    return { ...planned(lines), resumed: orders };
  }
  const { lines, unused, ladder } = await newOrders(orders, snapshot, market, side);
  refuseIdenticalLines(trading, termsOf(where, orders, lines), id);
  const left = unused === undefined ? undefined : `Rounding down to whole lots leaves ${unused} unused.`;
  if (left !== undefined && unused !== earlier?.unused && agent === undefined) output.note(left);
  // an agent reads no notes, and what it has prepared was rounded then
  const notices = left === undefined || agent?.id !== null ? [] : [{ about: 'unused amount', text: left } as const];
  return { ...planned(lines), unused, ladder, notices };
}
