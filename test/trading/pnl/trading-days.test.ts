import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import type { AccountHistory } from '../../../src/trading/pnl/account-history.js';
import { METHODS, type Method } from '../../../src/trading/pnl/lots.js';
import { type MatchedHistory, matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { type AccountPnl, profitAndLoss } from '../../../src/trading/pnl/profit-and-loss.js';
import { FundsFixture } from '../../sandbox/funds/fixture.js';
import { expectedLots, units } from './independent-ledger.js';
import { COINS, coinsOf, day, historyOf, live, ownedBy, statementOf, twoAccounts } from './trading-days.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
/** What each coin is worth in usdt: any price will do, if those of the markets follow from it exactly. */
const WORTH: Readonly<Record<string, Decimal>> = Object.fromEntries(
  Object.entries({ btc: '32000', eth: '2000', xrp: '0.5', usdt: '1' }).map(([coin, text]) => [coin, Decimal.of(text)]),
);
/** So many days share an exchange. With more, it would spend its time on searching among their accounts. */
const DAYS_TOGETHER = 50;
const NO_PRICES = { fees: 'apart', pastValue: () => undefined, readAt: Number.POSITIVE_INFINITY } as const;

function worth(coin: string, amount: Decimal): Decimal {
  return amount.times(WORTH[coin] ?? Decimal.zero);
}

function known(value: Decimal | null): Decimal {
  if (value === null) throw new Error('a value is unknown');
  return value;
}

/** Realised, unrealised and fees of all markets, with what was sold without a cost, in usdt. */
function tradingResult({ markets }: AccountPnl): Decimal {
  return Decimal.sum(
    markets.map(({ market, realised, position, fees, withoutCost }) => {
      const { base, quote } = coinsOf(market);
      const price = (WORTH[base] ?? Decimal.zero).dividedBy(WORTH[quote] ?? Decimal.zero, 8, 'down');
      const unrealised = position.amount.times(price).minus(position.cost);
      const foreign = known(withoutCost.proceeds).minus(withoutCost.amount.times(price));
      const paid = Decimal.sum(fees.map(({ value }) => value ?? Decimal.of('1e50')));
      return worth(quote, realised.plus(unrealised).plus(foreign).minus(paid));
    }),
  );
}

function transfers({ coins }: AccountPnl): Decimal {
  return Decimal.sum(
    coins.map(({ coin, deposits, withdrawals, other }) =>
      worth(coin, Decimal.sum([deposits, withdrawals, ...other.map(({ amount }) => amount)])),
    ),
  );
}

function lotsOf({ markets }: AccountPnl) {
  return markets.flatMap(({ market, lots }) =>
    lots.map(({ opened, closed, amount, cost, proceeds }) => ({
      ...{ market, opened, closed, amount: units(amount.toString()) },
      ...{ cost: cost === null ? null : units(cost.toString()), proceeds: units(known(proceeds).toString()) },
    })),
  );
}

const byMarket = <Lot extends { market: string }>(lots: readonly Lot[]) =>
  lots.toSorted((one, other) => (one.market < other.market ? -1 : one.market > other.market ? 1 : 0));

/** What happened in the days, so that they are known to have been worth a test. */
const seen = { lots: 0, withoutCost: 0, resting: 0, types: new Set<string | null>() };

/** Everything that a day has to satisfy for one account and method. */
function checkAccount(fixture: FundsFixture, account: Account, matched: MatchedHistory, method: Method): void {
  const result = profitAndLoss(matched, { ...NO_PRICES, window: ALWAYS, method });
  expect(byMarket(lotsOf(result))).toEqual(byMarket(expectedLots(statementOf(fixture, account), method)));
  for (const { coin, bills, unexplained } of result.coins) {
    expect([coin, unexplained.sign]).toEqual([coin, 0]);
    expect(bills.equals(ownedBy(fixture, account, coin))).toBe(true);
  }
  const balances = Decimal.sum(COINS.map((coin) => worth(coin, ownedBy(fixture, account, coin))));
  const explained = tradingResult(result).plus(transfers(result));
  expect(explained.minus(balances).trimmed().toString()).toBe('0');
  const lots = lotsOf(result);
  seen.lots += lots.length;
  seen.withoutCost += lots.filter(({ cost }) => cost === null).length;
}

/** Two windows that share no moment: together they are the whole, and the second begins with what the first has left. */
function checkWindows(matched: MatchedHistory, pick: number): void {
  const border = matched.bills[pick % matched.bills.length]?.time ?? 0;
  const of = (window: typeof ALWAYS) => profitAndLoss(matched, { ...NO_PRICES, window, method: 'fifo' });
  const [whole, before, after] = [of(ALWAYS), of({ ...ALWAYS, to: border }), of({ ...ALWAYS, from: border })];
  for (const { coins } of [before, after])
    expect(coins.filter(({ unexplained }) => unexplained.sign !== 0)).toEqual([]);
  expect(byMarket([...lotsOf(before), ...lotsOf(after)])).toEqual(byMarket(lotsOf(whole)));
  for (const { market, opening } of after.markets) {
    const left = before.markets.find((one) => one.market === market)?.position;
    expect([market, opening.amount.toString(), opening.cost.toString()]).toEqual([
      market,
      left?.amount.toString() ?? '0',
      left?.cost.toString() ?? '0',
    ]);
  }
}

/** A bill that the exchange leaves out is reported in its coin, with exactly its amount. */
function checkMissingBill(history: AccountHistory, pick: number): void {
  const place = pick % history.bills.length;
  const { coin = '', change = '' } = history.bills[place] ?? {};
  const rest = matchBills({ ...history, bills: history.bills.filter((_, index) => index !== place) });
  const { coins } = profitAndLoss(rest, { ...NO_PRICES, window: ALWAYS, method: 'fifo' });
  const named = coins.filter(({ unexplained }) => unexplained.sign !== 0);
  expect(named.map((one) => [one.coin, one.unexplained.trimmed().toString()])).toEqual([
    [coin, Decimal.of(change).negated().trimmed().toString()],
  ]);
}

test('profit, loss, fees and transfers add up to the change of balances, in lots of an independent ledger; a missing bill is named', () => {
  let fixture = FundsFixture.at();
  let days = 0;
  const property = fc.property(day, fc.nat(), (actions, pick) => {
    days += 1;
    if (days % DAYS_TOGETHER === 0) fixture = FundsFixture.at();
    const both = twoAccounts(fixture);
    live(fixture, both, actions);
    for (const account of both) {
      const history = historyOf(fixture, account);
      const matched = matchBills(history);
      expect(matched.unmatched).toEqual([]);
      for (const method of METHODS) checkAccount(fixture, account, matched, method);
      checkWindows(matched, pick);
      checkMissingBill(history, pick);
      const filledAt = new Set(matched.fills.map(({ time }) => time));
      seen.resting += history.orders.filter(({ time }) => !filledAt.has(time)).length;
      for (const { type } of history.bills) seen.types.add(type);
    }
  });
  fc.assert(property, { numRuns: 120 });
  expect(seen.types.size).toBe(9);
  for (const count of [seen.lots, seen.withoutCost, seen.resting]) expect(count).toBeGreaterThan(40);
});
