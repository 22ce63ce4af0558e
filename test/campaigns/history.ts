// `npm run campaign:history [-- DAYS [SEED]]`
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PIT } from '../support/command.js';

const MINUTE = 60_000;
const PAGE = 1_000;
/** What one request a second leaves to the program itself. */
const LEAST_RATE = 0.95;
const RATE_PAGES = 100;
const INTERRUPTIONS = 10;
/** Of the memory in the first quarter of a download. */
const MOST_GROWTH = 1.1;
/** For Parquet, whose file is written at the end, in groups of rows. */
const MOST_MEBIBYTES = 256;

const [days = '365', seed = String(randomInt(2 ** 31))] = process.argv.slice(2);
const minutes = Number(days) * 1_440;
const work = mkdtempSync(path.join(tmpdir(), 'pit-history-'));
const sandboxes: ChildProcess[] = [];
process.on('exit', () => {
  for (const sandbox of sandboxes) sandbox.kill('SIGTERM');
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
});

/** A home of its own: a download shares its one request a second with nothing. */
function homeOf(name: string): string {
  const home = path.join(work, name);
  mkdirSync(home, { mode: 0o700 });
  return home;
}

async function serve(name: string, ...flags: readonly string[]): Promise<string> {
  const words = [
    'sandbox',
    'serve',
    '--port',
    '0',
    '--kline-since',
    'first',
    '--history',
    `${Number(days) + 1}d`,
    ...flags,
  ];
  const environment = { ...process.env, PIT_HOME: homeOf(name) };
  const sandbox = spawn(PIT.command, [...PIT.arguments, ...words], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  sandboxes.push(sandbox);
  for await (const line of createInterface({ input: sandbox.stdout })) return JSON.parse(line).baseUrl;
  throw new Error('the sandbox did not start');
}

interface Download {
  readonly seconds: number;
  readonly code: number | null;
  /** In MiB, each second. */
  readonly memory: readonly number[];
}

/** Downloads until it ends, or until it is interrupted after so many ms. */
async function download(
  url: string,
  home: string,
  file: string,
  range: Range,
  interruptAfter?: number,
): Promise<Download> {
  const words = ['kline', 'btc_usdt', '--type', '1min', '--since', range.since, '--until', range.until, '--out', file];
  const { PATH, HOME } = process.env;
  const environment = { PATH, HOME, PIT_HOME: home, PIT_BASE_URL: url, PIT_TRADE_URL: url };
  const begun = performance.now();
  const pit = spawn(PIT.command, [...PIT.arguments, ...words], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  pit.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => pit.on('close', resolve));
  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(memoryOf(pit.pid)), 1_000);
  if (interruptAfter !== undefined) setTimeout(() => pit.kill('SIGINT'), interruptAfter);
  const code = await ended;
  clearInterval(sampling);
  // while it loads, the signal ends it at once
  const expected: readonly (number | null)[] = interruptAfter === undefined ? [0] : [130, null];
  if (!expected.includes(code)) throw new Error(`pit kline ended with ${code}: ${said}`);
  return { seconds: (performance.now() - begun) / 1_000, code, memory: memory.filter((mebibytes) => mebibytes > 0) };
}

/** 0 once the process has ended. */
function memoryOf(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

interface Range {
  readonly since: string;
  readonly until: string;
}

function rangeOf(length: number): Range {
  const until = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
  const iso = (time: number) => new Date(time).toISOString();
  return { since: iso(until - (length - 1) * MINUTE), until: iso(until) };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const failures: string[] = [];
function report(isGood: boolean, line: string): void {
  process.stdout.write(`${isGood ? 'good' : 'BAD '}  ${line}\n`);
  if (!isGood) failures.push(line);
}

/** One download without and one with interruptions, at the same time: the files have to be equal. */
async function compare(url: string, ending: string, range: Range): Promise<void> {
  const [whole, parts] = [path.join(work, `whole.${ending}`), path.join(work, `parts.${ending}`)];
  const interrupted = async () => {
    const home = homeOf(`parts-${ending}`);
    const share = (minutes / PAGE) * (1_000 / (INTERRUPTIONS + 1));
    for (let index = 0; index < INTERRUPTIONS; index += 1)
      await download(url, home, parts, range, 1_500 + ((Number(seed) * (index + 7)) % Math.max(1, share)));
    await download(url, home, parts, range);
  };
  const [undisturbed] = await Promise.all([download(url, homeOf(`whole-${ending}`), whole, range), interrupted()]);
  const { seconds, memory } = undisturbed;
  const quarter = Math.ceil(memory.length / 4);
  const [first, last] = [average(memory.slice(0, quarter)), average(memory.slice(-quarter))];
  const most = Math.max(...memory);
  report(
    ending === 'parquet' ? most <= MOST_MEBIBYTES : last <= first * MOST_GROWTH,
    `${ending}: ${minutes} candles in ${seconds.toFixed(0)} s; memory ${first.toFixed(1)} MiB in the first quarter, ` +
      `${last.toFixed(1)} MiB in the last, ${most.toFixed(1)} MiB at most`,
  );
  const isEqual = (await digestOf(whole)) === (await digestOf(parts));
  report(isEqual, `${ending}: interrupted ${INTERRUPTIONS} times, the file is the same byte for byte`);
}

async function rate(): Promise<void> {
  const pages = Math.min(RATE_PAGES, Math.floor(minutes / PAGE));
  const url = await serve('limited');
  const { seconds } = await download(url, homeOf('rate'), path.join(work, 'rate.csv'), rangeOf(pages * PAGE));
  const perSecond = pages / seconds;
  report(
    perSecond >= LEAST_RATE,
    `limits on: ${pages} requests in ${seconds.toFixed(1)} s, ${perSecond.toFixed(3)} a second`,
  );
}

process.stdout.write(`seed ${seed}, ${minutes} candles of a minute\n`);
const url = await serve('unlimited', '--no-limits');
// the first request makes the history
await download(url, homeOf('first'), path.join(work, 'first.csv'), rangeOf(10));
await delay(1_100);
const range = rangeOf(minutes);
await Promise.all([compare(url, 'csv', range), compare(url, 'parquet', range), rate()]);
// the sandboxes would keep it running
process.exit(failures.length === 0 ? 0 : 1);
