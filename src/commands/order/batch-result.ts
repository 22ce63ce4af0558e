import * as shape from '../../cli/shapes.js';
import { formatAmount, formatAverageLike, grouped } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { ACCOUNT_TYPES, SIDES } from '../../domain/order.js';
import type { Refusal } from '../../domain/refusal.js';
import { type Failure, type Hint, type Interruption, suggest, tryRead } from '../../errors.js';
import { FACTS } from '../../exchange/description.js';
import { refusalFailure, refusalText } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Paint } from '../../terminal/palette.js';
import { progressBar } from '../../terminal/progress.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record, table } from '../../terminal/table.js';
import type { LineOutcome } from '../../trading/batches/batch-event.js';
import type { CheckLines } from '../../trading/batches/batch-sender.js';
import { type Job, MAX_PAIRS } from '../../trading/batches/job.js';
import { type Ending, JobRun, type Phase } from '../../trading/batches/job-run.js';
import { resumeCommand } from '../../trading/batches/start-job.js';
import { type BrokenRules, brokenRules, isAboutRules } from '../../trading/orders/changed-rules.js';
import { duplicateFailure } from '../session/duplicate-warnings.js';
import type { Interruptible } from '../writes/interruptible.js';
import { answerOrThrow, countsText, outcomeFailure, outcomeText, type WriteCounts } from '../writes/outcome-failure.js';
import type { WriteContext } from '../writes/write.js';
import { FILLS, feeText, fillsSoFar, STATE_AND_FILLS, totalOfFills, UNKNOWN_FILLS } from './fills-so-far.js';

export const BATCH_NOT_CHECKED_FOR_DUPLICATES =
  'The network may have repeated a request, and pit could not check: compare the list of orders with this answer.';

const REDRAW_MS = 100;

const PHASE_TEXT: Readonly<Record<Exclude<Phase, 'placing'>, string>> = {
  settling: 'Finding out what is unknown…',
  waiting: 'Waiting before checking again…',
  checking: 'Checking for duplicates…',
  stopping: 'Stopping: waiting for the answers to what was sent…',
};

/** A job that runs, with its progress on the terminal and what a signal leaves of it. */
export class RunningJob implements Interruptible {
  readonly isWaitedFor = true;
  readonly #context: WriteContext;

  #run: JobRun | undefined;

  constructor(context: WriteContext) {
    this.#context = context;
  }

  /**
   * Runs the job to its end. Throws Interrupted if a signal ended it, and the Failure of a job that placed nothing.
   * @param check lines before they are sent
   */
  async run(job: Job, signal: AbortSignal, check?: CheckLines): Promise<BatchAnswer> {
    const { trading, output, budget, globals } = this.#context;
    const run = new JobRun(trading, job, signal, check);
    this.#run = run;
    budget.extend(FACTS.timeFor(Math.ceil(job.unsent().length / MAX_PAIRS)));
    const text = (room: number) =>
      run.phase === 'placing' ? progressBar(output.errorScreen, barOf(job), room) : PHASE_TEXT[run.phase];
    const meaning = () => (run.phase === 'placing' ? 'good' : 'faint');
    // the lines of --verbose would tear a bar apart
    const hide = globals.verbose ? () => {} : output.live(text, meaning, REDRAW_MS);
    try {
      const ending = await run.run();
      // what the signal left is reported
      signal.throwIfAborted();
      if (run.isChecked === false) output.warn(BATCH_NOT_CHECKED_FOR_DUPLICATES);
      return batchAnswer(job, ending, await brokenRulesOf(this.#context, job));
    } finally {
      hide();
    }
  }

  /** What became of each order so far; undefined if none was sent. */
  readonly soFar = (): BatchAnswer | undefined => {
    const job = this.#run?.job;
    return job === undefined || job.requests === 0 ? undefined : jobAnswer(job);
  };

  readonly left = (): Interruption | null => {
    if (this.#run === undefined) return null;
    // an answer that has not come by now leaves its orders unknown
    this.#run.release();
    const { job, isBeingChecked } = this.#run;
    const next = isBeingChecked ? UNFINISHED_CHECK : [nextStep(job)];
    return { advice: [`${progressOf(job)}.`, ...next], clientId: job.id };
  };
}

const UNFINISHED_CHECK = ['The check for repeated requests did not finish.', suggest('Complete it', 'resolve')];

function nextStep(job: Job): string | Hint {
  const { unknown, notSent } = job.counts();
  return unknown + notSent === 0 ? 'Nothing is left to do.' : suggest('To continue', ...resumeCommand(job));
}

function barOf(job: Job) {
  const { placed, refused, notSent } = job.counts();
  const seconds = Math.ceil(FACTS.timeFor(Math.ceil(notSent / MAX_PAIRS)) / 1_000);
  return { done: placed + refused, total: job.terms.count, note: `${seconds} s` };
}

/** How far a job has come, as a sentence without its end. */
export function progressOf(job: Job): string {
  return countsText('placed', countsOf(job));
}

function countsOf(job: Job): WriteCounts {
  const { placed, refused, unknown, notSent } = job.counts();
  return { done: placed, refused, unknown, left: notSent };
}

/** The outcome of one order of a job. */
export const BATCH_LINE = shape.object({
  line: shape.integer('of the file, or the number of the order'),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  outcome: shape.enumOf(['placed', 'refused', 'unknown', 'notSent'], ''),
  id: shape.nullable(shape.id('of the order, also of one that an answer named and nothing shows yet')),
  reason: shape.nullable(shape.text("the exchange's message, or why it was not sent")),
  ...STATE_AND_FILLS,
});

type LineRow = shape.Infer<typeof BATCH_LINE>;

/** The outcome of a job. */
export const BATCH = shape.object({
  job: shape.text('its name, for --resume'),
  market: shape.text(''),
  side: shape.enumOf(SIDES, ''),
  account: shape.enumOf(ACCOUNT_TYPES, ''),
  placed: shape.integer('how many'),
  refused: shape.integer('how many'),
  unknown: shape.integer('how many'),
  notSent: shape.integer('how many'),
  orders: shape.array(BATCH_LINE, 'in their order'),
  duplicates: shape.array(shape.id(''), 'further orders that the network made of the requests'),
  ...FILLS,
});

type BatchAnswer = Answer<shape.Infer<typeof BATCH>>;

/** The outcome of a job. Throws Failure if nothing was placed. @param broken rules that have changed, if an order was rejected for them */
export function batchAnswer(job: Job, ending: Ending, broken?: BrokenRules): BatchAnswer {
  const failure = jobFailure(job, ending, broken);
  return answerOrThrow(jobAnswer(job), failure);
}

/** What became of each order of a job so far. */
function jobAnswer(job: Job): BatchAnswer {
  const { market, side, account, lines } = job.terms;
  const { placed, refused, unknown, notSent } = job.counts();
  const outcomes = job.outcomes();
  const orders = lines.map(([line, price, amount], index): LineRow => {
    const now = job.lines[index];
    const outcome = outcomes[index] ?? 'notSent';
    const id = now?.state === 'placed' ? now.id : now?.state === 'sent' ? (now.namedId ?? null) : null;
    return {
      line,
      price,
      amount,
      outcome,
      id,
      reason: now !== undefined && 'reason' in now ? now.reason : null,
      ...fillsSoFar(id === null ? null : (job.listed.get(id) ?? null)),
    };
  });
  const shown = orders.flatMap(({ id, outcome }) =>
    id === null || outcome !== 'placed' ? [] : (job.listed.get(id) ?? []),
  );
  const isAllShown = shown.length === placed && unknown === 0;
  const total = totalOfFills(shown);
  const duplicates = [...job.duplicates.keys()];
  const counts = { placed, refused, unknown, notSent };
  const fills = isAllShown ? total : UNKNOWN_FILLS;
  const data = { job: job.id, market, side, account, ...counts, orders, duplicates, ...fills };
  const [{ price = '0' } = {}] = shown;
  const average = total.averagePrice === null ? null : formatAverageLike(total.averagePrice, side, price);
  const filled = filledText(market, { ...total, average }, isAllShown);
  const show = (screen: Screen) => batchTable(screen, { job: job.id, counts, rows: orders, duplicates, filled });
  return { data, csv: orders, show };
}

function jobFailure(job: Job, ending: Ending, broken?: BrokenRules): Failure | undefined {
  const counts = countsOf(job);
  const clientId = job.id;
  if (counts.done === job.terms.count)
    return job.duplicates.size === 0
      ? undefined
      : duplicateFailure('Orders were placed', clientId, suggest('See the orders', 'orders', job.terms.market));
  const resume = suggest('To continue', ...resumeCommand(job));
  if (counts.unknown > 0) {
    const message = outcomeText('placed', counts, null);
    return outcomeFailure({
      ...counts,
      message,
      clientId,
      again: ['Do not place them again before you know.', resume],
    });
  }
  if (counts.done === 0) return nothingPlaced(job, ending, broken);
  if (ending.kind === 'unrecorded') {
    const { message, hints, halted } = ending.failure;
    const again = [...hints, resume];
    return outcomeFailure({ ...counts, message: `${progressOf(job)}. ${message}`, clientId, halted, again });
  }
  const hint = counts.left > 0 ? resume : 'The answer lists the outcome of each line.';
  const again = broken === undefined ? hint : [broken.text, broken.advice, hint];
  return outcomeFailure({ ...counts, message: outcomeText('placed', counts, reasonOf(job, ending)), clientId, again });
}

function nothingPlaced(job: Job, ending: Ending, broken: BrokenRules | undefined): Failure | undefined {
  const { id: clientId } = job;
  const counts = countsOf(job);
  const resume = (note: string) => suggest(note, ...resumeCommand(job));
  const because = (reason: string) => outcomeText('placed', counts, reason);
  if (ending.kind === 'unrecorded') return ending.failure;
  if (ending.kind === 'limited' && 'reason' in ending) {
    const again = resume('When that is over, continue');
    return outcomeFailure({ ...counts, why: 'limited', message: because(ending.reason), clientId, again });
  }
  const refused = 'refusal' in ending ? ending.refusal : firstRefusal(job);
  if (refused !== undefined) {
    const { kind: why, hints, refusal, code } = refusalFailure(refused, 'batch');
    const message = because(refusalText(refused));
    const again = broken === undefined ? hints : [broken.text, broken.advice];
    return outcomeFailure({ ...counts, why, message, clientId, refusal, code, again });
  }
  const again = [suggest('Check the host and the network', 'profile', 'show'), resume('Then continue')];
  return outcomeFailure({ ...counts, why: 'unreachable', message: because(reasonOf(job, ending)), clientId, again });
}

/** The rules of the market that have changed, if the first order that was rejected for its price or amount breaks them. */
async function brokenRulesOf({ trading }: WriteContext, job: Job): Promise<BrokenRules | undefined> {
  const { market, side, lines } = job.terms;
  const index = job.lines.findIndex(
    (line) => line.state === 'refused' && isAboutRules({ kind: line.refusal ?? 'other' }),
  );
  const [, price, amount] = lines[index] ?? [];
  if (price === undefined || amount === undefined) return undefined;
  const { markets } = trading.client;
  return tryRead(async () => {
    const before = await markets.find(market);
    return brokenRules({ side, price, amount }, before, await markets.findAgain(market));
  });
}

function firstRefusal({ lines }: Job): Refusal | undefined {
  const refused = lines.find((line) => line.state === 'refused');
  return refused && { kind: refused.refusal ?? 'other', code: refused.code, message: refused.reason };
}

function reasonOf(job: Job, ending: Exclude<Ending, { kind: 'unrecorded' }>): string {
  if (ending.kind === 'time') return 'the time ran out';
  if ('reason' in ending) return ending.reason;
  const refused = 'refusal' in ending ? ending.refusal : firstRefusal(job);
  return refused === undefined ? 'the answer lists the reasons' : refusalText(refused);
}

const OUTCOME_TEXT: Readonly<Record<LineOutcome, string>> = {
  placed: 'placed',
  refused: 'refused',
  unknown: 'unknown',
  notSent: 'not sent',
};

/** A person reads no more; programs get all. */
const MAX_ROWS = 50;

type FillsTotal = ReturnType<typeof totalOfFills> & { readonly average: string | null };

/** `0.4 btc for 11,204 usdt, at 28,010 on average, fee 0.0008 btc`; null if nothing is known to have filled. */
function filledText(market: string, total: FillsTotal, isAllShown: boolean): string | null {
  const { filled, filledValue, average } = total;
  const coins = splitMarket(market);
  if (average === null || coins === undefined) return null;
  const fee = feeText(total);
  const paid = fee === null ? '' : `, fee ${fee}`;
  const value = `${formatAmount(filledValue)} ${coins.quote}, at ${average} on average`;
  return `${isAllShown ? '' : 'at least '}${formatAmount(filled)} ${coins.base} for ${value}${paid}`;
}

interface BatchView {
  readonly job: string;
  readonly counts: Readonly<Record<LineOutcome, number>>;
  readonly rows: readonly LineRow[];
  readonly duplicates: readonly string[];
  readonly filled: string | null;
}

/** How many orders were placed, what filled, and the lines that were not placed. */
function batchTable(screen: Screen, { job, counts, rows, duplicates, filled }: BatchView): string {
  const ends = (['placed', 'refused', 'unknown', 'notSent'] as const).filter(
    (outcome) => outcome === 'placed' || counts[outcome] > 0,
  );
  const entries: RecordLine[] = [
    ['job', job],
    ...ends.map(
      (outcome): RecordLine => [
        OUTCOME_TEXT[outcome],
        grouped(String(counts[outcome])),
        (text, paint) => paintOutcome(text, outcome, paint),
      ],
    ),
    ...(filled === null ? [] : [['filled', filled] as RecordLine]),
    ...(duplicates.length === 0 ? [] : [['duplicates', duplicates.join(' ')] as RecordLine]),
  ];
  const runs = runsOf(rows.filter(({ outcome }) => outcome !== 'placed'));
  if (runs.length === 0) return record(screen, entries);
  const lines = table(
    screen,
    [
      { title: 'line', value: ({ lines }) => lines, importance: 9 },
      { title: 'price', value: ({ price }) => price, align: 'decimal', importance: 6 },
      { title: 'amount', value: ({ amount }) => amount, align: 'decimal', importance: 5 },
      {
        title: 'outcome',
        value: ({ outcome }) => OUTCOME_TEXT[outcome],
        importance: 8,
        paint: (text, { outcome }, paint) => paintOutcome(text, outcome, paint),
      },
      { title: 'why', value: ({ reason }) => reason, importance: 3 },
    ],
    runs.slice(0, MAX_ROWS),
  );
  const more = runs.length - MAX_ROWS;
  const rest = more <= 0 ? [] : [screen.paint.faint(`And ${grouped(String(more))} more; --json and --csv list all.`)];
  return [record(screen, entries), '', lines, ...rest].join('\n');
}

interface Run extends Pick<LineRow, 'price' | 'amount' | 'outcome' | 'reason'> {
  readonly lines: string;
}

/** Consecutive lines that were not sent for one reason are one row. */
function runsOf(rows: readonly LineRow[]): Run[] {
  const runs: { first: LineRow; last: LineRow }[] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    const isNext = row.outcome === 'notSent' && run?.last.outcome === 'notSent' && run.last.reason === row.reason;
    if (run !== undefined && isNext) run.last = row;
    else runs.push({ first: row, last: row });
  }
  return runs.map(({ first, last }) => {
    const lines = first === last ? `${first.line}` : `${first.line} to ${last.line}`;
    const { outcome, reason } = first;
    const more = first === last ? '' : '…';
    return { lines, outcome, reason, price: grouped(first.price) + more, amount: grouped(first.amount) + more };
  });
}

function paintOutcome(text: string, outcome: LineOutcome, paint: Paint): string {
  if (outcome === 'placed') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}
