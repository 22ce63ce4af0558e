import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, startStamp } from '../../../src/platform/programs/processes.js';
import { administer } from '../../../src/sandbox/lifecycle/admin-client.js';
import type { SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { ask, askProcess, filesOf, kill, logOf, newHome, run, start, stateFile, until, useHomes } from './homes.js';

useHomes();

async function markets(baseUrl: string): Promise<string[]> {
  const answer = await fetch(`${baseUrl}/data/v1/markets`);
  return Object.keys((await answer.json()) as object);
}

describe('a sandbox in the background', () => {
  it('the first command starts the sandbox, the next finds it, and it outlives both', async () => {
    const home = newHome();
    const first = await askProcess(home, 'ensure');
    expect(first.started).toBe(true);
    expect(isAlive(first.pid)).toBe(true);
    expect(await markets(first.baseUrl)).toContain('btc_usdt');
    const second = await askProcess(home, 'ensure');
    expect(second).toEqual({ ...first, started: false });
    const { started: _, ...address } = first;
    expect(await ask(home, 'locate')).toEqual(address);
  });

  it('starts the sandbox once, however many commands ask at the same time', async () => {
    const home = newHome();
    const found = await Promise.all(Array.from({ length: 4 }, () => askProcess(home, 'ensure')));
    expect(new Set(found.map(({ pid }) => pid)).size).toBe(1);
    expect(found.filter(({ started }) => started)).toHaveLength(1);
    expect(logOf(home).match(/serves http/g)).toHaveLength(1);
  });

  it('starts the sandbox once even if the command that was starting it is killed', async () => {
    const home = newHome();
    const launcher = start(home, 'ensure');
    await until(() => existsSync(stateFile(home, '.lock')));
    launcher.kill('SIGKILL');
    const found = await Promise.all([askProcess(home, 'ensure'), ask(home, 'ensure')]);
    expect(new Set(found.map(({ pid }) => pid)).size).toBe(1);
    expect(logOf(home).match(/serves http/g)).toHaveLength(1);
  });

  it('waits for a sandbox that a killed command has started, although the lock of that command is stale', async () => {
    const home = newHome();
    const launcher = start(home, 'ensure');
    await until(() => existsSync(stateFile(home, 'starting.json')));
    const { pid } = JSON.parse(readFileSync(stateFile(home, 'starting.json'), 'utf8')) as { readonly pid: number };
    process.kill(pid, 'SIGSTOP');
    launcher.kill('SIGKILL');
    utimesSync(stateFile(home, '.lock'), 0, 0);
    const found = ask(home, 'ensure');
    // long enough to start another one
    await delay(500);
    process.kill(pid, 'SIGCONT');
    expect((await found).pid).toBe(pid);
    expect(logOf(home).match(/serves http/g)).toHaveLength(1);
  });

  it('each home has its own sandbox', async () => {
    const [left, right] = await Promise.all([ask(newHome(), 'ensure'), ask(newHome(), 'ensure')]);
    expect(left.pid).not.toBe(right.pid);
    expect(left.baseUrl).not.toBe(right.baseUrl);
    expect(left.secretKey).not.toBe(right.secretKey);
    expect(await markets(left.baseUrl)).toEqual(await markets(right.baseUrl));
  });

  it('comes back after a kill with the same keys on the same port', async () => {
    const home = newHome();
    const first = await ask(home, 'ensure');
    await kill(first.pid);
    expect(await ask(home, 'locate')).toBeNull();
    const found = await Promise.all([askProcess(home, 'ensure'), ask(home, 'ensure')]);
    expect(new Set(found.map(({ pid }) => pid)).size).toBe(1);
    const [{ baseUrl, accessKey, secretKey } = first] = found;
    expect({ baseUrl, accessKey, secretKey }).toEqual({
      baseUrl: first.baseUrl,
      accessKey: first.accessKey,
      secretKey: first.secretKey,
    });
  });

  it('takes another port if its own is in use by another program', async () => {
    const home = newHome();
    const first = await ask(home, 'ensure');
    await kill(first.pid);
    const thief = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{}'));
    await new Promise<void>((resolve) => thief.listen(Number(new URL(first.baseUrl).port), '127.0.0.1', resolve));
    const second = await ask(home, 'ensure');
    await new Promise((resolve) => thief.close(resolve));
    expect(second.baseUrl).not.toBe(first.baseUrl);
    expect(await markets(second.baseUrl)).toContain('btc_usdt');
  });

  it('stops when it is idle and logs the reason', async () => {
    const home = newHome();
    const { pid } = await ask(home, 'ensure', { PIT_SANDBOX_IDLE: '1' });
    await until(() => !isAlive(pid));
    expect(logOf(home)).toContain('stops: idle');
    expect(await ask(home, 'locate')).toBeNull();
    expect((await ask(home, 'ensure')).started).toBe(true);
  });

  it('stays as long as requests come in', async () => {
    const home = newHome();
    const { pid, baseUrl } = await ask(home, 'ensure', { PIT_SANDBOX_IDLE: '4' });
    // asked much more often than that, as a busy machine makes a short pause long
    const enough = performance.now() + 4_500;
    while (performance.now() < enough) {
      await markets(baseUrl);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(isAlive(pid)).toBe(true);
  });

  it('still serves a command that found it just before its idle stop', async () => {
    const home = newHome();
    const first = await ask(home, 'ensure', { PIT_SANDBOX_IDLE: '1' });
    await until(() => logOf(home).includes('stops: idle'));
    const [answer, second] = await Promise.all([markets(first.baseUrl), ask(home, 'ensure')]);
    expect(answer).toContain('btc_usdt');
    expect(second.started).toBe(true);
    expect(await markets(second.baseUrl)).toContain('btc_usdt');
    expect(isAlive(first.pid)).toBe(false);
  });

  it('refuses to start a second time for the same home, and stops when its running file is removed', async () => {
    const home = newHome();
    const { baseUrl, pid } = await ask(home, 'ensure');
    const { status, errors } = await run(home, 'serve');
    expect(status).toBe(5);
    expect(errors).toBe(`The sandbox is already running at ${baseUrl} (process ${pid})\n`);
    rmSync(stateFile(home, 'running.json'));
    await until(() => !isAlive(pid));
    expect(await ask(home, 'locate')).toBeNull();
  });

  it('reports why it did not start', async () => {
    const home = newHome();
    const { status, output, errors } = await run(home, 'ensure-broken');
    expect({ status, output }).toEqual({ status: 5, output: '' });
    expect(errors).toBe('The sandbox did not start: a start that fails\n');
    expect((await ask(home, 'ensure')).started).toBe(true);
  });

  it('rejects an idle time that is not a number', async () => {
    await expect(ask(newHome(), 'ensure', { PIT_SANDBOX_IDLE: 'soon' })).rejects.toThrow(
      'The sandbox did not start: PIT_SANDBOX_IDLE must be a number of seconds, not soon',
    );
  });

  it('starts with a relative home, without the environment that was set for one command', async () => {
    const home = newHome();
    const environment = {
      PIT_HOME: path.relative(process.cwd(), home),
      NODE_OPTIONS: '--no-warnings',
      NODE_DEBUG: 'http,net',
      PIT_SECRET_KEY: 'canary-of-the-user',
    };
    const { pid } = await askProcess(home, 'ensure', environment);
    expect(logOf(home)).not.toMatch(/canary|HTTP \d|NET \d/);
    expect(isAlive(pid)).toBe(true);
  });
});

describe('a start after a kill', () => {
  const stale = (pid: number) =>
    JSON.stringify({
      baseUrl: 'http://127.0.0.1:9',
      tradeUrl: 'http://127.0.0.1:9',
      wsUrl: 'ws://127.0.0.1:9',
      accessKey: 'a',
      secretKey: 'b',
      safePwd: 'c',
      pid,
      adminUrl: 'http://127.0.0.1:9',
      adminToken: 'd',
      started: null,
    });
  const leftovers: readonly (readonly [what: string, text: string])[] = [
    ['nothing', ''],
    ['half a record', '{"baseUrl":"http://127.0.0.1:9"'],
    ['JSON of another kind', '[1]'],
    ['a dead process', stale(2 ** 22 + 12_345)],
    ['the process id of another program', stale(process.pid)],
    ['an impossible process id', stale(-1)],
  ];
  const place = (home: string, text: string) => {
    mkdirSync(stateFile(home, ''), { recursive: true });
    writeFileSync(stateFile(home, 'running.json'), text);
  };

  it.each(leftovers)('finds no sandbox in a running file that holds %s', async (_what, text) => {
    const home = newHome();
    place(home, text);
    expect(await ask(home, 'locate')).toBeNull();
  });

  it.each([leftovers[3], leftovers[4]].map((each) => each ?? ['', '']))(
    'ignores a running file that holds %s, and the lock of a killed start',
    async (_what, text) => {
      const home = newHome();
      place(home, text);
      mkdirSync(stateFile(home, '.lock'));
      utimesSync(stateFile(home, '.lock'), 0, 0);
      const found = await ask(home, 'ensure');
      expect(found.started).toBe(true);
      expect(await markets(found.baseUrl)).toContain('btc_usdt');
    },
  );
});

describe('a running file that names a process which is no sandbox', () => {
  /** A process of the user that is no sandbox, and a running file that names it with the right start. */
  async function planted(adminUrl: string) {
    const home = newHome();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); process.stdout.write("up")']);
    onTestFinished(() => void child.kill('SIGKILL'));
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const { pid = 0 } = child;
    const address = { baseUrl: '', tradeUrl: '', wsUrl: '', accessKey: '', secretKey: '', safePwd: '', pid };
    mkdirSync(stateFile(home, ''), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ ...address, adminUrl, adminToken: 'planted', started: startStamp(pid) });
    writeFileSync(stateFile(home, 'running.json'), text, { mode: 0o600 });
    return { home, pid, child };
  }

  it.each([
    ['nothing listens at its address', async () => 'http://127.0.0.1:9'],
    ['something else listens there', () => listening((_request, response) => void response.writeHead(401).end('{}'))],
  ])('is no sandbox to stop if %s, and the process is not signalled', async (_what, listen) => {
    const { home, pid, child } = await planted(await listen());
    expect(await ask(home, 'stop')).toBe(false);
    expect([isAlive(pid), child.signalCode]).toEqual([true, null]);
  });

  it('is not used if others can write to it or to its folder, and the command that corrects it is named', async () => {
    const { home, pid } = await planted('http://127.0.0.1:9');
    for (const [name, mode] of [
      ['running.json', 0o666],
      ['', 0o777],
    ] as const) {
      const place = path.join(stateFile(home, name));
      chmodSync(place, mode);
      for (const action of ['locate', 'stop', 'status'] as const)
        await expect(ask(home, action)).rejects.toMatchObject({
          kind: 'credentials',
          hints: [expect.stringMatching(/^Run: chmod go-w /)],
        });
      chmodSync(place, name === '' ? 0o700 : 0o600);
    }
    expect(isAlive(pid)).toBe(true);
  });
});

/** The address of a server that ends with the test. */
function listening(answer: RequestListener): Promise<string> {
  const server = createHttpServer(answer);
  onTestFinished(() => void server.close());
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
}

describe('a sandbox in the foreground', () => {
  async function serving(home: string) {
    const child = start(home, 'serve');
    const line = await new Promise<string>((resolve) => child.stdout?.once('data', (data) => resolve(String(data))));
    return { child, address: JSON.parse(line) as SandboxAddress };
  }

  it('prints one line with the fields of the contract and is found by other commands', async () => {
    const home = newHome();
    const { child, address } = await serving(home);
    expect(Object.keys(address).join()).toBe(
      'baseUrl,tradeUrl,wsUrl,accessKey,secretKey,safePwd,pid,adminUrl,adminToken',
    );
    expect(await ask(home, 'ensure')).toEqual({ ...address, started: false });
    child.kill('SIGTERM');
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(status).toBe(143);
    expect(filesOf(home)).not.toContain('running.json');
  });

  it('ends when its folder is removed, even while a fault delays an answer for an hour', async () => {
    const home = newHome();
    const { child, address } = await serving(home);
    const administered = (call: string, input = {}) => administer(address, call, input, 10_000);
    await administered('POST /faults/add', { kind: 'delay', operation: 'markets', delay: 3_600_000 });
    const asked = new AbortController();
    const answer = fetch(`${address.baseUrl}/data/v1/markets`, { signal: asked.signal });
    await until(async () => JSON.stringify(await administered('GET /faults')).includes('"applied":1'));
    asked.abort();
    await expect(answer).rejects.toThrow('aborted');
    rmSync(home, { recursive: true });
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  });
});

describe('a command', () => {
  it('reads the status, also of a sandbox that is not running', async () => {
    const home = newHome();
    expect(await ask(home, 'status')).toBeNull();
    const { pid, baseUrl } = await ask(home, 'ensure');
    await markets(baseUrl);
    const status = await ask<Record<string, unknown>>(home, 'status');
    expect(status).toMatchObject({ running: true, pid, baseUrl, tradeUrl: baseUrl, orders: 0 });
    expect(status.wsUrl).toBe(`${String(baseUrl).replace('http', 'ws')}/websocket`);
    expect(status).toMatchObject({ requests: 1, refused: 0, nonBrowserAgents: 1 });
    expect(status.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('resets the exchange and keeps the keys', async () => {
    const home = newHome();
    const before = await ask(home, 'ensure');
    expect(await ask(home, 'reset')).toBe(true);
    expect(isAlive(before.pid)).toBe(false);
    expect(filesOf(home)).not.toContain('exchange');
    expect(await ask(home, 'reset')).toBe(false);
    const after = await ask(home, 'ensure');
    expect(after).toMatchObject({ accessKey: before.accessKey, secretKey: before.secretKey, started: true });
  });
});

describe('the files of a sandbox', () => {
  it('only the owner can read the files, whatever the umask, and a log that grows too large is truncated', async () => {
    const home = newHome();
    mkdirSync(stateFile(home, ''), { recursive: true });
    writeFileSync(stateFile(home, 'sandbox.log'), 'x'.repeat(1_100_000));
    chmodSync(stateFile(home, ''), 0o755);
    const umask = process.umask(0);
    try {
      await ask(home, 'ensure');
    } finally {
      process.umask(umask);
    }
    expect(statSync(stateFile(home, '')).mode & 0o777).toBe(0o700);
    for (const name of ['running.json', 'settings.json', 'sandbox.log']) {
      expect([name, statSync(stateFile(home, name)).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect(logOf(home).length).toBeLessThan(1000);
  });
});
