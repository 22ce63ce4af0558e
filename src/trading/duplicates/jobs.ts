import type { Order } from '../../domain/order.js';
import { Job } from '../batches/job.js';
import { recordKey } from '../batches/lines.js';
import type { MarketSide } from '../journal/archive.js';
import type { Entry } from '../journal/entry.js';
import { type Intent, isOf, type OrderTerms, type Settled } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import type { Wanted } from './extra-orders.js';

/** What jobs of one side of a market explain of the orders that are listed there. */
interface JobOrders {
  /** Ids of orders that jobs made. */
  readonly known: readonly string[];
  /** Lines of which it is not known yet whether and as what they are there. */
  readonly open: readonly Wanted[];
  /** Lines that listed orders may be of: copies of placed ones, and refused ones that a copy of the request placed later. */
  readonly settled: readonly Wanted[];
}

export function isJobThere(intent: Intent, { market, side }: MarketSide): intent is Intent<'orderMoreV2'> {
  return isOf(intent, 'orderMoreV2') && intent.terms.market === market && intent.terms.side === side;
}

/** The writes of the journal, and the ids of those settled jobs whose requests may have been carried out again. */
interface Written {
  readonly recorded: readonly Entry[];
  readonly past: readonly Settled[];
  readonly watched: ReadonlySet<string>;
}

/** Reads the files of jobs, which are long: of settled ones only where the list shows orders that nothing else accounts for. */
export function jobOrders(
  journal: Journal,
  where: MarketSide,
  strange: readonly Order[],
  { recorded, past, watched }: Written,
): JobOrders {
  const open = recorded.flatMap((entry) =>
    entry.isOf('orderMoreV2') && isJobThere(entry.intent, where) ? new Job(entry) : [],
  );
  const settled = strange.length === 0 ? [] : past.filter(({ intent }) => isJobThere(intent, where));
  const done = settled.flatMap(({ intent }) => jobOf(journal, intent.id));
  const keys = new Set(strange.map((record) => recordKey(record, where.side)));
  return {
    known: [...open, ...done].flatMap(({ orders }) => orders),
    open: open.flatMap((job) => [...job.doubtful].map((line) => wantedOf(job, line))),
    settled: done
      .filter(({ id }) => watched.has(id))
      .flatMap((job) => {
        const isAnswered = (line: number) => ['placed', 'refused'].includes(job.fates[line]?.outcome ?? '');
        const lines = job.keys.flatMap((key, line) => (keys.has(key) && isAnswered(line) ? line : []));
        return lines.map((line) => wantedOf(job, line));
      }),
  };
}

function jobOf(journal: Journal, id: string): Job[] {
  const entry = journal.job(id);
  return entry === undefined ? [] : [new Job(entry)];
}

/** The job that a settled write was, by the file that is kept of it; undefined where it is gone on with since. */
export function settledJob(journal: Journal, { intent }: Settled): Job | undefined {
  const entry = isOf(intent, 'orderMoreV2') ? journal.keptJob(intent.id) : undefined;
  return entry === undefined ? undefined : new Job(entry);
}

/** A line as an order that is wanted. */
export function wantedOf(job: Job, line: number): Wanted {
  const fate = job.fates[line];
  const order = fate?.outcome === 'placed' ? fate.id : null;
  const reqTime = job.sentAt[line] ?? job.entry.intent.reqTime;
  return { intent: job.id, terms: lineTerms(job, line), line, reqTime, order, took: Number.POSITIVE_INFINITY };
}

/** A line of a job as the single order that it comes to. */
export function lineTerms({ terms }: Pick<Job, 'terms'>, line: number): OrderTerms {
  const { market, side, account, lines } = terms;
  const [, price = '', amount = ''] = lines[line] ?? [];
  return { ...{ market, side, account, price, amount }, type: 'limit', borrow: false, repay: false };
}
