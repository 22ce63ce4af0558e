import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAlive } from '../../../src/platform/processes.js';
import { afterFile } from '../../support/after-file.js';
import { pitLine } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { environmentAt } from '../literal-exchange.js';

const EACH = 10;
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
let pipes = 0;

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

/** Kills a shell that prints the id of its server, once the server has answered. Returns the id. */
async function killedAfterAnswer(parent: ChildProcess): Promise<number> {
  const pid = new Promise<number>((resolve) => parent.stderr?.once('data', (chunk) => resolve(Number(chunk))));
  await firstLine(parent);
  parent.kill('SIGKILL');
  return pid;
}

/** Runs a server in the background of a shell with the stdin of the shell. */
const IN_BACKGROUND = 'exec 3<&0; "$0" "$@" <&3 & echo $! >&2; wait';

/** Each way returns the id of the server. */
const WAYS: Readonly<Record<string, () => Promise<number | undefined>>> = {
  'stdin ends before anything is asked': async () => {
    const child = start();
    child.stdin?.end();
    return child.pid;
  },
  'stdin ends after an answer': async () => {
    const child = await opened();
    child.stdin?.end();
    return child.pid;
  },
  'stdin ends while a call runs': async () => {
    const child = await opened();
    child.stdin?.end(call(2));
    return child.pid;
  },
  'stdout is closed, and an answer finds no reader': async () => {
    const child = await opened();
    child.stdout?.destroy();
    child.stdin?.write('{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
    return child.pid;
  },
  'a line is too long': async () => {
    const child = await opened();
    child.stdin?.write('x'.repeat(2_000_000));
    return child.pid;
  },
  'SIGTERM while a call runs': async () => {
    const child = await opened();
    child.stdin?.write(call(2));
    child.kill('SIGTERM');
    return child.pid;
  },
  SIGINT: async () => {
    const child = await opened();
    child.kill('SIGINT');
    return child.pid;
  },
  SIGHUP: async () => {
    const child = await opened();
    child.kill('SIGHUP');
    return child.pid;
  },
  'the parent is killed, and with it the pipes': async () => {
    const parent = start(IN_BACKGROUND);
    parent.stdin?.write(OPENING);
    return killedAfterAnswer(parent);
  },
  'the parent is killed, but the pipe to the server stays open': async () => {
    pipes += 1;
    const pipe = path.join(home, `pipe-${pipes}`);
    execFileSync('mkfifo', [pipe]);
    // the server inherits an end to write to, so that it never reads the end of its stdin
    const descriptor = openSync(pipe, 'r+');
    afterFile(() => closeSync(descriptor));
    const parent = start(IN_BACKGROUND, descriptor);
    writeSync(descriptor, OPENING);
    return killedAfterAnswer(parent);
  },
};

it('after a hundred clients that have ended in ten ways, no server is left', async () => {
  const servers: { readonly way: string; readonly pid: number | undefined }[] = [];
  for (let round = 0; round < EACH; round += 1)
    servers.push(...(await Promise.all(Object.entries(WAYS).map(async ([way, end]) => ({ way, pid: await end() })))));
  expect(servers).toHaveLength(100);
  await eventually(() => {
    expect(servers.filter(({ pid }) => pid === undefined || isAlive(pid))).toEqual([]);
  });
});
