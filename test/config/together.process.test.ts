import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { KeyStore } from '../../src/config/keys.js';
import { Profiles } from '../../src/config/profiles.js';
import { ConfigStore } from '../../src/config/store.js';
import { ended, program } from './process.js';
import { freshFolder, HOSTS, modes, noKeychain } from './support.js';

const start = program();
const ROUNDS = 12;

/** A lock as a process leaves it that was killed a while ago; if one is held at the moment, nothing happens. */
function leaveStaleLock(lock: string): void {
  const longAgo = new Date(Date.now() - 60_000);
  try {
    fs.mkdirSync(lock);
    fs.utimesSync(lock, longAgo, longAgo);
  } catch {
    // Held, or taken over between the two steps.
  }
}

describe('several processes', () => {
  test('several processes lose nothing when eight write at once and one is killed', async () => {
    const folder = freshFolder();
    const [victim, ...others] = Array.from({ length: 8 }, (_, i) => start('many', folder, '022', `p${i}`, `${ROUNDS}`));
    let seen = '';
    victim?.stdout?.on('data', (chunk) => {
      seen += chunk;
      if (seen.includes('p0-4\n')) victim.kill('SIGKILL');
    });
    const ends = await Promise.all([victim, ...others].map((child) => ended(child as NonNullable<typeof child>)));
    const acknowledged = ends.flatMap(({ output }) => output.split('\n').filter((line) => line !== ''));

    expect(ends.map(({ code }) => code)).toEqual([null, 0, 0, 0, 0, 0, 0, 0]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(7 * ROUNDS + 5);
    const listed = (await new Profiles(folder).list()).map(({ name }) => name);
    const shared = Object.keys((await new ConfigStore(folder).read('shared.json')) ?? {});
    expect(listed).toEqual(expect.arrayContaining(acknowledged));
    expect(shared).toEqual(expect.arrayContaining(acknowledged));
    for (const name of acknowledged) expect(await new KeyStore(folder, noKeychain).get(name)).not.toBeNull();
  });

  test('takes over the lock of a killed process once it is stale', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'one', ...HOSTS });
    const lock = path.join(folder, '.lock');
    leaveStaleLock(lock);
    await Promise.all(['two', 'three', 'four'].map((name) => new Profiles(folder).add({ name, ...HOSTS })));
    expect((await profiles.list()).map(({ name }) => name)).toEqual(['sandbox', 'four', 'one', 'three', 'two']);
    expect(fs.existsSync(lock)).toBe(false);
  });

  test('removes what a killed write left behind', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'one', ...HOSTS });
    await new KeyStore(folder, noKeychain).set('one', { accessKey: 'access-1', secretKey: 'secret-1' }, 'file');
    const leftover = path.join(folder, 'keys', 'one.json.tmp-1234567890abcdef');
    fs.writeFileSync(leftover, '{"secretKey": "secret-1"', { mode: 0o600 });
    expect(await new KeyStore(folder, noKeychain).remove('one')).toBe(true);
    expect(fs.readdirSync(path.join(folder, 'keys'))).toEqual([]);
  });

  test('never reads the folders of the lock', async () => {
    const folder = freshFolder();
    const within = path.join(folder, '.lock-turn', 'one.json.tmp-1234567890abcdef');
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'one', ...HOSTS });
    fs.mkdirSync(path.dirname(within));
    fs.writeFileSync(within, '');
    await profiles.add({ name: 'two', ...HOSTS });
    expect(fs.existsSync(within)).toBe(true);
  });
});

describe('a single process', () => {
  test.each(['000', '022', '077', '777'])(
    'writes files with mode 600 in folders with mode 700 under umask %s',
    async (umask) => {
      const folder = freshFolder();
      expect((await ended(start('everything', folder, umask, 'x'))).code).toBe(0);
      expect(modes(path.dirname(path.dirname(folder)))).toEqual([
        '700 home',
        '700 home/cache',
        '700 home/cache/answers',
        '600 home/cache/answers/a.txt',
        '700 home/config',
        '600 home/config/active.json',
        '700 home/config/keys',
        '600 home/config/keys/main.json',
        '700 home/config/profiles',
        '600 home/config/profiles/main.json',
      ]);
    },
  );

  // the lock's library kills the program on a signal without another listener
  test.each([
    // it dies from SIGHUP: Node aborts if it cannot restore the terminal
    ['SIGHUP', null],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('finishes its work on %s, also after a write', async (signal, code) => {
    const expected = { code, output: `told of ${signal}, done` };
    expect(await ended(start('interrupt', freshFolder(), '022', signal))).toEqual(expected);
  });

  test('ends at once on a second signal', async () => {
    const expected = { code: 130, output: 'told of SIGINT, cut short' };
    expect(await ended(start('interrupt', freshFolder(), '022', 'SIGINT', 'twice'))).toEqual(expected);
  });
});
