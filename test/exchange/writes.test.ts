import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { suggest } from '../../src/errors.js';
import {
  type Answer,
  compressed,
  dribbled,
  endless,
  FAULTS,
  inflating,
  passHangs,
  respond,
  serveFaults,
} from '../support/fault-server.js';
import { clientOf, failureOf, ORDER } from './support.js';

const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';

describe('a write', () => {
  // the user learns the difference between a reset, a hang, a cut, a page and a refusal by the front end
  it.each<[keyof typeof FAULTS, RegExp]>([
    ['a reset after reading', /connection reset \(ECONNRESET\)/],
    ['a close without an answer', /connection reset/],
    ['a hang', /no answer in time/],
    ['a head that breaks off', /connection reset|not valid HTTP/],
    ['a body that breaks off', /the answer was cut off/],
    ['chunks that break off', /the answer was cut off/],
    ['JSON that breaks off', /the response to order is cut off/],
    ['an empty body', /the response to order is empty/],
    ['an HTML page', /the response to order is an HTML page/],
    ['an HTML page with 502', /HTTP 502/],
    ['a redirect to itself', /redirect \(HTTP 302\)/],
    ['too many requests', /HTTP 429/],
    ['a guard that blocks the address', /HTTP 403/],
    ['no such page', /HTTP 404/],
    ['no HTTP at all', /not valid HTTP/],
    ['JSON of another kind', /field "code" is missing/],
    ['broken compression', /the answer was cut off/],
  ])('a write is sent once, and its outcome is unknown, after %s', async (name, words) => {
    passHangs();
    const server = await serveFaults({ answer: () => FAULTS[name] });
    const { client } = clientOf(server.url, 2_000);
    const response = await client.api.write('order', ORDER);
    expect(response).toEqual({ kind: 'lost', reason: expect.stringMatching(words) });
    expect(server.requests).toHaveLength(1);
    expect(server.connections).toBe(1);
  });

  it('a write that is cancelled before its turn is not sent', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    const { client } = clientOf(server.url);
    const taken = await client.api.write('order', ORDER, { reqTime: client.now(), mayLeave: () => false });
    expect(taken).toMatchObject({ kind: 'notSent', reason: 'it was cancelled' });
    expect(server.connections).toBe(0);
  });

  it('a write is sent once, and its outcome is unknown, after a reset before a byte was read', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), resets: () => true });
    const response = await clientOf(server.url).client.api.write('order', ORDER);
    expect(response).toEqual({ kind: 'lost', reason: expect.stringContaining('connection reset') });
    expect(server.connections).toBe(1);
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, Answer]>([
    ['endless', endless],
    ['endless once decompressed', inflating()],
  ])('the outcome is unknown after an answer that is %s was cut off', async (_, answer) => {
    const server = await serveFaults({ answer: () => answer });
    const response = await clientOf(server.url).client.api.write('order', ORDER);
    expect(response).toEqual({ kind: 'lost', reason: expect.stringMatching(/the answer was longer than 1 MB/) });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['plain', respond(PLACED)],
    ['compressed', compressed(PLACED)],
    ['a character at a time', dribbled(PLACED)],
  ])('an answer that comes (%s) counts', async (_, answer) => {
    const server = await serveFaults({ answer: () => answer });
    const response = await clientOf(server.url).client.api.write('order', ORDER);
    expect(response).toEqual({ kind: 'done', value: { code: 1000, message: 'ok', id: '202202224851151555' } });
  });

  it.each([
    ['{"code":1003,"message":"signature wrong"}', 1003, '“signature wrong”'],
    ['{"code":"2009","message":"balance"}', 2009, '“balance”'],
    ['{"code":3001,"message":{"des":"too late","isSuc":false}}', 3001, '“too late”'],
  ])('a write is sent once, and %s is a refusal', async (body, code, message) => {
    const server = await serveFaults({ answer: () => respond(body) });
    const response = await clientOf(server.url).client.api.write('order', ORDER);
    expect(response).toMatchObject({ kind: 'refused', refusal: { code, message } });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each([
  ['orderMoreV2', { market: 'btc_usdt', tradeParams: '[[31000.5,0.01]]', tradeType: '1' }],
  ['cancelOrder', { currency: 'btc_usdt', id: '7' }],
  ['withdraw', { amount: '0.5', currency: 'btc', fees: '0.0005', receiveAddr: '1mxZTP', safePwd: 'secret' }],
] as const)('a write like an order: %s', (name, values) => {
  it.each<[keyof typeof FAULTS, RegExp]>([
    ['a reset after reading', /connection reset/],
    ['a hang', /no answer in time/],
    ['a body that breaks off', /the answer was cut off/],
    ['an empty body', /^the response to \w+ is empty$/],
    ['an HTML page', /^the response to \w+ is an HTML page$/],
    ['an HTML page with 502', /HTTP 502/],
  ])('is sent once, and its outcome is unknown, after %s', async (fault, words) => {
    passHangs();
    const server = await serveFaults({ answer: () => FAULTS[fault] });
    const response = await clientOf(server.url, 2_000).client.api.write(name, values);
    expect(response).toEqual({ kind: 'lost', reason: expect.stringMatching(words) });
    expect([server.requests.length, server.connections]).toEqual([1, 1]);
  });

  it('is sent once, and its outcome is unknown, after a reset before a byte was read', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), resets: () => true });
    const response = await clientOf(server.url).client.api.write(name, values);
    expect(response).toEqual({ kind: 'lost', reason: expect.stringContaining('connection reset') });
    expect([server.requests.length, server.connections]).toEqual([0, 1]);
  });
});

describe('a request', () => {
  it('is a GET, whether it reads, changes something or is not described', async () => {
    const server = await serveFaults({ answer: () => respond('{"code":1000}') });
    const { api } = clientOf(server.url).client;
    await api.readRaw('markets', {});
    await api.readRaw('getAccountInfo', {});
    await api.write('order', ORDER);
    await api.rawCall('setExpressState', {});
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
  });

  it('to withdraw has exactly the parameters, in the order and encoding, that were signed', async () => {
    const server = await serveFaults({ answer: () => respond('{"code":1000,"message":"ok","id":"7"}') });
    const { client } = clientOf(server.url);
    const address = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
    const withdrawal = { coin: 'btc', amount: '0.5', fee: '0.0005', address, internal: false };
    const sent = await client.withdraw(withdrawal, 'Fp 7e1c,"4b', { reqTime: 1540295995557 });
    expect(sent).toMatchObject({ kind: 'done', value: { id: '7' } });
    expect(server.requests.map(({ target }) => target)).toEqual([
      '/api/withdraw?method=withdraw&accesskey=access-0123456789&amount=0.5&currency=btc&fees=0.0005&receiveAddr=1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM&safePwd=Fp%207e1c%2C%224b&sign=ee2f79744fd5ce995384961b72606e3c&reqTime=1540295995557',
    ]);
  });
});

describe('an answer to a write that contradicts itself', () => {
  const CANCEL = { currency: 'btc_usdt', id: '7' };
  const TOO_LATE = [
    '{"code":"1000","message":{"des":"too late","isSuc":false},"id":"1"}',
    '{"code":1000,"message":{"des":"too late","isSuc":"false"}}',
  ];

  it.each([
    ...TOO_LATE.map((body) => [body, 'code 1000 with isSuc false'] as const),
    ['{"code":2009,"message":{"des":"done","isSuc":true}}', 'code 2009 with isSuc true'] as const,
  ])('leaves the outcome unknown: %s', async (body, words) => {
    const server = await serveFaults({ answer: () => respond(body) });
    const { client } = clientOf(server.url);
    const placed = await client.api.write('order', ORDER);
    expect(placed).toEqual({ kind: 'lost', reason: `the response to order contradicts itself: ${words}` });
    expect(await client.api.rawCall('setExpressState', {})).toMatchObject({ kind: 'lost' });
  });

  it.each(TOO_LATE)('refuses a cancellation that did not succeed, whatever its code: %s', async (body) => {
    const server = await serveFaults({ answer: () => respond(body) });
    const cancelled = await clientOf(server.url).client.api.write('cancelOrder', CANCEL);
    expect(cancelled).toMatchObject({ kind: 'refused', refusal: { code: 1000, message: '“too late”' } });
  });

  it('leaves a cancellation unknown that succeeded with the code of an error', async () => {
    const server = await serveFaults({ answer: () => respond('{"code":2009,"message":{"des":"done","isSuc":true}}') });
    const cancelled = await clientOf(server.url).client.api.write('cancelOrder', CANCEL);
    expect(cancelled).toMatchObject({ kind: 'lost' });
  });

  it('refuses a read, which changed nothing', async () => {
    const body = '{"code":1000,"message":{"des":"no address yet","isSuc":false}}';
    const server = await serveFaults({ answer: () => respond(body) });
    const failure = await failureOf(clientOf(server.url).client.depositAddressText({ coin: 'btc' }));
    expect(failure).toMatchObject({ kind: 'refused', message: expect.stringContaining('no address yet') });
  });
});

describe('the connection of a write', () => {
  it('a write has its own connection, which is closed afterwards', async () => {
    const server = await serveFaults({ answer: ({ target }) => respond(target.includes('order') ? PLACED : '{}') });
    const { client } = clientOf(server.url);
    await client.api.read('markets', {});
    await client.api.write('order', ORDER);
    await client.api.write('order', ORDER);
    expect(server.requests.map(({ headers, connection }) => [connection, headers.connection?.toLowerCase()])).toEqual([
      [0, 'keep-alive'],
      [1, 'close'],
      [2, 'close'],
    ]);
  });

  it('reads share a connection, unlike writes', async () => {
    // shows that the test above could see a connection that is used again
    const server = await serveFaults({ answer: () => respond('{}') });
    const { client } = clientOf(server.url);
    await client.api.read('markets', {});
    await client.api.read('markets', {});
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0]);
  });
});

describe('a write that cannot succeed', () => {
  it('a write is not sent if nothing listens at the host', async () => {
    const response = await clientOf('http://127.0.0.1:1').client.api.write('order', ORDER);
    expect(response).toEqual({
      kind: 'notSent',
      reason: 'connection refused (ECONNREFUSED)',
      failure: 'unreachable',
      hint: suggest('Check the host and the network', 'profile', 'show'),
    });
  });

  it('a write is not sent if the host name is unknown', async () => {
    const { client } = clientOf('https://pit-test.invalid', 4_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent' });
  });

  it('a write is not sent if no time is left', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    expect(await clientOf(server.url, 0).client.api.write('order', ORDER)).toMatchObject({
      kind: 'notSent',
      hint: 'Use --timeout SECONDS to allow more time.',
    });
    expect(server.connections).toBe(0);
  });

  it('a write is not sent if the certificate is self-signed, whatever the environment says', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), tls: true });
    const expected = {
      kind: 'notSent',
      failure: 'unreachable',
      reason: expect.stringContaining("the host's certificate is self-signed"),
      hint: expect.arrayContaining([expect.objectContaining({ argv: expect.arrayContaining(['caFile']) })]),
    };
    expect(await clientOf(server.url).client.api.write('order', ORDER)).toEqual(expected);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await clientOf(server.url).client.api.write('order', ORDER)).toEqual(expected);
    vi.unstubAllEnvs();
    expect(server.bytes).toBe('');
  });

  it.each(['order', 'markets'] as const)(
    'sends nothing over http to another machine (%s), and makes no connection',
    async (name) => {
      const connect = vi.spyOn(Socket.prototype, 'connect');
      const { client } = clientOf('http://192.0.2.1');
      const failure = await failureOf(
        name === 'order' ? client.api.write('order', ORDER) : client.api.read('markets', {}),
      );
      expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringContaining('http://192.0.2.1') });
      expect(connect).not.toHaveBeenCalled();
      connect.mockRestore();
    },
  );

  it('a write is not sent if a value breaks its rule', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    const failure = await failureOf(clientOf(server.url).client.api.write('order', { ...ORDER, amount: '-1' }));
    expect(failure).toMatchObject({ kind: 'usage', message: 'order: amount must be a decimal number above zero' });
    expect(server.connections).toBe(0);
  });
});

it('throws an error for a write called as a read, and sends nothing', async () => {
  const server = await serveFaults({ answer: () => respond(PLACED) });
  expect((await failureOf(clientOf(server.url).client.api.read('order', ORDER))).message).toContain('is sent once');
  expect(server.connections).toBe(0);
});
