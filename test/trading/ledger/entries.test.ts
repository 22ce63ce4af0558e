import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill, Deposit } from '../../../src/domain/funds.js';
import { type LedgerEntry, ledgerEntries } from '../../../src/trading/ledger/entries.js';
import type { AccountHistory, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';

// The ledger shows what the one matching of bills has found: each bill is in one entry, and nothing is looked for again.

/** Bills as `time coin change`. */
function bills(text: string): Bill[] {
  return text.split(', ').map((line, index) => {
    const [time = '', coin = '', change = ''] = line.split(' ');
    const rest = { timeRaw: null, balance: null, total: null, remark: null, type: 'Change' };
    return { id: `b${index}`, time: Number(time), coin, change, ...rest };
  });
}

/** A buy of 2 btc for 200 usdt. */
const BUY: FilledOrder = {
  ...{ id: '1', market: 'btc_usdt', side: 'buy', time: 10, price: '100', filled: '2', filledValue: '200' },
  ...{ fee: '0.02', feeCoin: 'btc' },
};

function deposit(id: string, amount: string, time: number): Deposit {
  const rest = { address: null, hash: `hash${id}`, confirmations: null, isInternal: null, description: null };
  return { id, coin: 'btc', amount, time, state: 'success', status: 2, timeRaw: null, ...rest } as unknown as Deposit;
}

/** Each entry as its time, kind, changes of the account, fees, bills and record. */
function shown(history: Partial<AccountHistory> & { readonly deposits?: readonly Deposit[] }): readonly string[] {
  const all = { orders: [], bills: [], withdrawals: [], ...history, deposits: history.deposits ?? [] };
  return ledgerEntries(matchBills(all), all).map(textOf);
}

function textOf({ time, kind, trade, changes, fees, bills: ids, deposit: record }: LedgerEntry): string {
  const legs = trade === null ? changes : [trade.base, trade.quote].filter(({ hasBill }) => hasBill);
  const moved = legs.map(({ coin, amount }) => `${amount.trimmed()} ${coin}`).join(' ');
  const paid = fees.map(({ coin, amount }) => ` fee ${amount.trimmed()} ${coin}`).join('');
  return `${time} ${kind} ${moved}${paid} [${ids.join(' ')}]${record === null ? '' : ` ${record.hash}`}`;
}

describe('a trade', () => {
  it('has the bills of its two coins and of its fee of that moment', () => {
    expect(shown({ orders: [BUY], bills: bills('20 usdt -200, 20 btc 2, 20 btc -0.02') })).toEqual([
      '20 buy 2 btc -200 usdt fee 0.02 btc [b1 b0 b2]',
    ]);
  });

  it('has a fee that is inside the bill of what was received', () => {
    expect(shown({ orders: [BUY], bills: bills('20 usdt -200, 20 btc 1.98') })).toEqual([
      '20 buy 2 btc -200 usdt fee 0.02 btc [b1 b0]',
    ]);
  });

  it('stands apart from a fee of another moment', () => {
    expect(shown({ orders: [BUY], bills: bills('20 usdt -200, 20 btc 2, 30 btc -0.02') })).toEqual([
      '20 buy 2 btc -200 usdt [b1 b0]',
      '30 fee  fee 0.02 btc [b2]',
    ]);
  });

  it('of two moments is in two parts', () => {
    expect(shown({ orders: [BUY], bills: bills('20 usdt -200, 30 btc 2, 30 btc -0.02') })).toEqual([
      '20 buy -200 usdt [b0]',
      '30 buy 2 btc [b1]',
      '30 fee  fee 0.02 btc [b2]',
    ]);
  });
});

describe('a deposit', () => {
  it('has its record, also if the exchange has kept a fee of it', () => {
    const deposits = [deposit('1', '5', 10), deposit('2', '7', 30)];
    expect(shown({ bills: bills('20 btc 4.9, 40 btc 6.9'), deposits })).toEqual([
      '20 deposit 4.9 btc [b0] hash1',
      '40 deposit 6.9 btc [b1] hash2',
    ]);
  });

  it('has the record that pnl gives it, if another one is nearer to the bill', () => {
    const deposits = [deposit('1', '5', 10), deposit('2', '5', 30)];
    const entries = shown({ bills: bills('29 btc 5, 60 btc 5'), deposits });
    expect(entries).toEqual(['29 deposit 5 btc [b0] hash1', '60 deposit 5 btc [b1] hash2']);
  });
});

it('every bill is in one entry, so the changes of a coin add up to its bills', () => {
  const all = bills('20 usdt -200, 20 btc 2, 25 eth 1, 30 btc -0.02, 40 btc 5');
  const history = { orders: [BUY], bills: all, deposits: [deposit('1', '5', 35)], withdrawals: [] };
  const entries = ledgerEntries(matchBills(history), history);
  expect(entries.flatMap((entry) => entry.bills).sort()).toEqual(all.map(({ id }) => id));
  const ofBtc = entries.flatMap(({ trade, changes, fees }) => [
    ...(trade === null ? [] : [trade.base, trade.quote].filter(({ hasBill }) => hasBill)),
    ...changes,
    ...fees.map(({ coin, amount }) => ({ coin, amount: amount.negated() })),
  ]);
  const sum = Decimal.sum(ofBtc.filter(({ coin }) => coin === 'btc').map(({ amount }) => amount));
  expect(sum.trimmed().toString()).toBe('6.98');
});
