import type { Bill } from '../../domain/funds.js';
import { boundsByAnswer, type TimeRange } from '../../domain/time-range.js';
import { FURTHEST_MS } from '../../domain/zone.js';
import { Failure } from '../../errors.js';
import { type ExchangeZone, wallText } from '../exchange-zone.js';
import { BILLS_PER_PAGE } from '../facts.js';
import type { ListedBill } from '../operations/funds.js';
import type { RequestOf } from '../operations/index.js';
import { type GrowingList, type Pages, pagesInOrder, TakenRows, uncounted } from './growing-pages.js';

/** Which bills: of one coin or all. */
export interface BillRange extends TimeRange {
  readonly coin?: string | undefined;
}

/** Where the pages of bills come from. */
export interface BillSource {
  billPage(request: RequestOf<'getSpotBills'>): Promise<readonly ListedBill[]>;
  now(): number;
  /** Whether an answer has shown the exchange's time. */
  readonly isTimeKnown: boolean;
}

/** "range 10-50" */
const FEWEST_PER_PAGE = 10;
/** Added to the date to read up to: a learned offset may be wrong then, by the daylight saving time. */
const ZONE_SLACK_MS = 2 * 3_600_000;
/** Bills this close in time may be in any order. */
const DISORDER_MS = 60_000;

/** The exchange splits its bills by age; in the order to read them. */
const AGES = ['recent', 'older'] as const;

type Age = (typeof AGES)[number];

/** A bill never changes. Several may have one id, for instance those of a trade and its fee. */
const BILL_ROWS: Pick<GrowingList<ListedBill>, 'identity' | 'isUnique' | 'time'> = {
  identity: ({ content }) => content,
  isUnique: false,
  time: ({ time }) => time,
};

/**
 * The bills of a range. Throws Failure if they cannot be read: `unreachable`, `limited`, `refused`, `credentials`, or `internal`
 * for a response that is not what the interface says, also for an amount in it. `partial`: the exchange repeats a page.
 * @param page counts from 1, the newest {@link BILLS_PER_PAGE} bills of the range; all of them if undefined
 */
export async function* readBills(source: BillSource, zone: ExchangeZone, range: BillRange, page?: number): Pages<Bill> {
  const bills = readAllBills(source, zone, range);
  if (page === undefined) {
    yield* bills;
    return uncounted(false);
  }
  // the pages of the exchange begin with newer bills than the range
  let skipped = (page - 1) * BILLS_PER_PAGE;
  let left = BILLS_PER_PAGE;
  for await (const some of bills) {
    const taken = some.slice(skipped, skipped + left);
    skipped -= Math.min(skipped, some.length);
    left -= taken.length;
    yield taken;
    if (left === 0) return uncounted(true);
  }
  return uncounted(false);
}

/**
 * The bills of a range, newest first, each once, a page at a time. Recent bills are read to their end before the older ones,
 * so that those that become older meanwhile are still read. Only the exchange's clock decides which are older, so the older
 * ones are left out only once a bill before the range was read.
 *
 * A bill's own time decides whether it is in the range. The date to read up to only skips newer ones, once the zone of the
 * exchange's dates is known.
 */
async function* readAllBills(
  source: BillSource,
  zone: ExchangeZone,
  range: BillRange,
): AsyncGenerator<readonly Bill[]> {
  const until = await endOf(source, zone, range);
  const bounds = boundsByAnswer(source, range);
  const isInRange = ({ time }: ListedBill) => time >= bounds().from && time < bounds().to;
  const isBeforeRange = (entries: readonly ListedBill[]) => (entries.at(-1)?.time ?? Number.NaN) < bounds().from;
  const taken = new TakenRows(BILL_ROWS);
  for (const age of AGES) {
    const list: GrowingList<ListedBill> = {
      ...BILL_ROWS,
      read: (page) =>
        source.billPage({ coin: range.coin, age, since: startOf(source, range), until, page, size: BILLS_PER_PAGE }),
      isLast: (entries) => entries.length < BILLS_PER_PAGE || isBeforeRange(entries),
    };
    for await (const { rows, fresh } of pagesInOrder(list, taken)) {
      requireNewestFirst(rows);
      for (const row of rows) zone.learn(row);
      yield fresh.filter(isInRange).map((entry) => entry.read());
      if (isBeforeRange(rows)) return;
    }
  }
}

/**
 * Learns the zone of the exchange's dates from its newest bills, first of any coin, then of one, until `isEnough`. Throws Failure
 * if a page cannot be read.
 */
export async function learnZone(
  source: BillSource,
  zone: ExchangeZone,
  coin: string,
  isEnough: () => boolean,
): Promise<void> {
  for (const ofCoin of [undefined, coin])
    for (const age of AGES) {
      if (isEnough()) return;
      const entries = await source.billPage({ coin: ofCoin, age, page: 1, size: BILLS_PER_PAGE });
      for (const entry of entries) zone.learn(entry);
    }
}

/** The interface does not state the order. Oldest first would silently miss the newest. */
function requireNewestFirst(entries: readonly ListedBill[]): void {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined || last.time - first.time <= DISORDER_MS) return;
  throw new Failure('internal', 'The exchange lists its bills oldest first, and pit reads them newest first.');
}

/**
 * A date to read from, which is early enough in every time zone: the bills before the range only end the list. Undefined while it
 * depends on what time it is and no answer has shown that.
 */
function startOf(source: BillSource, { from }: BillRange): string | undefined {
  if (from === undefined) return undefined;
  const start = from(source.now());
  if (!source.isTimeKnown && from(source.now() + FURTHEST_MS) !== start) return undefined;
  const early = start - FURTHEST_MS;
  return early > 0 ? wallText(early) : undefined;
}

/** A date to read up to, if that skips anything and the zone can be learned. What time it is, only an answer shows. */
async function endOf(source: BillSource, zone: ExchangeZone, { coin, to }: BillRange): Promise<string | undefined> {
  if (to === undefined) return undefined;
  const learnFrom = async (age: Age) => {
    for (const entry of await source.billPage({ coin, age, page: 1, size: FEWEST_PER_PAGE })) zone.learn(entry);
  };
  if (!source.isTimeKnown) await learnFrom('recent');
  const end = to(source.now()) + ZONE_SLACK_MS;
  if (end > source.now()) return undefined;
  for (const age of AGES) if (!zone.isKnown) await learnFrom(age);
  return zone.write(end);
}
