import fc from 'fast-check';
import type { Coin } from '../../../src/domain/account.js';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill } from '../../../src/domain/funds.js';
import { type LedgerEntry, ledgerEntries, type TransferRecords } from '../../../src/trading/ledger/entries.js';
import { openingBalances } from '../../../src/trading/ledger/ledger.js';
import type { AccountHistory } from '../../../src/trading/pnl/account-history.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import type { FundsFixture } from '../../sandbox/funds/fixture.js';
import { fewOrders, type Habit, trade } from '../../trading/pnl/moments.js';
import { day, historyOf, live, ownedBy, twoAccounts } from '../../trading/pnl/trading-days.js';

/** An account as the exchange shows it, with its ledger. */
export interface Booked {
  readonly bills: readonly Bill[];
  readonly entries: readonly LedgerEntry[];
  /** What the account has of each coin, as `pit balance` shows it: not computed from the ledger. */
  readonly balances: ReadonlyMap<string, Decimal>;
}

const habits: fc.Arbitrary<Habit> = fc.record({
  momentMs: fc.constantFrom(1 as const, 1_000 as const),
  fees: fc.constantFrom('apart' as const, 'inside' as const, 'own coin' as const),
  hasRebates: fc.boolean(),
  isShuffled: fc.boolean(),
});

/** What is drawn for an account: a day of two strategies in the sandbox, or orders of an exchange with other habits. */
export const drawnAccount = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('day' as const), actions: day, who: fc.constantFrom(0, 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('habit' as const), orders: fewOrders, habit: habits }) },
);
type Drawn = typeof drawnAccount extends fc.Arbitrary<infer Value> ? Value : never;

/** Lets the drawn things happen. @param fixture the sandbox of the days */
export function bookedAccount(drawn: Drawn, fixture: FundsFixture): Booked {
  if (drawn.kind === 'day') {
    const both = twoAccounts(fixture);
    live(fixture, both, drawn.actions);
    const account = both[drawn.who] ?? both[0];
    const history = historyOf(fixture, account);
    const coins = [...new Set(history.bills.map(({ coin }) => coin))];
    return booked(history, new Map(coins.map((coin) => [coin, ownedBy(fixture, account, coin)])));
  }
  const { history } = trade(drawn.orders, drawn.habit);
  const left = new Map<string, Decimal>();
  const bills = history.bills.map((bill) => {
    const balance = (left.get(bill.coin) ?? Decimal.of('1000000')).plus(Decimal.of(bill.change));
    left.set(bill.coin, balance);
    return { ...bill, balance: balance.toString() };
  });
  return booked({ ...history, bills }, left);
}

function booked(history: AccountHistory, balances: ReadonlyMap<string, Decimal>): Booked {
  const matched = matchBills(history);
  const entries = ledgerEntries(matched, history as unknown as TransferRecords);
  return { bills: history.bills, entries, balances };
}

/** What the account had before its bills, if nothing is missing. */
export function openingOf({ bills, balances }: Pick<Booked, 'bills' | 'balances'>) {
  const coins = [...balances].map(
    ([coin, amount]) => ({ coin, available: amount.toString(), frozen: '0' }) as unknown as Coin,
  );
  return openingBalances(bills, coins, coins);
}
