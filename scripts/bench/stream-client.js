// How many messages a second the stream client decodes without a loss, beside a bare ws client with JSON.parse. The same frames
// come from a process of their own, as fast as each client takes them: a mix of all channels, and books of 50 levels alone.
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { environmentOf, pairsOf, ratioRow, sources, started, stopped, temporaryFolder } from './measure.js';

const ROUNDS = 3;
const MESSAGES = 30_000;
const WANTED = 20_000;

const SOURCES = `export { StreamClient } from './src/exchange/stream/stream-client.ts';
  export { Redaction } from './src/platform/redaction.ts';`;

const FRAMES = {
  mix: { what: 'messages of all channels', frame: (index) => MIX[index % MIX.length](index) },
  books: { what: 'order books of 50 levels', frame: (index) => book(index) },
};

export async function* rows() {
  const client = await sources(SOURCES);
  const server = await started(['-e', SERVER], environmentOf(temporaryFolder()));
  const { child, port } = server;
  try {
    for (const [name, { what, frame }] of Object.entries(FRAMES)) {
      for (let from = 0; from < MESSAGES; from += 1_000)
        child.send({ name, texts: Array.from({ length: 1_000 }, (_, index) => frame(from + index)) });
      const url = `ws://127.0.0.1:${port}/${name}`;
      const begin = () => child.send({});
      const pairs = await pairsOf(
        () => perCore(() => own(client, name, url, begin)),
        () => perCore(() => bare(url, begin)),
        ROUNDS,
      );
      const row = ratioRow(what, pairs, { unit: '/s on a core', besideWhat: 'ws and JSON.parse' });
      yield row;
      if (name === 'mix') yield { what: 'the same', value: row.value, unit: '/s on a core', atLeast: WANTED };
    }
  } finally {
    await stopped(server);
  }
}

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

/** Messages for a second of this process's processor time. */
async function perCore(run) {
  const before = process.cpuUsage();
  const count = await run();
  const { user, system } = process.cpuUsage(before);
  return count / ((user + system) / 1e6);
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
  marketNow: Date.now,
  candlePage: async () => ({ rows: [], asOf: null }),
  orderPage: async () => [],
  restartingBudget: () => QUIET,
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
