import fs, {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { limitsResult, skewOf } from '../../../src/commands/doctor/exchange-checks.js';
import { nodeResult } from '../../../src/commands/doctor/machine-checks.js';
import { temporaryHome } from '../../support/pit.js';
import { ACCOUNT_INFO } from '../../support/wire.js';
import { lostAnswer } from '../../support/world/hosts.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { literalExchange, useLiteralExchange } from '../literal-exchange.js';
import { PitHome, useWorldPerTest } from '../pit-home.js';
import { found, line } from './findings.js';

const exchange = useLiteralExchange({ '/data/v1/markets': '{}', '/api/getAccountInfo': ACCOUNT_INFO });

describe('pit doctor in a world', () => {
  const pit = useWorldPerTest({ markets: STILL_MARKETS });
  /** Where nothing listens, and which no world has. */
  const NOWHERE = 'http://127.0.0.1:65535';

  it('reports ok for every check and changes nothing in a healthy home', async () => {
    await pit.done('ticker btc_usdt');
    // every command writes the shared limits and the names for shell completion
    const own = /limits|symbols/;
    const kept = () => readdirSync(pit.home, { recursive: true }).filter((file) => !own.test(String(file)));
    const before = kept();
    const findings = await found(pit);
    expect([...findings.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(line(findings, 'key')).toMatch(/the key of "sandbox" is accepted; the account is sandbox/);
    expect(line(findings, 'permissions')).toMatch(/granted: .*place, cancel and query orders/);
    expect(line(findings, 'stream')).toMatch(
      /^ok: connected; the first ticker came after \d+ ms, and a heartbeat was answered in \d+ ms/,
    );
    expect(kept()).toEqual(before);
    const text = await pit.done('doctor');
    expect(text).toMatch(/^pit {12}ok {4}version/);
    expect((await pit.csv('doctor')).header).toBe('check,status,detail,fix');
  });

  it('reports a stream that sends no ticker, although HTTP shows one, and whether it answers heartbeats', async () => {
    await pit.done('sandbox fault add stream-stale --operation ticker');
    expect(line(await found(pit), 'stream')).toMatch(
      /^warn: connected, and a heartbeat was answered in \d+ ms, but no ticker of \w+ was pushed in 10000 ms; the market may be quiet -> ./,
    );
    await pit.done('sandbox fault add stream-stale');
    expect(line(await found(pit, '', {}, 9), 'stream')).toMatch(
      /^fail: no ticker of \w+ was pushed, and no heartbeat was answered, in 10000 ms -> ./,
    );
  });

  it('reports hosts that hang or refuse within the timeout, without printing the key', async () => {
    const { extra } = literalExchange(() => new Promise(() => undefined));
    const environment = { ...extra.environment, PIT_BASE_URL: NOWHERE };
    const findings = await found(pit, ' --timeout 2', { environment }, 9);
    expect(line(findings, 'market-host')).toMatch(/^fail: .*connection refused/);
    expect(line(findings, 'trade-host')).toMatch(/^fail: .*no answer/);
    expect(line(findings, 'clock')).toMatch(/^(warn|fail)/);
    expect(JSON.stringify([...findings])).not.toContain('literal-');
  });
});

describe('pit doctor', () => {
  it.each([
    ['ENOSPC', 'has no room'],
    ['EROFS', 'is on a read-only disk'],
    ['EIO', 'cannot be written'],
  ])('writes to each folder, and reports one that takes nothing: %s', async (code, words) => {
    const other = new PitHome(temporaryHome());
    const folder = path.join(other.home, 'state', 'journal');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of ['config', 'state']) mkdirSync(path.join(other.home, name), { recursive: true, mode: 0o700 });
    chmodSync(path.join(other.home, 'state'), 0o700);
    const write = fs.writeFileSync;
    const failing = vi.spyOn(fs, 'writeFileSync').mockImplementation((target, ...more) => {
      if (String(target).startsWith(`${folder}/.`)) throw Object.assign(new Error('the disk'), { code });
      return write(target, ...more);
    });
    onTestFinished(() => failing.mockRestore());
    const findings = await found(other, '', exchange.extra, 9);
    expect(line(findings, 'files')).toMatch(new RegExp(`^fail: ${folder} ${words} \\(${code}\\) -> .`));
    failing.mockRestore();
    expect(line(await found(other, '', exchange.extra), 'files')).toMatch(/^ok/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reports a home below a folder that others can write to, although all files in it are private', async () => {
    const above = temporaryHome();
    const other = new PitHome(path.join(above, 'home'));
    for (const name of ['config', 'state']) mkdirSync(path.join(other.home, name), { recursive: true, mode: 0o700 });
    chmodSync(above, 0o777);
    expect(line(await found(other, '', exchange.extra, 9), 'files')).toBe(
      `fail: ${above} is open to other users (mode 777) -> Run: chmod go-w ${above}`,
    );
  });

  it.skipIf(process.geteuid?.() !== 0)(
    'reports a home of another user, which others can write to as well',
    async () => {
      const other = new PitHome(temporaryHome());
      for (const name of ['config', 'state']) mkdirSync(path.join(other.home, name), { recursive: true, mode: 0o700 });
      chmodSync(other.home, 0o777);
      chownSync(other.home, 47_111, 47_111);
      expect(line(await found(other, '', exchange.extra, 9), 'files')).toMatch(
        new RegExp(`^fail: ${other.home} belongs to another user -> Run pit as its owner, or set PIT_HOME to a folder`),
      );
    },
  );

  it('reports a folder that is a link, which other commands refuse', async () => {
    const other = new PitHome(temporaryHome());
    const elsewhere = temporaryHome();
    mkdirSync(path.join(other.home, 'state'), { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, path.join(other.home, 'state', 'journal'));
    expect(line(await found(other, '', exchange.extra, 9), 'files')).toMatch(
      /^fail: .*state\/journal is a link, and pit follows none inside its folders -> Put the folder itself in its place/,
    );
  });

  it('reports open files, a damaged profile and unchecked certificates with fixes, and runs the other checks', async () => {
    const other = new PitHome(temporaryHome());
    const folder = path.join(other.home, 'config', 'profiles');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(path.join(other.home, 'config'), 0o755);
    writeFileSync(path.join(folder, 'mine.json'), '{', { mode: 0o600 });
    const environment = { ...exchange.extra.environment, NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const first = await found(other, '', { environment }, 9);
    expect(line(first, 'files')).toMatch(
      /^fail: .*config is open to other users \(mode 755\) -> chmod go-rwx .*config$/,
    );
    expect(line(first, 'network')).toMatch(/^fail: NODE_TLS_REJECT_UNAUTHORIZED=0.* -> Unset it/);
    expect(line(first, 'market-host')).toMatch(/^ok/);
    chmodSync(path.join(other.home, 'config'), 0o700);
    const second = await found(other, '', exchange.extra, 9);
    expect(line(second, 'files')).toMatch(/^ok/);
    expect(line(second, 'configuration')).toMatch(/^fail: .*mine\.json is damaged: it is not JSON/);
    expect(statSync(path.join(folder, 'mine.json')).size).toBe(1);
  });

  it('reports a damaged key once and skips the checks that need it', async () => {
    const other = new PitHome(temporaryHome());
    await other.done('profile add mine --base-url https://a.example.com --trade-url https://a.example.com');
    mkdirSync(path.join(other.home, 'config', 'keys'), { mode: 0o700 });
    writeFileSync(path.join(other.home, 'config', 'keys', 'mine.json'), '{', { mode: 0o600 });
    const findings = await found(other, ' --profile mine', {}, 9);
    expect(line(findings, 'key')).toMatch(/^fail: .*mine\.json is damaged/);
    for (const check of ['network', 'market-host', 'trade-tls', 'tolerance', 'journal', 'records', 'limits'])
      expect(line(findings, check)).toMatch(/^warn: skipped: /);
  });

  it('skips the stream where there is no address for it, and says how to set one', async () => {
    const fromEnvironment = await found(new PitHome(temporaryHome()), '', exchange.extra);
    expect(line(fromEnvironment, 'stream')).toMatch(/^warn: skipped: The hosts come from the environment.*profile add/);
    const other = new PitHome(temporaryHome());
    await other.done('profile add mine --base-url https://a.example.com --trade-url https://a.example.com');
    expect(line(await found(other, ' --profile mine', {}, 9), 'stream')).toBe(
      'warn: skipped: The profile "mine" has no WebSocket address -> Set it: pit profile set mine wsUrl wss://HOST/websocket',
    );
  });

  it('describes permissions and the commands that need missing ones', async () => {
    const findings = await found(new PitHome(temporaryHome()), '', exchange.extra);
    expect(line(findings, 'permissions')).toMatch(
      /^warn: granted: query account info and assets\. Not granted: .*-> .*need it: order, orders/,
    );
  });

  it.each([
    [
      'accepts requests as long as the setting says',
      60_000,
      /^ok: .* as long as the setting reqTimeTolerance says 60 s/,
    ],
    [
      'rejects requests earlier',
      30_000,
      /^warn: the exchange rejects requests that are 55 s old; the setting reqTimeTolerance says 60 s -> Ask the exchange .*Set that: pit profile set sandbox reqTimeTolerance SECONDS$/,
    ],
    [
      'accepts requests for longer',
      120_000,
      /^warn: the exchange still accepts requests that are 65 s old; the setting reqTimeTolerance says 60 s -> /,
    ],
  ])('asks for the setting reqTimeTolerance unless it fits: an exchange that %s', async (_, tolerance, expected) => {
    const { extra } = literalExchange((_path, parameters) => {
      const reqTime = parameters.get('reqTime');
      const isOld = reqTime !== null && Date.now() - Number(reqTime) > tolerance;
      return isOld ? '{"code":3007,"message":"reqTime"}' : ACCOUNT_INFO;
    });
    const findings = await found(new PitHome(temporaryHome()), '', extra);
    expect(line(findings, 'tolerance')).toMatch(expected);
  });

  it('skips the checks that need a key when there is none', async () => {
    const { PIT_BASE_URL = '', PIT_TRADE_URL = '' } = exchange.extra.environment ?? {};
    const findings = await found(new PitHome(temporaryHome()), '', { environment: { PIT_BASE_URL, PIT_TRADE_URL } }, 9);
    expect(line(findings, 'key')).toMatch(/^fail: .*keys are not sent there/);
    for (const check of ['permissions', 'tolerance', 'journal', 'records', 'limits'])
      expect(line(findings, check)).toMatch(/^warn: skipped: /);
    expect(line(findings, 'trade-host')).toMatch(/^ok/);
  });

  it('reports writes with an unknown outcome and damaged records of the journal', async () => {
    const other = new PitHome(temporaryHome());
    const { extra } = literalExchange((asked) => (asked === '/api/setExpressState' ? lostAnswer() : ACCOUNT_INFO));
    await other.run('api setExpressState --yes', extra);
    const journal = path.join(other.home, 'state', 'journal');
    const [account = ''] = readdirSync(journal);
    writeFileSync(path.join(journal, account, 'unsettled', 'damaged1'), 'nonsense', { mode: 0o600 });
    const findings = await found(other, '', extra);
    expect(line(findings, 'journal')).toMatch(/^warn: the outcome of pit\w+ is unknown -> Find out: pit resolve$/);
    expect(line(findings, 'records')).toMatch(
      /^warn: the outcome of damaged1 is unknown: damaged \/.*\/unsettled\/damaged1 -> .*pit resolve$/,
    );
    // the key may have changed since
    const later = { environment: { ...extra.environment, PIT_ACCESS_KEY: 'another-access-key' } };
    expect(line(await found(other, '', later), 'journal')).toBe(
      'warn: every outcome is known; 2 writes have an unknown outcome under another key -> Restore the key used then and run: pit resolve',
    );
    mkdirSync(path.join(journal, account, 'unsettled', 'unread1'), { mode: 0o700 });
    expect(line(await found(other, '', extra), 'records')).toMatch(
      /^warn: .*unread1 cannot be read .* -> .*pit resolve$/,
    );
    const resolved = await other.run('resolve unread1', extra);
    expect([resolved.code, resolved.stderr]).toEqual([
      2,
      expect.stringMatching(/unread1 cannot be read \(not a regular file\)/),
    ]);
    expect((await other.run('resolve', extra)).stderr).toMatch(
      /unread1 cannot be read .*The outcomes of 3 writes are still unknown\./s,
    );
    expect(existsSync(path.join(journal, account, 'unsettled', 'unread1'))).toBe(true);
  });

  it('vouches only for outcomes that it can read', async () => {
    const other = new PitHome(temporaryHome());
    const { extra } = literalExchange(() => ACCOUNT_INFO);
    await other.run('api setExpressState --yes', extra);
    const journal = path.join(other.home, 'state', 'journal');
    const [account = ''] = readdirSync(journal);
    const open = path.join(journal, account, 'unsettled');
    for (const id of readdirSync(open)) await other.done(`resolve ${id} --as done --yes`, extra);
    expect(line(await found(other, '', extra), 'journal')).toMatch(/^ok: every outcome is known/);
    writeFileSync(path.join(open, 'damaged1'), 'nonsense', { mode: 0o600 });
    expect(line(await found(other, '', extra), 'journal')).toMatch(/^ok: every readable outcome is known/);
  });
});

it.each<[string, Parameters<typeof limitsResult>[0], RegExp]>([
  ['shared in this PIT_HOME', limiterState({}), /^ok: shared by the processes of this PIT_HOME: key 3 of 60 in use$/],
  ['shared through Redis', limiterState({ kind: 'redis' }), /^ok: shared through Redis/],
  [
    'Redis unreachable',
    limiterState({ kind: 'redis', redisProblem: 'ECONNREFUSED' }),
    /^warn: Redis is unreachable \(ECONNREFUSED\).* 25% of each/,
  ],
  [
    'locked',
    limiterState({ lockedUntil: 1_800_000_000_000 }),
    /^fail: the exchange has locked this machine's address until 2027-01-15/,
  ],
])('reports the state of the limits: %s', (_, state, words) => {
  const { status, detail } = limitsResult(state);
  expect(`${status}: ${detail}`).toMatch(words);
});

function limiterState(part: Partial<Parameters<typeof limitsResult>[0]>): Parameters<typeof limitsResult>[0] {
  const limits = [{ name: 'key', count: 60, taken: 3 }] as const;
  return { kind: 'files', folder: '/nowhere', limits, lockedUntil: null, redisProblem: null, share: 0.25, ...part };
}

it.each([
  ['20.19.0', 'ok'],
  ['20.18.9', 'warn'],
  ['21.9.0', 'warn'],
  ['22.12.0', 'warn'],
  ['22.13.1', 'ok'],
  ['23.5.0', 'warn'],
  ['24.0.0', 'ok'],
  ['26.1.0', 'ok'],
])('rates Node %s as %s', (version, status) => {
  expect(nodeResult(version).status).toBe(status);
});

it.each([
  [10_000, 10_100, 10_300, 0],
  [10_000, 10_999, 11_200, 0],
  [15_000, 10_100, 10_300, 4_700],
  [10_000, 15_100, 15_300, -4_100],
])(
  'a Date of %d between sending at %d and receiving at %d means a clock ahead by %d ms',
  (date, sent, received, skew) => {
    expect(skewOf(date, sent, received)).toBe(skew);
  },
);
