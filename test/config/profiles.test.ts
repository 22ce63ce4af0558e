import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { KeyStore } from '../../src/config/keys.js';
import { nearest } from '../../src/config/nearest.js';
import { Profiles } from '../../src/config/profiles.js';
import { adviceText } from '../support/advice.js';
import { failureOf, freshFolder, HOSTS, noKeychain } from './support.js';

describe('profiles', () => {
  test('the sandbox exists without a folder, and reading makes none', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    expect(await profiles.list()).toEqual([
      { name: 'sandbox', builtIn: true, baseUrl: '', tradeUrl: '', wsUrl: null, settings: {} },
    ]);
    expect(await profiles.active()).toBe('sandbox');
    expect(await new KeyStore(folder, noKeychain).get('sandbox')).toBeNull();
    expect(await new KeyStore(folder, noKeychain).remove('main')).toBe(false);
    expect(fs.existsSync(path.dirname(folder))).toBe(false);
  });

  test('adds, uses, changes and removes a profile', async () => {
    const profiles = new Profiles(freshFolder());
    const added = await profiles.add({ name: 'main', ...HOSTS });
    expect(added).toEqual({ name: 'main', builtIn: false, ...HOSTS, settings: {} });
    expect(await profiles.active()).toBe('sandbox');
    await profiles.use('main');
    await profiles.set('main', 'zone', 'asia/shanghai');
    await profiles.set('main', 'withdrawFee', 'ontop');
    await profiles.set('main', 'tradeUrl', 'http://127.0.0.1:8080/api');
    await profiles.unset('main', 'wsUrl');
    await profiles.unset('main', 'zone');
    expect(await profiles.get('main')).toMatchObject({
      tradeUrl: 'http://127.0.0.1:8080',
      wsUrl: null,
      settings: { withdrawFee: 'onTop' },
    });
    await profiles.remove('main');
    expect(await profiles.active()).toBe('sandbox');
    expect((await profiles.list()).map(({ name }) => name)).toEqual(['sandbox']);
  });

  test('removes keys with their profile, and does not restore them with its name', async () => {
    const folder = freshFolder();
    const [profiles, keys] = [new Profiles(folder), new KeyStore(folder, noKeychain)];
    await profiles.add({ name: 'main', ...HOSTS });
    await keys.set('main', { accessKey: 'access-1', secretKey: 'secret-1' }, 'file');
    await profiles.remove('main');
    expect(fs.readdirSync(path.join(folder, 'keys'))).toEqual([]);
    fs.writeFileSync(path.join(folder, 'keys', 'main.json'), '{"accessKey":"a","secretKey":"b"}', { mode: 0o600 });
    await profiles.add({ name: 'main', ...HOSTS });
    expect(await keys.get('main')).toBeNull();
  });

  test('keeps the current profile when another one is removed', async () => {
    const profiles = new Profiles(freshFolder());
    await profiles.add({ name: 'main', ...HOSTS });
    await profiles.add({ name: 'other', ...HOSTS });
    await profiles.use('main');
    await profiles.remove('other');
    expect(await profiles.active()).toBe('main');
  });

  test.each([
    ['1', '1s'],
    ['60', '60s'],
    ['60s', '60s'],
    ['86400', '86400s'],
  ])('keeps a tolerance for reqTime of %s as %s', async (given, kept) => {
    const profiles = new Profiles(freshFolder());
    await profiles.set('sandbox', 'reqTimeTolerance', given);
    expect((await profiles.get('sandbox')).settings.reqTimeTolerance).toBe(kept);
  });

  test.each(['0', '86401', '1.5', 'soon'])('rejects a tolerance for reqTime of %s', async (given) => {
    const profiles = new Profiles(freshFolder());
    expect((await failureOf(() => profiles.set('sandbox', 'reqTimeTolerance', given))).kind).toBe('usage');
    expect((await profiles.get('sandbox')).settings).toEqual({});
  });

  test('drops keys when the trade host changes', async () => {
    const folder = freshFolder();
    const [profiles, keys] = [new Profiles(folder), new KeyStore(folder, noKeychain)];
    const pair = { accessKey: 'access-1', secretKey: 'secret-1' };
    await profiles.add({ name: 'main', ...HOSTS });
    await profiles.add({ name: 'other', ...HOSTS });
    for (const name of ['main', 'other']) await keys.set(name, pair, 'file');
    // the same host in another form, and what no key is sent to
    expect(await profiles.set('main', 'tradeUrl', `${HOSTS.tradeUrl.replace('trade.', 'TRADE.')}/api/`)).toBe(false);
    expect(await profiles.set('main', 'baseUrl', 'https://other.example.com')).toBe(false);
    expect(await profiles.set('main', 'zone', 'UTC')).toBe(false);
    expect(await keys.get('main')).toEqual(pair);
    expect(await profiles.set('main', 'tradeUrl', 'https://evil.example.com')).toBe(true);
    expect(await keys.get('main')).toBeNull();
    expect(await keys.get('other')).toEqual(pair);
    expect(await profiles.set('main', 'tradeUrl', HOSTS.tradeUrl)).toBe(false);
    expect(await keys.get('main')).toBeNull();
  });

  test('stores settings of the sandbox, and never reads its hosts from a file', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.set('sandbox', 'zone', '+08:00');
    const file = path.join(folder, 'profiles', 'sandbox.json');
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual({ settings: { zone: '+08:00' } });
    fs.writeFileSync(file, JSON.stringify({ ...HOSTS, settings: { zone: 'UTC' } }));
    expect(await profiles.get('sandbox')).toMatchObject({
      baseUrl: '',
      tradeUrl: '',
      wsUrl: null,
      settings: { zone: 'UTC' },
    });
  });

  test.each<[string, object, message: RegExp, hint: string]>([
    [
      'an unknown setting',
      { settings: { zoen: 'UTC' } },
      /^There is no setting "zoen"\. Did you mean zone\?$/,
      'It stands in FILE.',
    ],
    [
      'a wrong value',
      { settings: { withdrawFee: 'both' } },
      /^"both" is not a value of withdrawFee\.$/,
      'It stands in FILE.',
    ],
    [
      'a host over plain http',
      { tradeUrl: 'http://trade.example.com' },
      / unencrypted \(http:\/\/\)\.$/,
      'It stands in FILE.',
    ],
    ['no host', { tradeUrl: undefined }, /main\.json is damaged: tradeUrl is missing\.$/, 'Fix it in an editor, '],
    [
      'a number',
      { settings: { zone: 8 } },
      /main\.json is damaged: a setting is not a string\.$/,
      'Fix it in an editor, ',
    ],
    ['a list', { settings: ['zone'] }, /main\.json is damaged: settings is not an object\.$/, 'Fix it in an editor, '],
  ])('does not use a file that was edited to hold %s', async (_, parts, message, hint) => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'main', ...HOSTS });
    const file = path.join(folder, 'profiles', 'main.json');
    fs.writeFileSync(file, JSON.stringify({ ...HOSTS, ...parts }));
    const failure = await failureOf(() => profiles.toUse('main'));
    expect(failure).toMatchObject({ kind: 'credentials', message: expect.stringMatching(message) });
    expect(adviceText(failure.hints)).toContain(hint.replace('FILE', file));
  });

  test('says which file it cannot use because it is huge', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'main', ...HOSTS });
    const file = path.join(folder, 'profiles', 'main.json');
    fs.writeFileSync(file, ' '.repeat(2 ** 20 + 1));
    expect(await failureOf(() => profiles.toUse('main'))).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining(`${file} is damaged: `),
    });
  });

  test.each([
    ['added over', (profiles: Profiles) => profiles.add({ name: 'sandbox', ...HOSTS })],
    ['removed', (profiles: Profiles) => profiles.remove('sandbox')],
    ['given a host', (profiles: Profiles) => profiles.set('sandbox', 'tradeUrl', HOSTS.tradeUrl)],
    ['without a host', (profiles: Profiles) => profiles.unset('sandbox', 'baseUrl')],
  ])('rejects that the sandbox is %s', async (_, action) => {
    expect(await failureOf(() => action(new Profiles(freshFolder())))).toMatchObject({ kind: 'usage' });
  });

  test('explains a name that is taken, missing or mistyped', async () => {
    const profiles = new Profiles(freshFolder());
    await profiles.add({ name: 'overseas', ...HOSTS });
    const again = await failureOf(() => profiles.add({ name: 'overseas', ...HOSTS }));
    expect(adviceText(again.hints)).toContain('pit profile set overseas');
    for (const action of ['get', 'use', 'remove'] as const) {
      const failure = await failureOf(() => profiles[action]('oversea'));
      expect(failure).toMatchObject({ kind: 'usage', hints: ['Known: sandbox, overseas.'] });
      expect(failure.message).toBe('There is no profile "oversea". Did you mean overseas?');
    }
    expect(await failureOf(() => profiles.toUse('oversea'))).toMatchObject({
      kind: 'credentials',
      message: 'There is no profile "oversea". Did you mean overseas?',
      hints: ['Known: sandbox, overseas.'],
    });
  });

  test.each([
    ['an unknown key', 'zoen', 'UTC', /Did you mean zone\?.*withdrawFee/s],
    ['a key of every object', 'constructor', 'x', /no setting/],
    ['a wrong zone', 'zone', '+25:00', /offset from UTC/],
    ['a zone that is none', 'zone', 'Mars/Olympus', /zone by name/],
    ['a wrong fee', 'withdrawFee', 'both', /"both" is not a value of withdrawFee\..*inside or onTop/],
    ['a host without a scheme', 'tradeUrl', 'trade.example.com', /https:\/\/trade\.example\.com/],
  ])('rejects %s, says how to fix it, and writes nothing', async (_, key, value, words) => {
    const folder = freshFolder();
    const failure = await failureOf(() => new Profiles(folder).set('main', key, value));
    expect(failure.kind).toBe('usage');
    expect(`${failure.message} ${adviceText(failure.hints)}`).toMatch(words);
    expect(fs.existsSync(folder)).toBe(false);
  });
});

describe('names', () => {
  const hostile = ['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b', 'Main', '-x', '_x', '__proto__', 'a b', 'ä'];
  const named = [...hostile, '\u001b[2J', 'a\n'].map((name): [string, string] => [JSON.stringify(name), name]);
  test.each([...named, ['10,000 characters', 'x'.repeat(10_000)]])('rejects %s', async (_, name) => {
    const folder = freshFolder();
    const [profiles, keys] = [new Profiles(folder), new KeyStore(folder, noKeychain)];
    const actions = [
      () => profiles.get(name),
      () => profiles.add({ name, ...HOSTS }),
      () => profiles.use(name),
      () => profiles.set(name, 'zone', 'UTC'),
      () => profiles.unset(name, 'zone'),
      () => profiles.remove(name),
      () => keys.get(name),
      () => keys.set(name, { accessKey: 'access-1', secretKey: 'secret-1' }, 'file'),
      () => keys.remove(name),
    ];
    for (const action of actions) {
      const failure = await failureOf(action);
      expect(failure.kind).toBe('usage');
      expect(failure.message).toMatch(/^[\x20-\x7e…]{1,100}$/);
    }
    expect(fs.existsSync(path.dirname(folder))).toBe(false);
  });

  test.each(['a', '0', 'x'.repeat(32), 'con-1', 'constructor', 'a_b-c'])('accepts %s', async (name) => {
    const profiles = new Profiles(freshFolder());
    await profiles.add({ name, ...HOSTS });
    expect((await profiles.list()).map((profile) => profile.name)).toEqual(['sandbox', name]);
  });

  test('ignores files that pit did not create', async () => {
    const folder = freshFolder();
    const profiles = new Profiles(folder);
    await profiles.add({ name: 'main', ...HOSTS });
    for (const other of ['Main Copy.json', '.hidden.json', 'notes.txt']) {
      fs.writeFileSync(path.join(folder, 'profiles', other), 'x');
    }
    expect((await profiles.list()).map(({ name }) => name)).toEqual(['sandbox', 'main']);
  });

  test('suggests names by spelling, the nearest first', () => {
    expect(nearest('maim', ['other', 'mainz', 'main'])).toEqual(['main', 'mainz']);
    expect(nearest('zzzz', ['main'])).toEqual([]);
    expect(nearest('nope', ['open', 'zone', 'note'])).toEqual(['note']);
    expect(nearest('etc_usdt', ['eth_usdt', 'btc_usdt', 'xrp_usdt'])).toEqual(['eth_usdt', 'btc_usdt']);
  });
});
