import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { administer } from '../../src/sandbox/lifecycle/admin-client.js';
import { afterFile } from '../support/after-file.js';
import { BUILT } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { runProgram, serveSandboxProgram } from '../support/program.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { SUBSCRIBES } from '../support/wire.js';

// A copy of the program whose files are renamed while it runs, as an update of its package does. Each process that works for long
// goes on with what it has read before it began.

const home = temporaryHome();
const folder = mkdtempSync(path.join(tmpdir(), 'pit-replaced-'));
const copy = path.join(folder, 'pit');
const program = path.join(copy, 'bin', 'pit.js');
const children = new Set<ChildProcess>();
let price: (value: string) => Promise<unknown>;

beforeAll(async () => {
  const { address } = await serveSandboxProgram(home);
  price = (value) => administer(address, 'POST /price', { market: 'btc_usdt', price: value, ms: 0 }, 60_000);
  afterFile(() => {
    killAll();
    rmSync(folder, { recursive: true, force: true });
  });
}, 120_000);

beforeEach(async () => {
  // a process of another test would watch the algo orders of this one
  killAll();
  rmSync(copy, { recursive: true, force: true });
  const root = path.dirname(path.dirname(BUILT));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => !file.includes(`${path.sep}.code`),
    });
  await price('28000');
  // the book follows at the next step of the sandbox
  await eventually(async () => {
    const { stdout } = await runProgram(['depth', 'btc_usdt', '--json'], { home });
    expect(Number(JSON.parse(stdout).bids[0].price)).toBeGreaterThan(27_500);
  });
});

function kill(pid = 0): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

function killAll(): void {
  for (const { pid } of children) kill(pid);
  children.clear();
  for (const pid of watchers()) kill(pid);
}

/** What an update does to the program that runs. */
function update(): void {
  renameSync(path.join(copy, 'dist'), path.join(copy, 'before'));
}

function algoFolder(): string {
  return path.join(home, 'state', 'algos', 'sandbox');
}

function watchers(): number[] {
  const names = existsSync(algoFolder()) ? readdirSync(algoFolder()) : [];
  const links = names.filter((name) => name.startsWith('.watcher.'));
  return links.map((name) => JSON.parse(readlinkSync(path.join(algoFolder(), name))).pid);
}

function log(): string {
  return readFileSync(path.join(algoFolder(), 'run.log'), 'utf8');
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

/** A process of the copy. */
function start(...words: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...words], { env: plainEnvironment(home) });
  children.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return { child, printed: () => printed };
}

async function prints(started: Started, text: string | RegExp): Promise<void> {
  await eventually(() => expect(started.printed()).toMatch(text));
}

async function stopIn(...flags: readonly string[]): Promise<string> {
  const words = ['order', 'sell', 'btc_usdt', '0.01', '--stop', '27000', ...flags, '--yes', '--json'];
  const { stdout, stderr } = await runProgram(words, { home, program });
  try {
    return JSON.parse(stdout).id;
  } catch {
    throw new Error(stderr);
  }
}

async function isDone(id: string): Promise<void> {
  await eventually(async () => {
    const { stdout } = await runProgram(['algo', 'show', id, '--json'], { home });
    expect(JSON.parse(stdout).state).toBe('done');
  });
}

it.each<[string, readonly string[]]>([
  ['without actions', []],
  ['with --exec', ['--exec', 'true']],
  ['with --notify', ['--notify']],
])('a stop %s is sold by its watcher after an update of pit', async (_what, flags) => {
  const id = await stopIn(...flags);
  update();
  await price('26900');
  await isDone(id);
  // the program of the last event has ended too
  if (flags.includes('--exec'))
    await eventually(() =>
      expect(log().split(`${id} btc_usdt: "true" ended with exit code 0.`).length).toBeGreaterThan(3),
    );
  expect(log()).not.toContain('An update replaced');
});

it('pit algo run in a terminal runs the program of an algo order after an update', async () => {
  const marker = path.join(folder, 'marker');
  const id = await stopIn('--exec', `sh -c 'cat >> ${marker}'`);
  for (const pid of watchers()) kill(pid);
  const running = start('algo', 'run', '--json');
  await eventually(() => expect(watchers()).toContain(running.child.pid));
  update();
  await price('26900');
  await isDone(id);
  await eventually(() => expect(readFileSync(marker, 'utf8')).toContain('"triggered"'));
  expect(running.printed()).not.toContain('An update replaced');
});

it('what a program of --exec prints in the background, and its exit code, stand in run.log without control characters', async () => {
  const id = await stopIn('--exec', `sh -c 'printf "\\033[31mheard\\n"; exit 3'`);
  await price('26900');
  await isDone(id);
  const ended = String.raw`"sh" ended with exit code 3, and printed: \u{1b}[31mheard`;
  await eventually(() => expect(log()).toContain(`${id} btc_usdt: ${ended}`));
  expect(
    log()
      .trimEnd()
      .split('\n')
      .filter((line) => /\p{Cc}/u.test(line)),
  ).toEqual([]);
});

it('pit shell runs commands that it has not run before after an update', async () => {
  const shell = start('shell');
  shell.child.stdin?.write('markets\n');
  await prints(shell, 'btc_usdt');
  update();
  shell.child.stdin?.write('balance\npnl\norder buy btc_usdt 0.01 --at 20000 --yes\nexit\n');
  await prints(shell, /20,000/);
  expect(shell.printed()).not.toMatch(/An update replaced|is gone/);
});

it('pit mcp answers with tools that were not called before an update', async () => {
  const server = start('mcp');
  const send = (message: object) => server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  send({ id: 1, method: 'initialize', params: initialize });
  await prints(server, '"id":1');
  update();
  send({ method: 'notifications/initialized' });
  send({ id: 2, method: 'tools/call', params: { name: 'get_ticker', arguments: { markets: ['btc_usdt'] } } });
  await prints(server, '"id":2');
  expect(server.printed()).not.toMatch(/An update replaced|is gone/);
});

it('pit alert runs the program of an alert that comes after an update', async () => {
  const marker = path.join(folder, 'alerted');
  // the tests before have left another price
  await price('28000');
  const running = start('alert', 'btc_usdt', 'bid<27000', '--exec', `sh -c 'cat > ${marker}'`, '--verbose');
  await prints(running, SUBSCRIBES);
  update();
  await price('26500');
  await eventually(() => expect(readFileSync(marker, 'utf8')).toContain('"btc_usdt"'));
  expect(running.printed()).not.toMatch(/An update replaced|is gone/);
});

it.skipIf(!requires('python3'))(
  'pit watch shows a form that it has not shown before after an update (needs python3)',
  async () => {
    const { screen, status } = await onTerminal({
      command: [process.execPath, program, 'watch', 'btc_usdt'],
      environment: plainEnvironment(home),
      columns: 120,
      steps: [
        { await: 'btc_usdt', rename: [path.join(copy, 'dist'), path.join(copy, 'before')], type: 'b' },
        { await: 'Available', type: '\u0003' },
      ],
    });
    expect(screen).not.toMatch(/An update replaced|is gone/);
    expect(status).toBe(130);
  },
);

it('pit cancel-after --hold goes on and ends the timer after an update', async () => {
  const running = start('cancel-after', 'btc_usdt', '--hold', '--yes', '--', 'sh', '-c', 'read -r _');
  await prints(running, /held|timer|restart/i);
  update();
  running.child.stdin?.end('\n');
  const code = await new Promise((resolve) => running.child.once('exit', resolve));
  expect({ code, gone: running.printed().includes('An update replaced') }).toEqual({ code: 0, gone: false });
});

it('pit stream --out records what comes after an update, until it is interrupted', async () => {
  const out = path.join(folder, 'tape.ndjson');
  const running = start('stream', 'depth:btc_usdt', '--out', out);
  await eventually(() => expect(readFileSync(out, 'utf8')).toContain('depth'));
  update();
  await price('26500');
  await eventually(() => expect(readFileSync(out, 'utf8')).toMatch(/"26[45]\d\d/));
  running.child.kill('SIGINT');
  await new Promise((resolve) => running.child.once('exit', resolve));
  expect(running.printed()).not.toContain('An update replaced');
});

it('a process ends before it takes on work if an update has replaced its files', async () => {
  const names = readdirSync(path.join(copy, 'dist')).filter((name) => /^live-screen-.*\.cjs$/.test(name));
  for (const name of names) rmSync(path.join(copy, 'dist', name));
  const { code, stderr } = await runProgram(['algo', 'run'], { home, program });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('An update replaced or removed pit while it ran.'),
  });
});
