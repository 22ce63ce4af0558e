import { afterEach, describe, expect, it } from 'vitest';
import { type Administered, adminHandlers } from '../../../src/sandbox/admin/calls.js';
import { type AdminHandler, adminListener } from '../../../src/sandbox/admin/http.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { type Listener, listen } from '../../../src/sandbox/server/http.js';
import { bodyOf, send, statusLineOf } from '../server/wire.js';

const CALLS = new Map<string, AdminHandler>([
  ['GET /status', () => ({ running: true })],
  [
    'POST /fail',
    () => {
      throw new Error('a defect');
    },
  ],
]);

let listener: Listener | undefined;
afterEach(() => listener?.close());

async function ask(request: string): Promise<[status: string, body: string]> {
  listener = await listen(adminListener('t0ken', CALLS), 0);
  const answer = await send(listener.port, `${request}\r\nConnection: close\r\n\r\n`);
  return [statusLineOf(answer), bodyOf(answer)];
}

describe('the admin port', () => {
  const DENIED = '{"error":"the admin token is missing or wrong"}\n';
  it.each([
    ['GET /status HTTP/1.1\r\nAuthorization: Bearer t0ken', 'HTTP/1.1 200 OK', '{"running":true}\n'],
    ['GET /status HTTP/1.1', 'HTTP/1.1 401 Unauthorized', DENIED],
    ['GET /status HTTP/1.1\r\nAuthorization: Bearer t0kem', 'HTTP/1.1 401 Unauthorized', DENIED],
    ['GET /status HTTP/1.1\r\nAuthorization: t0ken', 'HTTP/1.1 401 Unauthorized', DENIED],
    ['GET /nothing HTTP/1.1', 'HTTP/1.1 401 Unauthorized', DENIED],
    [
      'POST /status HTTP/1.1\r\nAuthorization: Bearer t0ken',
      'HTTP/1.1 404 Not Found',
      '{"error":"no such administration call"}\n',
    ],
    [
      'POST /fail HTTP/1.1\r\nAuthorization: Bearer t0ken',
      'HTTP/1.1 500 Internal Server Error',
      '{"error":"a defect"}\n',
    ],
  ])('answers %j with %s', async (request, status, body) => {
    expect(await ask(request)).toEqual([status, body]);
  });
});

it('a command finds the sandbox while its exchange is being replaced, and other calls are refused', async () => {
  const handlers = adminHandlers({
    data: {
      get exchange(): never {
        throw new RequestRefused('maintenance');
      },
    },
    running: () => ({ isStaying: true, address: { pid: 7 } }),
    activity: { touch: () => undefined },
  } as unknown as Administered);
  expect(await handlers.get('POST /hello')?.({})).toEqual({ pid: 7 });
  await expect(handlers.get('GET /clock')?.({})).rejects.toThrow('in maintenance');
});
