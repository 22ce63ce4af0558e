import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import type { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { Faults } from '../../../src/sandbox/faults/faults.js';
import { FaultLog } from '../../../src/sandbox/faults/log.js';
import { Activity, interfaceRequestListener, type Listener, listen } from '../../../src/sandbox/server/http.js';
import type { Dialect } from '../../../src/sandbox/server/interface-details.js';
import { type EnforcedRateLimits, keptLimits, UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { RequestHandler } from '../../../src/sandbox/server/request-handler.js';
import type { StreamServerOptions } from '../../../src/sandbox/streams/stream-server.js';
import { StreamServer } from '../../../src/sandbox/streams/stream-server.js';
import { type Exchange, NOW, servedAs, stillExchange } from './fake-exchange.js';

const open: Listener[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

export interface Served {
  readonly port: number;
  readonly activity: Activity;
  readonly logged: string[];
}

/** Serves the interface on its own port until the end of the test. */
export async function serveInterface(
  given: Exchange | SandboxExchange = stillExchange(),
  limits: EnforcedRateLimits = keptLimits(UNLIMITED),
  now: () => number = () => NOW,
  dialect?: Dialect,
  streamOptions: Partial<StreamServerOptions> = {},
): Promise<Served> {
  const exchange = 'market' in given ? given : servedAs(given);
  const activity = new Activity();
  const logged: string[] = [];
  const handler = new RequestHandler({ exchange, now, limits, dialect, log: (line) => logged.push(line) });
  const log = (line: string) => logged.push(line);
  const { subscriptionsPerSecond = null, ...others } = streamOptions;
  const upgrades = new StreamServer({
    ...{ exchange: () => exchange, now, subscriptionsPerSecond, activity, log },
    faults: new Faults(1, new FaultLog(path.join(tmpdir(), 'no-faults')), { now }),
    ...others,
  });
  const listener = await listen(interfaceRequestListener(handler, activity), 0, { upgrades });
  open.push(listener);
  return { port: listener.port, activity, logged };
}

/** Sends bytes over a new connection, and returns everything received until the server closes it. */
export function send(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', (error) => {
      answer += `[${error.message}]`;
    });
    socket.on('close', () => resolve(answer));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** The body of the answer to a GET of this path. */
export async function get(port: number, path: string): Promise<string> {
  const answer = await send(port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  return bodyOf(answer);
}

export function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n') + 4);
}

export function statusLineOf(answer: string): string {
  return answer.slice(0, answer.indexOf('\r\n'));
}
