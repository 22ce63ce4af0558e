import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../../src/platform/programs/processes.js';
import { afterFile } from '../../support/after-file.js';
import { pitLine } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { environmentAt } from '../literal-exchange.js';

/** How long each client waits before it ends, in ms: the server starts meanwhile, is asked, or has become idle. */
const MOMENTS = [0, 1, 2, 5, 10, 15, 25, 40, 60, 100];
const OPENING = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})}\n`;
const call = (id: number) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'bills', arguments: {} } })}\n`;

/** Takes connections and never answers, so that a call of a tool lasts. */
let silent: Server;
const sockets = new Set<Socket>();
const home = temporaryHome();
let environment: Record<string, string>;

beforeAll(async () => {
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  environment = plainEnvironment(home, environmentAt(url));
});

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

/** `pit mcp`, as a child of this process, or of a shell that another one may kill. */
function start(shell?: string, stdin: 'pipe' | number = 'pipe'): ChildProcess {
  const [command, ...words] = shell === undefined ? pitLine('mcp') : ['sh', '-c', shell, ...pitLine('mcp')];
  const child = spawn(command, words, { env: environment, stdio: [stdin, 'pipe', 'pipe'] });
  child.stdin?.on('error', () => undefined);
  return child;
}

/** Resolves with the first line on stdout. */
function firstLine({ stdout }: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
}

async function opened(): Promise<ChildProcess> {
  const child = start();
  const answered = firstLine(child);
  child.stdin?.write(OPENING);
  await answered;
  return child;
}

/** Kills a shell that prints the id of its server, a while after the server has answered. Returns the id. */
async function killedAfterAnswer(parent: ChildProcess, ms: number): Promise<number> {
  const pid = new Promise<number>((resolve) => parent.stderr?.once('data', (chunk) => resolve(Number(chunk))));
  await firstLine(parent);
  await pause(ms);
  parent.kill('SIGKILL');
  return pid;
}

async function pause(ms: number): Promise<void> {
  if (ms > 0) await delay(ms);
}

/** Runs a server in the background of a shell with the stdin of the shell. */
const IN_BACKGROUND = 'exec 3<&0; "$0" "$@" <&3 & echo $! >&2; wait';

/** Each way waits before the end and returns the id of the server. */
const WAYS: Readonly<Record<string, (ms: number) => Promise<number | undefined>>> = {
  'stdin ends before anything is asked': async (ms) => {
    const child = start();
    await pause(ms);
    child.stdin?.end();
    return child.pid;
  },
  'stdin ends after an answer': async (ms) => {
    const child = await opened();
    await pause(ms);
    child.stdin?.end();
    return child.pid;
  },
  'stdin ends while a call runs': async (ms) => {
    const child = await opened();
    child.stdin?.write(call(2));
    await pause(ms);
    child.stdin?.end();
    return child.pid;
  },
  'stdout is closed, and an answer finds no reader': async (ms) => {
    const child = await opened();
    child.stdout?.destroy();
    await pause(ms);
    child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
    return child.pid;
  },
  'a line is too long': async (ms) => {
    const child = await opened();
    await pause(ms);
    child.stdin?.write('x'.repeat(2_000_000));
    return child.pid;
  },
  'SIGTERM while a call runs': async (ms) => {
    const child = await opened();
    child.stdin?.write(call(2));
    await pause(ms);
    child.kill('SIGTERM');
    return child.pid;
  },
  SIGINT: async (ms) => {
    const child = await opened();
    await pause(ms);
    child.kill('SIGINT');
    return child.pid;
  },
  SIGHUP: async (ms) => {
    const child = await opened();
    await pause(ms);
    child.kill('SIGHUP');
    return child.pid;
  },
  'the parent is killed, and with it the pipes': async (ms) => {
    const parent = start(IN_BACKGROUND);
    parent.stdin?.write(OPENING);
    return killedAfterAnswer(parent, ms);
  },
  'the parent is killed, but the pipe to the server stays open': async (ms) => {
    const pipe = path.join(home, `pipe-${ms}`);
    execFileSync('mkfifo', [pipe]);
    // the server inherits an end to write to, so that it never reads the end of its stdin
    const descriptor = openSync(pipe, 'r+');
    afterFile(() => closeSync(descriptor));
    const parent = start(IN_BACKGROUND, descriptor);
    writeSync(descriptor, OPENING);
    return killedAfterAnswer(parent, ms);
  },
};

it('no server is left by a hundred clients that end in ten ways, each at ten moments', async () => {
  const servers: { readonly way: string; readonly ms: number; readonly pid: number | undefined }[] = [];
  for (const ms of MOMENTS) {
    const ended = Object.entries(WAYS).map(async ([way, end]) => ({ way, ms, pid: await end(ms) }));
    servers.push(...(await Promise.all(ended)));
  }
  expect(servers).toHaveLength(100);
  await eventually(() => {
    expect(servers.filter(({ pid }) => pid === undefined || isAlive(pid))).toEqual([]);
  });
});
