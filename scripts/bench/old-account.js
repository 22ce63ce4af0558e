// What an account costs that has placed many orders, beside one that has placed few: requests, time and memory of what reads the list of
// orders, how soon a halt cancels although nothing is known of the list, and what the sandbox itself takes for an order and a list.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import {
  environmentOf,
  marketOf,
  PIT,
  pairsOf,
  peakMemory,
  ratioRow,
  run,
  serveSandbox,
  stopped,
  temporaryFolder,
} from './measure.js';

const [MANY, FEW] = [100_000, 100];
/** What each order asks for, in the markets that the orders are placed in. */
const AMOUNTS = { btc_usdt: '0.0001', eth_usdt: '0.01', ltc_usdt: '0.1' };
const OPEN = 5;
const ROUNDS = 7;
const WAIT_MS = 600_000;
const MEMORY_ROUNDS = 3;
const MOST_MEMORY = 1.5;
/** How many requests a sandbox answers in a round. */
const ANSWERS = 1_000;

/** @type {readonly { words: string[], more?: number, atMost: number }[]} */
const COMMANDS = [
  { words: ['orders', 'btc_usdt', '--json'], atMost: 1.2 },
  { words: ['fills', 'btc_usdt', '--json'], atMost: 1.2 },
  { words: ['cancel', 'btc_usdt', '--all', '--dry-run', '--json'], atMost: 1.2 },
  { words: ['balance', '--json'], atMost: 1.2 },
  // the balances, the newest bills, and each open order
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
      const times = await pairsOf(
        () => old.pit(...words),
        () => young.pit(...words),
        ROUNDS,
      );
      yield { ...rowOf(what, times, 'ms'), atMost };
      const memory = await pairsOf(
        () => old.memoryOf(...words),
        () => young.memoryOf(...words),
        MEMORY_ROUNDS,
      );
      yield { ...rowOf(`${what}, peak memory`, memory, 'MiB'), atMost: MOST_MEMORY };
    }
    yield {
      what: 'pit halt --cancel with nothing kept, lists before the first cancellation',
      value: old.listsBeforeCancelling(),
      unit: 'lists',
      atMost: 3,
    };
    for (const [kind, what] of [
      ['list', "the first page of the sandbox's list of orders"],
      ['trade', 'an order at the sandbox'],
    ]) {
      const times = await pairsOf(
        () => old.load(kind ?? ''),
        () => young.load(kind ?? ''),
        ROUNDS,
      );
      yield { ...rowOf(`${what}, ${ANSWERS.toLocaleString('en')} times`, times, 'ms'), atMost: 1.3 };
    }
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
 * A sandbox whose account has placed so many orders in three markets, with open ones before and after them, and has read them once.
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
  const loader = fork(path.join(import.meta.dirname, 'sandbox-load.js'));
  const markets = await Promise.all(
    Object.entries(AMOUNTS).map(([market, amount]) => marketOf(baseUrl, market, amount)),
  );
  let ahead = 0;
  const target = { port: new URL(baseUrl).port, accessKey, secretKey, markets };
  const load = async (/** @type {string} */ kind, answers = ANSWERS) => {
    loader.send({ ...target, kind, ahead, answers, milliseconds: Number.MAX_SAFE_INTEGER });
    const [{ odd, milliseconds }] = await once(loader, 'message');
    if (odd !== '') throw new Error(`refused: ${odd}`);
    return milliseconds;
  };
  await load('trade', closed);
  // older than a request can be: none of them may still be executed
  const wait = () => {
    run([PIT, 'sandbox', 'clock', 'advance', `${WAIT_MS}ms`], own);
    ahead += WAIT_MS;
    // learns the new time
    pit('balance');
  };
  wait();
  open();
  wait();
  for (const market of Object.keys(AMOUNTS)) pit('orders', market, '--refresh', '--timeout', '600');
  pit('pnl', '--json', '--timeout', '3600');
  /** The names of the requests that a command sends, in their order. */
  const requestsOf = (/** @type {string[]} */ ...words) => {
    const { stderr } = spawnSync(process.execPath, [PIT, ...words, '--verbose'], {
      env: environment,
      encoding: 'utf8',
    });
    return [...stderr.matchAll(/GET \S+\/(\w+)(?=[?\s])/g)].map(([, name = '']) => name);
  };
  return {
    ...{ pit, load, requestsOf },
    memoryOf: (/** @type {string[]} */ ...words) => peakMemory([PIT, ...words], environment),
    /** How many lists a halt reads before it cancels, with nothing kept of them. */
    listsBeforeCancelling() {
      rmSync(path.join(home, 'cache'), { recursive: true, force: true });
      // learns the time again
      pit('balance');
      const sent = requestsOf('halt', '--cancel');
      return sent.slice(0, sent.indexOf('cancelOrder')).filter((name) => name === 'getOrders').length;
    },
    stop: async () => {
      loader.disconnect();
      await stopped(sandbox);
    },
  };
}
