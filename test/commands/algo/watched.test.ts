import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { isAlive } from '../../../src/platform/programs/processes.js';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { administer } from '../../../src/sandbox/lifecycle/admin-client.js';
import { STALE_MS } from '../../../src/trading/algos/plan/algo-market.js';
import { afterFile } from '../../support/after-file.js';
import { eventually } from '../../support/eventually.js';
import { temporaryHome } from '../../support/pit.js';
import { runProgram, serveSandboxProgram } from '../../support/program.js';

// The program in its own processes, on a sandbox: what happens to algo orders when the process that watches them dies, stops or waits.

const home = temporaryHome();
let call: (name: AdminCallName, input: object) => Promise<unknown>;

beforeAll(async () => {
  const { address } = await serveSandboxProgram(home);
  call = (name, input) => administer(address, name, input, 60_000);
  await move('28000');
  afterFile(() => {
    for (const pid of watchers()) process.kill(pid, 'SIGKILL');
  });
}, 120_000);

interface Algo {
  readonly id: string;
  readonly state: string;
  readonly watched: boolean;
  readonly filled: string;
  readonly children: readonly { readonly id: string; readonly state: string }[];
  readonly trigger: { readonly late: boolean } | null;
}

async function json<Document>(...words: readonly string[]): Promise<Document> {
  const { stdout, stderr } = await runProgram([...words, '--json'], { home });
  try {
    return JSON.parse(stdout) as Document;
  } catch {
    throw new Error(`pit ${words.join(' ')}: ${stdout}${stderr}`);
  }
}

const sell = (amount: string, ...flags: readonly string[]) =>
  json<Algo>('order', 'sell', 'btc_usdt', amount, ...flags, '--yes');
const show = (id: string) => json<Algo>('algo', 'show', id);

/** Moves the price. The book follows at the next step of the sandbox. */
async function move(price: string): Promise<void> {
  await call('POST /price', { market: 'btc_usdt', price, ms: 0 });
  await eventually(async () => {
    const { bids } = await json<{ readonly bids: readonly { readonly price: string }[] }>('depth', 'btc_usdt');
    expect(Math.abs(Number(bids[0]?.price) - Number(price))).toBeLessThan(50);
  });
}

/** The processes that have claimed to watch, the dead ones left out. */
function watchers(): number[] {
  const folder = path.join(home, 'state', 'algos', 'sandbox');
  const links = readdirSync(folder).filter((name) => name.startsWith('.watcher.'));
  return links.map((name) => JSON.parse(readlinkSync(path.join(folder, name))).pid).filter(isAlive);
}

function kill(signal: NodeJS.Signals): void {
  for (const pid of watchers()) process.kill(pid, signal);
}

test('a stop is watched by a process in the background as soon as it is created, which ends it when it is reached', async () => {
  const { id, watched, state } = await sell('0.01', '--stop', '27000');
  expect({ watched, state }).toEqual({ watched: true, state: 'waiting' });
  await move('26900');
  const ended = await eventually(async () => {
    const now = await show(id);
    expect(now.state).toBe('done');
    return now;
  });
  expect(ended).toMatchObject({ filled: '0.01', trigger: { late: false } });
  expect(ended.children).toMatchObject([{ state: 'filled' }]);
  await move('28000');
}, 300_000);

test('after kill -9 nothing moves, every command first says so with the command that helps, and the next process goes on', async () => {
  const { id } = await sell('0.01', '--stop', '27000', '--take', '29500');
  await eventually(async () => expect((await show(id)).children).toMatchObject([{ state: 'open' }]));
  kill('SIGKILL');
  const { stderr } = await runProgram(['ticker', 'no_market'], { home });
  expect(stderr).toMatch(
    /^Warning: NOT WATCHED: no process watches 1 algo order, .*Run: pit algo run --profile sandbox\npit: There is no market/,
  );
  expect(await show(id)).toMatchObject({ watched: false, state: 'working', children: [{ state: 'open' }] });
  const { stdout } = await runProgram(['doctor', '--json'], { home });
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ check: 'algos', status: 'fail' }));
  await move('26900');
  const running = runProgram(['algo', 'run', '--json'], { home });
  await eventually(async () => expect((await show(id)).state).toBe('done'));
  kill('SIGINT');
  const events = (await running).stdout.split('\n').filter((line) => line !== '');
  // the take-profit goes first, and one order sells all
  expect(events.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(
    expect.arrayContaining(['triggered', 'childCancelled', 'placed', 'ended']),
  );
  const { children, filled } = await show(id);
  expect(children.map(({ state }) => state).sort()).toEqual(['cancelled', 'filled']);
  expect(filled).toBe('0.01');
  await move('28000');
}, 300_000);

test('a price that was reached and left while the process was stopped is reported as missed, and not acted upon', async () => {
  const { id } = await sell('0.01', '--stop', '27000');
  const [pid] = watchers();
  await eventually(async () => expect((await show(id)).state).toBe('waiting'));
  process.kill(pid as number, 'SIGSTOP');
  await move('26900');
  // a candle shows what happened in between
  await call('POST /clock/advance', { ms: 120_000 });
  await move('28000');
  await call('POST /clock/advance', { ms: 60_000 });
  // by the machine's clock too, it is longer than data may be old
  await delay(STALE_MS + 1_000);
  process.kill(pid as number, 'SIGCONT');
  await eventually(async () => {
    const { stdout } = await runProgram(['algo', 'show', id], { home });
    expect(stdout).toMatch(/The stop at 27,000(\.00)? was reached/);
  });
  expect(await show(id)).toMatchObject({ state: 'waiting', children: [] });
  await runProgram(['algo', 'cancel', id, '--yes'], { home });
}, 300_000);

test('the reason for which a watching process ends stands in run.log', async () => {
  const { id } = await sell('0.01', '--stop', '27000');
  kill('SIGTERM');
  const log = path.join(home, 'state', 'algos', 'sandbox', 'run.log');
  await eventually(() => expect(readFileSync(log, 'utf8').trimEnd()).toMatch(/This process was ended\.$/));
  await runProgram(['algo', 'cancel', id, '--yes'], { home });
}, 300_000);

test.runIf(process.platform === 'linux')(
  'a stopped process keeps its claim and does not count as watching: every command says how to continue it',
  async () => {
    const { id } = await sell('0.01', '--stop', '27000');
    const [pid] = watchers() as [number];
    process.kill(pid, 'SIGSTOP');
    const { stderr } = await eventually(async () => {
      const listed = await runProgram(['algo', 'list'], { home });
      expect(listed.stdout).toContain(', NOT WATCHED');
      return listed;
    });
    const stopped = `NOT WATCHED: process ${pid}, which watches`;
    expect(stderr).toBe(
      `Warning: ${stopped} 1 algo order, is stopped, so no stop triggers and no order is placed. Continue it: kill -CONT ${pid}, or fg in its shell.\n`,
    );
    expect(await show(id)).toMatchObject({ watched: false });
    const { stdout } = await runProgram(['doctor', '--json'], { home });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ check: 'algos', status: 'fail', detail: expect.stringContaining(stopped) as string }),
    );
    const standby = await runProgram(['algo', 'run', '--timeout', '5'], { home });
    expect(standby.stderr).toContain(`Warning: ${stopped} the algo orders of this account, is stopped.`);
    const other = await runProgram(['order', 'sell', 'btc_usdt', '0.01', '--stop', '27000', '--yes'], { home });
    const claimed = `Process ${pid} has claimed the algo orders of this account and is stopped, so none is watched.`;
    expect(other.stderr).toContain(claimed);
    const { id: cancelled } = await sell('0.01', '--take', '29500', '--stop', '27000');
    const answer = await runProgram(['algo', 'cancel', id, cancelled, '--timeout', '20'], { home });
    expect(answer.code).toBe(6);
    expect(answer.stderr).toContain(`Warning: ${claimed} Their orders are cancelled now; they end when it continues.`);
    expect(watchers()).toEqual([pid]);
    process.kill(pid, 'SIGCONT');
    await eventually(async () => expect(await show(cancelled)).toMatchObject({ state: 'cancelled' }));
    await runProgram(['algo', 'cancel', '--all', '--yes'], { home });
  },
  300_000,
);

test('a second process waits, says which one watches, and takes over when that dies', async () => {
  const { id } = await sell('0.01', '--stop', '27000');
  const [first] = watchers();
  const second = runProgram(['algo', 'run'], { home });
  process.kill(first as number, 'SIGKILL');
  await eventually(() => expect(watchers().filter((pid) => pid !== first)).toHaveLength(1));
  await move('26900');
  await eventually(async () => expect((await show(id)).state).toBe('done'));
  kill('SIGINT');
  const { stdout } = await second;
  expect(stdout).toContain('triggered');
  expect((await show(id)).children).toHaveLength(1);
  await move('28000');
}, 300_000);

test('a halt pauses algo orders, lifting it does not resume them, and pit algo resume does', async () => {
  const { id } = await sell('0.01', '--stop', '27000');
  await runProgram(['halt'], { home });
  await eventually(async () => expect((await show(id)).state).toBe('halted'));
  await move('26900');
  await runProgram(['halt', '--lift', '--confirm', 'sandbox'], { home });
  expect(await show(id)).toMatchObject({ state: 'paused', children: [] });
  await runProgram(['algo', 'resume', id, '--yes'], { home });
  await eventually(async () => expect((await show(id)).state).toBe('done'));
  await move('28000');
}, 300_000);

test('an order that somebody else cancels is not placed again, and the stop goes on', async () => {
  const { id } = await sell('0.01', '--stop', '27000', '--take', '29500');
  const open = await eventually(async () => {
    const now = await show(id);
    expect(now.children).toMatchObject([{ state: 'open' }]);
    return now;
  });
  await runProgram(['cancel', 'btc_usdt', open.children[0]?.id ?? ''], { home });
  await eventually(async () => {
    const { stdout } = await runProgram(['algo', 'show', id], { home });
    expect(stdout).toMatch(/was cancelled elsewhere/);
  });
  await move('26900');
  await eventually(async () => expect((await show(id)).state).toBe('done'));
  const { children, filled } = await show(id);
  expect(children).toHaveLength(2);
  expect(filled).toBe('0.01');
}, 300_000);
