import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../src/sandbox/server/http.js';
import { anyText } from '../../support/any-text.js';
import { stillExchange } from './fake-exchange.js';
import { bodyOf, get, send, serveInterface, statusLineOf } from './wire.js';

const TICKER = '/data/v1/ticker?market=btc_usdt';
const CLOSE = 'Host: localhost\r\nConnection: close\r\n\r\n';
const ONLY_GET = '{"code":3005,"message":"a parameter is missing or not valid: every operation is a GET"}';
const NOT_HTTP = '{"code":3005,"message":"a parameter is missing or not valid: the request is not HTTP"}';
const TOO_LARGE = '{"code":3005,"message":"a parameter is missing or not valid: the request is too large"}';
const OK = 'HTTP/1.1 200 OK';
const BAD = 'HTTP/1.1 400 Bad Request';
/** Whether the HTTP parser lets such bytes through depends on the version of Node. */
const EITHER = expect.stringMatching(/^HTTP\/1\.1 (200 OK|400 Bad Request)$/);
const LARGE = 'HTTP/1.1 431 Request Header Fields Too Large';

const hostile: readonly (readonly [what: string, bytes: string, status: unknown, body: unknown])[] = [
  ['a POST', `POST /api/order HTTP/1.1\r\nContent-Length: 3\r\n${CLOSE}a=b`, OK, ONLY_GET.replace('3005', '"3005"')],
  ['a POST to market data', `POST ${TICKER} HTTP/1.1\r\n${CLOSE}`, OK, expect.stringMatching(/^\{"error":/)],
  ['a HEAD, which has no body', `HEAD ${TICKER} HTTP/1.1\r\n${CLOSE}`, OK, ''],
  ['a DELETE', `DELETE /api/cancelOrder HTTP/1.1\r\n${CLOSE}`, OK, ONLY_GET],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${CLOSE}`, OK, ONLY_GET],
  ['CONNECT', `CONNECT elsewhere:443 HTTP/1.1\r\n${CLOSE}`, 'HTTP/1.1 405 Method Not Allowed', ONLY_GET],
  [
    'a POST without end',
    `POST /api/order HTTP/1.1\r\nContent-Length: 99999999\r\n${CLOSE}aaa`,
    OK,
    expect.stringContaining('3005'),
  ],
  ['no HTTP at all', 'hello?\r\n\r\n', BAD, NOT_HTTP],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', BAD, NOT_HTTP],
  [
    'bytes beyond ASCII',
    `GET /api/order?a=\xff\xfe HTTP/1.1\r\n${CLOSE}`,
    EITHER,
    expect.stringMatching(/^\{"code":"?3005/),
  ],
  ['a NUL', `GET /api/\0order HTTP/1.1\r\n${CLOSE}`, BAD, NOT_HTTP],
  [
    'bytes beyond ASCII in market data',
    `GET /data/v1/ticker?market=\xff HTTP/1.1\r\n${CLOSE}`,
    EITHER,
    expect.stringMatching(/^\{"error":/),
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc', BAD, NOT_HTTP],
  ['a query of 17,000 characters', `GET /api/order?a=${'a'.repeat(17_000)} HTTP/1.1\r\n${CLOSE}`, LARGE, TOO_LARGE],
  [
    'a header of 17,000 characters',
    `GET /api/order HTTP/1.1\r\nA: ${'a'.repeat(17_000)}\r\n${CLOSE}`,
    LARGE,
    TOO_LARGE,
  ],
  ['a query of ten megabytes', `GET /api/order?a=${'a'.repeat(10_000_000)} HTTP/1.1\r\n${CLOSE}`, LARGE, TOO_LARGE],
  [
    'a query of separators',
    `GET /data/v1/markets?${'&'.repeat(10_000)} HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('too many parameters'),
  ],
  [
    'a name without a value',
    `GET /data/v1/ticker?market HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('market is missing'),
  ],
  [
    'a value without a name',
    `GET /data/v1/ticker?=btc_usdt HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('printable ASCII'),
  ],
  [
    'a name of the language',
    `GET /data/v1/ticker?__proto__=1&constructor=2 HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('market is missing'),
  ],
  [
    'an operation of the language',
    `GET /api/__proto__ HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('no such operation'),
  ],
  [
    'a market of the language',
    `GET /data/v1/ticker?market=constructor_x HTTP/1.1\r\n${CLOSE}`,
    OK,
    '{"error":"unknown market: constructor_x"}',
  ],
  [
    'a path upwards',
    `GET /data/v1/../../etc/passwd HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringContaining('no such operation'),
  ],
  [
    'a WebSocket at the address of an operation',
    `GET ${TICKER} HTTP/1.1\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    'HTTP/1.1 404 Not Found',
    '{"error":"the request could not be carried out: there are no streams at this address"}',
  ],
  [
    'the address of the streams without a WebSocket',
    `GET /websocket HTTP/1.1\r\n${CLOSE}`,
    'HTTP/1.1 426 Upgrade Required',
    '{"code":1001,"message":"the request could not be carried out: this is the address of the streams: open a WebSocket"}',
  ],
  [
    'a WebSocket without a key',
    'GET /websocket HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    BAD,
    'Missing or invalid Sec-WebSocket-Key header',
  ],
  [
    'a WebSocket of a page of another site',
    'GET /websocket HTTP/1.1\r\nHost: localhost\r\nOrigin: https://elsewhere.example\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
    'HTTP/1.1 403 Forbidden',
    '{"code":1012,"message":"requests from other sites are refused: the Origin https://elsewhere.example is not this machine"}',
  ],
  [
    'an offer of HTTP/2, as some clients make with every request',
    `GET ${TICKER} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n` +
      `GET ${TICKER} HTTP/1.1\r\n${CLOSE}`,
    OK,
    expect.stringMatching(/"last".*HTTP\/1\.1 200 OK.*"last"/s),
  ],
  ['HTTP/1.0', `GET ${TICKER} HTTP/1.0\r\n\r\n`, OK, expect.stringContaining('"last"')],
];

describe('hostile bytes', () => {
  it.each(hostile)('answers hostile bytes with an error: %s', async (_what, bytes, status, body) => {
    const { port } = await serveInterface();
    const answer = await send(port, bytes);
    expect(statusLineOf(answer)).toEqual(status);
    expect(bodyOf(answer)).toEqual(body);
    expect(await get(port, TICKER)).toContain('"last"');
  });

  it('answers pipelined requests in order', async () => {
    const { port } = await serveInterface();
    const answer = await send(port, `GET /api/a HTTP/1.1\r\n\r\nGET ${TICKER} HTTP/1.1\r\n${CLOSE}`);
    expect(answer.split('HTTP/1.1 200 OK')).toHaveLength(3);
    expect(answer.indexOf('no such operation')).toBeLessThan(answer.indexOf('"last"'));
  });

  it('serves others while many connections are half open', async () => {
    const { port } = await serveInterface();
    const half = Array.from({ length: 200 }, (_, index) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (index % 2 === 0) socket.write('GET /data/v1/ti');
      return socket;
    });
    expect(await get(port, TICKER)).toContain('"last"');
    for (const socket of half) socket.destroy();
    expect(await get(port, TICKER)).toContain('"last"');
  });

  it('a client that leaves before its answer does not stop the server', async () => {
    let answerNow: () => void = () => undefined;
    const durable = () =>
      new Promise<void>((resolve) => {
        answerNow = resolve;
      });
    const { port, activity } = await serveInterface(stillExchange({ durable }));
    const path =
      '/api/getAccountInfo?accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2&method=getAccountInfo' +
      '&sign=fa5d8d4e37caa86551b9ac740df2b14c&reqTime=1540295995557';
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\n\r\n`);
    while (activity.pending === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    socket.destroy();
    answerNow();
    while (activity.pending > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await get(port, TICKER)).toContain('"last"');
  });
});

describe('slow clients', () => {
  const onSecondSignal = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };
  const TOO_SLOW = '{"code":3005,"message":"a parameter is missing or not valid: the request took too long"}';
  it.each([
    ['nothing', ''],
    ['half a request line', 'GET /data'],
    ['headers without end', 'GET / HTTP/1.1\r\nA: b\r\n'],
  ])('answers and disconnects a client that sent %s', async (_what, bytes) => {
    const listener = await listen(() => undefined, 0, { timeout: onSecondSignal });
    const answer = await send(listener.port, bytes);
    await listener.close();
    expect(statusLineOf(answer)).toBe('HTTP/1.1 408 Request Timeout');
    expect(bodyOf(answer)).toBe(TOO_SLOW);
  });
});

describe('random requests', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/api/',
      '/data/v1/',
      'order',
      'depth',
      '?',
      '&',
      '=',
      '%',
      '%00',
      '%e4',
      '+',
      'market',
      'btc_usdt',
    ),
    fc.constantFrom('accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2', 'method=order', 'sign=', 'reqTime=', ' HTTP/1.1'),
    anyText({ maxLength: 8 }),
  );
  it('answers random requests, or disconnects what is not HTTP, and logs nothing', async () => {
    const { port, logged } = await serveInterface();
    const request = fc.array(piece, { maxLength: 12 }).map((pieces) => `GET /${pieces.join('')}`);
    await fc.assert(
      fc.asyncProperty(request, async (line) => {
        const answer = await send(port, `${line} HTTP/1.1\r\n${CLOSE}`);
        expect(statusLineOf(answer)).toMatch(/^HTTP\/1\.1 (200 OK|400 Bad Request)$/);
        expect(bodyOf(answer)).toMatch(/^[{[].*[}\]]$/s);
      }),
      { numRuns: 300 },
    );
    expect(logged).toEqual([]);
    expect(await get(port, TICKER)).toContain('"last"');
  });
});

describe('the activity', () => {
  it('counts requests, refusals and User-Agents that are not a browser', async () => {
    const { port, activity } = await serveInterface();
    await get(port, TICKER);
    await send(port, `GET /api/x HTTP/1.1\r\nUser-Agent: curl/8.0\r\n${CLOSE}`);
    await send(port, `GET ${TICKER} HTTP/1.1\r\nUser-Agent: Mozilla/5.0 (X11)\r\n${CLOSE}`);
    const { requests, refused, nonBrowserAgents, pending } = activity;
    expect({ requests, refused, nonBrowserAgents, pending }).toEqual({
      requests: 3,
      refused: 1,
      nonBrowserAgents: 2,
      pending: 0,
    });
  });
});
