import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { admin, done, sandbox } from '../admin/served.js';
import { signedUrl } from '../signing.js';
import { depthLine, iso, klineLine, NOON, RULES, textOf, trade, tradesLine } from './tape-lines.js';

type Address = Awaited<ReturnType<typeof sandbox>>['address'];

interface Report {
  readonly rows: number;
  readonly restarts: boolean;
  readonly left: number;
}

/** A slice of real minutes, the third without volume and the fifth with a single lot, and then a gap of three minutes. */
const CANDLES = `time_ms,open,high,low,close,volume
1677628800000,23140.48,23150.77,23128.52,23142.31,2.131777
1677628860000,23143.89,23148.8,23137.61,23137.77,0.881378
1677628920000,23137.77,23137.77,23137.77,23137.77,0.0
1677628980000,23150.01,23152.4,23149.99,23150.3,0.5
1677629040000,23151.0,23153.0,23149.0,23152.0,0.000001
1677629280000,23160.12,23160.12,23160.12,23160.12,0.25
1677629340000,23159.9,23161.0,23159.9,23160.0,1.000003
`;

/** What kline has to answer for it: every minute, without gaps. */
const MINUTES = [
  '[1677628800000,23140.48,23150.77,23128.52,23142.31,2.131777]',
  '[1677628860000,23143.89,23148.80,23137.61,23137.77,0.881378]',
  '[1677628920000,23137.77,23137.77,23137.77,23137.77,0.000000]',
  '[1677628980000,23150.01,23152.40,23149.99,23150.30,0.500000]',
  '[1677629040000,23151.00,23153.00,23149.00,23152.00,0.000001]',
  '[1677629100000,23152.00,23152.00,23152.00,23152.00,0.000000]',
  '[1677629160000,23152.00,23152.00,23152.00,23152.00,0.000000]',
  '[1677629220000,23152.00,23152.00,23152.00,23152.00,0.000000]',
  '[1677629280000,23160.12,23160.12,23160.12,23160.12,0.250000]',
  '[1677629340000,23159.90,23161.00,23159.90,23160.00,1.000003]',
];

/** The sums of them: the span of three days and of the week begin before the file does. */
const LONGER = [
  ['3min', '[1677628800000,23140.48,23150.77,23128.52,23137.77,3.013155]'],
  ['3min', '[1677628980000,23150.01,23153.00,23149.00,23152.00,0.500001]'],
  ['5min', '[1677628800000,23140.48,23153.00,23128.52,23152.00,3.513156]'],
  ['15min', '[1677628800000,23140.48,23161.00,23128.52,23160.00,4.763159]'],
  ['1hour', '[1677628800000,23140.48,23161.00,23128.52,23160.00,4.763159]'],
  ['1day', '[1677628800000,23140.48,23161.00,23128.52,23160.00,4.763159]'],
  ['3day', '[1677542400000,23140.48,23161.00,23128.52,23160.00,4.763159]'],
  ['1week', '[1677456000000,23140.48,23161.00,23128.52,23160.00,4.763159]'],
] as const;

async function kline(address: Address, type: string): Promise<string> {
  return await (await fetch(`${address.baseUrl}/data/v1/kline?market=btc_usdt&type=${type}`)).text();
}

async function trades(address: Address, market: string, since?: string) {
  const rest = since === undefined ? '' : `&since=${since}`;
  const text = await (await fetch(`${address.baseUrl}/data/v1/trades?market=${market}${rest}`)).text();
  return JSON.parse(text) as { tid: number; date: number; type: string; price: number; amount: number }[];
}

function saved(directory: string, text: string): string {
  const file = path.join(directory, 'recording.csv');
  writeFileSync(file, text);
  return file;
}

describe('a replay of candles', () => {
  it('serves them and their sums exactly, with the clock stopped at their end', async () => {
    const { address, directory } = await sandbox();
    const file = saved(directory, CANDLES);
    const report = await done<Report>(address, 'POST /replay', { market: 'btc_usdt', files: [file] });
    expect(report).toEqual({
      markets: ['btc_usdt'],
      guessed: [],
      gaps: [
        {
          channel: 'kline:btc_usdt',
          from: '2023-03-01T00:05:00.000Z',
          to: '2023-03-01T00:08:00.000Z',
          reason: 'candles are missing',
        },
      ],
      kind: 'candles',
      rows: 7,
      from: '2023-03-01T00:00:00.000Z',
      to: '2023-03-01T00:10:00.000Z',
      speed: null,
      restarts: true,
      ended: [],
      left: 0,
    });
    const minutes = await kline(address, '1min');
    expect(minutes).toContain(`"data":[${MINUTES.join(',')},[1677629400000,`);
    for (const [type, row] of LONGER)
      expect([type, await kline(address, type)]).toEqual([type, expect.stringContaining(row)]);
    expect(await done(address, 'GET /clock')).toEqual({ time: '2023-03-01T00:10:00.000Z', running: false, speed: 1 });
  });

  it('leaves a book around the last price that simulated traders do not move', async () => {
    const { address, directory } = await sandbox();
    await done(address, 'POST /replay', { market: 'btc_usdt', files: [saved(directory, CANDLES)] });
    await done(address, 'POST /clock/advance', { ms: 900_000 });
    const ticker = JSON.parse(await (await fetch(`${address.baseUrl}/data/v1/ticker?market=btc_usdt`)).text());
    expect(ticker.ticker).toMatchObject({ last: '23160.00', vol: '4.763159', open: '23140.48' });
    const [buy, sell] = [Number(ticker.ticker.buy), Number(ticker.ticker.sell)];
    expect(buy).toBeLessThan(23160);
    expect(sell).toBeGreaterThan(23160);
    expect(sell - buy).toBeLessThan(5);
    expect(await kline(address, '1min')).toContain('[1677629640000,23160.00,23160.00,23160.00,23160.00,0.000000]');
  });

  it('follows a running clock, continues after a restart, and fills orders of customers', async () => {
    const clock = { time: Date.UTC(2026, 0, 1) };
    const now = () => clock.time;
    const { address, directory, running } = await sandbox({ now });
    const file = saved(directory, CANDLES);
    const report = await done<Report>(address, 'POST /replay', { market: 'btc_usdt', files: [file], speed: 60 });
    expect(report).toMatchObject({ speed: 60, left: 7 });
    expect(await done(address, 'GET /status')).toMatchObject({ clockRunning: true, clockSpeed: 60, replaying: 7 });
    clock.time += 2500;
    expect(await kline(address, '1min')).toContain(`"data":[${MINUTES.slice(0, 2).join(',')},`);
    const order = { amount: '0.1', currency: 'btc_usdt', price: '23155', tradeType: '0' };
    const url = signedUrl(address, address, 'order', order).replace(/reqTime=\d+/, `reqTime=${clock.time}`);
    expect(await (await fetch(url)).text()).toContain('"code":"1000"');
    await running.close();
    const again = await sandbox({ directory, now });
    expect(await done(again.address, 'GET /status')).toMatchObject({ orders: 1 });
    clock.time += 15_000;
    // the maker's price comes first; the volume is the file's all the same
    const filled = '[1677629280000,23155.00,23160.12,23155.00,23160.12,0.250000]';
    expect(await kline(again.address, '1min')).toContain(filled);
    expect(await done(again.address, 'GET /status')).toMatchObject({ orders: 0, replaying: 0 });
  });
});

it('two replays run one after the other, and a stop during one does no harm', async () => {
  const { address, directory, running } = await sandbox();
  const file = saved(directory, CANDLES);
  const replays = [1, 2].map(() => admin(address, 'POST /replay', { market: 'btc_usdt', files: [file], force: true }));
  expect((await Promise.all(replays)).map(([status]) => status)).toEqual([200, 200]);
  expect(await kline(address, '1min')).toContain(`"data":[${MINUTES.join(',')},`);
  const late = admin(address, 'POST /replay', { market: 'btc_usdt', files: [file], force: true });
  const stopped = running.close();
  // done, refused, or not even heard
  await Promise.allSettled([late, stopped]);
  const again = await sandbox({ directory });
  expect(await kline(again.address, '1min')).toContain(MINUTES[0]);
});

it('kline gives the latest rows after since, or the first ones if so configured', async () => {
  const rows = async (klineSince: 'first' | 'latest') => {
    const { address, directory } = await sandbox({ klineSince });
    await done(address, 'POST /replay', { market: 'btc_usdt', files: [saved(directory, CANDLES)] });
    const query = 'market=btc_usdt&type=1min&size=2&since=1677628800000';
    const text = await (await fetch(`${address.baseUrl}/data/v1/kline?${query}`)).text();
    return [...text.matchAll(/\[(\d{13}),/g)].map(([, time]) => time);
  };
  expect(await rows('first')).toEqual(['1677628860000', '1677628920000']);
  expect(await rows('latest')).toEqual(['1677629340000', '1677629400000']);
});

const TRADES = Array.from({ length: 120 }, (_, index) => {
  const side = index % 3 === 0 ? 'buy' : 'sell';
  return `${1570752011620 + Math.floor(index / 4) * 700},${13519807 + index},${side},0.00${141000 + ((index * 37) % 90)},${index + 1}.0`;
});

it('a replay of trades serves each once, in order, fifty at a time', async () => {
  const { address, directory } = await sandbox();
  const file = saved(directory, ['time_ms,trade_id,side,price,amount', ...TRADES].join('\n'));
  await done(address, 'POST /replay', { market: 'xrp_eth', files: [file] });
  const seen: string[] = [];
  const sizes: number[] = [];
  for (let since = '0'; ; ) {
    const page = await trades(address, 'xrp_eth', since);
    if (page.length === 0) break;
    sizes.push(page.length);
    seen.push(...page.map(({ date, type, price, amount }) => `${date} ${type} ${price.toFixed(8)} ${amount}.0`));
    since = String(page.at(-1)?.tid);
  }
  expect(sizes).toEqual([50, 50, 20]);
  const expected = TRADES.map((line) => {
    const [time = '', , side, price, amount] = line.split(',');
    return `${time.slice(0, -3)} ${side} ${price} ${amount}`;
  });
  expect(seen).toEqual(expected);
});

describe('the state', () => {
  it('the state is identical after an export, a change and an import', async () => {
    const { address, directory } = await sandbox();
    await done(address, 'POST /clock/stop');
    await done(address, 'POST /accounts/add', { name: 'alice' });
    const order = { amount: '0.01', currency: 'btc_usdt', customerOrderId: 'mine1', price: '1000', tradeType: '1' };
    await fetch(signedUrl(address, address, 'order', order));
    await done(address, 'POST /transfer', { coin: 'btc', amount: '1', to: 'alice' });
    const [first, second] = [path.join(directory, 'first'), path.join(directory, 'second')];
    const { rows } = await done<{ rows: number }>(address, 'POST /export', { file: first });
    expect(rows).toBeGreaterThan(100);
    await done(address, 'POST /clock/advance', { ms: 900_000 });
    await fetch(signedUrl(address, address, 'order', { ...order, customerOrderId: 'mine2' }));
    expect(await admin(address, 'POST /import', { file: first })).toMatchObject([400, { reason: 'losesState' }]);
    const ended = ['accounts, orders and balances'];
    expect(await done(address, 'POST /import', { file: first, force: true })).toEqual({ file: first, rows, ended });
    const mine = { currency: 'btc_usdt', customerOrderId: 'mine1' };
    expect(await (await fetch(signedUrl(address, address, 'getOrder', mine))).text()).toContain(
      '"total_amount":0.010000',
    );
    const gone = { currency: 'btc_usdt', customerOrderId: 'mine2' };
    expect(await (await fetch(signedUrl(address, address, 'getOrder', gone))).text()).toContain('"code":3001');
    await done(address, 'POST /export', { file: second });
    expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'));
  });

  it('imports the state into another sandbox, which keeps its first keys', async () => {
    const [one, two] = [await sandbox(), await sandbox({ seed: 9 })];
    await done(one.address, 'POST /clock/stop');
    const order = { amount: '0.01', currency: 'btc_usdt', price: '1000', tradeType: '1' };
    await fetch(signedUrl(one.address, one.address, 'order', order));
    const file = path.join(one.directory, 'state');
    await done(one.address, 'POST /export', { file });
    await done(two.address, 'POST /import', { file });
    const orders = { currency: 'btc_usdt', pageIndex: '1', tradeType: '1' };
    const of = async (address: Address) => (await fetch(signedUrl(address, address, 'getOrders', orders))).text();
    expect(await of(two.address)).toBe(await of(one.address));
    expect(await of(two.address)).toContain('"total_amount":0.010000');
    const depth = async ({ baseUrl }: Address) => (await fetch(`${baseUrl}/data/v1/depth?market=btc_usdt`)).text();
    expect(await depth(two.address)).toBe(await depth(one.address));
  });

  it('refuses a state with a changed byte or another format', async () => {
    const { address, directory } = await sandbox();
    const file = path.join(directory, 'state');
    await done(address, 'POST /export', { file });
    const text = readFileSync(file, 'utf8');
    const refused = async (changed: string) => {
      writeFileSync(file, changed);
      const [status, body] = await admin(address, 'POST /import', { file });
      return [status, (body as { error: string }).error.replace(file, 'FILE')];
    };
    expect(await refused(text.replace('25', '95'))).toEqual([
      400,
      'FILE cannot be read: it is incomplete or was changed',
    ]);
    expect(await refused(text.slice(0, -300))).toEqual([400, 'FILE cannot be read: it is incomplete or was changed']);
    const other =
      'FILE cannot be read: it does not begin with {"pitSandbox":7}, so it is not an exported sandbox, or another version of pit wrote it';
    expect(await refused(text.replace('"pitSandbox":7', '"pitSandbox":4'))).toEqual([400, other]);
    expect(await refused('hello')).toEqual([400, other]);
    expect(await done(address, 'GET /status')).toMatchObject({ running: true });
  });
});

it('a replay that would lose orders or coins of customers is refused unless confirmed', async () => {
  const { address, directory } = await sandbox();
  const file = saved(directory, CANDLES);
  await done(address, 'POST /accounts/add', { name: 'alice' });
  expect(await admin(address, 'POST /replay', { market: 'btc_usdt', files: [file] })).toMatchObject([
    400,
    { reason: 'losesState' },
  ]);
  expect(await done<unknown[]>(address, 'GET /accounts')).toHaveLength(2);
  expect(await done(address, 'POST /replay', { market: 'btc_usdt', files: [file], force: true })).toMatchObject({
    restarts: true,
  });
  expect(await done<unknown[]>(address, 'GET /accounts')).toHaveLength(1);
  expect(await admin(address, 'POST /replay', { market: 'btc_usdt', files: [`${file}.no`] })).toMatchObject([400, {}]);
  expect(await admin(address, 'POST /replay', { market: 'a_b', files: [file] })).toMatchObject([
    400,
    { reason: 'losesState' },
  ]);
});

describe('a replay of a tape with candles and trades', () => {
  const candle = (ms: number, volume: string, closed: boolean) => ({
    ...{ time: iso(ms), open: '100.00', high: '100.00', low: '100.00', close: '100.00' },
    ...{ volume, closed },
  });

  it('counts a trade once that was pushed after its minute was over, and those of the open minute too', async () => {
    const { address, directory } = await sandbox({ now: () => NOON - 3_600_000 });
    const file = path.join(directory, 'tape.ndjson');
    const late = tradesLine(-1_000, [trade('6')]);
    const lines = [
      { markets: [RULES] },
      tradesLine(50, [trade('5')], 'snapshot'),
      klineLine(100, [candle(-60_000, '1.500000', true), candle(0, '0.250000', false)], 'snapshot'),
      { ...late, received: iso(200) },
      tradesLine(1_000, [trade('7')]),
    ];
    writeFileSync(file, textOf(lines));
    await done<Report>(address, 'POST /replay', { files: [file] });
    const { data } = JSON.parse(await kline(address, '1min')) as { readonly data: readonly number[][] };
    expect(data.slice(-2).map(([time, ...rest]) => [(time ?? 0) - NOON, rest.at(-1)])).toEqual([
      [-60_000, 1.5],
      [0, 0.75],
    ]);
  });
});

describe('a replay of a tape with a latency', () => {
  const now = { time: NOON - 3_600_000 };
  const START_TAPE = [
    { markets: [RULES] },
    depthLine(0, [['100.00', '1']], [['101.00', '1']]),
    depthLine(10_000, [['100.00', '1']], [['102.00', '3']]),
    depthLine(3_600_000, [['100.00', '1']], [['102.00', '3']]),
  ];

  it('executes an order as much later, by the clock of the exchange, and continues after a restart', async () => {
    const clock = () => now.time;
    const { address, directory, running } = await sandbox({ now: clock });
    const file = path.join(directory, 'tape.ndjson');
    writeFileSync(file, textOf(START_TAPE));
    const replayed = { files: [file], speed: 1, latency: 80 };
    expect(await done<Report>(address, 'POST /replay', replayed)).toMatchObject({ rows: 3, restarts: false });
    rmSync(file);
    now.time += 5_000;
    const newest = async () => (await trades(address, 'btc_usdt')).at(-1)?.tid;
    const before = await newest();
    const order = { amount: '0.5', currency: 'btc_usdt', price: '105', tradeType: '1' };
    const placed = fetch(signedUrl(address, address, 'order', order).replace(/reqTime=\d+/, `reqTime=${NOON + 5_000}`));
    let isAnswered = false;
    void placed.then(() => {
      isAnswered = true;
    });
    // both are asked after the order was sent
    const seen = async () => [await newest(), await newest(), isAnswered];
    expect(await seen()).toEqual([before, before, false]);
    await done(address, 'POST /clock/advance', { ms: 79 });
    expect(await seen()).toEqual([before, before, false]);
    while (!isAnswered) await done(address, 'POST /clock/advance', { ms: 1 });
    expect(await (await placed).text()).toContain('"code":"1000"');
    expect((await trades(address, 'btc_usdt')).at(-1)).toMatchObject({
      price: 101,
      amount: 0.5,
      date: (NOON + 5_000) / 1_000,
    });
    await running.close();
    const again = await sandbox({ directory, now: clock });
    expect(await done(again.address, 'GET /status')).toMatchObject({ replaying: 2 });
    expect(await depthOf(again.address)).toEqual({ asks: [[101, 0.5]], bids: [[100, 1]] });
    now.time += 5_000;
    expect(await depthOf(again.address)).toEqual({ asks: [[102, 3]], bids: [[100, 1]] });
    expect(await done(again.address, 'GET /status')).toMatchObject({ replaying: 1 });
  });
});

async function depthOf({ baseUrl }: Address) {
  const { asks, bids } = JSON.parse(await (await fetch(`${baseUrl}/data/v1/depth?market=btc_usdt`)).text());
  return { asks, bids };
}

describe('a replay while another one runs', () => {
  /** The same candles, in the hour after `start`. */
  const candlesFrom = (start: number) =>
    `${[0, 1, 2].map((minute) => `${start + minute * 60_000},20,21,19,20,1`).join('\n')}\n`;
  const FIRST = Date.UTC(2026, 0, 1);
  const file = (directory: string, name: string, start: number) => {
    const named = path.join(directory, name);
    writeFileSync(named, candlesFrom(start));
    return named;
  };
  const two = async () => {
    const { address, directory } = await sandbox({ now: () => FIRST });
    const first = file(directory, 'first', FIRST + 60_000);
    await done(address, 'POST /replay', { market: 'btc_usdt', files: [first], speed: 1 });
    return { address, directory, first };
  };

  it('in another market, from a later time, keeps both', async () => {
    const { address, directory } = await two();
    const later = { market: 'eth_usdt', files: [file(directory, 'later', FIRST + 1_200_000)] };
    expect(await done(address, 'POST /replay/plan', later)).toMatchObject({ restarts: false, ended: [] });
    expect(await done<Report>(address, 'POST /replay', later)).toMatchObject({ restarts: false, ended: [], left: 0 });
    for (const market of ['btc_usdt', 'eth_usdt'])
      expect((await trades(address, market)).at(-1)).toMatchObject({ price: 20 });
  });

  it('in another market, from an earlier time, names the first one and ends it only if that is confirmed', async () => {
    const { address, directory } = await two();
    const earlier = { market: 'eth_usdt', files: [file(directory, 'earlier', FIRST - 600_000)] };
    const ended = ['the replay of btc_usdt, 3 rows before its end'];
    expect(await done(address, 'POST /replay/plan', earlier)).toMatchObject({ restarts: true, ended });
    expect(await admin(address, 'POST /replay', earlier)).toMatchObject([400, { reason: 'losesState' }]);
    expect(await done(address, 'GET /status')).toMatchObject({ replaying: 3 });
    expect(await done(address, 'POST /replay', { ...earlier, force: true })).toMatchObject({ restarts: true, ended });
  });

  it('in the same market names the rest of the first one and drops it only if that is confirmed', async () => {
    const { address, directory } = await two();
    const again = { market: 'btc_usdt', files: [file(directory, 'again', FIRST + 1_200_000)] };
    const ended = ['the replay of btc_usdt, 3 rows before its end'];
    expect(await admin(address, 'POST /replay', again)).toMatchObject([400, { reason: 'losesState' }]);
    expect(await done(address, 'POST /replay', { ...again, force: true })).toMatchObject({ restarts: false, ended });
  });
});
