// What the sandbox serves a second with 64 connections, beside a bare node:http server that is asked in turn; and what its
// memory comes to after many orders.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentOf, marketOf, ratioRow, serveSandbox, started, stopped, temporaryFolder } from './measure.js';

const ROUNDS = 5;
const ROUND = 2_000;
/** Until then the part of V8's heap for new values grows to its final size. */
const WARM_UP_ORDERS = 50_000;
const MORE_ORDERS = 100_000;

const BARE = `const http = require('node:http');
const server = http.createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"code":"1000","message":"success","id":"202403151234567890"}');
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));`;

/** @type {Readonly<Record<string, readonly [what: string, atLeast: number]>>} */
const KINDS = {
  order: ['signed orders, none trades', 0.25],
  trade: ['signed orders, half of them trade', 0.2],
  depth: ['depth, 50 levels', 0.5],
};

/**
 * @typedef {import('./sandbox-load.js').Load} Load
 * @typedef {(kind: string, more?: Partial<Load>) => Promise<number>} Ask puts the server under load; resolves with answers a second
 * @typedef {{ own: number, resident: number }} Memory in MiB
 */

export async function* rows() {
  yield* await measured(speed);
  yield* await measured(memory);
}

/**
 * A sandbox of its own for each measurement, so that one does not bear what the other left behind.
 * @template Result
 * @param {(server: { ask: Ask, pid: number }) => Promise<Result>} measure
 */
async function measured(measure) {
  const client = fork(path.join(import.meta.dirname, 'sandbox-load.js'));
  const ask = async (/** @type {Partial<Load>} */ load) => {
    client.send({ milliseconds: ROUND, answers: Number.MAX_SAFE_INTEGER, ...load });
    const [{ answered, milliseconds, odd }] = await once(client, 'message');
    if (odd !== '') throw new Error(`refused: ${odd}`);
    return answered / (milliseconds / 1_000);
  };
  const sandbox = await serveSandbox(temporaryFolder(), '--no-limits');
  try {
    const { accessKey, secretKey, baseUrl } = sandbox;
    const markets = [await marketOf(baseUrl, 'btc_usdt', '0.0001')];
    const load = { port: new URL(baseUrl).port, accessKey, secretKey, markets };
    /** @type {Ask} */
    const askAs = (kind, more) => ask({ ...load, kind, ...more });
    return await measure({ ask: askAs, pid: sandbox.child.pid ?? 0 });
  } finally {
    client.disconnect();
    await stopped(sandbox);
  }
}

/** @param {{ ask: Ask }} server */
async function speed({ ask }) {
  const server = await started(['-e', BARE], environmentOf(temporaryFolder()));
  /** @type {Record<string, number>[]} */
  const rounds = [];
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      /** @type {Record<string, number>} */
      const found = { bare: await ask('bare', { port: server.port }) };
      for (const kind of Object.keys(KINDS)) found[kind] = await ask(kind);
      rounds.push(found);
    }
  } finally {
    await stopped(server);
  }
  rounds.shift(); // the first is a warm-up
  return Object.entries(KINDS).map(([kind, [what, atLeast]]) => {
    const pairs = rounds.map((round) => ({ own: round[kind] ?? Number.NaN, other: round.bare ?? Number.NaN }));
    return ratioRow(what, pairs, { unit: 'a second', besideWhat: 'bare node:http', atLeast });
  });
}

/** @param {{ ask: Ask, pid: number }} server */
async function memory({ ask, pid }) {
  const after = async (/** @type {number} */ answers) => {
    await ask('trade', { milliseconds: Number.MAX_SAFE_INTEGER, answers });
    return memoryOf(pid);
  };
  const before = await after(WARM_UP_ORDERS);
  const later = await after(MORE_ORDERS);
  const orders = `${MORE_ORDERS.toLocaleString('en')} orders later`;
  const row = (/** @type {string} */ what, /** @type {keyof Memory} */ kind) => ({
    what: `${what}, ${orders}`,
    value: later[kind],
    unit: 'MiB',
    beside: before[kind],
    besideWhat: `after ${WARM_UP_ORDERS.toLocaleString('en')}`,
    ratio: later[kind] / before[kind],
  });
  return [
    { ...row('memory of its own', 'own'), atMost: 1.15 },
    row('the same with what the system keeps of its files', 'resident'),
  ];
}

/**
 * The memory of a process in MiB: the least of some seconds, because garbage comes and goes.
 * @param {number} pid
 */
async function memoryOf(pid) {
  /** @type {Memory[]} */
  const samples = [];
  for (let sample = 0; sample < 6; sample += 1) {
    await delay(500);
    samples.push(readMemory(pid));
  }
  const least = (/** @type {keyof Memory} */ kind) => Math.min(...samples.map((sample) => sample[kind]));
  return { own: least('own'), resident: least('resident') };
}

/**
 * What the process has allocated, and that with the pages of files that it has mapped: only Linux tells them apart.
 * @param {number} pid
 */
function readMemory(pid) {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) {
    const resident = Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024;
    return { own: resident, resident };
  }
  const text = readFileSync(status, 'utf8');
  const field = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1024;
  return { own: field('RssAnon'), resident: field('VmRSS') };
}
