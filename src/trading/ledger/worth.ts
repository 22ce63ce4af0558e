import { Decimal } from '../../domain/decimal.js';
import type { PastPrices } from '../pnl/past-prices.js';
import { type PastValue, valueOfFee, valueOfTrade } from '../pnl/trade-legs.js';
import type { BalanceChange } from './balance-change.js';
import type { EntryWorth, LedgerEntry } from './entries.js';

/** Entries with what they were worth in a coin when they happened. Throws Failure if candles cannot be read. */
export async function valuedEntries(
  entries: readonly LedgerEntry[],
  unit: string,
  prices: PastPrices,
): Promise<readonly LedgerEntry[]> {
  const trades = entries.flatMap((entry) => {
    const trade = tradeOf(entry);
    return trade === undefined ? [] : [{ ...trade, fees: entry.fees }];
  });
  await prices.loadForTrades(trades, () => unit);
  const others = entries.flatMap((entry) => {
    const { time, trade, changes, fees } = entry;
    return [...changes, ...(trade === null ? fees : [])].map(({ coin }) => ({ coin, unit, time }));
  });
  await prices.load(others.filter(({ coin }) => coin !== unit));
  return entries.map((entry) => ({ ...entry, worth: worthOf(entry, unit, prices.value) }));
}

/**
 * A trade and its fees are worth what they are in `pit pnl --by coin`; anything else by the price of its moment.
 *
 * @internal for its test
 */
export function worthOf(entry: LedgerEntry, unit: string, pastValue: PastValue): EntryWorth {
  const { time, changes, fees } = entry;
  const trade = tradeOf(entry);
  const worth = trade === undefined ? null : valueOfTrade(trade, unit, pastValue);
  const converted = ({ coin, amount }: BalanceChange) =>
    coin === unit ? amount : (pastValue(amount, coin, unit, time) ?? null);
  return {
    unit,
    trade: worth,
    changes: changes.map(converted),
    fees: fees.map((fee) => (trade === undefined ? converted(fee) : valueOfFee(trade, fee, worth, unit, pastValue))),
  };
}

/** The coins that have no price in some entry. */
export function unpricedCoins(entries: readonly LedgerEntry[]): readonly string[] {
  const coins = entries.flatMap(({ worth, trade, changes, fees }) => {
    if (worth === null) return [];
    const parts = [
      ...changes.map(({ coin }, index) => ({ coin, value: worth.changes[index] })),
      ...fees.map(({ coin }, index) => ({ coin, value: worth.fees[index] })),
      ...(trade === null ? [] : [trade.base, trade.quote].map(({ coin }) => ({ coin, value: worth.trade }))),
    ];
    return parts.flatMap(({ coin, value }) => (value === null ? [coin] : []));
  });
  return [...new Set(coins)].sort();
}

function tradeOf({ time, trade }: LedgerEntry) {
  if (trade === null) return undefined;
  const { base, quote } = trade;
  const [amount, value] = [base.amount, quote.amount].map((one) => (one.sign < 0 ? one.negated() : one));
  return { base: base.coin, quote: quote.coin, amount: amount ?? Decimal.zero, value: value ?? Decimal.zero, time };
}
