import type { OrderRecord } from '../../protocol/operations/trading.js';
import { Job } from '../batch/job.js';
import { recordKey } from '../batch/lines.js';
import type { MarketSide } from '../journal/archive.js';
import { type Intent, isOf, type OrderTerms, type Settled } from '../journal/intent.js';
import type { Journal } from '../journal/journal.js';
import type { Wanted } from './extra-orders.js';

/** What jobs of one side of a market explain of the orders that are listed there. */
export interface JobOrders {
  /** Ids of orders that jobs made. */
  readonly known: readonly string[];
  /** Lines of which it is not known yet whether and as what they are there. */
  readonly open: readonly Wanted[];
  /** Placed lines that listed orders may be copies of. */
  readonly settled: readonly Wanted[];
}

export function isJobThere(intent: Intent, { market, side }: MarketSide): intent is Intent<'orderMoreV2'> {
  return isOf(intent, 'orderMoreV2') && intent.terms.market === market && intent.terms.side === side;
}

/** When the last request of a settled job had been answered, by this machine's clock in ms since the Unix epoch. */
export function endOf({ intent, events }: Settled): number {
  return events.at(-1)?.time ?? intent.time;
}

/**
 * Reads the files of jobs, which are long: of settled ones only where the list shows orders that nothing else accounts for.
 *
 * @param watched those of the settled jobs whose requests may have been carried out again
 */
export function jobOrders(
  journal: Journal,
  where: MarketSide,
  strange: readonly OrderRecord[],
  { settled, watched }: { readonly settled: readonly Settled[]; readonly watched: readonly Settled[] },
): JobOrders {
  const open = journal
    .open()
    .flatMap((entry) => (entry.isOf('orderMoreV2') && isJobThere(entry.intent, where) ? new Job(entry) : []));
  const past = strange.length === 0 ? [] : settled.flatMap(({ intent }) => jobOf(journal, intent.id));
  const keys = new Set(strange.map((record) => recordKey(record, where.side)));
  const isWatched = ({ id }: Job) => watched.some(({ intent }) => intent.id === id);
  return {
    known: [...open, ...past].flatMap(({ orders }) => orders),
    open: open.flatMap((job) =>
      [...job.doubts.values()].flatMap(({ lines }) => [...lines].map((line) => wantedOf(job, line))),
    ),
    settled: past.filter(isWatched).flatMap((job) => {
      const lines = job.fates.flatMap((fate, line) => (fate?.outcome === 'placed' ? line : []));
      return lines.filter((line) => keys.has(job.keys[line])).map((line) => wantedOf(job, line));
    }),
  };
}

function jobOf(journal: Journal, id: string): Job[] {
  const entry = journal.job(id);
  return entry === undefined ? [] : [new Job(entry)];
}

function wantedOf(job: Job, line: number): Wanted {
  const fate = job.fates[line];
  const order = fate?.outcome === 'placed' ? fate.id : null;
  return { intent: job.id, terms: lineTerms(job, line), reqTime: job.sentAt[line] ?? job.entry.intent.reqTime, order };
}

/** A line of a job as the single order that it comes to. */
export function lineTerms({ terms }: Pick<Job, 'terms'>, line: number): OrderTerms {
  const { market, side, account, lines } = terms;
  const [, price = '', amount = ''] = lines[line] ?? [];
  return { ...{ market, side, account, price, amount }, type: 'limit', borrow: false, repay: false };
}
