import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill, Withdrawal } from '../../../src/domain/funds.js';
import { Basis } from '../../../src/trading/pnl/basis.js';
import { type CoinBookOptions, coinBooks } from '../../../src/trading/pnl/coin-books.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { reconcile } from '../../../src/trading/pnl/reconciliation.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
const HOUR_MS = 3_600_000;
const BOOKS: CoinBookOptions = {
  ...({ method: 'fifo', fees: 'in' } as const),
  ...{ window: ALWAYS, unit: 'usdt', readAt: Number.POSITIVE_INFINITY, pastValue: () => undefined },
};

/** Bills as `hour change kind`. */
function bills(text: string): Bill[] {
  return text.split(', ').map((line, index) => {
    const [hour = '', change = '', type = ''] = line.split(' ');
    const rest = { timeRaw: null, balance: null, total: null, remark: null };
    return { id: String(index), time: Number(hour) * HOUR_MS, coin: 'btc', change, type, ...rest };
  });
}

/** Deposits, or withdrawals without a fee, as `hour amount`, in the order in which the exchange lists them. */
function deposits(text: string) {
  return text.split(', ').map((line, index) => {
    const [hour = '', amount = ''] = line.split(' ');
    return {
      id: String(index),
      coin: 'btc',
      amount,
      state: 'success',
      time: Number(hour) * HOUR_MS,
      hash: `tx${index}`,
    } as const;
  });
}

function withdrawals(text: string, changes: Partial<Withdrawal> = {}): Withdrawal[] {
  const rest = { processedTime: null, address: null, hash: null, merchantOrderNo: null, fee: '0', status: 2 };
  return deposits(text).map((one) => ({ ...one, ...rest, ...changes }));
}

/** Which bills are of deposits and withdrawals, as `hour amount`; what is unexplained, and the hours in doubt. */
function booked(history: Partial<Parameters<typeof matchBills>[0]>) {
  const matched = matchBills({ orders: [], bills: [], deposits: [], withdrawals: [], ...history });
  const { coins } = reconcile(matched, ALWAYS, Number.POSITIVE_INFINITY);
  const { books } = coinBooks(matched, BOOKS);
  return {
    moved: matched.movements.map(({ time, amount }) => `${(time ?? 0) / HOUR_MS} ${amount}`).sort(),
    unexplained: Decimal.sum(coins.map(({ unexplained }) => unexplained)).toString(),
    left: books.flatMap(({ lots }) => lots.map(({ closing, amount, proceeds }) => `${closing} ${amount} ${proceeds}`)),
    uncertain: books.flatMap(({ uncertainAt }) => uncertainAt.map((time) => time / HOUR_MS)),
  };
}

describe('deposits and other bills of the same amount', () => {
  it('a deposit does not take a bill that is older than it', () => {
    const found = booked({
      bills: bills('0 1000 Transfer, 24 1000 Recharge, 30 7 Recharge'),
      deposits: deposits('24 1000, 30 7'),
    });
    expect(found).toMatchObject({ moved: ['24 1000', '30 7'], unexplained: '0', uncertain: [] });
  });

  it('a deposit that is confirmed later takes the bill of the kind that other deposits have', () => {
    const found = booked({
      bills: bills('1 1000 Transfer, 2 1000 Recharge, 31 7 Recharge'),
      deposits: deposits('0 1000, 30 7'),
    });
    expect(found).toMatchObject({ moved: ['2 1000', '31 7'], unexplained: '0', uncertain: [] });
  });

  it('a deposit that may have either of two bills takes the first, and is uncertain', () => {
    const found = booked({ bills: bills('1 1000 One, 2 1000 Other'), deposits: deposits('0 1000') });
    expect(found).toMatchObject({ moved: ['1 1000'], unexplained: '0', uncertain: [1, 2] });
  });

  it('a bill of the second of the deposit is certain, whatever comes later', () => {
    const found = booked({ bills: bills('0 1000 One, 2 1000 Other'), deposits: deposits('0 1000') });
    expect(found).toMatchObject({ moved: ['0 1000'], unexplained: '0', uncertain: [] });
  });

  it('each of several deposits has a bill that is not older than it, however they are listed', () => {
    for (const listed of ['0 5, 24 5, 48 5', '48 5, 24 5, 0 5'])
      expect(booked({ bills: bills('24 5 In, 48 5 In'), deposits: deposits(listed) }).moved).toEqual(
        expect.arrayContaining(['24 5', '48 5']),
      );
    const found = booked({ bills: bills('1 5 In, 25 5 In'), deposits: deposits('0 5, 24 5') });
    expect(found).toMatchObject({ moved: ['1 5', '25 5'], unexplained: '0', uncertain: [] });
  });
});

it('a lot names the transaction of the withdrawal that closed it, or else of the deposit that opened it', () => {
  const hashOf = (hash: string | null) => {
    const history = { bills: bills('0 5 In, 10 -5 Out'), deposits: deposits('0 5') };
    const matched = matchBills({ orders: [], ...history, withdrawals: withdrawals('10 5', { hash }) });
    const { books } = coinBooks(matched, BOOKS);
    return books.flatMap(({ lots }) => lots.map((lot) => lot.hash));
  };
  expect([hashOf('tx9'), hashOf(null)]).toEqual([['tx9'], ['tx0']]);
});

describe('withdrawals and other bills of the same amount', () => {
  it('a withdrawal takes the bill of the kind that other withdrawals have', () => {
    const found = booked({
      bills: bills('0 50 In, 1 -10 Transfer, 2 -10 Out, 31 -7 Out'),
      withdrawals: withdrawals('0 10, 30 7'),
    });
    expect(found).toMatchObject({ moved: ['2 -10', '31 -7'], unexplained: '0', uncertain: [] });
  });

  it('a withdrawal whose bill is no longer listed does not take that of a later one', () => {
    const found = booked({ bills: bills('24 -10 Out'), withdrawals: withdrawals('0 10, 24 10') });
    expect(found.moved).toEqual(['0 -10', '24 -10']);
    const kept = matchBills({
      orders: [],
      deposits: [],
      bills: bills('24 -10 Out'),
      withdrawals: withdrawals('0 10, 24 10'),
    });
    expect(kept.movements.find(({ bills: own }) => own.length > 0)?.record).toBe('1');
  });

  it('a withdrawal that may have either of two bills is uncertain', () => {
    const found = booked({ bills: bills('1 -10 One, 2 -10 Other'), withdrawals: withdrawals('0 10') });
    expect(found).toMatchObject({ moved: ['1 -10'], unexplained: '0', uncertain: [1, 2] });
  });
});

it('an opening balance takes the lines of a basis up to the oldest bill of the account, not of its coin', () => {
  const first = { ...(bills('1 5 Gift')[0] as Bill), id: 'usdt', coin: 'usdt' };
  const later = bills('9 -10 Sent').map((bill) => ({ ...bill, balance: '0' }));
  const matched = matchBills({ orders: [], deposits: [], withdrawals: [], bills: [first, ...later] });
  const lines = [0, 5].map((hour, index) => {
    const amount = Decimal.of('6');
    return { line: index + 1, time: hour * HOUR_MS, coin: 'btc', amount, cost: Decimal.of('60'), costCoin: 'usdt' };
  });
  const basis = new Basis(lines, ({ cost }) => cost);
  const options = {
    window: ALWAYS,
    method: 'fifo',
    fees: 'in',
    unit: 'usdt',
    readAt: Number.POSITIVE_INFINITY,
  } as const;
  const { books } = coinBooks(matched, { ...options, pastValue: () => undefined, basis });
  expect(books.flatMap(({ lots }) => lots.map(({ amount, cost }) => `${amount} ${cost}`))).toEqual(['4 null', '6 60']);
  expect(basis.unused().map(({ line }) => line.line)).toEqual([2]);
});

describe('what a transfer costs', () => {
  it.for([
    ['on top, in one bill', '0 1 In, 1 -0.0105 Out'],
    ['on top, in two bills', '0 1 In, 1 -0.01 Out, 1 -0.0005 Out'],
  ])('the fee of a withdrawal leaves apart from what arrives: %s', ([, text = '']) => {
    const found = booked({ bills: bills(text), withdrawals: withdrawals('1 0.01', { fee: '0.0005' }) });
    expect(found).toMatchObject({ unexplained: '0.0000', left: ['withdrawal 0.0100 null', 'fee 0.0005 null'] });
  });

  it('a bill of the whole amount, which may have the fee inside or not, is all withdrawal', () => {
    const found = booked({
      bills: bills('0 1 In, 1 -0.01 Out'),
      withdrawals: withdrawals('1 0.01', { fee: '0.0005' }),
    });
    expect(found.left).toEqual(['withdrawal 0.01 null']);
  });

  it('the fee of a deposit is one, too', () => {
    const found = booked({ bills: bills('1 5 In, 1 -1 In'), deposits: deposits('1 5') });
    expect(found.left).toEqual(['fee 1 null']);
  });
});

describe('a withdrawal that failed and of which the exchange kept a part', () => {
  const failed = { state: 'failed', fee: '5', processedTime: 9 * HOUR_MS } as const;

  it.for([
    ['the fee that was inside', '0 90 In, 1 -20 Out, 9 15 Back', '5'],
    ['the fee that was on top', '0 90 In, 1 -25 Out, 9 20 Back', '5'],
    ['another amount, when it was processed', '0 90 In, 1 -20 Out, 9 19.3 Back', '0.7'],
    ['another amount, under the name of the withdrawal', '0 90 In, 1 -20 Out, 12 19.3 Out', '0.7'],
  ])('leaves with that part: %s', ([, text = '', kept = '']) => {
    const found = booked({ bills: bills(text), withdrawals: withdrawals('1 20', failed) });
    expect(Number(found.unexplained)).toBe(0);
    expect(found.left).toEqual([`fee ${kept} null`]);
  });

  it('is unexplained if two bills may be what came back', () => {
    const found = booked({
      bills: bills('0 90 In, 1 -20 Out, 9 19.3 Out, 12 18 Out'),
      withdrawals: withdrawals('1 20', failed),
    });
    expect(Number(found.unexplained)).not.toBe(0);
  });
});
