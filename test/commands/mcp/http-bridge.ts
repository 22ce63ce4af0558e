import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterFile } from '../../support/after-file.js';
import { PIT } from '../../support/command.js';
import { plainEnvironment } from '../../support/pit.js';
import { modernMeta } from './client.js';

/** The eras of the protocol, by the version that the client speaks. */
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

interface Message {
  readonly jsonrpc?: string;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly error?: { readonly code: number };
}

/** The status of HTTP for an error of the protocol; 200 for any other. */
const STATUSES: Readonly<Record<number, number>> = { [-32601]: 404, [-32602]: 400, [-32021]: 400, [-32022]: 400 };

/** `pit mcp` in its own process, asked over its pipes. */
class Served {
  readonly child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Message) => void>();
  #last = 0;

  constructor(home: string) {
    this.child = spawn(PIT.command, [...PIT.arguments, 'mcp'], {
      env: plainEnvironment(home),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdin, stdout } = this.child;
    if (stdin === null || stdout === null) throw new Error('it has no pipes');
    stdin.on('error', () => undefined);
    createInterface({ input: stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Message;
      this.#waiting.get(Number(message.id))?.(message);
    });
  }

  /** Clients may use the same ids, so each request gets its own. */
  ask(request: Message): Promise<Message> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, (answer) => resolve({ ...answer, id: request.id }));
      this.tell({ ...request, id });
    });
  }

  tell(message: Message): void {
    this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

/**
 * Passes what a client sends over HTTP on to `pit mcp`, which speaks over pipes only. The older protocol gets a process for each
 * session; the newer has no sessions, so one process answers all. Returns the URL.
 */
export async function bridge(home: string, version: ProtocolVersion): Promise<string> {
  const sessions = new Map<string, Served>();
  const open = (id: string): Served => {
    const served = new Served(home);
    sessions.set(id, served);
    return served;
  };
  if (version === '2026-07-28')
    await open('').ask({ jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: modernMeta() } });
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => {
    server.close();
    server.closeAllConnections();
    for (const { child } of sessions.values()) child.kill();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const message = JSON.parse(text) as Message;
    const isOpening = message.method === 'initialize' && version === '2025-11-25';
    const id = isOpening ? randomUUID() : String(request.headers['mcp-session-id'] ?? '');
    const served = isOpening ? open(id) : sessions.get(id);
    if (served === undefined) return void response.writeHead(400).end();
    if (message.id === undefined) {
      served.tell(message);
      return void response.writeHead(202).end();
    }
    const answered = await served.ask(message);
    const status = version === '2026-07-28' ? (STATUSES[answered.error?.code ?? 0] ?? 200) : 200;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(isOpening ? { 'mcp-session-id': id } : {}),
    });
    response.end(JSON.stringify(answered));
  }
}
