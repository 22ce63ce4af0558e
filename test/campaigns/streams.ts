// `npm run campaign:streams [-- SECONDS]`: two clients from the registry, written by others for exchanges that speak the
// interface, follow the sandbox's streams with the settings of docs/sandbox.md, in each dialect. They are installed into a folder of
// their own.
import { execFileSync } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxAddress } from '../../src/sandbox/lifecycle/files.js';
import { clientOfPage, STREAM_OPTION, USER_AGENT } from '../recipes/other-clients.js';
import { killProcess, serveProcess } from '../sandbox/support/served-process.js';

const PACKAGES = ['ccxt@3.0.79', 'ccxws@0.47.0'];
const MARKETS = ['btc_usdt', 'eth_btc'];

const seconds = Number(process.argv[2] ?? 20);

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Level = readonly [price: number, amount: number];

/** What a client said of a market, in numbers as it gives them. */
interface Seen {
  tickers: number;
  depths: number;
  last: number;
  bid: number;
  ask: number;
  bids: readonly Level[];
  asks: readonly Level[];
  /** Prices by the id of the trade. */
  readonly trades: Map<string, number>;
}

type Sights = ReadonlyMap<string, Seen>;

function nothingSeen(): Sights {
  const nothing = () => ({ tickers: 0, depths: 0, last: 0, bid: 0, ask: 0, bids: [], asks: [], trades: new Map() });
  return new Map(MARKETS.map((market) => [market, nothing()]));
}

/** The classes of both packages are many: the one for this interface is known by the channel that its code names. */
function speaking<Class>(classes: Readonly<Record<string, unknown>>, channel: RegExp): Class {
  const found = Object.values(classes).find((each) => typeof each === 'function' && channel.test(String(each)));
  if (found === undefined) throw new Error('the package has no client for this interface');
  return found as Class;
}

interface Ccxt {
  fetchBalance(): Promise<{ readonly total: object }>;
  watchTicker(symbol: string): Promise<{ last: number; bid: number; ask: number }>;
  watchOrderBook(symbol: string): Promise<{ bids: Level[]; asks: Level[] }>;
  watchTrades(symbol: string): Promise<{ id: string; price: number }[]>;
  close(): Promise<void>;
}

/** Lets ccxt follow all markets until it is closed. */
async function followWithCcxt(load: NodeJS.Require, address: SandboxAddress, seen: Sights) {
  const Client = speaking<new (options: object) => Ccxt>(load('ccxt').pro, /quick_depth/);
  const client = await clientOfPage(Client, address, { userAgent: USER_AGENT });
  const coins = Object.keys((await client.fetchBalance()).total);
  if (!coins.includes('USDT')) throw new Error(`ccxt found no usdt in the account, but ${coins}`);
  let closed = false;
  const repeat = async (follow: () => Promise<void>) => {
    while (!closed) await follow().catch((error: unknown) => closed || Promise.reject(error));
  };
  for (const [market, sight] of seen) {
    const symbol = market.toUpperCase().replace('_', '/');
    void repeat(async () => {
      const { last, bid, ask } = await client.watchTicker(symbol);
      Object.assign(sight, { last, bid, ask, tickers: sight.tickers + 1 });
    });
    void repeat(async () => {
      const { bids, asks } = await client.watchOrderBook(symbol);
      Object.assign(sight, { bids: [...bids], asks: [...asks], depths: sight.depths + 1 });
    });
    void repeat(async () => {
      for (const { id, price } of await client.watchTrades(symbol)) sight.trades.set(id, price);
    });
  }
  return async () => {
    closed = true;
    await client.close();
  };
}

interface Point {
  readonly price: string;
  readonly size: string;
}

interface Ccxws extends EventEmitter {
  subscribeTicker(market: object): void;
  subscribeTrades(market: object): void;
  subscribeLevel2Snapshots(market: object): void;
  close(): void;
}

/** The same with ccxws, which reads the whole book. */
function followWithCcxws(load: NodeJS.Require, { wsUrl }: SandboxAddress, seen: Sights) {
  const Client = speaking<new (options: object) => Ccxws>(load('ccxws'), /\$\{wss_remote_id\}_depth/);
  const client = new Client({ [STREAM_OPTION]: wsUrl });
  const sightOf = ({ id }: { id: string }) => seen.get(id) as Seen;
  const levels = (side: readonly Point[]) => side.map(({ price, size }): Level => [Number(price), Number(size)]);
  client.on('error', (error: unknown) => {
    throw error;
  });
  client.on('ticker', ({ last, bid, ask }: Record<string, string>, market: { id: string }) => {
    const sight = sightOf(market);
    Object.assign(sight, { last: Number(last), bid: Number(bid), ask: Number(ask), tickers: sight.tickers + 1 });
  });
  client.on('trade', ({ tradeId, price }: { tradeId: string; price: string }, market: { id: string }) =>
    sightOf(market).trades.set(tradeId, Number(price)),
  );
  client.on('l2snapshot', ({ bids, asks }: Record<'bids' | 'asks', Point[]>, market: { id: string }) => {
    const sight = sightOf(market);
    Object.assign(sight, { bids: levels(bids), asks: levels(asks), depths: sight.depths + 1 });
  });
  for (const id of MARKETS) {
    const [base, quote] = id.toUpperCase().split('_');
    const market = { id, base, quote };
    client.subscribeTicker(market);
    client.subscribeTrades(market);
    client.subscribeLevel2Snapshots(market);
  }
  return async () => client.close();
}

/** What differs from the answers over HTTP while the exchange's clock stands still. */
async function differences({ baseUrl }: SandboxAddress, name: string, seen: Sights): Promise<string[]> {
  const headers = { 'user-agent': USER_AGENT };
  const get = async (query: string) => (await fetch(`${baseUrl}/data/v1/${query}`, { headers })).json();
  const wrong: string[] = [];
  for (const [market, { tickers, depths, last, bid, ask, bids, asks, trades }] of seen) {
    const same = (what: string, own: unknown, theirs: unknown) => {
      if (JSON.stringify(own) === JSON.stringify(theirs)) return;
      wrong.push(`${name} ${market} ${what}: ${JSON.stringify(own)} is not ${JSON.stringify(theirs)}`);
    };
    const { ticker } = (await get(`ticker?market=${market}`)) as { ticker: Record<string, string> };
    same('ticker', [last, bid, ask], [ticker.last, ticker.buy, ticker.sell].map(Number));
    const book = (await get(`depth?market=${market}&size=${bids.length}`)) as Record<'bids' | 'asks', Level[]>;
    same('bids', bids, book.bids);
    same('asks', asks, book.asks.toReversed());
    // the observed dialect writes the price as a text
    const listed = (await get(`trades?market=${market}`)) as { tid: number; price: number | string }[];
    same(
      'trades',
      listed.map(({ tid }) => trades.get(String(tid))),
      listed.map(({ price }) => Number(price)),
    );
    print(`${name} ${market}: ${tickers} tickers, ${depths} books of ${bids.length} levels, ${trades.size} trades`);
    if (tickers < 2 || depths < 2 || trades.size === 0) wrong.push(`${name} ${market}: too little came`);
  }
  return wrong;
}

const folder = mkdtempSync(path.join(tmpdir(), 'pit-streams-'));
print(`installs ${PACKAGES.join(' and ')} into ${folder}`);
const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
execFileSync('npm', ['install', ...options, ...PACKAGES], { stdio: ['ignore', 'ignore', 'inherit'] });
const load = createRequire(path.join(folder, 'load.js'));
/** Lets both clients follow a sandbox for a while. Returns what they saw differently. */
async function follow(name: string, flags: readonly string[]): Promise<string[]> {
  print(`sandbox ${flags.join(' ')}`);
  const sandbox = await serveProcess(path.join(folder, name), ['--no-limits', ...flags]);
  try {
    const { address } = sandbox;
    const [ccxt, ccxws] = [nothingSeen(), nothingSeen()];
    const stops = [await followWithCcxt(load, address, ccxt), followWithCcxws(load, address, ccxws)];
    await delay(seconds * 1000);
    const headers = { authorization: `Bearer ${address.adminToken}` };
    await fetch(`${address.adminUrl}/clock/stop`, { method: 'POST', headers });
    await delay(1_000);
    const wrong = [...(await differences(address, 'ccxt', ccxt)), ...(await differences(address, 'ccxws', ccxws))];
    for (const stop of stops) await stop();
    return wrong;
  } finally {
    await killProcess(sandbox);
  }
}

let failed = true;
try {
  const wrong = [
    ...(await follow('document', ['--dialect', 'document'])),
    ...(await follow('observed', ['--dialect', 'observed', '--strict-agent'])),
  ];
  for (const line of wrong) print(line);
  failed = wrong.length > 0;
  print(failed ? 'a client saw something else than HTTP answers' : 'both clients saw what HTTP answers');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
