import { readOrderPages } from '../../client/order-pages.js';
import { codeOf } from '../../config/private.js';
import type { OrderRecord } from '../../protocol/operations/trading.js';
import type { TradingAccount } from '../account.js';
import type { Check, MarketSide } from '../journal/archive.js';
import { type Intent, isOf, type Settled } from '../journal/intent.js';
import { areAlike } from '../order/terms.js';
import { quietly } from '../quietly.js';
import { type Extra, extraOrders, type Wanted } from './extra-orders.js';

/** So far back the first command after a while looks for what was carried out again meanwhile. */
const MEMORY_MS = 3 * 86_400_000;
/** Where the exchange's tolerance was never measured; chosen, not documented. */
const USUAL_TOLERANCE_MS = 60_000;
/** For clocks that differ a little. */
const SLACK_MS = 5_000;
/** From when a write is noted as settled until every other process reads that, at the most. */
const LAG_MS = 5_000;
/** So many may have come to a side since it was looked at last; what lies before them is not looked at any more. */
const MOST_PAGES = 100;

/** What is looked for, of one side of a market. */
interface Search {
  readonly where: MarketSide;
  readonly check: Check;
  readonly wanted: readonly Wanted[];
  /** The one of these that is not in the archive yet. */
  readonly fresh: Wanted | undefined;
  /** Orders of before need no look any more; by the exchange's clock, in milliseconds since the Unix epoch. */
  readonly from: number;
  /** How far two executions of one request may be apart, in milliseconds. */
  readonly span: number;
}

/**
 * Looks for orders that the network made of requests which were sent once: one read of the recent orders, held against the
 * journal. What is found is told, and noted so that it is told once. Until a request cannot be executed any more, every command in its market looks
 * again, back to where the last look began; where nothing is to be looked for, nothing is read.
 *
 * @param fresh an order that was just placed and is not in the archive yet
 * @throws Failure as the client's `read`, and `usage` where the journal cannot be read
 */
export async function findExtras(
  account: TradingAccount,
  where: MarketSide,
  fresh?: Wanted,
): Promise<readonly Extra[]> {
  const search = searchOf(account, where, fresh);
  if (search.wanted.length === 0) return [];
  const { records, failure } = await listedSince(account, search, search.from);
  const { extras: found, isDecided } = heldAgainst(account, search, records, search.from);
  const extras = found.length === 0 ? found : await withDoubts(account, search, found);
  // before it is noted: who is killed in between is told twice rather than never
  if (extras.length > 0) account.alarm(extras);
  ifTheDiskTakesIt(() => {
    for (const extra of extras) keep(account, extra);
    if (failure === null && isDecided) account.journal.archive.markChecked(where, search.check);
  });
  return extras;
}

/**
 * Looks at both sides of a market, as every signed command does that is about it. Where nothing can have been repeated,
 * nothing is asked; where it cannot be found out now, a later command will.
 */
export async function watchMarket(account: TradingAccount, market: string): Promise<void> {
  for (const side of ['buy', 'sell'] as const) await quietly(() => findExtras(account, { market, side }));
}

/** What is not noted is found again by the next look. */
function ifTheDiskTakesIt(note: () => void): void {
  try {
    note();
  } catch (thrown) {
    if (codeOf(thrown) === 'unknown error') throw thrown;
  }
}

function searchOf(account: TradingAccount, where: MarketSide, fresh: Wanted | undefined): Search {
  const { client, host, tolerance, journal } = account;
  const check: Check = { time: client.now(), at: host.now() };
  const span = Math.min(tolerance.known ?? USUAL_TOLERANCE_MS, 10 * USUAL_TOLERANCE_MS) + SLACK_MS;
  const { settled, last } = journal.archive.recent(where, check, (latest) =>
    latest === undefined ? check.at - MEMORY_MS : Math.min(latest.at - LAG_MS, here(latest.time - span, check)),
  );
  const starts = settled
    .filter(({ intent }) => isThere(intent, where))
    .map((one) => ({ wanted: wantedOf(one), from: startOf(one, last, span) }));
  if (fresh !== undefined) starts.push({ wanted: [fresh], from: fresh.reqTime - SLACK_MS });
  const needed = starts.filter(({ from }) => from !== undefined);
  const from = Math.min(...needed.map((one) => one.from ?? 0));
  return { where, check, span, fresh, from, wanted: needed.flatMap(({ wanted }) => wanted) };
}

/** From when on a copy of an order would not have been seen yet; undefined where none can come any more. */
function startOf({ intent, events }: Settled, last: Check | undefined, span: number): number | undefined {
  const settled = events.at(-1)?.time ?? intent.time;
  // that look may have begun before it was there to be looked for
  if (last === undefined || last.at <= settled + LAG_MS) return intent.reqTime - SLACK_MS;
  return last.time > intent.reqTime + span ? undefined : last.time - SLACK_MS;
}

/** A time of the exchange's clock by this machine's. */
function here(time: number, { time: exchange, at }: Check): number {
  return time - exchange + at;
}

function listedSince({ client }: TradingAccount, { where: { market, side } }: Search, from: number) {
  const extent = { from: 1, to: MOST_PAGES };
  return readOrderPages(client, market, side, extent, (last) => last.trade_date < from);
}

interface Found {
  readonly extras: readonly Extra[];
  /** Nothing of what was seen may still turn out to be one too many: an open order just like one that is looked for may claim it. */
  readonly isDecided: boolean;
}

/**
 * Holds a list of orders from a time on against the journal, which is read after the list, and its open orders before the
 * settled ones: so nothing that is listed is missed in it. No order is settled before it is there.
 */
function heldAgainst(
  { journal }: TradingAccount,
  { where, check, wanted, fresh, span }: Search,
  records: readonly OrderRecord[],
  from: number,
): Found {
  const recorded = journal.open().map(({ intent }) => intent);
  const past = journal.archive.recent(where, check, () => here(from, check)).settled;
  const accounted = new Set([fresh?.intent, ...past.map(({ intent }) => intent.id)]);
  const known = new Set(past.flatMap(({ id, duplicates }) => [id ?? '', ...duplicates]).concat(fresh?.order ?? ''));
  const open = recorded
    .filter((intent) => isThere(intent, where) && !accounted.has(intent.id))
    .flatMap((intent) => wantedOf({ intent, id: null }));
  const extras = extraOrders({ records, known, settled: wanted, open, span });
  return { extras, isDecided: !open.some((one) => wanted.some(({ terms }) => areAlike(terms, one.terms))) };
}

/** It takes a longer list to tell whether another program uses the account, which would be another reason for an extra order. */
async function withDoubts(account: TradingAccount, search: Search, found: readonly Extra[]): Promise<Extra[]> {
  const earliest = Math.min(...search.wanted.map(({ reqTime }) => reqTime)) - search.span;
  const longer = await quietly(() => listedSince(account, search, earliest));
  const again = longer === undefined ? [] : heldAgainst(account, search, longer.records, earliest).extras;
  const certain = again.length > 0 && again.every((extra) => extra.certain);
  return found.map((extra) => ({ ...extra, certain }));
}

/** So that an extra order is told once, and accounted for from then on. */
function keep({ journal: { archive } }: TradingAccount, { intent, ids }: Extra): void {
  const settled = archive.find(intent);
  if (settled === undefined) return;
  archive.add({ ...settled, duplicates: [...new Set([...settled.duplicates, ...ids])] });
}

function isThere(intent: Intent, { market, side }: MarketSide): boolean {
  return isOf(intent, 'order') && intent.terms.market === market && intent.terms.side === side;
}

function wantedOf({ intent, id }: Pick<Settled, 'intent' | 'id'>): Wanted[] {
  return isOf(intent, 'order') ? [{ intent: intent.id, terms: intent.terms, reqTime: intent.reqTime, order: id }] : [];
}
