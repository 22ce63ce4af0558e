// What an account costs that has placed many orders, beside one that has placed few: requests and time of what reads the list of
// orders, and how soon a halt cancels although nothing is known of the list.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, PIT, pairsOf, ratioRow, run, serveSandbox, stopped, temporaryFolder } from './measure.js';

const [MANY, FEW] = [2_000, 100];
const OPEN = 5;
const ROUNDS = 7;

/** @type {readonly { words: string[], atMost: number }[]} */
const COMMANDS = [
  { words: ['orders', 'btc_usdt', '--json'], atMost: 1.2 },
  { words: ['fills', 'btc_usdt', '--json'], atMost: 1.2 },
  // lists all of them, from what is kept
  { words: ['fills', 'btc_usdt', '--from', '1d', '--json'], atMost: 3 },
  { words: ['cancel', 'btc_usdt', '--all', '--dry-run', '--json'], atMost: 1.2 },
  { words: ['balance', '--json'], atMost: 1.2 },
  { words: ['pnl', '--json'], atMost: 3 },
  // by what pnl has kept
  { words: ['order', 'sell', 'btc_usdt', '0.001', '--at', 'ask+4%', '--dry-run'], atMost: 1.2 },
];

/** @typedef {Awaited<ReturnType<typeof account>>} Account */

export async function* rows() {
  const [old, young] = [await account(MANY), await account(FEW)];
  try {
    for (const { words, atMost } of COMMANDS) {
      const what = `pit ${words.filter((word) => word !== '--json').join(' ')}`;
      const requests = { own: old.requestsOf(...words).length, other: young.requestsOf(...words).length };
      yield { ...rowOf(`${what}, requests`, [requests], 'requests'), atMost: (requests.other + 6) / requests.other };
      if (words[0] === 'pnl')
        yield {
          what: `${what}, beside one for each open order`,
          value: requests.own - OPEN,
          unit: 'requests',
          atMost: 4,
        };
      const pairs = await pairsOf(
        () => old.pit(...words),
        () => young.pit(...words),
        ROUNDS,
      );
      yield { ...rowOf(what, pairs, 'ms'), atMost };
    }
    old.forget();
    // learns the time again
    old.pit('balance');
    const sent = old.requestsOf('halt', '--cancel');
    const lists = sent.slice(0, sent.indexOf('cancelOrder')).filter((name) => name === 'getOrders');
    yield {
      what: 'pit halt --cancel, lists before the first cancellation',
      value: lists.length,
      unit: 'lists',
      atMost: 3,
    };
  } finally {
    await old.stop();
    await young.stop();
  }
}

/**
 * @param {string} what
 * @param {{ own: number, other: number }[]} pairs
 * @param {string} unit
 */
function rowOf(what, pairs, unit) {
  return ratioRow(what, pairs, { unit, besideWhat: `${FEW} closed orders` });
}

/**
 * A sandbox whose account has placed so many orders, with open ones before and after them, and has read them once.
 * @param {number} closed
 */
async function account(closed) {
  const home = temporaryFolder();
  const sandbox = await serveSandbox(home, '--seed', '7', '--no-limits');
  const { accessKey, secretKey, baseUrl } = sandbox;
  const environment = environmentOf(home, sandbox.environment);
  const own = environmentOf(home);
  const pit = (/** @type {string[]} */ ...words) => run([PIT, ...words], environment);
  const open = () => pit('order', 'buy', 'btc_usdt', '0.001', '--at', 'bid-4%', '--yes');
  for (let count = 1; count < OPEN; count += 1) open();
  const load = fork(path.join(import.meta.dirname, 'sandbox-load.js'));
  const response = await fetch(`${baseUrl}/data/v1/ticker?market=btc_usdt`, { headers: { 'user-agent': 'Mozilla' } });
  const { ticker } = /** @type {any} */ (await response.json());
  const target = { port: new URL(baseUrl).port, accessKey, secretKey, bid: ticker.buy, ask: ticker.sell };
  load.send({ ...target, kind: 'trade', milliseconds: Number.MAX_SAFE_INTEGER, answers: closed });
  await once(load, 'message');
  load.disconnect();
  // older than a request can be: none of them may still be executed
  const wait = () => {
    run([PIT, 'sandbox', 'clock', 'advance', '10m'], own);
    // learns the new time
    pit('balance');
  };
  wait();
  open();
  wait();
  pit('orders', 'btc_usdt', '--refresh');
  pit('pnl', '--json');
  return {
    pit,
    /** The names of the requests that a command sends, in their order. */
    requestsOf(/** @type {string[]} */ ...words) {
      const { stderr } = spawnSync(process.execPath, [PIT, ...words, '--verbose'], {
        env: environment,
        encoding: 'utf8',
      });
      return [...stderr.matchAll(/GET \S+\/(\w+)(?=[?\s])/g)].map(([, name = '']) => name);
    },
    /** Removes what is kept of the lists. */
    forget: () => rmSync(path.join(home, 'cache'), { recursive: true, force: true }),
    stop: () => stopped(sandbox),
  };
}
