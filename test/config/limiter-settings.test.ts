import { expect, it } from 'vitest';
import { checkSetting, passwordsOf, shareOf, shownSettings } from '../../src/config/settings.js';

it.each([
  ['redis://10.0.0.5', 'redis://10.0.0.5'],
  ['redis://10.0.0.5:6380/2', 'redis://10.0.0.5:6380/2'],
  ['rediss://pit@redis.example.com', 'rediss://pit@redis.example.com'],
  ['redis://pit:s%C3%A9sam%40@redis.example.com/0', 'redis://pit:***@redis.example.com/0'],
  ['redis://:sesame@10.0.0.5', 'redis://:***@10.0.0.5'],
])('%s is taken, and shown as %s', (url, shown) => {
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
])('%s is refused, and not repeated in the words', (url) => {
  expect(() => checkSetting('limiter', url)).toThrow(
    expect.objectContaining({ kind: 'usage', message: 'The setting limiter cannot have this value.' }),
  );
});

it.each([
  ['25', '25%', 0.25],
  ['25%', '25%', 0.25],
  ['1', '1%', 0.01],
  ['100%', '100%', 1],
])('a share of %s is kept as %s', (value, kept, share) => {
  expect(checkSetting('limiterShare', value)).toBe(kept);
  expect(shareOf(kept)).toBe(share);
});

it.each(['0', '0%', '101%', '-5', '2.5', 'half', ''])('a share of %j is refused', (value) => {
  expect(() => checkSetting('limiterShare', value)).toThrow(expect.objectContaining({ kind: 'usage' }));
});

it('a quarter is the share where none is set', () => expect(shareOf(undefined)).toBe(0.25));

it('a password is known in the forms in which it may be met', () => {
  expect(passwordsOf('redis://pit:s%C3%A9sam%40@h')).toEqual(['s%C3%A9sam%40', 'sésam@']);
  expect(passwordsOf('redis://h')).toEqual([]);
});
