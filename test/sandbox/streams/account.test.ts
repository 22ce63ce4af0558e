import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { MARKETS, type SandboxMarket } from '../../../src/sandbox/markets/market.js';
import { Verifier } from '../../../src/sandbox/server/verify.js';
import { eventually } from '../../support/eventually.js';
import type { Exchange } from '../server/fake-exchange.js';
import { ALICE, RECORD, stillExchange } from '../server/fake-exchange.js';
import { serveInterface } from '../server/wire.js';
import { ORDER } from './account-order.js';
import { StreamClient } from './client.js';

afterEach(() => {
  vi.useRealTimers();
});

const POSITIONS =
  '["202202224851151555",31000.50,0.012300,0.002300,71.30115000,2,1540295990123,3,0.07130115,null,null,null,null,' +
  '1234567890123456790,31000.50,0.002300,1540295991000]';
const PUSH = `{"dataType":"userIncrRecord","channel":"push_user_incr_record","market":"btcusdtdefault","record":${POSITIONS}}`;

const coin = (available: string, more = '') =>
  `{"key":"btc","enName":"BTC","cnName":"BTC","showName":"BTC","unitTag":"BTC","unitDecimal":8,"fundstype":1,` +
  `"available":"${available}","freez":"0.25000000","isCanRecharge":true,"isCanWithdraw":false,"canLoan":true${more}}`;

/** A client, and an exchange whose bitcoin balance can be set. */
async function connected(parts: Partial<Exchange> = {}) {
  const held = { available: '1.50000000' };
  const exchange = stillExchange({
    balances: () => [{ coin: 'btc', available: held.available, frozen: '0.25000000' }],
    crossBalances: () => [{ coin: 'btc', available: held.available, frozen: '0.25000000', borrowed: '0.10000000' }],
    ...parts,
  });
  const client = await StreamClient.connect((await serveInterface(exchange)).port);
  return { client, changes: exchange.changes, held };
}

describe('push_user_incr_record', () => {
  it('pushes an order after each change, by position', async () => {
    const { client, changes } = await connected();
    expect(await client.subscribeSigned(ALICE, 'push_user_incr_record').settled()).toEqual([]);
    changes.order(ORDER);
    expect(await client.next()).toBe(PUSH);
  });

  it('sends null in the places of the last trade before there is one', async () => {
    const { client, changes } = await connected();
    await client.subscribeSigned(ALICE, 'push_user_incr_record', { market: 'btcusdtdefault' }).settled();
    changes.order({ ...ORDER, remaining: ORDER.amount, value: 0n, fee: 0n, lastTrade: undefined });
    expect(JSON.parse(await client.next()).record.slice(3)).toEqual([
      ...[0, 0, 2, 1540295990123, 3, 0],
      ...[null, null, null, null, null, null, null, null],
    ]);
  });

  it('pushes nothing for the same state, other accounts and other markets', async () => {
    const { client, changes } = await connected();
    await client.subscribeSigned(ALICE, 'push_user_incr_record', { market: 'btcusdt' }).settled();
    changes.order({ ...ORDER, account: '8' });
    changes.order({ ...ORDER, market: MARKETS.get('eth_btc') as SandboxMarket });
    changes.order(ORDER);
    changes.order(ORDER);
    expect(await client.next()).toBe(PUSH);
    expect(await client.settled()).toEqual([]);
  });

  it('pushes each trade of an order apart', async () => {
    const { client, changes } = await connected();
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    for (const remaining of [9_000n, 8_000n]) changes.order({ ...ORDER, remaining });
    const filled = [JSON.parse(await client.next()), JSON.parse(await client.next())].map(({ record }) => record[3]);
    expect(filled).toEqual([0.0033, 0.0043]);
  });

  it('waits for the latency, and pushes in the order in which the changes were made', async () => {
    const arrivals: (() => void)[] = [];
    const { client, changes } = await connected({
      state: { latency: 80 } as Exchange['state'],
      arrival: () => new Promise((resolve) => void arrivals.push(resolve)),
    });
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    for (const [count, remaining] of [9_000n, 8_000n].entries()) {
      changes.order({ ...ORDER, remaining });
      await eventually(() => expect(arrivals).toHaveLength(count + 1));
    }
    const [first, second] = arrivals;
    second?.();
    expect(await client.settled()).toEqual([]);
    first?.();
    const filled = [JSON.parse(await client.next()), JSON.parse(await client.next())].map(({ record }) => record[3]);
    expect(filled).toEqual([0.0033, 0.0043]);
  });

  it('waits until the change is durable', async () => {
    const writes: (() => void)[] = [];
    const { client, changes } = await connected({
      durable: () => new Promise((resolve) => void writes.push(resolve)),
    });
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    changes.order(ORDER);
    await eventually(() => expect(writes).toHaveLength(1));
    expect(await client.settled()).toEqual([]);
    writes[0]?.();
    expect(await client.next()).toBe(PUSH);
  });

  it('disconnects instead of reporting what could not be written', async () => {
    const { client, changes } = await connected({ durable: () => Promise.reject(new Error('the disk is full')) });
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    changes.order(ORDER);
    expect(await client.closeCode()).toBe(1011);
  });

  it('needs the permission to trade', async () => {
    const { client } = await connected();
    const watcher = { accessKey: 'ak-0001', secretKey: 'sk-0002' };
    expect(await client.subscribeSigned(watcher, 'push_user_incr_record').next()).toBe(
      '{"no":"0","code":1012,"success":false,"message":"the key has no permission for this","channel":"push_user_incr_record"}',
    );
  });
});

describe('push_user_record', () => {
  it('begins with open and closed orders, and pushes all of them after a change', async () => {
    const closed = { ...RECORD, id: '202202224851151554', state: 'cancelled' } as const;
    const { client, changes } = await connected({
      orders: (_account, _market, { list }) => (list === 'open' ? [RECORD] : [RECORD, closed]),
    });
    const snapshot =
      `{"dataType":"userRecord","channel":"push_user_record","market":"btcusdtdefault","record":[${POSITIONS}],` +
      `"hrecord":[${POSITIONS.replace('1555"', '1554"').replace('123,3,', '123,2,')}]}`;
    expect(await client.subscribeSigned(ALICE, 'push_user_record', { market: 'btcusdtdefault' }).next()).toBe(snapshot);
    changes.order(ORDER);
    expect(await client.next()).toBe(snapshot);
  });
});

describe('assets', () => {
  it('push_user_incr_asset pushes the coins that changed, once for all changes of a turn', async () => {
    const { client, changes, held } = await connected();
    expect(await client.subscribeSigned(ALICE, 'push_user_incr_asset').settled()).toEqual([]);
    held.available = '1.25000000';
    changes.balance('7/btc');
    changes.balance('7/btc');
    expect(await client.next()).toBe(
      `{"dataType":"userIncrAsset","channel":"push_user_incr_asset","coins":[${coin('1.25000000')}],"version":1540295995557}`,
    );
    held.available = '1.00000000';
    changes.balance('leaving-7/btc');
    expect(JSON.parse(await client.next())).toMatchObject({
      version: 1540295995558,
      coins: [{ available: '1.00000000' }],
    });
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    changes.balance('7/btc');
    changes.balance('8/btc');
    changes.balance('7~cross/btc');
    // what they had pushed would come before this
    changes.order(ORDER);
    expect(await client.next()).toBe(PUSH);
    expect(await client.settled()).toEqual([]);
  });

  it('push_user_asset begins with all coins', async () => {
    const { client } = await connected();
    expect(await client.subscribeSigned(ALICE, 'push_user_asset').next()).toBe(
      `{"dataType":"userAsset","channel":"push_user_asset","coins":[${coin('1.50000000')}],"version":1540295995557}`,
    );
  });

  it('push_user_cross_asset includes borrowed coins, and is pushed after a loan', async () => {
    const lever = { ...ALICE, permissions: { ...ALICE.permissions, lever: true } };
    const { client, changes, held } = await connected({ account: () => lever });
    const borrowed = ',"borrowed":"0.10000000"';
    expect(await client.subscribeSigned(ALICE, 'push_user_cross_asset').next()).toBe(
      `{"dataType":"userCrossAsset","channel":"push_user_cross_asset","coins":[${coin('1.50000000', borrowed)}],"version":1540295995557}`,
    );
    held.available = '2.50000000';
    changes.balance('lender~7~cross/btc');
    expect(JSON.parse(await client.next())).toMatchObject({ coins: [{ available: '2.50000000' }] });
  });
});

describe('a subscription', () => {
  it('a subscription of one account gets nothing of another account on the same connection', async () => {
    const bob = { ...ALICE, id: '9', accessKey: 'bob' };
    const { client, changes } = await connected({ account: (key) => (key === 'bob' ? bob : ALICE) });
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    await client.subscribeSigned(bob, 'push_user_incr_record').settled();
    changes.order({ ...ORDER, account: '9' });
    expect(await client.next()).toBe(PUSH);
    expect(await client.settled()).toEqual([]);
  });

  it('a repeated subscription loses no change that was not sent yet', async () => {
    const { client, changes } = await connected();
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    // the order changes in the turn in which the second message is carried out
    const verified = vi.spyOn(Verifier.prototype, 'checkText').mockImplementationOnce(() => changes.order(ORDER));
    onTestFinished(() => verified.mockRestore());
    expect(await client.subscribeSigned(ALICE, 'push_user_incr_record').next()).toBe(PUSH);
    expect(await client.settled()).toEqual([]);
  });

  it('removeChannel ends a subscription, for one market or for all', async () => {
    const { client, changes, held } = await connected({ markets: MARKETS });
    const ended = { event: 'removeChannel', channel: 'push_user_incr_record' };
    const eth = { ...ORDER, market: MARKETS.get('eth_usdt') as SandboxMarket };
    await client.subscribeSigned(ALICE, 'push_user_incr_record').settled();
    await client.send({ ...ended, market: 'btcusdtdefault' }).settled();
    changes.order(ORDER);
    changes.order(eth);
    expect(JSON.parse(await client.next()).market).toBe('ethusdtdefault');
    await client.subscribeSigned(ALICE, 'push_user_incr_asset').settled();
    await client.send(ended).settled();
    changes.order(eth);
    // what it had pushed would come before this
    held.available = '1.25000000';
    changes.balance('7/btc');
    expect(JSON.parse(await client.next())).toMatchObject({ channel: 'push_user_incr_asset' });
    expect(await client.settled()).toEqual([]);
  });
});

it('a change is made into a message once, however many listen', async () => {
  const ticker = vi.fn(stillExchange().ticker);
  const exchange = stillExchange({ ticker });
  const { port } = await serveInterface(exchange);
  const clients = await Promise.all(Array.from({ length: 20 }, () => StreamClient.connect(port)));
  for (const client of clients) await client.subscribe('btcusdt_ticker').settled();
  ticker.mockClear();
  ticker.mockImplementation(() => ({ ...stillExchange().ticker('btc_usdt'), last: '31000.51' }));
  exchange.changes.book('btc_usdt');
  for (const client of clients) expect(JSON.parse(await client.next()).ticker.last).toBe('31000.51');
  expect(ticker).toHaveBeenCalledTimes(1);
});

it('without subscribers, nothing is computed and the exchange is not advanced', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const [advance, ticker] = [vi.fn(), vi.fn(stillExchange().ticker)];
  const exchange = stillExchange({ advance, ticker });
  const client = await StreamClient.connect((await serveInterface(exchange)).port);
  await client.subscribe('btcusdt_ticker').settled();
  advance.mockClear();
  vi.advanceTimersByTime(300);
  expect(advance).toHaveBeenCalled();
  await client.send({ event: 'removeChannel', channel: 'btcusdt_ticker' }).settled();
  advance.mockClear();
  ticker.mockClear();
  exchange.changes.book('btc_usdt');
  vi.advanceTimersByTime(300);
  expect(advance).not.toHaveBeenCalled();
  expect(ticker).not.toHaveBeenCalled();
  expect(await client.settled()).toEqual([]);
});

it('a new minute is pushed although nothing was traded', async () => {
  let time = 1540295940000;
  const row = () => ({ time, open: '1', high: '1', low: '1', close: '1', volume: '0' });
  const exchange = stillExchange({ status: () => ({ ...stillExchange().status(), time }), candles: () => [row()] });
  const client = await StreamClient.connect((await serveInterface(exchange)).port);
  await client.subscribe('btcusdt_kline_1min').next();
  time += 60_000;
  expect(JSON.parse(await client.next()).datas.data).toEqual([[1540296000000, 1, 1, 1, 1, 0]]);
});
