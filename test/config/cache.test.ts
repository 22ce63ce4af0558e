import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Cache } from '../../src/config/cache.js';
import { freshFolder } from './support.js';

function cacheAt(start: number) {
  const folder = freshFolder();
  const clock = { now: start };
  const cache = new Cache(folder, () => clock.now);
  const file = () => path.join(folder, 'answers', fs.readdirSync(path.join(folder, 'answers'))[0] ?? '');
  return { folder, clock, cache, file };
}

describe('the cache', () => {
  test('returns what was written, with its age', async () => {
    const { cache, clock } = cacheAt(1_700_000_000_000);
    expect(cache.read('markets')).toBeNull();
    await cache.write('markets', 'first');
    await cache.write('markets', 'line\nä\u0000"');
    clock.now += 5_000;
    expect(cache.read('markets')).toEqual({ value: 'line\nä\u0000"', ageMs: 5_000 });
    expect(cache.read('other')).toBeNull();
  });

  test.each(['../../x', 'https://a.b/c?d', '', '\0', 'x'.repeat(300), '__proto__'])(
    'keeps the file of the key %j inside its folder',
    async (key) => {
      const { cache, folder } = cacheAt(1);
      await cache.write(key, 'kept');
      expect(cache.read(key)).toEqual({ value: 'kept', ageMs: 0 });
      expect(fs.readdirSync(folder)).toEqual(['answers']);
      expect(fs.readdirSync(path.dirname(path.dirname(folder)))).toEqual(['home']);
    },
  );

  test('removes one entry, and does not mind if there is none', async () => {
    const { cache } = cacheAt(1);
    for (const key of ['markets', 'coins']) await cache.write(key, key);
    await cache.remove('markets');
    await cache.remove('markets');
    expect(['markets', 'coins'].map((key) => cache.read(key)?.value)).toEqual([undefined, 'coins']);
  });

  test('removes all entries whose keys have a text in them', async () => {
    const { cache } = cacheAt(1);
    for (const key of ['orders a.b-1 x_y', 'pnl a.b-1', 'pnl a.b-2']) await cache.write(key, key);
    cache.removeAll(' a.b-1');
    expect(['orders a.b-1 x_y', 'pnl a.b-1', 'pnl a.b-2'].map((key) => cache.read(key)?.value)).toEqual([
      undefined,
      undefined,
      'pnl a.b-2',
    ]);
    cacheAt(1).cache.removeAll('x');
  });

  test('takes no entry of another key for its own, even if both have the same file', async () => {
    const { cache } = cacheAt(1);
    const [first, second] = [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`];
    await cache.write(first, 'first');
    expect(cache.read(second)).toBeNull();
    await cache.write(second, 'second');
    expect(cache.read(first)).toBeNull();
    expect(cache.read(second)?.value).toBe('second');
  });

  test('ignores an entry from the future', async () => {
    const { cache, clock } = cacheAt(1_000);
    await cache.write('markets', 'kept');
    clock.now = 999;
    expect(cache.read('markets')).toBeNull();
  });

  test.each([
    ['cut', (content: string) => content.slice(0, -1)],
    ['cut to a half', (content: string) => content.slice(0, content.length / 2)],
    ['changed', (content: string) => content.replace('kept', 'kapt')],
    ['cut in both halves', (content: string) => content.replaceAll('kept', 'kep')],
    ['emptied', () => ''],
    ['replaced', () => '{"at": 1}'],
  ])('ignores an entry that was %s, and can write it again', async (_, damage) => {
    const { cache, file } = cacheAt(1_000);
    await cache.write('markets', 'kept');
    fs.writeFileSync(file(), damage(fs.readFileSync(file(), 'utf8')));
    expect(cache.read('markets')).toBeNull();
    await cache.write('markets', 'again');
    expect(cache.read('markets')?.value).toBe('again');
  });

  test('ignores an entry that others could have written', async () => {
    const { cache, file } = cacheAt(1_000);
    await cache.write('markets', 'kept');
    fs.chmodSync(file(), 0o666);
    expect(cache.read('markets')).toBeNull();
  });

  test('stays silent if it cannot write', async () => {
    const folder = freshFolder();
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.writeFileSync(folder, 'a file in the way');
    const cache = new Cache(folder, () => 1);
    await cache.write('markets', 'kept');
    expect(cache.read('markets')).toBeNull();
  });
});
