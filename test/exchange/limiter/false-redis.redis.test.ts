import { expect, it } from 'vitest';
import { Latch } from '../../../src/exchange/limiter/latch.js';
import { Redis } from '../../../src/exchange/limiter/redis-store.js';
import { temporaryHome } from '../../support/pit.js';
import { serveFalseRedis } from '../../support/redis.js';

const secretKey = async () => 'a-secret-key';

const latch = (url: string) =>
  new Latch({
    root: temporaryHome(),
    account: 'one',
    redis: new Redis(url),
    now: () => 5_000,
    monotonic: () => 5_000,
    secretKey,
  });

const text = (value: string) => `$${value.length}\r\n${value}\r\n`;
const halts = (...values: string[]) => `*3\r\n:5000\r\n:0\r\n*${values.length}\r\n${values.map(text).join('')}`;

it.each([
  ['nothing', '$-1\r\n', 'its answer cannot be read'],
  ['a text', text('OK'), 'its answer cannot be read'],
  ['a number', ':9223372036854775807\r\n', 'its answer cannot be read'],
  ['an empty list', '*0\r\n', 'its answer cannot be read'],
  ['a list of nothing', '*3\r\n$-1\r\n$-1\r\n$-1\r\n', 'its answer cannot be read'],
  ['a halt that is cut off', halts('1 {"id":"one"'), 'a halt that it holds is damaged'],
  ['a halt without an id', halts('1 {}'), 'a halt that it holds is damaged'],
  ['a halt without a time', halts('{"id":"one","since":1,"until":null,"reason":null,"lastsMs":null}'), 'damaged'],
  ['an error', '-ERR no such script\r\n', 'ERR no such script'],
  ['no RESP', 'HTTP/1.1 200 OK\r\n\r\n', 'it does not answer'],
  ['no answer', null, 'it does not answer'],
])('an account counts as halted if Redis gives %s, and says why in a sentence', async (_, answer, why) => {
  const halt = await latch(await serveFalseRedis(answer)).find();
  expect(halt?.problem).toMatch(/^Redis, which shares it, cannot be used \(.*\)$/);
  expect(halt?.problem).toContain(why);
});

it('an account counts as halted if Redis accepts the connection and says nothing', async () => {
  const halt = await latch(await serveFalseRedis(null, false)).find();
  expect(halt?.problem).toBe('Redis, which shares it, cannot be used (it does not answer)');
});

it('an account is not halted if Redis has no halt', async () => {
  expect(await latch(await serveFalseRedis(halts())).find()).toBeUndefined();
});

it.each([
  ['a number, as earlier releases believed', ':1\r\n'],
  ['a text', text('1')],
  ['the proof of another account', text('0'.repeat(64))],
  ['nothing', '$-1\r\n'],
])('a halt counts although what answers in the place of Redis says that it was lifted: %s', async (_, proof) => {
  const root = temporaryHome();
  const clocks = { now: () => 5_000, monotonic: () => 5_000 };
  await new Latch({ root, account: 'one', ...clocks, secretKey }).set({ since: null, until: null, reason: 'mine' });
  const redis = new Redis(await serveFalseRedis(`*3\r\n:5000\r\n${proof}*0\r\n`));
  const found = new Latch({ root, account: 'one', redis, ...clocks, secretKey });
  expect(await found.find()).toMatchObject({ reason: 'mine', problem: null });
  expect((await found.admit()).halt).toMatchObject({ reason: 'mine', problem: null });
});
