import { expect, it } from 'vitest';
import {
  checkSetting,
  passwordsOf,
  redisAddress,
  shareOf,
  shownSettings,
  withPassword,
} from '../../src/config/settings.js';

it.each([
  ['redis://10.0.0.5', 'redis://10.0.0.5'],
  ['redis://10.0.0.5:6380/2', 'redis://10.0.0.5:6380/2'],
  ['rediss://pit@redis.example.com', 'rediss://pit@redis.example.com'],
  ['redis://pit:s%C3%A9sam%40@redis.example.com/0', 'redis://pit:***@redis.example.com/0'],
  ['redis://:sesame@10.0.0.5', 'redis://:***@10.0.0.5'],
  ['unix:/run/pit/redis.sock', 'unix:/run/pit/redis.sock'],
  ['unix://pit@localhost/run/pit/redis.sock', 'unix://pit@localhost/run/pit/redis.sock'],
  ['unix://:sesame@localhost/run/pit/redis.sock', 'unix://:***@localhost/run/pit/redis.sock'],
])('accepts %s and shows it as %s', (url, shown) => {
  expect(checkSetting('limiter', url)).toBe(url);
  expect(shownSettings({ limiter: url, zone: '+08:00' })).toEqual({ limiter: shown, zone: '+08:00' });
});

it.each([
  'http://10.0.0.5',
  'redis:10.0.0.5',
  'redis://',
  'redis://h/db',
  'redis://h/1?tls=yes',
  'redis://h/1#x',
  'redis://:se%same@h',
  'redis://a b',
  'somewhere',
  'unix:',
  'unix:redis.sock',
  'unix:/',
  'unix:/run/',
  'unix:/run/a%2fb',
  'unix:/run/redis.sock?db=1',
  'unix://pit@elsewhere/run/redis.sock',
])('rejects %s without quoting it', (url) => {
  expect(() => checkSetting('limiter', url)).toThrow(
    expect.objectContaining({ kind: 'usage', message: 'This is not a value of limiter.' }),
  );
});

it.each([
  ['25', '25%', 0.25],
  ['25%', '25%', 0.25],
  ['1', '1%', 0.01],
  ['100%', '100%', 1],
])('stores a share of %s as %s', (value, kept, share) => {
  expect(checkSetting('limiterShare', value)).toBe(kept);
  expect(shareOf(kept)).toBe(share);
});

it.each(['0', '0%', '101%', '-5', '2.5', 'half', ''])('rejects a share of %j', (value) => {
  expect(() => checkSetting('limiterShare', value)).toThrow(expect.objectContaining({ kind: 'usage' }));
});

it('uses a quarter if no share is set', () => expect(shareOf(undefined)).toBe(0.25));

it('masks the password both encoded and decoded', () => {
  expect(passwordsOf('redis://pit:s%C3%A9sam%40@h')).toEqual(['s%C3%A9sam%40', 'sésam@']);
  expect(passwordsOf('redis://h')).toEqual([]);
});

it('reaches a socket by its path, with its user and password decoded', () => {
  const place = { path: '/run/pit/redis.sock' };
  expect(redisAddress('unix:/run/pit/redis.sock')).toEqual({ login: {}, place });
  expect(redisAddress(withPassword('unix:/run/pit/redis.sock', 'se same@/1'))).toEqual({
    ...{ login: { password: 'se same@/1' }, place },
  });
  expect(redisAddress(withPassword('unix://pit@localhost/run/pit/redis.sock', 'open'))).toEqual({
    ...{ login: { username: 'pit', password: 'open' }, place },
  });
  expect(redisAddress('rediss://pit@h')).toEqual({ login: { url: 'rediss://pit@h' }, place: {} });
});
