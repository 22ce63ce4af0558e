import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { KeyStore } from '../../src/config/keys.js';
import { Profiles } from '../../src/config/profiles.js';
import { ConfigStore } from '../../src/config/store.js';
import { shellWord } from '../../src/errors.js';
import { openPrivate } from '../../src/platform/files/private-files.js';
import { replaceFile } from '../../src/platform/files/replacement.js';
import { everythingIn, failureOf, freshFolder, HOSTS, noKeychain } from '../config/support.js';
import { adviceText } from '../support/advice.js';

// folders are changed here: each check of those above comes a second after the one before
let seconds = 0;
vi.spyOn(process, 'uptime').mockImplementation(() => ++seconds);

/** A group that is no user's own. */
const SHARED_GROUP = 47_112;
const CANARY = { accessKey: 'canary-access-4711', secretKey: 'canary-secret-4711' };
const ATTACKER = { ...HOSTS, tradeUrl: 'https://evil.example.com' };

async function withKeys() {
  const folder = freshFolder();
  const profiles = new Profiles(folder);
  const keys = new KeyStore(folder, noKeychain);
  await profiles.add({ name: 'main', ...HOSTS });
  await keys.set('main', CANARY, 'file');
  return { folder, profiles, keys, keyFile: path.join(folder, 'keys', 'main.json') };
}

describe('files that others can reach', () => {
  test.each([
    ['keys/main.json', 0o640, 'chmod 600'],
    ['keys/main.json', 0o602, 'chmod 600'],
    ['keys', 0o710, 'chmod 700'],
    ['.', 0o755, 'chmod 700'],
  ])('refuses %s with mode %o and says how to fix it', async (target, mode, fix) => {
    const { folder, keys } = await withKeys();
    const place = path.join(folder, target);
    fs.chmodSync(place, mode);
    const failure = await failureOf(() => keys.get('main'));
    expect(failure).toMatchObject({ kind: 'credentials', exitCode: 4, hints: [`Run: ${fix} ${shellWord(place)}`] });
    expect(everythingIn(failure)).not.toContain('canary');
    expect(await failureOf(() => keys.set('main', CANARY, 'file'))).toMatchObject({ kind: 'credentials' });
    fs.chmodSync(place, place.endsWith('.json') ? 0o600 : 0o700);
    expect(await keys.get('main')).toEqual(CANARY);
  });

  test('refuses a profile file open to others, whose URL decides where keys go', async () => {
    const { folder, profiles } = await withKeys();
    fs.chmodSync(path.join(folder, 'profiles', 'main.json'), 0o660);
    expect(await failureOf(() => profiles.get('main'))).toMatchObject({ kind: 'credentials' });
  });

  test('refuses an empty folder open to others before writing to it', async () => {
    const folder = freshFolder();
    fs.mkdirSync(folder, { recursive: true });
    fs.chmodSync(folder, 0o755);
    const failure = await failureOf(() => new Profiles(folder).add({ name: 'main', ...HOSTS }));
    expect(adviceText(failure.hints)).toBe(`Run: chmod 700 ${folder}`);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('follows no link instead of a file or a folder', async () => {
    const { folder, profiles, keys, keyFile } = await withKeys();
    const elsewhere = path.join(path.dirname(folder), 'elsewhere.json');
    fs.renameSync(keyFile, elsewhere);
    fs.symlinkSync(elsewhere, keyFile);
    expect(await failureOf(() => keys.get('main'))).toMatchObject({ kind: 'credentials' });
    expect(await failureOf(() => keys.set('main', CANARY, 'file'))).toMatchObject({ kind: 'credentials' });
    const moved = path.join(path.dirname(folder), 'moved');
    fs.renameSync(path.join(folder, 'profiles'), moved);
    fs.symlinkSync(moved, path.join(folder, 'profiles'));
    expect(await failureOf(() => profiles.get('main'))).toMatchObject({ kind: 'credentials' });
    expect(await failureOf(() => profiles.add({ name: 'new', ...ATTACKER }))).toMatchObject({ kind: 'credentials' });
    expect(fs.readdirSync(moved)).toEqual(['main.json']);
  });

  test.each([
    ['just above', 0o777, 1],
    ['just above', 0o772, 1],
    ['two levels above', 0o777, 2],
    ['just above, for a group with other members', 0o775, 1],
    ['two levels above, for a group with other members', 0o775, 2],
  ])('refuses a folder whose contents others can swap, because one %s has mode %o', async (_, mode, levels) => {
    const { folder, profiles, keys } = await withKeys();
    const above = levels === 1 ? path.dirname(folder) : path.dirname(path.dirname(folder));
    // only root can give a folder to another group; without, everybody stands for it
    if (mode === 0o775 && process.geteuid?.() === 0) fs.chownSync(above, 0, SHARED_GROUP);
    else if (mode === 0o775) fs.chmodSync(above, 0o777);
    if (mode !== 0o775 || process.geteuid?.() === 0) fs.chmodSync(above, mode);
    const actions = [
      () => keys.get('main'),
      () => keys.set('main', CANARY, 'file'),
      () => profiles.get('main'),
      () => profiles.set('main', 'zone', 'UTC'),
    ];
    for (const action of actions)
      expect(await failureOf(action)).toMatchObject({
        kind: 'credentials',
        hints: [`Run: chmod go-w ${shellWord(above)}`],
      });
    fs.chmodSync(above, 0o755);
    expect(await keys.get('main')).toEqual(CANARY);
  });

  test.runIf(process.geteuid?.() === process.getegid?.())(
    'accepts a folder that a group can change whose id is that of the user, as most systems set users up',
    async () => {
      const { folder, keys } = await withKeys();
      fs.chmodSync(path.dirname(folder), 0o775);
      expect(await keys.get('main')).toEqual(CANARY);
    },
  );

  test.runIf(process.geteuid?.() === 0)('refuses a link of another user, who could lead it elsewhere', async () => {
    const { folder } = await withKeys();
    const link = path.join(path.dirname(path.dirname(folder)), 'link');
    fs.symlinkSync(folder, link);
    fs.lchownSync(link, 12_345, 12_345);
    expect(await failureOf(() => new KeyStore(link, noKeychain).get('main'))).toMatchObject({
      kind: 'credentials',
      message: `${link} belongs to another user.`,
    });
  });

  test('refuses to make a folder below one that others can change, and makes nothing', async () => {
    const folder = freshFolder();
    const above = path.dirname(path.dirname(folder));
    fs.chmodSync(above, 0o777);
    expect(await failureOf(() => new Profiles(folder).add({ name: 'main', ...HOSTS }))).toMatchObject({
      kind: 'credentials',
      hints: [`Run: chmod go-w ${shellWord(above)}`],
    });
    expect(fs.readdirSync(above)).toEqual([]);
  });

  test('refuses a link whose target others can replace', async () => {
    const { folder } = await withKeys();
    const link = path.join(path.dirname(path.dirname(folder)), 'link');
    fs.symlinkSync(folder, link);
    expect(await new KeyStore(link, noKeychain).get('main')).toEqual(CANARY);
    fs.chmodSync(path.dirname(folder), 0o777);
    expect(await failureOf(() => new KeyStore(link, noKeychain).get('main'))).toMatchObject({ kind: 'credentials' });
  });

  test('accepts a parent folder like /tmp, where users can move only their own files', async () => {
    const { folder, keys } = await withKeys();
    fs.chmodSync(path.dirname(folder), 0o1777);
    expect(await keys.get('main')).toEqual(CANARY);
  });

  test('accepts a link to the configuration folder itself', async () => {
    const { folder } = await withKeys();
    const link = path.join(path.dirname(folder), 'link');
    fs.symlinkSync(folder, link);
    expect(await new KeyStore(link, noKeychain).get('main')).toEqual(CANARY);
    await new Profiles(link).use('main');
    expect(await new Profiles(folder).active()).toBe('main');
  });

  test.runIf(process.geteuid?.() === 0)('refuses a file of another user', async () => {
    const { keys, keyFile } = await withKeys();
    fs.chownSync(keyFile, 12345, 12345);
    const failure = await failureOf(() => keys.get('main'));
    expect(failure).toMatchObject({ kind: 'credentials', message: `${keyFile} belongs to another user.` });
  });

  test('removes keys that others could read', async () => {
    const { keys, keyFile } = await withKeys();
    fs.chmodSync(keyFile, 0o644);
    expect(await keys.remove('main')).toBe(true);
    expect(fs.existsSync(keyFile)).toBe(false);
  });
});

describe('damaged files', () => {
  test.each([
    ['half a file', '{"accessKey": "canary-access-4711", "secretK'],
    ['no JSON', 'canary-secret-4711'],
    ['nothing', ''],
    ['another kind', '["canary-access-4711"]'],
    ['a wrong type', '{"accessKey": 4711, "secretKey": "canary-secret-4711"}'],
    ['a line end in a key', '{"accessKey": "canary-access\\nx", "secretKey": "canary-secret-4711"}'],
  ])('names a key file that contains %s without quoting it, and can replace it', async (_, content) => {
    const { keys, keyFile } = await withKeys();
    fs.writeFileSync(keyFile, content);
    const failure = await failureOf(() => keys.get('main'));
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringContaining(keyFile) });
    expect(everythingIn(failure)).not.toMatch(/canary|4711/);
    expect(fs.readFileSync(keyFile, 'utf8')).toBe(content);
    await keys.set('main', CANARY, 'file');
    expect(await keys.get('main')).toEqual(CANARY);
  });

  test.each([
    ['half a file', '{"baseUrl": "https://'],
    ['no trade host', '{"baseUrl": "https://api.example.com"}'],
    ['a plain http host', '{"baseUrl": "https://api.example.com", "tradeUrl": "http://trade.example.com"}'],
    ['an unknown setting', '{"baseUrl": "https://a.b", "tradeUrl": "https://a.b", "settings": {"zoen": "UTC"}}'],
    ['settings that are none', '{"baseUrl": "https://a.b", "tradeUrl": "https://a.b", "settings": "x"}'],
    ['a bad setting', '{"baseUrl": "https://a.b", "tradeUrl": "https://a.b", "settings": {"zone": "+25:00"}}'],
  ])('names a profile with %s and leaves it unchanged', async (_, content) => {
    const { folder, profiles } = await withKeys();
    const file = path.join(folder, 'profiles', 'main.json');
    fs.writeFileSync(file, content);
    for (const action of [() => profiles.get('main'), () => profiles.set('main', 'zone', 'UTC')]) {
      const failure = await failureOf(action);
      expect(failure.kind).toBe('credentials');
      expect(`${failure.message} ${adviceText(failure.hints)}`).toContain(file);
    }
    expect(fs.readFileSync(file, 'utf8')).toBe(content);
  });

  test('a damaged active profile falls back to no other profile, and use repairs it', async () => {
    const { folder, profiles } = await withKeys();
    for (const content of ['{', '{}', '{"active": "../x"}']) {
      fs.writeFileSync(path.join(folder, 'active.json'), content, { mode: 0o600 });
      expect(await failureOf(() => profiles.active())).toMatchObject({ kind: 'credentials' });
    }
    await profiles.use('main');
    expect(await profiles.active()).toBe('main');
  });
});

test('reports a home that is a file', async () => {
  const folder = freshFolder();
  const home = path.dirname(folder);
  fs.writeFileSync(home, 'not a folder');
  const [profiles, keys] = [new Profiles(folder), new KeyStore(folder, noKeychain)];
  const actions = [
    () => profiles.list(),
    () => profiles.get('main'),
    () => profiles.add({ name: 'main', ...HOSTS }),
    () => keys.get('main'),
    () => keys.remove('main'),
  ];
  for (const action of actions) {
    const failure = await failureOf(action);
    expect(failure).toMatchObject({ kind: 'credentials', message: `${home} is not a folder.` });
    expect(adviceText(failure.hints)).toContain('PIT_HOME');
  }
});

test('reports a home that is a device', async () => {
  const failure = await failureOf(() => new Profiles('/dev/null/config').list());
  expect(failure).toMatchObject({ kind: 'credentials', message: '/dev/null is not a folder.' });
  expect(adviceText(failure.hints)).toBe('Set PIT_HOME to a folder of your own.');
});

test('replaces a file in one step, also under Snap', async () => {
  const { folder } = await withKeys();
  const store = new ConfigStore(folder);
  await store.change((writer) => writer.write('x.json', { a: 1 }));
  const before = fs.statSync(path.join(folder, 'x.json')).ino;
  process.env.SNAP = '/snap/x';
  try {
    await store.change((writer) => writer.write('x.json', { a: 2 }));
    expect(process.env.SNAP).toBe('/snap/x');
  } finally {
    delete process.env.SNAP;
  }
  expect(fs.statSync(path.join(folder, 'x.json')).ino).not.toBe(before);
});

test.each(['w', 'a'] as const)(
  'a file that is opened with %s is for its owner only, whatever its mode was',
  (flags) => {
    const folder = freshFolder();
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'log');
    fs.writeFileSync(file, '', { mode: 0o644 });
    fs.closeSync(openPrivate(file, flags));
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  },
);

describe('a file that is replaced', () => {
  test('leaves no temporary file behind if it cannot be replaced', () => {
    const folder = freshFolder();
    fs.mkdirSync(path.join(folder, 'running.json'), { recursive: true });
    expect(() => replaceFile(path.join(folder, 'running.json'), 'text')).toThrow('EISDIR');
    expect(fs.readdirSync(folder)).toEqual(['running.json']);
  });
});
