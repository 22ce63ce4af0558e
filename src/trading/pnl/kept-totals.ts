import type { Cache } from '../../config/cache.js';
import { Decimal } from '../../domain/decimal.js';
import type { Method } from './lots.js';
import type { MatchedHistory } from './matching/match-bills.js';
import type { AccountPnl, MarketTotals } from './profit-and-loss.js';
import type { FeeBasis } from './trade-legs.js';

/** The profit and loss of a whole account by market, without the lots. */
export interface AccountTotals extends AccountPnl<MarketTotals> {
  readonly due: MatchedHistory['due'];
}

/** What decides the totals beside the history. */
export interface TotalsView {
  readonly method: Method;
  readonly fees: FeeBasis;
  /** What decides the prices of fees in other coins: the exchange that has the candles, and its markets. */
  readonly prices: string;
}

/** Where totals are kept from one command to the next, so that a history in which nothing is new need not be read. Nothing here fails a command. */
export interface TotalsStore {
  /** Undefined unless they were computed in the same way, from the history with this id, by the same version of pit. */
  read(history: string, view: TotalsView): AccountTotals | undefined;
  write(history: string, view: TotalsView, totals: AccountTotals): Promise<void>;
}

/** Changes with what is kept, so that another version's file is not read. */
const FORMAT = 1;

/** Keeps the totals of one account in the cache, a file for each method and way to count fees. @param account as its journal is named */
export function totalsStore(cache: Pick<Cache, 'read' | 'write'>, account: string, version: string): TotalsStore {
  const keyOf = ({ method, fees }: TotalsView) => `pnl totals ${FORMAT} ${method} ${fees} ${account}`;
  const originOf = (history: string, { prices }: TotalsView) => JSON.stringify([version, history, prices]);
  return {
    read: (history, view) => {
      const text = cache.read(keyOf(view))?.value;
      if (text === undefined) return undefined;
      const { origin, totals } = JSON.parse(text) as TotalsFile;
      return origin === originOf(history, view) ? (withDecimals(totals) as AccountTotals) : undefined;
    },
    write: (history, view, totals) => {
      const file: TotalsFile = { origin: originOf(history, view), totals: withTexts(totals) };
      return cache.write(keyOf(view), JSON.stringify(file));
    },
  };
}

interface TotalsFile {
  readonly origin: string;
  readonly totals: unknown;
}

/** A decimal in JSON. No other object of the totals has a field of this name. */
interface DecimalText {
  readonly decimal: string;
}

function withTexts(value: unknown): unknown {
  if (value instanceof Decimal) return { decimal: value.toString() } satisfies DecimalText;
  return ofParts(value, withTexts);
}

function withDecimals(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && 'decimal' in value)
    return Decimal.of((value as DecimalText).decimal);
  return ofParts(value, withDecimals);
}

function ofParts(value: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part)]));
}
