import { expect, it } from 'vitest';
import type { Bill } from '../../src/domain/funds.js';
import { BILL_WORDS } from '../../src/sandbox/server/interface-details.js';
import { ledgerEntries } from '../../src/trading/ledger/entries.js';
import type { AccountHistory, FilledOrder } from '../../src/trading/pnl/account-history.js';
import { matchBills } from '../../src/trading/pnl/matching/match-bills.js';

const BUY: FilledOrder = {
  ...{ id: '1', market: 'btc_usdt', side: 'buy', time: 10, price: '100', filled: '2', filledValue: '200' },
  ...{ fee: '0', feeCoin: 'btc' },
};

function bill(id: string, time: number, coin: string, change: string, type: string): Bill {
  return { id, time, coin, change, type, timeRaw: null, balance: null, total: null, remark: null };
}

/** The kinds of the entries of a buy, and of one more bill. */
function kindsWith(other: Bill): readonly (readonly [kind: string, bills: readonly string[]])[] {
  const bills = [bill('b1', 20, 'usdt', '-200', BILL_WORDS.buy), bill('b2', 20, 'btc', '2', BILL_WORDS.buy), other];
  const history: AccountHistory = { orders: [BUY], bills, deposits: [], withdrawals: [] };
  return ledgerEntries(matchBills(history), { deposits: [], withdrawals: [] }).map((entry) => [
    entry.kind,
    [...entry.bills].sort(),
  ]);
}

it('a bill of a kind that pit does not know is an entry of its own under the exchange’s name for it, and no trade', () => {
  expect(kindsWith(bill('b3', 20, 'btc', '0.5', 'Airdrop'))).toEqual([
    ['buy', ['b1', 'b2']],
    ['other', ['b3']],
  ]);
});

it('a bill of a kind that trades have, and of none of them, is unexplained', () => {
  expect(kindsWith(bill('b3', 30, 'btc', '0.5', BILL_WORDS.buy))).toEqual([
    ['buy', ['b1', 'b2']],
    ['unexplained', ['b3']],
  ]);
});

it('each kind of bill of the sandbox has a word of its own, by which pit tells it from the others', () => {
  const words = Object.values(BILL_WORDS);
  expect(new Set(words).size).toBe(words.length);
});
