// 100 algo orders in eight markets, watched by one process: the time from the push of a book that reaches a stop to the order on the
// wire, beside a bare `ws` client that answers the same push, then processor time and memory. Pushes and orders pass through this
// process, which stands between pit and a sandbox. `--minutes=30` measures processor time and memory for longer.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { environmentOf, median, PIT, run, serveSandbox, stopped, temporaryFolder } from './measure.js';

/** Algo orders that wait the whole time, and others whose stops are reached one after the other. */
const [RESTING, REACHED] = [100, 200];
/** Of the quote coin, for each algo order. */
const VALUES = new Map([
  ['usdt', '20'],
  ['btc', '0.002'],
  ['eth', '0.02'],
]);
const MARKETS = ['btc_usdt', 'eth_usdt', 'bch_usdt', 'ltc_usdt', 'eos_usdt', 'xrp_usdt', 'eth_btc', 'xrp_eth'];
/** Commands at once while the algo orders are made. */
const AT_ONCE = 4;
const MINUTES = Number(process.argv.find((word) => word.startsWith('--minutes='))?.slice('--minutes='.length) ?? 2);
const SAMPLES_A_MINUTE = 6;
const PROFILE = 'bench';
/** Begins the name of the link that names the process that watches. */
const WATCHER = '.watcher.';
/** How long an order may take to leave before the benchmark fails. */
const LONGEST_MS = 20_000;

/** A client that answers each push with a message. */
const BARE = `const { WebSocket } = require('ws');
const socket = new WebSocket(process.argv[1]);
socket.on('message', (data) => socket.send(String(data.length)));`;

/** @typedef {{ id: string, market: string, level: number, text: string }} Stop */

export async function* rows() {
  const home = temporaryFolder();
  const sandbox = await serveSandbox(home, '--seed', '7');
  const between = await Between.begin(sandbox);
  const environment = environmentOf(home, { PIT_PROFILE: PROFILE });
  const bare = spawn(process.execPath, ['-e', BARE, between.bareUrl], { stdio: ['ignore', 'inherit', 'inherit'] });
  const pit = async (/** @type {readonly string[]} */ words) => {
    const { stdout } = await promisify(execFile)(process.execPath, [PIT, ...words, '--yes', '--json'], {
      env: environment,
    });
    return JSON.parse(stdout);
  };
  try {
    const { tradeUrl, wsUrl } = between;
    run(
      [PIT, 'profile', 'add', PROFILE, '--base-url', sandbox.baseUrl, '--trade-url', tradeUrl, '--ws-url', wsUrl],
      environmentOf(home),
    );
    run([PIT, 'keys', 'set', '--stdin'], environment, { input: `${sandbox.accessKey}\n${sandbox.secretKey}\n` });
    const stops = await made(pit);
    const watcher = watcherIn(home);
    const { own, echoes } = await reached(between, stops);
    for (const [part, name, atMost] of /** @type {const} */ ([
      [0.5, 'median', 10],
      [0.99, '99th of 100', 30],
    ])) {
      const beside = { beside: at(echoes, part), besideWhat: 'bare ws, to its answer' };
      const what = `from the push that reaches a stop to the wire, ${name}`;
      yield { what, value: at(own, part), unit: 'ms', ...beside, atMost };
    }
    const { share, updates, memory } = await usageOf(watcher, between);
    const what = `processor time, ${RESTING} algo orders, ${updates.toFixed(1)} updates a second`;
    yield { what, value: share * 100, unit: '% of a core', atMost: 5 };
    const quarter = Math.ceil(memory.length / 4);
    const [first, last] = [median(memory.slice(0, quarter)), median(memory.slice(-quarter))];
    yield {
      what: `memory in the last quarter of ${MINUTES} minutes`,
      ...{ value: last, unit: 'MiB', beside: first, besideWhat: 'in the first', ratio: last / first, atMost: 1.1 },
    };
    await pit(['algo', 'cancel', '--all', '--timeout', '120']);
    process.kill(watcher, 'SIGTERM');
  } finally {
    bare.kill();
    between.close();
    await stopped(sandbox);
  }
}

/**
 * Makes the algo orders, and returns those whose stops are to be reached, each before those below it in its market.
 * @param {(words: readonly string[]) => Promise<any>} pit
 * @returns {Promise<Stop[]>}
 */
async function made(pit) {
  const wanted = Array.from({ length: RESTING + REACHED }, (_, index) => {
    const step = Math.floor(index / MARKETS.length);
    // the sandbox's own prices do not get there
    const below = index < REACHED ? 10 + step / 10 : 40 + step / 10;
    return { market: MARKETS[index % MARKETS.length] ?? '', below, isReached: index < REACHED };
  });
  // the first one starts the process that watches
  const first = wanted.shift();
  /** @type {(one: typeof wanted[number]) => Promise<Stop | undefined>} */
  const make = async ({ market, below, isReached }) => {
    const quote = market.split('_')[1] ?? '';
    const words = ['order', 'sell', market, `${VALUES.get(quote)}${quote}`, '--stop', `bid-${below}%`];
    const { id, exit } = await pit(words);
    return isReached ? { id, market, level: Number(exit.stop), text: exit.stop } : undefined;
  };
  const stops = [first === undefined ? undefined : await make(first)];
  const worker = async () => {
    for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) stops.push(await make(next));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return stops.filter((stop) => stop !== undefined).sort((one, other) => other.level - one.level);
}

/** The process that watches. @param {string} home */
function watcherIn(home) {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
  const link = names.find((name) => path.basename(name).startsWith(WATCHER)) ?? '';
  return Number(path.basename(link).slice(WATCHER.length));
}

/**
 * Pushes a book that reaches each stop, and returns the milliseconds until its order and until the answer of the bare client, sorted.
 * @param {Between} between
 * @param {readonly Stop[]} stops
 */
async function reached(between, stops) {
  const own = [];
  const echoes = [];
  // what was read when the last algo order was made is over
  await delay(3_000);
  for (const { id, market, text } of stops) {
    const frame = between.bookAt(market, text);
    echoes.push(await between.echo(frame));
    own.push(await between.orderAfter(frame, market, id));
    // the order is executed, and the true book comes again
    await delay(700);
  }
  /** @type {(values: number[]) => number[]} */
  const sorted = (values) => values.sort((one, other) => one - other);
  return { own: sorted(own), echoes: sorted(echoes) };
}

/** @param {readonly number[]} sorted @param {number} part */
function at(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/**
 * The share of a core that a process uses, the pushes that it gets in a second, and its memory in MiB.
 * @param {number} pid
 * @param {Between} between
 */
async function usageOf(pid, between) {
  const before = { cpu: cpuOf(pid), pushes: between.pushes, at: performance.now() };
  const memory = [];
  for (let count = 0; count < MINUTES * SAMPLES_A_MINUTE; count += 1) {
    await delay(60_000 / SAMPLES_A_MINUTE);
    memory.push(memoryOf(pid));
  }
  const seconds = (performance.now() - before.at) / 1_000;
  return {
    share: (cpuOf(pid) - before.cpu) / seconds,
    updates: (between.pushes - before.pushes) / seconds,
    memory,
  };
}

/** In seconds. @param {number} pid */
function cpuOf(pid) {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) / 100;
}

/** In MiB. @param {number} pid */
function memoryOf(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Stands between pit and the sandbox: passes everything on, adds books to the stream, and sees orders arrive. */
class Between {
  /** How many pushes pit has got. */
  pushes = 0;
  tradeUrl = '';
  wsUrl = '';
  bareUrl = '';
  /** @type {WebSocket | undefined} */
  #bare;
  /** The clients of pit that follow a book, by its channel. @type {Map<string, Set<WebSocket>>} */
  #readers = new Map();
  /** The newest book of each channel. @type {Map<string, any>} */
  #books = new Map();
  /** The channel whose true books are kept back, so that the price stays where it is. */
  #held = '';
  /** @type {(text: string) => void} */
  #onOrder = () => {};
  /** @type {net.Server | undefined} */
  #trade;
  #http = http.createServer();

  /** @param {import('./measure.js').Server} sandbox */
  static async begin({ wsUrl, tradeUrl }) {
    const made = new Between();
    const server = new WebSocketServer({ server: made.#http });
    server.on('connection', (client, { url }) => {
      if (url === '/bare') made.#bare = client;
      else made.#join(client, wsUrl);
    });
    const { hostname, port } = new URL(tradeUrl);
    made.#trade = net.createServer((client) => made.#passOn(client, net.connect(Number(port), hostname)));
    const [trade, stream] = [await listening(made.#trade), await listening(made.#http)];
    made.tradeUrl = `http://127.0.0.1:${trade}`;
    made.wsUrl = `ws://127.0.0.1:${stream}/websocket`;
    made.bareUrl = `ws://127.0.0.1:${stream}/bare`;
    return made;
  }

  /** @param {WebSocket} client @param {string} url */
  #join(client, url) {
    const upstream = new WebSocket(url);
    const opened = once(upstream, 'open');
    client.on('message', async (data) => {
      const text = String(data);
      const { channel = '' } = text.includes('addChannel') ? JSON.parse(text) : {};
      if (channel.endsWith('_depth')) this.#readers.set(channel, (this.#readers.get(channel) ?? new Set()).add(client));
      await opened;
      upstream.send(text);
    });
    upstream.on('message', (data) => {
      const text = String(data);
      this.pushes += 1;
      if (text.includes('"dataType":"depth"')) {
        const book = JSON.parse(text);
        this.#books.set(book.channel, book);
        if (book.channel === this.#held) return;
      }
      client.send(text);
    });
    client.on('close', () => {
      for (const readers of this.#readers.values()) readers.delete(client);
      upstream.terminate();
    });
    upstream.on('error', () => client.terminate());
    upstream.on('close', () => client.terminate());
  }

  /** @param {net.Socket} client @param {net.Socket} upstream */
  #passOn(client, upstream) {
    client.on('data', (data) => {
      const text = data.toString('latin1', 0, 2_000);
      if (text.startsWith('GET /api/order?')) this.#onOrder(text);
      upstream.write(data);
    });
    upstream.on('data', (data) => client.write(data));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      one?.on('error', () => other?.destroy());
      one?.on('close', () => other?.destroy());
    }
  }

  /**
   * A push of the book of a market whose best bid is at a price.
   * @param {string} market @param {string} price
   */
  bookAt(market, price) {
    const channel = `${market.replace('_', '')}_depth`;
    const { asks, bids, ...book } = this.#books.get(channel);
    const decimals = price.split('.')[1]?.length ?? 0;
    const moved = (/** @type {[number, number][]} */ levels, /** @type {number} */ sign) =>
      levels.map(([, amount], level) => [
        Number((Number(price) * (1 + sign * (level + (sign > 0 ? 1 : 0)) * 0.001)).toFixed(decimals)),
        amount,
      ]);
    const timestamp = Math.floor(Date.now() / 1_000);
    return JSON.stringify({ ...book, asks: moved(asks, 1).reverse(), bids: moved(bids, -1), timestamp });
  }

  /** The milliseconds until the bare client has answered. @param {string} frame */
  async echo(frame) {
    const bare = this.#bare;
    if (bare === undefined) throw new Error('the bare client has not connected');
    const begin = performance.now();
    const answered = once(bare, 'message');
    bare.send(frame);
    await answered;
    return performance.now() - begin;
  }

  /**
   * The milliseconds until the order of an algo order has arrived.
   * @param {string} frame @param {string} market @param {string} id
   */
  async orderAfter(frame, market, id) {
    const channel = `${market.replace('_', '')}_depth`;
    const readers = this.#readers.get(channel) ?? new Set();
    // on a busy machine pit may be connecting again
    while (readers.size === 0) await delay(100);
    this.#held = channel;
    const begin = performance.now();
    /** @type {Promise<number>} */
    const arrived = new Promise((resolve) => {
      this.#onOrder = (text) => {
        if (text.includes(`customerOrderId=${id}`)) resolve(performance.now() - begin);
      };
    });
    for (const client of readers) client.send(frame);
    const took = await Promise.race([arrived, delay(LONGEST_MS)]);
    this.#held = '';
    if (took === undefined) throw new Error(`the stop of ${id} in ${market} was not sent`);
    return took;
  }

  close() {
    this.#http.closeAllConnections();
    this.#http.close();
    this.#trade?.close();
  }
}

/** The port that a server has got. @param {net.Server | http.Server} server */
async function listening(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return /** @type {net.AddressInfo} */ (server.address()).port;
}
