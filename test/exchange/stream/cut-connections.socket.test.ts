import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Coin } from '../../../src/domain/account.js';
import type { Depth, Trade } from '../../../src/domain/market-data.js';
import type { Order } from '../../../src/domain/order.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { readOrderPages } from '../../../src/exchange/lists/order-pages.js';
import { Connection } from '../../../src/exchange/stream/connection.js';
import { type Channel, type GapEvent, isKind, type StreamEvent } from '../../../src/exchange/stream/events.js';
import { StreamClient } from '../../../src/exchange/stream/stream-client.js';
import { monotonicMs } from '../../../src/platform/host.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { type Running, serve } from '../../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { fakeHost } from '../../support/fake-host.js';

const MARKET = 'btc_usdt';

const CHANNELS: readonly Channel[] = [
  { kind: 'depth', market: MARKET },
  { kind: 'trades', market: MARKET },
  { kind: 'orders', market: MARKET },
  { kind: 'balances' },
];

const directory = mkdtempSync(path.join(tmpdir(), 'pit-cut-'));
let sandbox: Running;

beforeAll(async () => {
  sandbox = await serve({ directory, port: 0, seed: 15, limits: UNLIMITED, tolerance: 3_600_000, idleMs: null });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Real time, in which the pauses between two connections and heartbeats are short. */
const host = {
  ...fakeHost(),
  now: Date.now,
  monotonic: monotonicMs,
  random: Math.random,
  sleep: (milliseconds: number, signal?: AbortSignal) =>
    delay(Math.min(milliseconds, 50), undefined, { signal }).catch(() => undefined),
};

/** A way to the sandbox that breaks in the middle of what it carries. */
async function breakableWay(port: number) {
  const ways = new Set<Socket>();
  let left = Number.POSITIVE_INFINITY;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    ways.add(client);
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data: Buffer) => {
      client.write(data.subarray(0, left));
      left -= data.length;
      if (left >= 0) return;
      left = Number.POSITIVE_INFINITY;
      cuts += 1;
      client.end(() => client.destroy());
      upstream.destroy();
    });
    for (const [one, other] of [[client, upstream] as const, [upstream, client] as const])
      one.on('error', () => undefined).on('close', () => other.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const way of ways) way.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes: number) => {
      left = bytes;
    },
    get cuts() {
      return cuts;
    },
  };
}

/** What a reader has seen so far. */
class Picture {
  readonly orders = new Map<string, Order>();
  readonly coins = new Map<string, Coin>();
  readonly trades: Trade[] = [];
  depth: Depth | undefined;
  /** The gaps that were closed. */
  readonly gaps: GapEvent[] = [];
  /** When each connection ended. */
  readonly ends: number[] = [];

  take(event: StreamEvent): void {
    if (event.type === 'gap' && event.gap.resynchronised) this.gaps.push(event);
    if (event.type === 'state' && event.state === 'reconnecting') this.ends.push(event.received);
    if (event.type !== 'data') return;
    if (isKind(event, 'depth')) this.depth = event.data;
    if (isKind(event, 'trades')) this.trades.push(...event.data);
    if (isKind(event, 'balances')) for (const coin of event.data) this.coins.set(coin.coin, coin);
    if (!isKind(event, 'orders')) return;
    if (event.scope === 'snapshot') this.orders.clear();
    for (const order of event.data) this.orders.set(order.id, order);
  }

  /** Whether each end of a connection lies in a closed gap of each channel. */
  get isExplained(): boolean {
    return this.ends.every((end) =>
      CHANNELS.every(({ kind }) =>
        this.gaps.some(({ channel, gap }) => channel.kind === kind && gap.from <= end && end <= gap.to),
      ),
    );
  }

  get open(): string[] {
    return [...this.orders.values()]
      .filter(({ state }) => state === 'open')
      .map(orderLine)
      .sort();
  }

  get balances(): string[] {
    return [...this.coins.values()].map(coinLine).sort();
  }
}

const orderLine = ({ id, filled, amount, price }: Order) =>
  `${id} ${Number(filled)}/${Number(amount)} at ${Number(price)}`;
const coinLine = ({ coin, available, frozen }: Coin) => `${coin} ${Number(available)} ${Number(frozen)}`;

it('a reader has the exchange whole after each of 25 cuts under trading, and hears of every gap', async () => {
  const { baseUrl, tradeUrl, wsUrl, accessKey, secretKey } = sandbox.address;
  const way = await breakableWay(Number(new URL(tradeUrl).port));
  const credentials = () => ({ accessKey, secretKey });
  const hosts = { baseUrl, tradeUrl };
  const clientOf = (budget: TimeBudget, signal: AbortSignal) =>
    new ExchangeClient({ host, hosts, credentials, budget, signal });
  const budget = new TimeBudget(600_000, host.monotonic);
  // only the stream keeps to the limits: what checks it would wait for them
  const client = new ExchangeClient({ host, hosts, credentials, budget, limits: () => ({ permitsOf: () => [] }) });
  const address = `ws://127.0.0.1:${way.port}${new URL(wsUrl ?? '').pathname}`;
  const stream = new StreamClient({
    ...{ host, clientOf, channels: CHANNELS },
    connection: (user) => new Connection({ host, credentials, address: async () => address }, user),
  });
  onTestFinished(() => stream.close());
  const picture = new Picture();
  const reading = (async () => {
    for await (const event of stream) picture.take(event);
  })();

  const shown = async () => {
    const sides = await Promise.all((['buy', 'sell'] as const).map((side) => ordersOf(client, side)));
    const open = sides.flat().filter(({ state }) => state === 'open');
    const { coins } = await client.account();
    const book = await client.depth({ market: MARKET, size: 50 });
    return { open: open.map(orderLine).sort(), balances: coins.map(coinLine).sort(), bids: book.bids, asks: book.asks };
  };
  const seen = () => {
    const { open, balances, depth } = picture;
    return { open, balances, bids: depth?.bids, asks: depth?.asks };
  };
  /** Waits until the reader has what HTTP shows: the prices move meanwhile. */
  const agreed = async () => {
    for (;;) {
      const there = await shown();
      if (JSON.stringify(seen()) === JSON.stringify(there)) return;
      await delay(30);
    }
  };

  await agreed();
  const placed: string[] = [];
  for (let cut = 1; cut <= 25; cut += 1) {
    const before = way.cuts;
    way.cutAfter((cut * 977) % 6_000);
    for (let action = 0; action < 4 || way.cuts === before; action += 1) {
      const side = action % 2 === 0 ? 'buy' : 'sell';
      const { last } = await client.ticker({ market: MARKET });
      // some rest far away, some trade at once
      const factor = action % 4 < 2 ? (side === 'buy' ? 0.9 : 1.1) : side === 'buy' ? 1.02 : 0.98;
      const price = (Number(last) * factor).toFixed(2);
      const terms = { market: MARKET, side, type: 'limit', account: 'spot', price, amount: '0.01' } as const;
      const response = await client.placeOrder({ ...terms, borrow: false, repay: false }, `cut${cut}x${action}`);
      if (response.kind === 'done') placed.push(response.value.id);
      const old = action === 3 ? placed.shift() : undefined;
      if (old !== undefined) await client.cancelOrder(MARKET, { id: old });
    }
    await agreed();
  }
  expect(way.cuts).toBe(25);
  expect(picture.ends.length).toBe(25);
  // the trades may still be read
  while (!picture.isExplained) await delay(30);
  const ids = picture.trades.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  await stream.close();
  await reading;
});

async function ordersOf(client: ExchangeClient, side: 'buy' | 'sell'): Promise<readonly Order[]> {
  const { orders: records } = await readOrderPages(client, MARKET, side, { from: 1, to: 1_000 });
  return records;
}
