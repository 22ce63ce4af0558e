import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS });
const OVERSEAS = { baseUrl: 'https://api.example.com', tradeUrl: 'https://trade.example.com' };

function hosts() {
  const { baseUrl, tradeUrl } = pit.served.address;
  return { baseUrl, tradeUrl };
}

function keysText(): string {
  const { accessKey, secretKey } = pit.served.address;
  return `${accessKey}\n${secretKey}\n`;
}

function shownKeys(profile: string) {
  const { accessKey, secretKey } = pit.served.address;
  return { profile, accessKey: `…${accessKey.slice(-4)}`, secretKey: `…${secretKey.slice(-4)}`, store: 'file' };
}

beforeEach(async () => {
  const { baseUrl, tradeUrl } = hosts();
  await pit.run(`profile add local --base-url ${baseUrl} --trade-url ${tradeUrl}`);
  await pit.run(`profile add overseas --base-url ${OVERSEAS.baseUrl}/data/v1 --trade-url ${OVERSEAS.tradeUrl}/`);
  await pit.done('keys set --profile local --stdin', { input: keysText() });
});

describe('pit profile', () => {
  it('lists the sandbox as the active profile by default', async () => {
    const rest = { wsUrl: null, active: false };
    const profiles = [
      { name: 'sandbox', baseUrl: null, tradeUrl: null, wsUrl: null, active: true },
      { name: 'local', ...hosts(), ...rest },
      { name: 'overseas', ...OVERSEAS, ...rest },
    ];
    expect(await pit.json('profile list')).toStrictEqual(profiles);
    expect((await pit.csv('profile list')).header).toBe('name,baseUrl,tradeUrl,wsUrl,active');
  });

  it('adds, sets, shows, unsets, uses and removes a profile', async () => {
    expect(await pit.json('profile set overseas zone +08:00')).toMatchObject({ settings: { zone: '+08:00' } });
    expect(await pit.json('profile set overseas price-band 20%')).toMatchObject({ settings: { priceBand: '20%' } });
    await pit.done('profile unset overseas PRICEBAND');
    await pit.done('profile set overseas wsUrl wss://api.example.com/ws');
    expect(await pit.json('profile show overseas')).toStrictEqual({
      ...{ name: 'overseas', ...OVERSEAS, wsUrl: 'wss://api.example.com/ws', active: false },
      settings: { zone: '+08:00' },
      keyStore: null,
      origins: expect.arrayContaining([
        { name: 'profile', value: 'overseas', origin: 'flag' },
        { name: 'baseUrl', value: OVERSEAS.baseUrl, origin: 'profile' },
        { name: 'zone', value: '+08:00', origin: 'profile' },
        { name: 'priceBand', value: '10%', origin: 'default' },
      ]),
    });
    await pit.done('profile unset overseas zone');
    expect(await pit.json('profile unset overseas ws-url')).toMatchObject({ wsUrl: null, settings: {} });
    expect(await pit.json('profile use overseas')).toMatchObject({ name: 'overseas', active: true });
    expect(await pit.json('profile show')).toMatchObject({ name: 'overseas' });
    expect(await pit.json('profile remove overseas --dry-run')).toMatchObject({ dryRun: true });
    expect((await pit.failure('profile remove overseas', 8)).kind).toBe('declined');
    expect(await pit.json('profile remove overseas --yes')).toEqual({ removed: 'overseas' });
    expect(await pit.json('profile show')).toMatchObject({ name: 'sandbox', active: true });
  });

  it('shows where each value comes from: the flag, the environment, the profile or the default', async () => {
    const environment = {
      PIT_BASE_URL: 'http://127.0.0.1:7',
      PIT_TRADE_URL: 'http://127.0.0.1:8',
      PIT_PROFILE: 'local',
    };
    const shown = (await pit.run('profile show', { environment })).stdout;
    expect(shown).toMatch(/^profile +local \(PIT_PROFILE\)\nmarket data +http:\/\/127\.0\.0\.1:7 \(PIT_BASE_URL\)\n/);
    expect(shown).toMatch(/\ntrading +http:\/\/127\.0\.0\.1:8 \(PIT_TRADE_URL\)\n/);
    expect(shown).toMatch(/\npriceBand +10% \(default\)\n/);
    await pit.done('profile set local priceBand 20%');
    const local = (await pit.run('profile show --profile local')).stdout;
    expect(local).toMatch(/^profile +local \(--profile\)\nmarket data +\S+ \(profile\)\n/);
    expect(local).toMatch(/\npriceBand +20% \(profile\)\n/);
    // the same fields as ever: they are the profile's own
    expect(await pit.json('profile show', { environment })).toMatchObject({
      ...hosts(),
      origins: expect.arrayContaining([{ name: 'tradeUrl', value: 'http://127.0.0.1:8', origin: 'environment' }]),
    });
  });

  it('prints one spelling of a setting and takes both', async () => {
    const error = await pit.failure('profile set local bas-url https://a.example', 2);
    expect(error.hint).toMatch(/^Known: baseUrl, tradeUrl, wsUrl, priceBand, .*caFile/);
    expect((await pit.failure('profile set local base-url nowhere', 2)).message).toBe('baseUrl is not a whole URL.');
  });

  it('rejects invalid names, hosts and settings and suggests the nearest', async () => {
    for (const words of [
      'add ../up --base-url https://a.example --trade-url https://b.example',
      'add half --base-url https://a.example',
    ])
      await pit.failure(`profile ${words}`, 2);
    await pit.failure('profile add plain --base-url http://a.example --trade-url https://b.example', 2);
    expect((await pit.failure('profile use locale', 2)).message).toContain('local');
    await pit.failure('profile set local zome +08:00', 2);
    await pit.failure('profile remove sandbox --yes', 2);
  });

  it('exits 4 for an unknown profile in --profile and 2 for one to be changed', async () => {
    for (const line of ['ticker --profile locla', 'account --profile locla', 'profile show --profile locla']) {
      const error = await pit.failure(line, 4);
      expect(error).toMatchObject({ kind: 'credentials', message: expect.stringMatching(/Did you mean local\?/) });
    }
    for (const words of ['show locla', 'use locla', 'remove locla --yes', 'set locla zone UTC'])
      expect((await pit.failure(`profile ${words}`, 2)).message).toMatch(/Did you mean local\?/);
  });
});

it('a dry run describes the change, in JSON and as text', async () => {
  const none = { dryRun: true, request: null, preview: null };
  for (const [line, ...change] of [
    ['profile set local zone +08:00', 'Would set zone of local to +08:00.'],
    [
      'profile set local trade-url https://x.example.com/api',
      'Would set tradeUrl of local to https://x.example.com.',
      'Keys stored for another trade host would be removed.',
    ],
    ['profile use local', 'Would make local the active profile.'],
    ['keys remove --profile local', 'Would remove the keys of local.'],
  ] as const) {
    const operation = line.split(' ').slice(0, 2).join(' ');
    expect(await pit.json(`${line} --dry-run`)).toEqual({ ...none, operation, change });
    expect(await pit.done(`${line} --dry-run`)).toBe(`${change.join('\n')}\nDry run: nothing was changed.\n`);
  }
  await pit.failure('profile set local zone nowhere --dry-run', 2);
  const secret = 'https://me:hidden@x.example.com';
  const error = await pit.failure(`profile add new --base-url ${secret} --trade-url ${secret} --dry-run`, 2);
  expect(JSON.stringify(error)).not.toContain('hidden');
});

describe('a profile with withdrawal limits', () => {
  const add = (name: string, setting: string) =>
    pit
      .done(`profile add ${name} --base-url ${OVERSEAS.baseUrl} --trade-url ${OVERSEAS.tradeUrl}`)
      .then(() => pit.done(`profile set ${name} ${setting}`));

  it.each(['withdrawLimit 0.5btc', 'withdrawDayLimit 1btc', 'withdrawAddresses 1Boat'])(
    'a script cannot remove a profile with withdrawal limits: %s',
    async (setting) => {
      const [key = ''] = setting.split(' ');
      const name = key.toLowerCase();
      await add(name, setting);
      const error = await pit.failure(`profile remove ${name} --yes`, 8);
      expect(error).toMatchObject({ kind: 'declined', message: expect.stringContaining(`limits of ${name}: ${key}`) });
      expect(await pit.json(`profile show ${name}`)).toMatchObject({ settings: { [key]: expect.any(String) } });
    },
  );

  it('removes the profile only after its name is typed', async () => {
    await add('limited', 'withdrawLimit 0.5btc');
    const answered = async (typed: string) => {
      const steps = [{ await: 'Type limited', type: `${typed}\r` }];
      return pit.terminal('profile remove limited', { steps, columns: 120 });
    };
    expect(await answered('y')).toMatchObject({
      status: 8,
      screen: expect.stringContaining('withdrawLimit is 0.5btc'),
    });
    expect(await answered('limited')).toMatchObject({ status: 0, screen: expect.stringContaining('Removed limited.') });
  });
});

describe('pit keys', () => {
  it('reads keys from stdin or a file, and shows only their last four characters', async () => {
    const file = path.join(pit.home, 'keys.txt');
    writeFileSync(file, keysText());
    const set = await pit.json('keys set --profile local --stdin', { input: keysText() });
    expect(set).toStrictEqual(shownKeys('local'));
    expect(await pit.json('keys remove --profile local --yes')).toMatchObject({ profile: 'local' });
    expect((await pit.failure('keys show --profile local', 4)).kind).toBe('credentials');
    expect(await pit.json(`keys set --profile local --file ${file}`)).toStrictEqual(shownKeys('local'));
    chmodSync(file, 0o644);
    expect((await pit.run(`keys set --profile local --file ${file}`)).stderr).toContain('other users can read it');
    chmodSync(file, 0o600);
    expect((await pit.run(`keys set --profile local --file ${file}`)).stderr).toBe('');
    expect(await pit.json('keys show --profile local')).toStrictEqual(shownKeys('local'));
    expect(await pit.json('account --profile local')).toMatchObject({ username: 'sandbox' });
  });

  it('reads keys and hosts as they are pasted: without the white space and the blank lines around them', async () => {
    const [access = '', secret = ''] = keysText().split('\n');
    const input = `\r\n  ${access}\t\r\n\r\n ${secret} \r\n\r\n`;
    expect(await pit.json('keys set --profile local --stdin', { input })).toStrictEqual(shownKeys('local'));
    const file = path.join(pit.home, 'pasted.txt');
    writeFileSync(file, input, { mode: 0o600 });
    expect(await pit.json(`keys set --profile local --file ${file}`)).toStrictEqual(shownKeys('local'));
    const urls = [OVERSEAS.baseUrl, OVERSEAS.tradeUrl, 'wss://api.example.com/websocket'];
    const pasted = urls.map((url) => `\t${url}\r\n`);
    const words = ['--base-url', '--trade-url', '--ws-url'].flatMap((flag, index) => [flag, pasted[index] ?? '']);
    await pit.world.run(['profile', 'add', 'pasted', ...words]);
    await pit.world.run(['profile', 'set', 'pasted', 'wsUrl', ` ${urls[2]}\n`]);
    const [baseUrl, tradeUrl, wsUrl] = urls;
    expect(await pit.json('profile show pasted')).toMatchObject({ baseUrl, tradeUrl, wsUrl });
  });

  it('refuses keys for the sandbox before it reads them', async () => {
    const input = new Readable({
      read() {
        throw new Error('The keys were asked for.');
      },
    });
    for (const words of ['--stdin', '', '--store keychain', '--file nowhere.txt']) {
      const error = await pit.failure(`keys set --profile sandbox ${words}`.trim(), 2, { host: { input } });
      expect(error.message).toBe('The profile "sandbox" takes no keys: it brings its own.');
    }
  });

  it('accepts keys after a byte order mark', async () => {
    const file = path.join(pit.home, 'marked.txt');
    writeFileSync(file, `\ufeff${keysText()}`);
    expect(await pit.json(`keys set --profile local --file ${file}`)).toStrictEqual(shownKeys('local'));
    const input = `\ufeff${keysText()}`;
    expect(await pit.json('keys set --profile local --stdin', { input })).toStrictEqual(shownKeys('local'));
  });

  it('rejects input that is too long', async () => {
    const input = 'x'.repeat(100_000);
    expect((await pit.failure('keys set --profile local --stdin', 2, { input })).message).toContain('stdin');
    const error = await pit.failure('keys set --profile local --file /dev/zero', 2);
    expect(error.message).toBe('/dev/zero is longer than 4 KiB.');
    expect((await pit.failure('keys set --profile local --file /', 2)).message).toContain('EISDIR');
  });

  it('removes the keys with a note when their profile gets another trade host', async () => {
    const url = (host: string) => `profile set moving trade-url ${host}`;
    await pit.run(`profile add moving --base-url ${OVERSEAS.baseUrl} --trade-url ${OVERSEAS.tradeUrl}`);
    await pit.done('keys set --profile moving --stdin', { input: keysText() });
    expect((await pit.run(url(`${OVERSEAS.tradeUrl}/api`))).stderr).toBe('');
    expect(await pit.json('keys show --profile moving')).toStrictEqual(shownKeys('moving'));
    expect((await pit.run(url('https://other.example.com'))).stderr).toContain('pit keys set --profile moving');
    await pit.failure('keys show --profile moving', 4);
  });

  it('the keys belong to the profile named by PIT_PROFILE', async () => {
    expect(await pit.json('keys show', { environment: { PIT_PROFILE: 'local' } })).toStrictEqual(shownKeys('local'));
  });

  it('rejects malformed keys and those for an unknown profile without quoting them', async () => {
    const input = 'first-half second-half\n';
    const error = await pit.failure('keys set --profile local --stdin', 2, { input });
    expect(JSON.stringify(error)).not.toMatch(/first-half|second-half/);
    await pit.failure('keys set --profile nobody --stdin', 4, { input: keysText() });
    await pit.failure('keys set --profile sandbox --stdin', 2, { input: keysText() });
    await pit.failure('keys set --profile local --file nowhere.txt', 2);
    await pit.failure('keys set --profile local', 8);
  });

  it('removes the keys only after confirmation', async () => {
    await pit.failure('keys remove --profile local', 8);
    expect(await pit.json('keys remove --profile local --dry-run --yes')).toMatchObject({ dryRun: true });
    expect(await pit.json('keys show --profile local')).toStrictEqual(shownKeys('local'));
  });
});

describe('a flag takes precedence over the environment, and that over the profile', () => {
  it('the flag chooses the profile before the environment, and the environment before the active profile', async () => {
    const environment = { PIT_PROFILE: 'nobody' };
    const error = await pit.failure('account', 4, { environment });
    expect(error).toMatchObject({ kind: 'credentials', message: expect.stringContaining('nobody') });
    expect(await pit.json('account --profile local', { environment })).toMatchObject({ username: 'sandbox' });
    expect(await pit.json('account', { environment: { PIT_PROFILE: 'local' } })).toMatchObject({
      username: 'sandbox',
    });
  });

  it('hosts and keys from the environment take precedence over those of the profile', async () => {
    const { environment } = pit.served;
    const error = await pit.failure('account --profile local', 4, {
      environment: { ...environment, PIT_SECRET_KEY: 'wrong-secret' },
    });
    expect(error.code).toBe(1003);
    expect(await pit.json('account', { environment })).toMatchObject({ username: 'sandbox' });
  });
});

describe("a profile's keys", () => {
  const other = useLiteralExchange({ '*': '{"code":1000}' });

  it('pit sends no keys of a profile to a host from the environment', async () => {
    const environment = { PIT_PROFILE: 'local', PIT_TRADE_URL: other.url };
    for (const line of ['account', 'balance', 'order buy btc_usdt 0.01 --at 20000 --yes', 'cancel btc_usdt 17'])
      expect(await pit.failure(line, 4, { environment })).toMatchObject({ kind: 'credentials' });
    expect(other.asked).toEqual([]);
  });

  it('pit sends no keys over http to another machine', async () => {
    const environment = { ...pit.served.environment, PIT_TRADE_URL: 'http://trade.example.com' };
    await pit.failure('account', 4, { environment });
  });
});
