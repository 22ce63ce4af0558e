import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { operations } from '../../../src/exchange/operations/index.js';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { randomNumbers } from '../../support/random.js';
import { signedUrl } from '../signing.js';
import { killProcess, serveProcess } from '../support/served-process.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
}

export interface Fuzzed {
  readonly sent: Readonly<Record<string, number>>;
  /** How often another client asked meanwhile, and was answered each time. */
  readonly others: number;
  /** What the process had in memory before, at its highest, and after, in bytes. */
  readonly before: number;
  readonly highest: number;
  readonly after: number;
}

/** The limit for the sandbox's memory, whatever it is sent. */
const MAX_MEMORY = 512 * 1_048_576;

const LANES = 32;
/** ms between two checks that other clients are served. */
const PAUSE = 20;

/**
 * Sends a sandbox nonsense over many connections at once, while another client keeps asking. Throws if the sandbox
 * ends, does not answer the other client, logs a defect, or uses too much memory.
 */
export async function fuzzCampaign({ seed, requests }: FuzzOptions): Promise<Fuzzed> {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-fuzz-'));
  const sandbox = await serveProcess(home);
  const log = path.join(home, 'state', 'sandbox', 'sandbox.log');
  try {
    const before = await memoryOf(sandbox.address);
    const sent: Record<string, number> = {};
    const watched = watch(sandbox.address);
    let left = requests;
    const lane = async (number: number) => {
      const draw = randomNumbers(seed + number);
      while (left > 0) {
        left -= 1;
        const kind = await sendOne(sandbox.address, draw);
        sent[kind] = (sent[kind] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    const { others, highest } = await watched.stop();
    const after = await memoryOf(sandbox.address);
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    demand(!text.includes('internal error'), `a defect: ${text.slice(0, 2000)}`);
    demand(Math.max(highest, after) < MAX_MEMORY, `it holds ${Math.max(highest, after)} bytes in memory`);
    return { sent, others, before, highest, after };
  } finally {
    await killProcess(sandbox);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A client that keeps asking, over a new connection each time. */
function watch(address: SandboxAddress) {
  let [others, highest, over] = [0, 0, false];
  const watching = (async () => {
    while (!over) {
      const depth = await ask(`${address.baseUrl}/data/v1/depth?market=btc_usdt&size=1`);
      demand(/^\{"asks":\[\[[\d.,]+\]\],"bids":\[\[[\d.,]+\]\],"timestamp":\d+\}$/.test(depth), `answered by ${depth}`);
      const info = await ask(signedUrl(address, address, 'getAccountInfo'));
      demand(info.startsWith('{"result":{"coins":['), `answered by ${info}`);
      others += 2;
      if (others % 20 === 0) highest = Math.max(highest, await memoryOf(address));
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  })();
  return {
    stop: async () => {
      over = true;
      await watching;
      return { others, highest };
    },
  };
}

type Draw = () => number;

/** Sends one piece of nonsense; which kind it was. It never rejects: whatever happens to the connection is fine. */
async function sendOne(address: SandboxAddress, draw: Draw): Promise<string> {
  const choice = draw();
  const port = Number(new URL(address.tradeUrl).port);
  if (choice < 0.0005) {
    await send(
      port,
      [Buffer.from(`GET /api/order?a=${'a'.repeat(10_000_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)],
      0,
    );
    return 'ten megabytes';
  }
  if (choice < 0.2) return named('random bytes', send(port, [noise(draw, 2_000)], 0));
  if (choice < 0.4) return named('random queries', send(port, [request(`/api/order?${noiseText(draw, 300)}`)], 0));
  if (choice < 0.55) return named('unknown operations', send(port, [request(unknownPath(draw))], 0));
  if (choice < 0.8) return named('signed nonsense', answered(nonsense(address, draw)));
  if (choice < 0.88) return named('slow', send(port, slowly(draw), 1));
  if (choice < 0.94) return named('half open', send(port, [request('/data/v1/markets').subarray(0, 20)], 50));
  return named('left at once', send(port, [request('/data/v1/allTicker')], -1));
}

async function named(kind: string, work: Promise<void>): Promise<string> {
  await work;
  return kind;
}

/** The answer of a fuzzed but signed request: any but that of a defect. */
async function answered(url: string): Promise<void> {
  const body = await ask(url);
  demand(!/"code":"?1002/.test(body), `${url} met a defect: ${body}`);
}

/** Writes pieces, `pause` ms apart, and waits for the end or half a second; below zero it leaves at once. */
function send(port: number, pieces: readonly Buffer[], pause: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const limit = setTimeout(() => socket.destroy(), pause > 10 ? pause : 500);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(limit);
      resolve();
    });
    socket.resume();
    socket.on('connect', () => void write());
    const write = async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (pause > 0) await new Promise((next) => setTimeout(next, pause));
      }
      if (pause < 0) socket.destroy();
      else if (pause < 10) socket.end();
    };
  });
}

function ask(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        body += piece;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    });
    asked.on('error', reject);
  });
}

async function memoryOf({ adminUrl, adminToken }: SandboxAddress): Promise<number> {
  const response = await fetch(`${adminUrl}/status`, { headers: { authorization: `Bearer ${adminToken}` } });
  return ((await response.json()) as { memory: number }).memory;
}

function request(target: string): Buffer {
  return Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, 'latin1');
}

function slowly(draw: Draw): Buffer[] {
  return [...request(`/data/v1/ticker?market=btc_usdt&x=${Math.floor(draw() * 1e9)}`)].map((byte) =>
    Buffer.from([byte]),
  );
}

function noise(draw: Draw, most: number): Buffer {
  return Buffer.from(Array.from({ length: Math.floor(draw() * most) }, () => Math.floor(draw() * 256)));
}

const PIECES = ['%', '%00', '%zz', '%C0%80', '%ED%A0%80', '&', '=', '+', '%0d%0a', 'accesskey', '\0', '\xff', '#', '?'];

function noiseText(draw: Draw, most: number): string {
  const piece = () => (draw() < 0.5 ? PIECES[Math.floor(draw() * PIECES.length)] : String(Math.floor(draw() * 1e6)));
  return Array.from({ length: Math.floor((draw() * most) / 4) }, piece).join('');
}

function unknownPath(draw: Draw): string {
  const names = ['/api/', '/data/v1/', '/', '//', '/data/v2/', '/API/', '/api/../', '*', '/status', '/stop'];
  const words = ['__proto__', 'constructor', 'toString', 'order%00', 'ORDER', 'withdraw/', '', 'hasOwnProperty'];
  const pick = (from: readonly string[]) => from[Math.floor(draw() * from.length)] ?? '';
  return `${pick(names)}${pick(words)}?${noiseText(draw, 40)}`.replace(/[\0\s]/g, '');
}

const OPERATIONS = Object.keys(operations);
const NAMES = ['currency', 'market', 'id', 'price', 'amount', 'tradeType', 'tradeParams', 'pageIndex', 'pageSize'];
const ODD_NAMES = [
  'customerOrderId',
  'acctType',
  'startDate',
  'fees',
  'receiveAddr',
  'safePwd',
  '__proto__',
  'orderType',
];
const VALUES = ['btc_usdt', 'usdt', '1', '0', '-1', '1e9999', '0.00000000000000000001', '9'.repeat(400), '[[1,2],[3]]'];
const ODD_VALUES = [
  '[[',
  '\0',
  '\u{1f600}',
  '2022-02-30 25:61:61',
  'NaN',
  'a'.repeat(5000),
  '__proto__',
  '20000',
  '0.01',
];

function nonsense(address: SandboxAddress, draw: Draw): string {
  const pick = (from: readonly string[]) => from[Math.floor(draw() * from.length)] ?? '';
  const parameters: Record<string, string> = {};
  for (let count = Math.floor(draw() * 8); count > 0; count -= 1) {
    parameters[pick([...NAMES, ...ODD_NAMES])] = pick([...VALUES, ...ODD_VALUES]);
  }
  return signedUrl(address, address, pick(OPERATIONS), parameters);
}

function demand(holds: boolean, complaint: string): void {
  if (!holds) throw new Error(complaint);
}
