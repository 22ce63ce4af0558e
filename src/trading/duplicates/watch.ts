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
 * journal. What is found is told once. Until a request cannot be executed any more, every command in its market looks
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
  const { client, journal, host } = account;
  const check: Check = { time: client.now(), at: host.now() };
  const search = searchOf(account, where, check, fresh);
  if (search.wanted.length === 0) return [];
  const { records, failure } = await listedSince(account, where, search.from);
  const { extras: found, isDecided } = heldAgainst(account, search, records);
  const extras = found.length === 0 ? found : await withDoubts(account, search, found);
  ifTheDiskTakesIt(() => {
    keep(account, where, extras);
    if (failure === null && isDecided) journal.archive.markChecked(where, check);
  });
  return extras;
}

/** What is not noted is found again by the next look. */
function ifTheDiskTakesIt(note: () => void): void {
  try {
    note();
  } catch (thrown) {
    if (codeOf(thrown) === 'unknown error') throw thrown;
  }
}

function searchOf(account: TradingAccount, where: MarketSide, check: Check, fresh: Wanted | undefined): Search {
  const { archive } = account.journal;
  const since = account.host.now() - MEMORY_MS;
  const span = Math.min(account.tolerance.known ?? USUAL_TOLERANCE_MS, 10 * USUAL_TOLERANCE_MS) + SLACK_MS;
  const last = archive.lastCheck(where, since, check);
  const starts = pastOf(account, where).flatMap((settled) => {
    const from = startOf(settled, last, span);
    return from === undefined ? [] : wantedOf(settled).map((wanted) => ({ wanted, from }));
  });
  if (fresh !== undefined) starts.push({ wanted: fresh, from: fresh.reqTime - SLACK_MS });
  const [wanted, from] = [starts.map((start) => start.wanted), Math.min(...starts.map((start) => start.from))];
  return { where, span, fresh, wanted, from };
}

/** From when on a copy of an order would not have been seen yet; undefined where none can come any more. */
function startOf({ intent, events }: Settled, last: Check | undefined, span: number): number | undefined {
  const settled = events.at(-1)?.time ?? intent.time;
  // that look may have begun before it was there to be looked for
  if (last === undefined || last.at <= settled + LAG_MS) return intent.reqTime - SLACK_MS;
  return last.time > intent.reqTime + span ? undefined : last.time - SLACK_MS;
}

function listedSince({ client }: TradingAccount, { market, side }: MarketSide, from: number) {
  const extent = { from: 1, to: MOST_PAGES };
  return readOrderPages(client, market, side, extent, (last) => last.trade_date < from);
}

interface Found {
  readonly extras: readonly Extra[];
  /** Nothing of what was seen may still turn out to be one too many: an open order just like one that is looked for may claim it. */
  readonly isDecided: boolean;
}

/** The journal is read after the list, and the open orders before the settled ones: so nothing that is listed is missed in it. */
function heldAgainst(account: TradingAccount, search: Search, records: readonly OrderRecord[]): Found {
  const { where, wanted, fresh, span } = search;
  const recorded = account.journal.open().map(({ intent }) => intent);
  const past = pastOf(account, where);
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
  const longer = await quietly(() => listedSince(account, search.where, earliest));
  const again = longer === undefined ? [] : heldAgainst(account, search, longer.records).extras;
  const certain = again.length > 0 && again.every((extra) => extra.certain);
  return found.map((extra) => ({ ...extra, certain }));
}

/** So that an extra order is told once, and accounted for from then on. */
function keep(account: TradingAccount, where: MarketSide, extras: readonly Extra[]): void {
  if (extras.length === 0) return;
  const past = pastOf(account, where);
  for (const { intent: id, ids } of extras) {
    const settled = past.find(({ intent }) => intent.id === id);
    if (settled === undefined) continue;
    account.journal.archive.add({ ...settled, duplicates: [...new Set([...settled.duplicates, ...ids])] });
  }
}

function pastOf({ journal, host }: TradingAccount, where: MarketSide): Settled[] {
  return journal.archive.since(host.now() - MEMORY_MS).filter(({ intent }) => isThere(intent, where));
}

function isThere(intent: Intent, { market, side }: MarketSide): boolean {
  return isOf(intent, 'order') && intent.terms.market === market && intent.terms.side === side;
}

function wantedOf({ intent, id }: Pick<Settled, 'intent' | 'id'>): Wanted[] {
  return isOf(intent, 'order') ? [{ intent: intent.id, terms: intent.terms, reqTime: intent.reqTime, order: id }] : [];
}
