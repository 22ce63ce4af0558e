// `npm run bench:sandbox [-- ORDERS]`: what the sandbox serves a second with 64 connections, as a ratio to a bare
// node:http server that is asked in turn; and what its memory comes to after ORDERS orders (100,000) against 10,000.
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { prepare, root } from './prepare.js';

const ROUNDS = 7;
const ROUND = 2_000;
const FEW_ORDERS = 10_000;
const manyOrders = Number(process.argv[2] ?? 100_000);

const BARE = `const http = require('node:http');
const server = http.createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end('{"code":"1000","message":"success","id":"202403151234567890"}');
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));`;

prepare();
const home = mkdtempSync(path.join(tmpdir(), 'pit-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
const children = [];

async function started(words) {
  const child = spawn(process.execPath, words, {
    env: { ...inherited, PIT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error(`${words[0]} ended without a word`);
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

function print(line) {
  process.stdout.write(`${line}\n`);
}

/** Memory that the process holds, in MiB: the least of some seconds, because garbage comes and goes. */
async function residentMemory(pid) {
  const samples = [];
  for (let sample = 0; sample < 6; sample += 1) {
    await delay(500);
    samples.push(Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) / 1024);
  }
  return Math.min(...samples);
}

async function serve() {
  const served = await started([path.join(root, 'bin', 'pit.js'), 'sandbox', 'serve', '--port', '0', '--no-limits']);
  const { accessKey, secretKey, baseUrl } = served;
  const response = await fetch(`${baseUrl}/data/v1/ticker?market=btc_usdt`, { headers: { 'user-agent': 'Mozilla' } });
  const { ticker } = await response.json();
  return { ...served, load: { port: new URL(baseUrl).port, accessKey, secretKey, bid: ticker.buy, ask: ticker.sell } };
}

async function speed(sandbox, ask) {
  const bare = await started(['-e', BARE]);
  const rate = async (load) => {
    const { answered, milliseconds, odd } = await ask({
      milliseconds: ROUND,
      answers: Number.MAX_SAFE_INTEGER,
      ...load,
    });
    if (odd !== '') throw new Error(`refused: ${odd}`);
    return answered / (milliseconds / 1000);
  };
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    rounds.push({
      bare: await rate({ kind: 'bare', port: bare.port }),
      order: await rate({ ...sandbox.load, kind: 'order' }),
      trade: await rate({ ...sandbox.load, kind: 'trade' }),
      depth: await rate({ ...sandbox.load, kind: 'depth' }),
    });
  }
  rounds.shift(); // the first is a warm-up
  const lines = {
    order: 'signed orders, none trades; wanted 0.3',
    trade: 'signed orders, half of them trade; wanted 0.3',
    depth: 'depth, 50 levels; wanted 0.6',
  };
  for (const [kind, line] of Object.entries(lines)) {
    const ratio = median(rounds.map((round) => round[kind] / round.bare));
    const [own, other] = [kind, 'bare'].map((name) => Math.round(median(rounds.map((round) => round[name]))));
    print(`${ratio.toFixed(2)} x bare node:http   ${line} (${own} a second to ${other})`);
  }
}

async function memory(sandbox, ask) {
  const orders = async (answers) => {
    const { odd } = await ask({ ...sandbox.load, kind: 'trade', milliseconds: Number.MAX_SAFE_INTEGER, answers });
    if (odd !== '') throw new Error(`refused: ${odd}`);
    return await residentMemory(sandbox.child.pid);
  };
  const few = await orders(FEW_ORDERS);
  const many = await orders(manyOrders - FEW_ORDERS);
  print(
    `${(many / few).toFixed(2)} x the memory      after ${manyOrders} orders; wanted 1.5 at most ` +
      `(${many.toFixed(0)} MiB to ${few.toFixed(0)} MiB after ${FEW_ORDERS})`,
  );
}

/** A sandbox of its own for each measurement, so that one does not bear what the other left behind. */
async function measure(what) {
  const client = fork(path.join(root, 'scripts', 'bench-load.js'));
  const ask = async (load) => {
    client.send(load);
    const [answer] = await once(client, 'message');
    return answer;
  };
  const sandbox = await serve();
  try {
    await what(sandbox, ask);
  } finally {
    client.disconnect();
    for (const child of children.splice(0)) {
      child.kill();
      await once(child, 'exit');
    }
    rmSync(home, { recursive: true, force: true });
  }
}

print(`Node ${process.version}, 64 connections, medians of ${ROUNDS} rounds`);
await measure(speed);
await measure(memory);
