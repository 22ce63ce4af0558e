import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Bill, Withdrawal } from '../../../src/domain/funds.js';
import type { AccountHistory, FilledOrder } from '../../../src/trading/pnl/account-history.js';
import { matchBills } from '../../../src/trading/pnl/match-bills.js';
import { profitAndLoss } from '../../../src/trading/pnl/profit-and-loss.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Bills as `time coin change`, one after the other. */
function bills(text: string): Bill[] {
  return text
    .split(',')
    .map((line) => line.trim().split(' ') as [string, string, string])
    .map(([time, coin, change], index) => ({
      ...{ id: String(index), time: Number(time), coin, change, type: 'Booked', balance: null, remark: null },
    }));
}

function order(id: number, market: string, side: 'buy' | 'sell', changes: Partial<FilledOrder>): FilledOrder {
  const common = { price: '100', filled: '2', filledValue: '200', fee: '0', feeCoin: null, time: 10 };
  return { id: String(id), market, side, ...common, ...changes };
}

function result(history: Partial<AccountHistory>, window = ALWAYS) {
  const matched = matchBills({ orders: [], bills: [], deposits: [], withdrawals: [], ...history });
  const options = {
    window,
    method: 'fifo',
    readAt: Number.POSITIVE_INFINITY,
    pastPrice: () => Decimal.of('10'),
  } as const;
  const { markets, coins } = profitAndLoss(matched, options);
  return {
    unexplained: coins.flatMap(({ coin, unexplained }) => (unexplained.sign === 0 ? [] : `${unexplained} ${coin}`)),
    fees: markets.flatMap(({ fees }) => fees.map(({ coin, amount }) => `${amount.trimmed()} ${coin}`)),
    positions: markets.map(({ position }) => position.amount.trimmed().toString()),
    uncertain: matched.uncertain,
  };
}

const INSIDE = { fee: '0.02', feeCoin: 'btc' } as const;

describe('the ways to book a trade', () => {
  it.for<[string, FilledOrder, string, { fees: string[]; position: string }]>([
    [
      'with its fee apart',
      order(1, 'btc_usdt', 'buy', INSIDE),
      '20 usdt -200, 20 btc 2, 20 btc -0.02',
      { fees: ['0.02 btc'], position: '1.98' },
    ],
    [
      'with its fee inside',
      order(1, 'btc_usdt', 'buy', INSIDE),
      '20 usdt -200, 20 btc 1.98',
      { fees: ['0.02 btc'], position: '1.98' },
    ],
    [
      'in parts with their fees inside',
      order(1, 'btc_usdt', 'buy', INSIDE),
      '20 usdt -100, 20 btc 0.99, 30 usdt -100, 30 btc 0.99',
      { fees: ['0.02 btc'], position: '1.98' },
    ],
    [
      'with a rebate apart',
      order(1, 'btc_usdt', 'buy', { fee: '-0.02', feeCoin: 'btc' }),
      '20 usdt -200, 20 btc 2, 20 btc 0.02',
      { fees: ['-0.02 btc'], position: '2.02' },
    ],
    [
      'with a rebate inside',
      order(1, 'btc_usdt', 'buy', { fee: '-0.02', feeCoin: 'btc' }),
      '20 usdt -200, 20 btc 2.02',
      { fees: ['-0.02 btc'], position: '2.02' },
    ],
    [
      'with a rebate in the own coin',
      order(1, 'btc_usdt', 'buy', { fee: '-3' }),
      '20 usdt -200, 20 btc 2, 20 zz 3',
      { fees: ['-3 zz'], position: '2' },
    ],
    [
      'with a fee in the own coin',
      order(1, 'btc_usdt', 'buy', { fee: '3' }),
      '20 usdt -200, 20 btc 2, 20 zz -3',
      { fees: ['3 zz'], position: '2' },
    ],
    [
      'with a fee in the own coin, which is the base',
      order(1, 'zz_usdt', 'buy', { fee: '0.5' }),
      '20 usdt -200, 20 zz 2, 20 zz -0.5',
      { fees: ['0.5 zz'], position: '1.5' },
    ],
    [
      'with a fee in the own coin, which is the quote',
      order(1, 'btc_zz', 'buy', { fee: '0.5' }),
      '20 zz -200, 20 btc 2, 20 zz -0.5',
      { fees: ['0.5 zz'], position: '2' },
    ],
    [
      'with the fee before it',
      order(1, 'btc_usdt', 'buy', INSIDE),
      '20 btc -0.02, 20 usdt -200, 20 btc 2',
      { fees: ['0.02 btc'], position: '1.98' },
    ],
    [
      'in a second in which it was placed later',
      order(1, 'btc_usdt', 'buy', { ...INSIDE, time: 20_700 }),
      '20000 usdt -200, 20000 btc 2, 20000 btc -0.02',
      { fees: ['0.02 btc'], position: '1.98' },
    ],
  ])('%s is explained, with its fee', ([, one, text, { fees, position }]) => {
    expect(result({ orders: [one], bills: bills(text) })).toMatchObject({
      unexplained: [],
      fees,
      positions: [position],
    });
  });

  it('a fee in the own coin, in three parts in its own market, belongs to each part', () => {
    const orders = [order(1, 'zz_usdt', 'buy', { filled: '3', filledValue: '300', fee: '0.6' })];
    const parts = [20, 30, 40].map((time) => `${time} usdt -100, ${time} zz 1, ${time} zz -0.2`);
    const history = { orders, bills: bills(parts.join(', ')) };
    expect(result(history, { ...ALWAYS, to: 25 })).toMatchObject({
      unexplained: [],
      fees: ['0.2 zz'],
      positions: ['0.8'],
    });
    expect(result(history, { from: 30, to: 40 })).toMatchObject({
      unexplained: [],
      fees: ['0.2 zz'],
      positions: ['1.6'],
    });
  });

  it('a trade at the end of a window is in the next one', () => {
    const history = { orders: [order(1, 'btc_usdt', 'buy', {})], bills: bills('20 usdt -200, 20 btc 2') };
    expect(result(history, { from: 10, to: 20 }).positions).toEqual(['0']);
    expect(result(history, { from: 20, to: 30 }).positions).toEqual(['2']);
  });
});

function withdrawal(state: Withdrawal['state']): Withdrawal {
  const rest = { address: null, hash: null, merchantOrderNo: null, status: 2, processedTime: null };
  return { id: '1', time: 5, coin: 'btc', amount: '20', fee: '5', state, ...rest };
}

describe('the ways to book a withdrawal of 20 with a fee of 5', () => {
  it.for<[string, Withdrawal['state'], string]>([
    ['inside, in one bill', 'success', '5 btc -20'],
    ['inside, in two bills', 'success', '5 btc -15, 5 btc -5'],
    ['on top, in one bill', 'success', '5 btc -25'],
    ['on top, in two bills', 'success', '5 btc -20, 5 btc -5'],
    ['on top, in one bill, and back in one', 'failed', '5 btc -25, 9 btc 25'],
    ['on top, in two bills, and back in one', 'cancelled', '5 btc -20, 5 btc -5, 9 btc 25'],
    ['on top, in two bills, and back in two', 'failed', '5 btc -20, 5 btc -5, 9 btc 20, 9 btc 5'],
    ['inside, in one bill, and back in one', 'failed', '5 btc -20, 9 btc 20'],
  ])('%s: it is explained', ([, state, text]) => {
    expect(result({ withdrawals: [withdrawal(state)], bills: bills(text) }).unexplained).toEqual([]);
  });
});

describe('markets that share a moment', () => {
  it('a resting order in one does not take the bills of another one', () => {
    const orders = [
      order(1, 'eth_btc', 'buy', { price: '0.07', filled: '0.05', filledValue: '0.0035', time: 1 }),
      order(2, 'eth_usdt', 'buy', { price: '2000', filled: '0.0498', filledValue: '99.6' }),
      order(3, 'eth_usdt', 'buy', { price: '2000', filled: '0.05', filledValue: '100' }),
    ];
    const text = '20 usdt -99.6, 20 eth 0.0498, 20 usdt -100, 20 eth 0.05, 30 btc -0.0035, 30 eth 0.05';
    expect(result({ orders, bills: bills(text) })).toMatchObject({ unexplained: [], positions: ['0.05', '0.0998'] });
    expect(result({ orders, bills: bills(text) }, { from: 0, to: 25 }).positions).toEqual(['0', '0.0998']);
  });

  it('are uncertain if their bills could be exchanged with another result', () => {
    const sell = { price: '0.001', filled: '3', time: 1 };
    const orders = [
      order(1, 'eth_usdt', 'sell', { ...sell, filledValue: '600' }),
      order(2, 'eth_btc', 'sell', { ...sell, filledValue: '0.04' }),
    ];
    const moment = (time: number) => `${time} eth -1, ${time} usdt 300, ${time} eth -2, ${time} btc 0.02`;
    const twice = bills(`${moment(20)}, ${moment(30).replace('-1', '-3').replace('-2', '-1').replace('-3', '-2')}`);
    expect(result({ orders, bills: twice }).uncertain).toEqual([
      { time: 20, markets: ['eth_btc', 'eth_usdt'] },
      { time: 30, markets: ['eth_btc', 'eth_usdt'] },
    ]);
    expect(result({ orders: orders.slice(0, 1), bills: bills('20 eth -3, 20 usdt 600') }).uncertain).toEqual([]);
  });
});
