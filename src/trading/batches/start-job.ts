import { Failure, suggest, usage, withoutPeriod } from '../../errors.js';
import type { OrderPages } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { JournalEntry } from '../journal/entry.js';
import { type BatchLine, type BatchTerms, isKind } from '../journal/write.js';
import type { RecordOptions } from '../orders/place.js';
import { termsKey } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';
import { Job } from './job.js';
import { areSameJobs, areSameLines, type BatchPlan, lineKey } from './lines.js';

/** A job's id, which no request carries: it only names the record. Its prefix distinguishes it from a client order id. */
export function newJobId(host: Pick<Host, 'randomBytes'>): string {
  return `job${Buffer.from(host.randomBytes(10)).toString('hex')}`;
}

/**
 * Records a job that is about to begin, with the newest orders on the exchange before it.
 * @throws Failure `usage` if a job with the same orders is unfinished, an identical order has an unknown outcome, or the
 *   record cannot be written; `unreachable`, `limited` or `credentials` if the exchange does not answer. Nothing was sent.
 */
export async function startJob(
  trading: TradingContext,
  plan: BatchPlan,
  id: string,
  { requireWithinLimits, bestBid, overridden = [] }: RecordOptions = {},
): Promise<Job> {
  const { client, journal } = trading;
  refuseIdenticalLines(trading, plan, id);
  const page = await newestOrders(trading, plan);
  const terms: BatchTerms = {
    ...plan,
    count: plan.lines.length,
    ...(page === undefined ? {} : { baseline: page.orders.map((record) => record.id) }),
    ...(overridden.length === 0 ? {} : { overridden }),
  };
  const entry = journal.begin<'batch'>({ operation: 'batch', terms }, { id, reqTime: client.now(), bestBid });
  try {
    // another process may have started the same job meanwhile; then neither continues
    refuseIdenticalLines(trading, plan, id);
    await requireWithinLimits?.(entry.write);
  } catch (error) {
    entry.discard();
    throw error;
  }
  return new Job(entry);
}

/**
 * The newest orders before a job; undefined if the exchange answers, but does not list its orders: its documentation shows no list.
 * Throws Failure `unreachable`, `limited` or `credentials`.
 */
async function newestOrders(
  { client, warn }: TradingContext,
  { market, side }: BatchPlan,
): Promise<OrderPages | undefined> {
  try {
    return await client.orders(market, side, { from: 1, to: 1 });
  } catch (error) {
    const isAnswered = error instanceof Failure && (error.kind === 'refused' || error.kind === 'internal');
    if (!isAnswered) throw error;
    warn([
      `The exchange does not list its orders: ${withoutPeriod(error.message)}.`,
      'Duplicates cannot be looked for, and an order without an answer stays unknown.',
    ]);
    return undefined;
  }
}

/** The user's request to resume a job. */
export interface ResumeRequest extends Pick<BatchTerms, 'market' | 'side'> {
  readonly account?: BatchTerms['account'] | undefined;
  readonly lines?: readonly BatchLine[] | undefined;
}

/**
 * The record of a job to resume; {@link resumeJob} makes this process its owner.
 * @throws Failure `usage` if there is none, another process owns it, it is about something else, or one of its remaining
 *   orders is identical to another write's order with an unknown outcome
 */
export function jobToResume({ journal }: TradingContext, id: string, request: ResumeRequest): JournalEntry<'batch'> {
  const entry = journal.findJob(id);
  if (entry === undefined) {
    throw usage(`The journal has no job ${id}.`, 'Check the profile and the id. Job ids start with job.');
  }
  const { terms } = entry.write;
  if (terms.market !== request.market || terms.side !== request.side) {
    throw usage(
      `Job ${id} has other orders: ${terms.side} orders in ${terms.market}.`,
      suggest('Resume it', ...resumeCommand(new Job(entry))),
    );
  }
  if (request.account !== undefined && request.account !== terms.account)
    throw usage(`--account contradicts job ${id}, which uses the ${terms.account} account.`, 'Leave out --account.');
  if (request.lines !== undefined && !areSameLines(request.lines, terms.lines))
    throw usage(
      `The file does not have the same orders as job ${id}.`,
      'Leave out --file: the journal keeps the orders.',
    );
  if (entry.isUnderWay) throw underWay(id);
  refuseUncertainOthers(journal, entry);
  return entry;
}

/** @throws Failure `usage` as {@link jobToResume}, if another process was first, or if that cannot be recorded */
export async function resumeJob(
  { journal }: TradingContext,
  id: string,
  { requireWithinLimits, bestBid, overridden = [] }: RecordOptions = {},
): Promise<Job> {
  if (journal.findUnsettled(id) === undefined && !journal.reopen(id)) throw underWay(id);
  const entry = journal.findUnsettled(id);
  const checked = { ...(bestBid === undefined ? {} : { bestBid }), ...(overridden.length === 0 ? {} : { overridden }) };
  if (entry === undefined || !entry.isKind('batch') || !entry.claim(checked)) throw underWay(id);
  try {
    refuseUncertainOthers(journal, entry);
    await requireWithinLimits?.(entry.write, new Job(entry).pending);
  } catch (error) {
    entry.release('held back');
    throw error;
  }
  return new Job(entry);
}

/** The command that resumes a job, with the guards that its orders need to be overridden again. */
export function resumeCommand({ id, terms: { side, market }, overridden }: Job): string[] {
  const overrides = overridden.flatMap((guard) => ['--override', guard]);
  return ['order', 'batch', side, market, '--resume', id, ...overrides];
}

function underWay(id: string): Failure {
  return usage(`Another process is running job ${id}, or just was.`, 'Wait until it ends: only one process may send.');
}

/** Throws Failure `usage` if a job with the same orders is unfinished, or an identical order has an unknown outcome. */
export function refuseIdenticalLines({ journal }: Pick<TradingContext, 'journal'>, plan: BatchPlan, id: string): void {
  journal.requireReadable();
  const others = journal.unsettledEntries().filter(({ write }) => write.id !== id);
  // a job with the same orders comes first: that one can be resumed
  for (const entry of others) if (entry.isKind('batch')) refuseSameJob(entry, plan);
  for (const entry of others) refuseUncertain(entry, plan);
}

/** A job looks up its own unknown orders before it sends, but not those of other writes. */
function refuseUncertainOthers(journal: TradingContext['journal'], entry: JournalEntry<'batch'>): void {
  journal.requireReadable();
  const { id, terms } = entry.write;
  const plan = { ...terms, lines: new Job(entry).pending };
  for (const other of journal.unsettledEntries()) if (other.write.id !== id) refuseUncertain(other, plan);
}

function refuseSameJob(entry: JournalEntry<'batch'>, plan: BatchPlan): void {
  const { write } = entry;
  if (!areSameJobs(write.terms, plan)) return;
  const hint = [
    suggest('Resume that job', ...resumeCommand(new Job(entry))),
    suggest('Or close it without the rest', 'resolve', write.id),
  ];
  throw new Failure('usage', 'A job with the same orders is unfinished, so this one was not started.', {
    clientId: write.id,
    hint,
  });
}

/** Refuses lines identical to an unknown order, which may be live. The outcome of one under way will soon be known. */
function refuseUncertain(entry: JournalEntry, { market, side, account, lines }: BatchPlan): void {
  const { write } = entry;
  if (!isKind(write, 'order') && !isKind(write, 'batch')) return;
  const { terms } = write;
  if (terms.market !== market || terms.side !== side || terms.account !== account) return;
  const uncertainLines = uncertainKeys(entry);
  const [duplicate, ...more] =
    uncertainLines.size === 0 ? [] : lines.filter((line) => uncertainLines.has(lineKey(line)));
  if (duplicate === undefined) return;
  const others = more.length === 0 ? '' : ` (and to ${more.length} more)`;
  throw new Failure(
    'usage',
    `An order identical to line ${duplicate[0]}${others} may already be placed; nothing was sent.`,
    {
      clientId: write.id,
      hint: suggest('Find its outcome', 'resolve', write.id),
    },
  );
}

/** The keys of a write's orders whose outcome is unknown. */
function uncertainKeys(entry: JournalEntry): ReadonlySet<string> {
  if (entry.isKind('order'))
    return new Set(entry.isOutcomeUnknown ? [termsKey(entry.write.terms.price, entry.write.terms.amount)] : []);
  return entry.isKind('batch') ? new Job(entry).uncertainKeys() : new Set();
}
