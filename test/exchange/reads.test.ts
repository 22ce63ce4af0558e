import got from 'got';
import { describe, expect, it } from 'vitest';
import type { FailureKind } from '../../src/errors.js';
import { saying } from '../support/advice.js';
import { type Answer, compressed, dribbled, FAULTS, passHangs, respond, serveFaults } from '../support/fault-server.js';
import { clientOf, failureOf } from './support.js';

const CONFIGURATION = '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":5}}';
const PARSED = { btc_usdt: { priceScale: 2, amountScale: 6, minAmount: '0.0001', minSize: '5' } };

/** Four attempts with a pause that doubles, by the middle of the chance. */
const PAUSES = [150, 300, 600];

describe('a read that may still succeed', () => {
  it.each<[keyof typeof FAULTS, FailureKind, RegExp]>([
    ['a reset after reading', 'unreachable', /connection reset \(ECONNRESET\)/],
    ['a close without an answer', 'unreachable', /connection reset/],
    ['a body that breaks off', 'unreachable', /the answer was cut off/],
    ['chunks that break off', 'unreachable', /the answer was cut off/],
    ['no HTTP at all', 'unreachable', /the answer was not valid HTTP/],
    ['broken compression', 'unreachable', /the answer was cut off/],
    ['an HTML page with 502', 'unreachable', /the host answered with HTTP 502/],
    ['an HTML page', 'internal', /the response to markets is an HTML page/],
    ['JSON that breaks off', 'internal', /the response to markets is cut off/],
    ['an empty body', 'internal', /the response to markets is empty/],
  ])('%s', async (name, kind, words) => {
    const server = await serveFaults({ answer: () => FAULTS[name] });
    const { client, host } = clientOf(server.url);
    const failure = await failureOf(client.api.read('markets', {}));
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(words) });
    expect(failure.hints).not.toEqual([]);
    expect(server.requests).toHaveLength(4);
    expect(host.sleeps).toEqual(PAUSES);
  });

  it('repeats the read after the exchange was busy', async () => {
    const server = await serveFaults({ answer: () => respond('{"result":false,"message":"too frequent"}') });
    const failure = await failureOf(
      clientOf(server.url).client.api.read('kline', { market: 'btc_usdt', type: '1min' }),
    );
    expect(failure).toMatchObject({ kind: 'limited', message: 'kline: the exchange is busy: “too frequent”' });
    expect(server.requests).toHaveLength(4);
  });

  it('repeats the read after a hang, as long as the budget allows', async () => {
    passHangs();
    const server = await serveFaults({ answer: () => FAULTS['a hang'] });
    const { client, host } = clientOf(server.url, 400);
    const failure = await failureOf(client.api.read('markets', {}));
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('no answer in time') });
    // 400 - 150 is left for the second attempt, and 250 does not allow a pause of 300
    expect(host.sleeps).toEqual([150]);
    expect(server.requests).toHaveLength(2);
  });

  it('repeats the read after a reset, until an answer comes', async () => {
    const server = await serveFaults({ answer: () => respond(CONFIGURATION), resets: (connection) => connection < 3 });
    const { client, host } = clientOf(server.url);
    expect(await client.api.read('markets', {})).toEqual(PARSED);
    expect(host.sleeps).toEqual(PAUSES);
    expect(server.connections).toBe(4);
  });

  it('repeats the read if nothing listens at the host', async () => {
    const { client, host } = clientOf('http://127.0.0.1:1');
    const failure = await failureOf(client.api.read('markets', {}));
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('connection refused') });
    expect(host.sleeps).toEqual(PAUSES);
  });

  it('repeats a refresh, too', async () => {
    const answers = [FAULTS['a reset after reading'], respond('{"code":1000,"message":"ok"}')];
    const server = await serveFaults({ answer: () => answers.shift() ?? FAULTS['a hang'] });
    const { client } = clientOf(server.url);
    expect(await client.api.read('cancelAllOrdersAfter', { currency: 'btc_usdt' })).toEqual({
      code: 1000,
      message: 'ok',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('a read whose answer would be the same', () => {
  it.each<[string, Answer, FailureKind, RegExp]>([
    ['a redirect', FAULTS['a redirect to itself'], 'internal', /redirect \(HTTP 302\)/],
    ['too many requests', FAULTS['too many requests'], 'limited', /HTTP 429: too many requests/],
    [
      'an address that went on after that',
      respond('teapot', "418 I'm a teapot"),
      'limited',
      /HTTP 418: this address is blocked/,
    ],
    [
      'a guard',
      respond('<html>Forbidden</html>', '403 Forbidden'),
      'limited',
      /HTTP 403: a guard in front of the exchange/,
    ],
    ['no such page', FAULTS['no such page'], 'internal', /HTTP 404/],
    ['a list in place of an object', respond('["hello"]'), 'internal', /the body: expected an object/],
    ['an error', respond('{"error":"market not exist"}'), 'refused', /rejected by the exchange: “market not exist”$/],
  ])('%s', async (_, answer, kind, words) => {
    const server = await serveFaults({ answer: () => answer });
    const { client, host } = clientOf(server.url);
    const failure = await failureOf(client.api.read('markets', {}));
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(words) });
    expect(server.requests).toHaveLength(1);
    expect(host.sleeps).toEqual([]);
  });

  it.each([
    ['{"code":1003,"message":"sign wrong"}', 'credentials', 1003],
    ['{"code":3004,"message":"no user"}', 'credentials', 3004],
    ['{"code":1012,"message":"no permission"}', 'refused', 1012],
    ['{"code":"4001","message":"locked"}', 'limited', 4001],
  ])('the read is not repeated after the signed answer %s', async (body, kind, code) => {
    const server = await serveFaults({ answer: () => respond(body) });
    const failure = await failureOf(clientOf(server.url).client.api.read('getAccountInfo', {}));
    expect(failure).toMatchObject({ kind, code });
    expect(server.requests).toHaveLength(1);
  });

  it('the read is not repeated after a self-signed certificate, to which a signed request is never sent', async () => {
    const server = await serveFaults({ answer: () => respond('{}'), tls: true });
    const failure = await failureOf(clientOf(server.url).client.api.read('getAccountInfo', {}));
    expect(failure).toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/certificate is self-signed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/),
      hints: saying('NODE_EXTRA_CA_CERTS'),
    });
    expect([server.bytes, server.requests.length]).toEqual(['', 0]);
  });
});

it.each<[string, Answer]>([
  ['compressed', compressed(CONFIGURATION)],
  ['a character at a time', dribbled(CONFIGURATION)],
])('reads an answer that is %s', async (_, answer) => {
  const server = await serveFaults({ answer: () => answer });
  expect(await clientOf(server.url).client.api.read('markets', {})).toEqual(PARSED);
});

it('sends a browser’s User-Agent with every request, repeated ones included', async () => {
  const answers = [FAULTS['a reset after reading'], respond('{}'), respond('{"code":1000,"message":"","result":[]}')];
  const server = await serveFaults({
    answer: () => answers.shift() ?? respond('{"code":"1000","message":"","id":"1"}'),
  });
  const { client } = clientOf(server.url);
  await client.api.read('allTicker', {});
  await client.api.read('getSpotBills', {});
  await client.api.write('order', { currency: 'btc_usdt', tradeType: '1', price: '1', amount: '1' });
  expect(server.requests).toHaveLength(4);
  for (const { headers } of server.requests)
    expect(headers['user-agent']).toMatch(/^Mozilla\/5\.0 \([^)]+\) AppleWebKit\/\S+ .*Chrome\/\d/);
});

it('keeps a second between K-line requests', async () => {
  const server = await serveFaults({ answer: () => respond('{"data":[],"moneyType":"USDT","symbol":"BTC"}') });
  const { client, host } = clientOf(server.url);
  const start = host.now();
  for (let times = 0; times < 3; times += 1) await client.api.read('kline', { market: 'btc_usdt', type: '1min' });
  expect(host.now() - start).toBe(2 * 1_010);
});

describe('got by default', () => {
  it('repeats a GET', async () => {
    passHangs();
    // the same server and the same count: had the client kept these defaults, the tests of writes would see it
    const answers = [FAULTS['a reset after reading'], respond('{"code":"1000","message":"","id":"1"}')];
    const server = await serveFaults({ answer: () => answers.shift() ?? FAULTS['a hang'] });
    // what it repeats, not how long it waits
    const retry = { calculateDelay: ({ computedValue }: { computedValue: number }) => Math.min(computedValue, 1) };
    await got(`${server.url}/api/order?method=order`, { retry });
    expect(server.requests.map(({ target }) => target)).toEqual(['/api/order?method=order', '/api/order?method=order']);
  });

  it('follows a redirect with a signed URL', async () => {
    const answers = [FAULTS['a redirect to itself'], respond('{}')];
    const server = await serveFaults({ answer: () => answers.shift() ?? FAULTS['a hang'] });
    await got(`${server.url}/api/order?method=order`);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a long answer', () => {
  const padded = (body: string, length: number) => `${' '.repeat(length - body.length)}${body}`;
  const BOOK = '{"asks":[],"bids":[],"timestamp":1}';

  it.each([
    ['markets', {}, '{}', 4],
    ['allTicker', {}, '{}', 4],
    ['depth', { market: 'btc_usdt' }, BOOK, 1],
  ] as const)('reads a long answer up to a limit if it is to %s', async (name, values, body, megabytes) => {
    const longest = megabytes * 2 ** 20;
    let length: number = longest;
    const server = await serveFaults({ answer: () => respond(padded(body, length)) });
    const { client } = clientOf(server.url);
    await expect(client.api.read(name, values)).resolves.toBeDefined();
    length += 1;
    const failure = await failureOf(client.api.read(name, values));
    expect(failure.message).toBe(`${name}: the answer was longer than ${megabytes} MB`);
    expect(server.requests).toHaveLength(2);
  });

  it('stops reading a long answer when the time is over', async () => {
    const server = await serveFaults({ answer: () => respond(`[${'1,'.repeat(200_000)}1]`) });
    const { client, host } = clientOf(server.url, 5_000);
    let now = 0;
    // each look at the clock takes a second
    Object.assign(host, { monotonic: () => (now += 1_000) });
    const failure = await failureOf(client.api.read('depth', { market: 'btc_usdt' }));
    expect(failure.message).toBe('depth: no time was left to read the answer');
  });
});
