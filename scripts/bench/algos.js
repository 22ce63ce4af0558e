// 100 algo orders in eight markets, watched by one process: the time from the push of a book that reaches a stop to the order on the
// wire, beside a bare `ws` client that answers the same push, then processor time and memory. Pushes and orders pass through this
// process, which stands between pit and a sandbox. `--minutes=30` measures processor time and memory for longer, `--reached=20` reaches
// fewer stops.

import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { WebSocket, WebSocketServer } from 'ws';
import { environmentOf, median, PIT, run, serveSandbox, stopped, temporaryFolder } from './measure.js';

/** Algo orders that are watched at any time: one that ends is followed by another. */
const WATCHED = 100;
/** Of them, those whose stops are about to be reached. */
const NEAR = 24;
/** How many stops are reached, one after the other. */
const REACHED = Number(flag('reached') ?? 200);
/** Of the quote coin, for each algo order. */
const VALUES = new Map([
  ['usdt', '20'],
  ['btc', '0.002'],
  ['eth', '0.02'],
]);
const MARKETS = ['btc_usdt', 'eth_usdt', 'bch_usdt', 'ltc_usdt', 'eos_usdt', 'xrp_usdt', 'eth_btc', 'xrp_eth'];
const MINUTES = Number(flag('minutes') ?? 2);
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

/**
 * A stop that is to be reached: its market and its price.
 *
 * @typedef {{ market: string, price: string }} Stop
 */

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
    const algos = await Algos.begin(pit, home);
    const { own, echoes, busy, waited } = await reached(between, algos);
    for (const [part, name, atMost] of /** @type {const} */ ([
      [0.5, 'median', 10],
      [0.99, '99th of 100', 30],
    ])) {
      const beside = { beside: at(echoes, part), besideWhat: 'bare ws, to its answer' };
      const what = `from the push that reaches a stop to the wire, ${name}`;
      yield { what, value: at(own, part), unit: 'ms', ...beside, atMost };
    }
    for (const [part, name] of /** @type {const} */ ([
      [0.5, 'median'],
      [0.99, '99th of 100'],
    ])) {
      const beside = { beside: at(waited, part), besideWhat: 'waiting for a processor' };
      yield { what: `processor time of that, ${name}`, value: at(busy, part), unit: 'ms', ...beside };
    }
    const { watcher } = algos;
    const { share, updates, memory } = await usageOf(watcher, between);
    const what = `processor time, ${WATCHED} algo orders, ${updates.toFixed(1)} updates a second`;
    yield { what, value: share * 100, unit: '% of a core', atMost: 5 };
    const quarter = Math.ceil(memory.length / 4);
    const [first, last] = [median(memory.slice(0, quarter)), median(memory.slice(-quarter))];
    yield {
      what: `memory in the last quarter of ${MINUTES} minutes`,
      ...{ value: last, unit: 'MiB', beside: first, besideWhat: 'in the first', ratio: last / first, atMost: 1.1 },
    };
    await pit(['algo', 'cancel', '--all', '--timeout', '120']);
    endWatcher(watcher);
  } finally {
    bare.kill();
    between.close();
    await stopped(sandbox);
  }
}

/** Ends the process that watches, which has ended by itself if it has seen that nothing is left. @param {number} pid */
function endWatcher(pid) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** The algo orders of the account. One of each market is made by a command, the others are copies of its record with another stop. */
class Algos {
  /** The process that watches them. */
  watcher = 0;
  /** The folder of their records. */
  #folder = '';
  /** The first line of a record, and its stop. @type {Map<string, { began: any, stop: string }>} */
  #models = new Map();
  #made = 0;

  /** @param {(words: readonly string[]) => Promise<any>} pit @param {string} home */
  static async begin(pit, home) {
    const algos = new Algos();
    for (const market of MARKETS) {
      const quote = market.split('_')[1] ?? '';
      // the sandbox's own prices do not get there
      const { id } = await pit(['order', 'sell', market, `${VALUES.get(quote)}${quote}`, '--stop', 'bid-10%']);
      const names = readdirSync(home, { recursive: true, encoding: 'utf8' });
      const record = path.join(home, names.find((name) => path.basename(name) === id) ?? '');
      const [began = ''] = readFileSync(record, 'utf8').split('\n').filter(Boolean);
      algos.#folder = path.dirname(record);
      algos.#models.set(market, { began: JSON.parse(began), stop: JSON.parse(began).terms.exits.stop });
      const link = names.find((name) => path.basename(name).startsWith(WATCHER)) ?? '';
      algos.watcher = JSON.parse(readlinkSync(path.join(home, link))).pid;
    }
    for (let count = MARKETS.length + NEAR; count < WATCHED; count += 1) algos.add(count, 0.5);
    return algos;
  }

  /**
   * Adds one to the market whose turn it is.
   * @param {number} index
   * @param {number} factor of the price of the market's first stop
   */
  add(index, factor) {
    const market = MARKETS[index % MARKETS.length] ?? '';
    const { began, stop } = this.#models.get(market) ?? { began: {}, stop: '' };
    const decimals = stop.split('.')[1]?.length ?? 0;
    const price = (Number(stop) * factor).toFixed(decimals);
    this.#made += 1;
    const id = `a${[...String(this.#made).padStart(6, '0')].map((digit) => 'abcdefghjk'[Number(digit)]).join('')}`;
    const terms = { ...began.terms, id, exits: { ...began.terms.exits, stop: price } };
    const draft = path.join(this.#folder, `.${id}`);
    writeFileSync(draft, `\n${this.#signed({ ...began, terms })}\n`, { mode: 0o600 });
    renameSync(draft, path.join(this.#folder, id));
    return { id, market, price };
  }

  /** Waits until the process that watches has taken an algo order up: a push before that is none that it has promised to see. @param {string} id */
  async taken(id) {
    const isTaken = () => existsSync(path.join(this.#folder, `.${id}.status`));
    for (const begin = performance.now(); !isTaken(); await delay(100))
      if (performance.now() - begin > LONGEST_MS) throw new Error(`${id} is not watched`);
  }

  /** The first line of a record, with the digest by which pit knows that it has written it. @param {any} fact */
  #signed({ digest: _, ...fact }) {
    const state = path.dirname(path.dirname(path.dirname(this.#folder)));
    const key = Buffer.from(readFileSync(path.join(state, 'prepared-key'), 'utf8'), 'hex');
    const text = JSON.stringify(fact);
    const account = path.relative(state, path.dirname(this.#folder));
    const digest = createHmac('sha256', key).update(`${account}\n${text}`).digest('hex');
    return `${text.slice(0, -1)},"digest":"${digest}"}`;
  }
}

/**
 * Pushes a book that reaches each stop, and returns, each sorted, in milliseconds: the time until its order, how long pit's main thread
 * has worked and has waited for a processor meanwhile, and the time until the answer of the bare client.
 * @param {Between} between
 * @param {Algos} algos
 */
async function reached(between, algos) {
  /** @type {{ own: number[], echoes: number[], busy: number[], waited: number[] }} */
  const found = { own: [], echoes: [], busy: [], waited: [] };
  // each is below those before it
  const make = (/** @type {number} */ index) => algos.add(index, 1 - index / REACHED / 4);
  const near = Array.from({ length: NEAR }, (_, index) => make(index));
  for (let count = 0; count < REACHED; count += 1) {
    const { id, market, price } = near.shift() ?? make(count);
    await algos.taken(id);
    found.echoes.push(await between.echo(between.bookAt(market, price)));
    const before = scheduledOf(algos.watcher);
    found.own.push(await between.orderAfter(market, price, id));
    const after = scheduledOf(algos.watcher);
    found.busy.push(after.busy - before.busy);
    found.waited.push(after.waited - before.waited);
    near.push(make(count + NEAR));
    // the order is executed, and the true book comes again
    await delay(700);
  }
  for (const values of Object.values(found)) values.sort((one, other) => one - other);
  return found;
}

/** How long the main thread of a process has worked, and waited for a processor, in milliseconds. @param {number} pid */
function scheduledOf(pid) {
  const [busy = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number);
  return { busy: busy / 1e6, waited: waited / 1e6 };
}

/** The value of `--NAME=VALUE`. @param {string} name */
function flag(name) {
  return process.argv.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
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
   * A push of the book of a market whose best bid is at a price. It is of the same second as the newest book, or of a later one: one of an
   * earlier second was overtaken on its way, and pit drops it.
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
    const timestamp = Math.max(book.timestamp, Math.floor(Date.now() / 1_000));
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
   * @param {string} market @param {string} price @param {string} id
   */
  async orderAfter(market, price, id) {
    const channel = `${market.replace('_', '')}_depth`;
    const readers = this.#readers.get(channel) ?? new Set();
    // on a busy machine pit may be connecting again
    while (readers.size === 0) await delay(100);
    this.#held = channel;
    // made now: while the bare client answered, a book of the next second may have come
    const frame = this.bookAt(market, price);
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
