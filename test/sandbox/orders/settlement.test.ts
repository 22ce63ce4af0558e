import { expect, test } from 'vitest';
import type { OrderReference } from '../../../src/domain/order.js';
import { type Account, MAKERS } from '../../../src/sandbox/accounts/accounts.js';
import { Ledger, Overdraft } from '../../../src/sandbox/accounts/ledger.js';
import { emptyRecordedBook } from '../../../src/sandbox/engine/book.js';
import { stateOf } from '../../../src/sandbox/orders/order.js';
import { feeOf, lastPrice } from '../../../src/sandbox/orders/order-service.js';
import { FIRST, Sequences } from '../../../src/sandbox/orders/sequences.js';
import { OrderFixture, STEP } from '../support/order-fixture.js';

test('a fee is 0.2 %, rounded up to a step of the coin', () => {
  const feesIn = (step: bigint) => [0n, 1n, 499n, 500n, 501n, 1000n, 1001n].map((units) => feeOf(units, 2_000n, step));
  expect(feesIn(1n)).toEqual([0n, 1n, 1n, 1n, 2n, 2n, 3n]);
  expect(feesIn(2n)).toEqual([0n, 2n, 2n, 2n, 2n, 2n, 4n]);
});

test('a resting order holds exactly what it may cost and releases it', () => {
  const fixture = new OrderFixture(['ann'], 10_000n, 50n);
  const buy = fixture.place('ann', 'buy', 'limit', 100, 7);
  const sell = fixture.place('ann', 'sell', 'limit', 110, 20);
  expect(fixture.book()).toBe('110  20 = ann 20\n----\n100  7 = ann 7');
  expect(fixture.balances('ann')).toBe('ann: 9300+700 usdt, 3000+2000 btc');
  fixture.cancel(buy);
  fixture.cancel(sell);
  expect(fixture.book()).toBe('----');
  expect(fixture.balances('ann')).toBe('ann: 10000+0 usdt, 5000+0 btc');
  expect([buy, sell].map(stateOf)).toEqual(['cancelled', 'cancelled']);
});

test('a buy below its limit gets the excess back, and each side pays the fee from what it receives', () => {
  const fixture = new OrderFixture(['ann', 'ben'], 10_000n, 50n);
  const sell = fixture.place('ben', 'sell', 'limit', 100, 10);
  const buy = fixture.place('ann', 'buy', 'limit', 104, 13);
  // 10 lots at 100: 1000 usdt and 1000 units of btc change hands, 2 of each are fees. 3 lots rest at 104.
  expect(fixture.book()).toBe('----\n104  3 = ann 3');
  expect(fixture.balances('ann', 'ben', 'fees')).toBe(
    ['ann: 8688+312 usdt, 5998+0 btc', 'ben: 10998+0 usdt, 4000+0 btc', 'fees: 2+0 usdt, 2+0 btc'].join('\n'),
  );
  expect([sell, buy].map(stateOf)).toEqual(['filled', 'open']);
  expect([buy.value, buy.fee, sell.value, sell.fee].map((units) => units / STEP)).toEqual([1000n, 2n, 1000n, 2n]);
  fixture.cancel(buy);
  expect(stateOf(buy)).toBe('cancelled');
  expect(fixture.balances('ann')).toBe('ann: 9000+0 usdt, 5998+0 btc');
});

test('fees of small fills are rounded for each fill', () => {
  const fixture = new OrderFixture(['ann', 'ben'], 10_000n, 50n);
  for (const _ of [1, 2, 3]) fixture.place('ben', 'sell', 'limit', 101, 1);
  const buy = fixture.place('ann', 'buy', 'ioc', 101, 3);
  expect([buy.value / STEP, buy.fee / STEP]).toEqual([303n, 3n]);
  expect(fixture.balances('fees')).toBe('fees: 3+0 usdt, 3+0 btc');
});

test('a self-trade only costs the fees', () => {
  const fixture = new OrderFixture(['ann'], 10_000n, 50n);
  fixture.place('ann', 'sell', 'limit', 100, 10);
  fixture.place('ann', 'buy', 'limit', 100, 10);
  expect(fixture.balances('ann')).toBe('ann: 9998+0 usdt, 4998+0 btc');
  for (const sum of fixture.ledger.sums().values()) expect(sum).toBe(0n);
});

test('every change of a balance is a bill with the balance after it', () => {
  const fixture = new OrderFixture(['ann', 'ben'], 10_000n, 50n);
  fixture.place('ben', 'sell', 'limit', 100, 10);
  fixture.place('ann', 'buy', 'limit', 100, 10);
  const bills = fixture.bills('ann', 'ben');
  expect(
    bills.map(
      ({ account, coin, change, balance, kind }) => `${account} ${kind} ${coin} ${change / STEP} ${balance / STEP}`,
    ),
  ).toEqual([
    'ann buy usdt -1000 9000',
    'ann buy btc 1000 6000',
    'ann fee btc -2 5998',
    'ben sell usdt 1000 11000',
    'ben sell btc -1000 4000',
    'ben fee usdt -2 10998',
  ]);
});

test('a refused order changes nothing, not even the next id', () => {
  const fixture = new OrderFixture(['ann', 'ben'], 1_000n, 10n);
  const first = fixture.place('ben', 'sell', 'limit', 100, 5);
  const before = fixture.balances('ann', 'ben');
  expect(() => fixture.place('ann', 'buy', 'postOnly', 100, 1)).toThrow('would trade at once');
  expect(() => fixture.place('ann', 'buy', 'limit', 1001, 1)).toThrow('not sufficient');
  expect(fixture.balances('ann', 'ben')).toBe(before);
  expect(fixture.place('ann', 'buy', 'limit', 90, 1).id).toBe(first.id + 1n);
});

test('the ledger refuses to overdraw an account', () => {
  const ledger = new Ledger();
  ledger.credit('ann', 'btc', 5n);
  expect(() => ledger.hold('ann', 'btc', 6n)).toThrow(Overdraft);
  expect(() =>
    ledger.move('btc', -1n, { account: 'ann', part: 'available' }, { account: 'ben', part: 'available' }),
  ).toThrow(RangeError);
  expect([ledger.available('ann', 'btc'), ledger.frozen('ann', 'btc')]).toEqual([5n, 0n]);
});

test('the last price is that of the last trade, the best bid before it, and 0 without either', () => {
  const fixture = new OrderFixture(['ann', 'ben']);
  expect([lastPrice(undefined), lastPrice(fixture.venue)]).toEqual([0n, 0n]);
  fixture.place('ann', 'buy', 'limit', 100, 1);
  expect(lastPrice(fixture.venue)).toBe(100n);
  fixture.place('ann', 'buy', 'limit', 90, 1);
  fixture.place('ben', 'sell', 'limit', 100, 1);
  expect(lastPrice(fixture.venue)).toBe(100n);
});

test('orders of simulated traders are on no list, and only those of customers are reported when they change', () => {
  const [maker] = MAKERS;
  const fixture = new OrderFixture([maker, 'ann']);
  const changed: string[] = [];
  fixture.changes.listen((topic, order) => {
    if (order !== undefined) changed.push(`${topic} ${order.remaining} ${stateOf(order)}`);
  });
  fixture.place(maker, 'buy', 'limit', 100, 10);
  const sell = fixture.place('ann', 'sell', 'limit', 100, 15);
  fixture.cancel(sell);
  expect(changed).toEqual(['5 open', '5 open', '5 cancelled'].map((state) => `orders ann btc_usdt ${state}`));
  const list = fixture.orderService.list({ id: maker } as Account, 'btc_usdt', { page: 1, pageSize: 10 });
  expect(list).toEqual([]);
});

test('trades of a recorded market keep their ids as long as they grow, and a customer gets the next one', () => {
  const fixture = new OrderFixture(['ann', 'ben']);
  const { orderService, venue, trades } = fixture;
  venue.book.follow(emptyRecordedBook());
  const terms = { date: 1_700_000_000_000, side: 'buy', price: 100n, amount: 1n } as const;
  for (const id of [5n, 3n, 9n]) orderService.showTrade(venue, { ...terms, id }, true);
  fixture.place('ben', 'sell', 'limit', 100, 1);
  fixture.place('ann', 'buy', 'limit', 100, 1);
  expect(trades.between('btc_usdt', 1, trades.length('btc_usdt')).map(({ id }) => id)).toEqual([5n, 6n, 9n, 10n]);
});

/** A fixture of a recorded market, with 50 lots asked at 110, where makers pay 0.1 % and takers 0.3 %. */
function recordedMarket(...accounts: string[]): OrderFixture {
  const fixture = new OrderFixture(accounts);
  const { orderService, venue } = fixture;
  orderService.setFees({ maker: 1_000n, taker: 3_000n });
  venue.book.follow(emptyRecordedBook());
  venue.book.startQueue();
  const sell = { levels: [[110n, 50n]] as const, worst: 110n };
  orderService.recordBook(venue, { buy: { levels: [], worst: null }, sell }, { time: 1_700_000_000_000, date: 0 });
  return fixture;
}

test.each([
  ['the part of a trade that an order took, and the rest', 10n, [3n, 7n]],
  ['a trade once if an order took all of it', 3n, [3n]],
])('a recorded market shows %s', (_, amount, shown) => {
  const fixture = recordedMarket('ann');
  fixture.place('ann', 'buy', 'limit', 100, 3);
  const { orderService, venue, trades } = fixture;
  const at = { time: 1_700_000_000_000, date: 1, begin: 0, length: 0, isPast: false };
  const trade = { ...at, kind: 'trade', id: null, side: 'sell', price: 99n, amount, volume: amount } as const;
  orderService.passTrade(venue, trade, true);
  expect(trades.between('btc_usdt', 1, trades.length('btc_usdt')).map((one) => one.amount)).toEqual(shown);
});

test('makers and takers pay their own fees, with recorded lots too', () => {
  const fixture = recordedMarket('ann', 'ben');
  const orders = [
    fixture.place('ann', 'buy', 'limit', 100, 10),
    fixture.place('ben', 'sell', 'limit', 100, 10),
    fixture.place('ben', 'sell', 'limit', 100, 20),
    fixture.place('ann', 'buy', 'limit', 100, 20),
    fixture.place('ann', 'buy', 'ioc', 110, 10),
  ];
  expect(orders.map(({ fee }) => fee / STEP)).toEqual([1n, 3n, 2n, 6n, 3n]);
});

test('an order is found only for its account, by its id or its client id', () => {
  const fixture = new OrderFixture(['ann', 'ben']);
  const id = String(fixture.place('ann', 'buy', 'limit', 100, 10).id);
  const find = (account: string, ref: OrderReference) => () =>
    fixture.orderService.order({ id: account } as Account, 'btc_usdt', ref);
  expect(find('ann', { id })().id).toBe(id);
  for (const other of [find('ben', { id }), find('ann', { id: '1' }), find('ann', { clientId: 'none' })])
    expect(other).toThrow(expect.objectContaining({ reason: 'orderNotFound' }));
});

test('the trades of all markets are counted', () => {
  const sequences = new Sequences({ ...FIRST });
  for (const _ of [1, 2, 3]) sequences.trade();
  expect(sequences.trades).toBe(3);
});

test('an order id is the date, the millisecond of the day and a count, and above each earlier one', () => {
  const sequences = new Sequences({ ...FIRST });
  const [time, nextDay] = [Date.UTC(2018, 9, 23, 0, 0, 1, 2), Date.UTC(2018, 9, 24)];
  expect([time, time, nextDay, time].map((at) => sequences.order(at))).toEqual([
    ...[201_810_230_000_100_200n, 201_810_230_000_100_201n],
    ...[201_810_240_000_000_000n, 201_810_240_000_000_001n],
  ]);
});
