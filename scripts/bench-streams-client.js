// `npm run bench:streams-client`: how many messages a second the stream client decodes without a loss, and its rate as a
// ratio to a bare ws client with JSON.parse. The same frames come from a process of their own, as fast as each client takes
// them: a mix of all channels, and books of 50 levels alone.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { WebSocket } from 'ws';
import { preparePackages, root } from './prepare.js';

const ROUNDS = 3;
const MESSAGES = 30_000;
const WANTED = 20_000;

const level = (price, index) => `[${price},${((index * 7919) % 10_000) / 10_000}]`;
const book = (seed) => {
  const asks = Array.from({ length: 50 }, (_, index) =>
    level((32383.57 + (50 - index) * 0.37 + seed).toFixed(2), index),
  );
  const bids = Array.from({ length: 50 }, (_, index) => level((32380.5 - index * 0.37 + seed).toFixed(2), index));
  return `{"asks":[${asks}],"dataType":"depth","bids":[${bids}],"channel":"btcusdt_depth","timestamp":1653997711}`;
};
const ticker = (seed) =>
  `{"date":"1653781987181","ticker":{"high":"29249.63","vol":"4499.6492","last":"${29046 + seed}.17","low":"28527.54","buy":"29039.24","sell":"29056.69","turnover":"129792765.9200","open":"28598.8","riseRate":"1.57"},"dataType":"ticker","channel":"btcusdt_ticker"}`;
const trade = (seed) =>
  `{"data":[{"date":1653774784,"amount":"0.0380","price":"29029.5","trade_type":"ask","type":"sell","tid":${2796890056 + seed}}],"dataType":"trades","channel":"btcusdt_trades"}`;
const kline = (seed) =>
  `{"datas":{"data":[[1653782100000,29055.22,29055.22,29030.81,${29032 + seed}.9,19.3130]]},"channel":"btcusdt_kline_1min","isSuc":true}`;
const order = (seed) =>
  `{"dataType":"userIncrRecord","channel":"push_user_incr_record","market":"btcusdtdefault","record":[["${202202224851151555n + BigInt(seed)}","31000.5","0.02","0.01","310.005",1,1648461600123,2,"0.00002","","","",0,"202202224851151777","31000.40","0.01",1648461601000]]}`;

/** Of ten messages, one is a whole book. */
const MIX = [ticker, trade, order, ticker, trade, book, kline, ticker, trade, order];

const SERVER = `
const { WebSocketServer } = require('ws');
const frames = { mix: [], books: [] };
let begin = () => undefined;
const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
process.on('message', ({ name, texts }) => (name === undefined ? begin() : frames[name].push(...texts)));
server.on('connection', (socket, { url }) => {
  const all = frames[url.slice(1)];
  socket.on('message', (data) => String(data) === 'ping' && socket.send('pong'));
  const flow = (from) => {
    let index = from;
    for (; index < all.length && socket.bufferedAmount < 262144; index += 1) socket.send(all[index]);
    if (index < all.length) setImmediate(flow, index);
  };
  begin = () => flow(0);
});
server.on('listening', () => console.log(JSON.stringify({ port: server.address().port })));`;

preparePackages();
const folder = mkdtempSync(path.join(root, 'node_modules', '.streams-'));

async function clientModule() {
  const outfile = path.join(folder, 'client.mjs');
  await build({
    absWorkingDir: root,
    stdin: {
      resolveDir: root,
      contents: `export { StreamClient } from './src/exchange/stream/stream-client.ts';
        export { Redaction } from './src/platform/redaction.ts';`,
    },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}

async function startServer() {
  const child = spawn(process.execPath, ['-e', SERVER], { cwd: root, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error('the server ended');
}

/** Messages a second of processor time of this process, and how many came. */
async function measured(run) {
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  const count = await run();
  const { user, system } = process.cpuUsage(before);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  return { count, rate: count / seconds, perCore: count / ((user + system) / 1e6) };
}

function bare(url, begin) {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    let count = 0;
    socket.on('error', reject);
    socket.on('open', begin);
    socket.on('message', (data) => {
      JSON.parse(String(data));
      count += 1;
      if (count < MESSAGES) return;
      socket.close();
      resolve(count);
    });
  });
}

const market = 'btc_usdt';
const CHANNELS = {
  mix: [
    { kind: 'ticker', market },
    { kind: 'depth', market },
    { kind: 'trades', market },
    { kind: 'kline', market, type: '1min' },
    { kind: 'orders', market },
  ],
  books: [{ kind: 'depth', market }],
};

/** HTTP shows nothing here. */
const QUIET = {
  now: Date.now,
  ticker: async () => ({ time: 0 }),
  depth: async () => ({ time: 0, bids: [], asks: [] }),
  trades: async () => [],
  candlePage: async () => [],
  orderPage: async () => [],
  renewing: () => QUIET,
};

function host(Redaction) {
  return {
    now: Date.now,
    monotonic: () => Number(process.hrtime.bigint() / 1_000_000n),
    random: Math.random,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }).catch(() => undefined),
    redaction: new Redaction(),
    environment: {},
  };
}

async function own({ StreamClient, Redaction }, name, url, begin) {
  const credentials = () => ({ accessKey: 'access-0123456789', secretKey: 'secret-9876543210' });
  const stream = new StreamClient({
    ...{
      host: host(Redaction),
      channels: CHANNELS[name],
      credentials,
      clientOf: () => QUIET,
      address: async () => url,
    },
  });
  let starts = 0;
  let count = 0;
  for await (const event of stream) {
    if (event.type === 'gap' || event.skipped > 0) throw new Error(`lost: ${JSON.stringify(event).slice(0, 300)}`);
    if (event.type !== 'data') continue;
    if (event.source === 'push') count += 1;
    else if (event.scope === 'snapshot') starts += 1;
    if (event.source === 'http' && starts === CHANNELS[name].length) begin();
    if (count === MESSAGES) break;
  }
  const { unreadable } = stream;
  await stream.close();
  if (unreadable > 0) throw new Error(`${unreadable} frames could not be read`);
  return count;
}

const median = (values) => values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
const perSecond = (rate) => `${Math.round(rate).toLocaleString('en')}/s`;

const { child, port } = await startServer();
try {
  const client = await clientModule();
  const make = { mix: (index) => MIX[index % MIX.length](index), books: book };
  for (const name of ['mix', 'books']) {
    for (let from = 0; from < MESSAGES; from += 1_000)
      child.send({ name, texts: Array.from({ length: 1_000 }, (_, index) => make[name](from + index)) });
    const url = `ws://127.0.0.1:${port}/${name}`;
    const begin = () => child.send({});
    const [mine, theirs] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      theirs.push(await measured(() => bare(url, begin)));
      mine.push(await measured(() => own(client, name, url, begin)));
    }
    const core = (all) => median(all.map(({ perCore }) => perCore));
    console.log(
      `${name}: ${MESSAGES} of ${MESSAGES} messages decoded in each of ${ROUNDS} rounds; ` +
        `${perSecond(core(mine))} on one core (wanted: ${perSecond(WANTED)}), bare ws with JSON.parse ` +
        `${perSecond(core(theirs))}, ratio ${(core(mine) / core(theirs)).toFixed(2)}`,
    );
  }
} finally {
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}
