import { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  type Answer,
  compressed,
  dribbled,
  endless,
  FAULTS,
  inflating,
  respond,
  serveFaults,
} from '../support/fault-server.js';
import { clientOf, failureOf, ORDER } from './support.js';

const PLACED = '{"code":"1000","message":"ok","id":"202202224851151555"}';

describe('a write is sent once, whatever happens to it', () => {
  // what the user is told of each: a reset, a hang, a cut, a page, a refusal by the front end are not the same
  it.each<[keyof typeof FAULTS, RegExp]>([
    ['a reset after reading', /connection reset \(ECONNRESET\)/],
    ['a close without an answer', /connection reset/],
    ['a hang', /no answer in time/],
    ['a head that breaks off', /connection reset|not valid HTTP/],
    ['a body that breaks off', /the answer was cut off/],
    ['chunks that break off', /the answer was cut off/],
    ['JSON that breaks off', /the answer to order is cut off/],
    ['an empty body', /the answer to order is empty/],
    ['an HTML page', /the answer to order is an HTML page/],
    ['an HTML page with 502', /HTTP 502/],
    ['a redirect to itself', /redirect \(HTTP 302\)/],
    ['too many requests', /HTTP 429/],
    ['no such page', /HTTP 404/],
    ['no HTTP at all', /not valid HTTP/],
    ['JSON of another kind', /field "code" is missing/],
    ['broken compression', /the answer was cut off/],
  ])('%s: nobody knows', async (name, words) => {
    const server = await serveFaults({ answer: () => FAULTS[name] });
    const { client } = clientOf(server.url, 2_000);
    const verdict = await client.api.write('order', ORDER);
    expect(verdict).toEqual({ kind: 'lost', reason: expect.stringMatching(words) });
    expect(server.requests).toHaveLength(1);
    expect(server.connections).toBe(1);
  });

  it('one that is taken back when its turn comes does not leave', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    const { client } = clientOf(server.url);
    const taken = await client.api.write('order', ORDER, client.now(), () => false);
    expect(taken).toMatchObject({ kind: 'notSent', reason: 'it was cancelled' });
    expect(server.connections).toBe(0);
  });

  it('a reset before a byte was read: the bytes may have left all the same', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), resets: () => true });
    const verdict = await clientOf(server.url).client.api.write('order', ORDER);
    expect(verdict).toEqual({ kind: 'lost', reason: expect.stringContaining('connection reset') });
    expect(server.connections).toBe(1);
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, Answer]>([
    ['endless', endless],
    ['endless once decompressed', inflating()],
  ])('an answer that is %s is cut off: nobody knows', async (_, answer) => {
    const server = await serveFaults({ answer: () => answer });
    const verdict = await clientOf(server.url).client.api.write('order', ORDER);
    expect(verdict).toEqual({ kind: 'lost', reason: expect.stringMatching(/the answer was longer than 32 MB/) });
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['plain', respond(PLACED)],
    ['compressed', compressed(PLACED)],
    ['a character at a time', dribbled(PLACED)],
  ])('an answer that comes (%s) is taken', async (_, answer) => {
    const server = await serveFaults({ answer: () => answer });
    const verdict = await clientOf(server.url).client.api.write('order', ORDER);
    expect(verdict).toEqual({ kind: 'done', answer: { code: 1000, message: 'ok', id: '202202224851151555' } });
  });

  it.each([
    ['{"code":1003,"message":"signature wrong"}', 1003, 'signature wrong'],
    ['{"code":"2009","message":"balance"}', 2009, 'balance'],
    ['{"code":1000,"message":{"des":"too late","isSuc":false}}', 1000, 'too late'],
  ])('a refusal %s is a refusal', async (body, code, message) => {
    const server = await serveFaults({ answer: () => respond(body) });
    const verdict = await clientOf(server.url).client.api.write('order', ORDER);
    expect(verdict).toMatchObject({ kind: 'refused', refusal: { code, message } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a write has a connection of its own', () => {
  it('never the one of a read, and closes it', async () => {
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

  it('a read does share one', async () => {
    // shows that the test above could see a connection that is used again
    const server = await serveFaults({ answer: () => respond('{}') });
    const { client } = clientOf(server.url);
    await client.api.read('markets', {});
    await client.api.read('markets', {});
    expect(server.requests.map(({ connection }) => connection)).toEqual([0, 0]);
  });
});

describe('not sent', () => {
  it('when nobody listens', async () => {
    const verdict = await clientOf('http://127.0.0.1:1').client.api.write('order', ORDER);
    expect(verdict).toEqual({
      kind: 'notSent',
      reason: 'connection refused (ECONNREFUSED)',
      failure: 'unreachable',
    });
  });

  it('when the name means nothing', async () => {
    const { client } = clientOf('https://pit-test.invalid', 4_000);
    expect(await client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent' });
  });

  it('when no time is left', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    expect(await clientOf(server.url, 0).client.api.write('order', ORDER)).toMatchObject({ kind: 'notSent' });
    expect(server.connections).toBe(0);
  });

  it('when the certificate is nobody’s, whatever the environment says', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED), tls: true });
    const expected = {
      kind: 'notSent',
      failure: 'unreachable',
      reason: expect.stringContaining("the host's certificate is self-signed"),
    };
    expect(await clientOf(server.url).client.api.write('order', ORDER)).toEqual(expected);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await clientOf(server.url).client.api.write('order', ORDER)).toEqual(expected);
    vi.unstubAllEnvs();
    expect(server.bytes).toBe('');
  });

  it.each(['order', 'markets'] as const)('over http to another machine (%s), before any connection', async (name) => {
    const connect = vi.spyOn(Socket.prototype, 'connect');
    const { client } = clientOf('http://192.0.2.1');
    const failure = await failureOf(
      name === 'order' ? client.api.write('order', ORDER) : client.api.read('markets', {}),
    );
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringContaining('http://192.0.2.1') });
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
  });

  it('when a value breaks its rule', async () => {
    const server = await serveFaults({ answer: () => respond(PLACED) });
    const failure = await failureOf(clientOf(server.url).client.api.write('order', { ...ORDER, amount: '-1' }));
    expect(failure).toMatchObject({ kind: 'usage', message: 'order: amount must be a decimal number above zero' });
    expect(server.connections).toBe(0);
  });
});

it('a write called as a read is a defect and is not sent', async () => {
  const server = await serveFaults({ answer: () => respond(PLACED) });
  expect((await failureOf(clientOf(server.url).client.api.read('order', ORDER))).message).toContain('is sent once');
  expect(server.connections).toBe(0);
});
