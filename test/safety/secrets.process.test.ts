import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { pitLine } from '../support/command.js';
import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../support/fault-server.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { BOOK, marketList } from '../support/wire.js';
import { type Fault, NOT_FOUND, query, record } from '../trading/support/exchange.js';
import { leaksIn } from './leaks.js';
import { preloads } from './preloads.js';
import { type WatchedRun, watch } from './watched-run.js';

/** With every mark that a URL, a quote or a pattern may stumble over. */
const ACCESS = `Ak/9f7d+2c91='e8b3"5a60&%4f7d`;
const SECRET = 'Sk\\91ab`37cd{52ef}6804#d2b8';
const PASSWORD = `Fp 7e1c,'4b' "90" & 100% ]}5d2a=%41+é`;
const SECRETS = [ACCESS, SECRET, PASSWORD];

const EVERYTHING = { NODE_DEBUG: 'http,https,net,tls,stream,module,got,*', DEBUG: '*' };
const PRELOADS = preloads();
// a new one for each test: what a run leaves is searched whole
let home = '';
beforeEach(() => {
  home = temporaryHome();
});

function keysFor({ url }: FaultServer): Record<string, string> {
  return { PIT_BASE_URL: url, PIT_TRADE_URL: url, PIT_ACCESS_KEY: ACCESS, PIT_SECRET_KEY: SECRET };
}

/** Runs pit and expects no secret in anything that it leaves behind. */
async function expectNoLeak(words: readonly string[], run: Omit<WatchedRun, 'home'>): Promise<Record<string, string>> {
  const { left } = await watch(words, { home, ...run });
  expect(leaksIn(left, SECRETS)).toEqual([]);
  return left;
}

/** The market data that an order needs before it leaves. */
function marketData(target: string): string | undefined {
  return /\/(markets|depth)(\?|$)/.exec(target) === null ? undefined : target.includes('depth') ? BOOK : marketList();
}

/** An exchange that works. */
function serveWell(): Promise<FaultServer> {
  const answers: Record<string, string> = {
    markets: marketList(),
    depth: BOOK,
    getOrders: `[${record({ id: '7' })}]`,
    order: '{"code":"1000","message":"ok","id":"7"}',
    cancelOrder: '{"code":1000,"message":"ok"}',
    cancelAllOrdersAfter: '{"code":1000,"message":"ok"}',
    getAccountInfo:
      '{"result":{"coins":[],"base":{"username":"a","trade_password_enabled":true,"auth_google_enabled":false,"auth_mobile_enabled":true}},"leverPerm":true,"assetPerm":true,"entrustPerm":true,"moneyPerm":false}',
  };
  return serveFaults({
    answer: ({ target }) => {
      // cancelled, so that a cancellation need not wait for it
      if (target.includes('/getOrder?')) return respond(record({ id: query(target).id ?? '7', status: 1 }));
      const isSells = target.includes('/getOrders?') && query(target).side === 'sell';
      return respond(isSells ? NOT_FOUND : (answers[/\/(\w+)(\?|$)/.exec(target)?.[1] ?? ''] ?? '{}'));
    },
  });
}

/** A command for each kind of message of the HTTP library, the runtime and pit itself. */
const NOISY: readonly Fault[] = [
  'a reset after reading',
  'a body that breaks off',
  'an HTML page with 502',
  'a redirect to itself',
  'no HTTP at all',
  'JSON of another kind',
];

const COMMANDS = [
  ['account'],
  ['balance', '--json'],
  ['orders', 'btc_usdt', '--csv'],
  ['order', 'show', 'btc_usdt', '7'],
  ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--yes'],
  ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--dry-run'],
  ['cancel', 'btc_usdt', '7', '8'],
  ['cancel', 'btc_usdt', '--all', '--dry-run'],
  ['order', 'replace', 'btc_usdt', '7', '--at', '30100', '--dry-run'],
  ['cancel-after', 'btc_usdt', '--yes'],
  ['cancel-after', 'btc_usdt', '--hold', '--yes', '--verbose', '--', process.execPath, '-e', '1'],
];

describe('with every debug output, a command that succeeds leaks no secret', () => {
  it.each(COMMANDS.map((words) => [words.join(' '), words] as const))('pit %s', async (_, words) => {
    const server = await serveWell();
    const left = await expectNoLeak([...words, '--verbose'], { environment: { ...keysFor(server), ...EVERYTHING } });
    // the run did what a leak needs: it sent the key and traced the request
    if (words.includes('--dry-run')) return;
    expect(server.bytes).toContain('accesskey=Ak%2F9f7d');
    expect(left.stderr).toContain('accesskey=***');
  });
});

describe('failures with every debug output', () => {
  it.each<Fault>(NOISY)('%s leaks no secret', async (fault) => {
    const server = await serveFaults({
      answer: ({ target }) => {
        const data = marketData(target);
        return data === undefined ? FAULTS[fault] : respond(data);
      },
    });
    const environment = { ...keysFor(server), ...EVERYTHING };
    await expectNoLeak(['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--yes', '--verbose', '--timeout', '2'], {
      environment,
    });
  });

  it.each([
    (target: string) => `{"code":1003,"message":"bad request ${JSON.stringify(target).slice(1, -1)}"}`,
    (target: string) =>
      `{"code":1003,"message":"${new URL(target, 'http://x').searchParams.get('sign')} is not the signature"}`,
    (target: string) => `{"code":1000,"message":"","id":${JSON.stringify(target)}}`,
    () => `{"code":1000,"message":"","id":${JSON.stringify(`you are ${ACCESS}`)}}`,
    () =>
      JSON.stringify({
        code: '1003',
        message: { des: `${ACCESS} has no permission ${ACCESS.slice(0, 12)}…`, isSuc: false },
      }),
    (target: string) => `<html>${target}</html>`,
  ])('a response that echoes the request leaks no secret (%#)', async (echo) => {
    const server = await serveFaults({
      answer: ({ target }) => respond(marketData(target) ?? echo(target)),
    });
    const words = ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--yes', '--verbose', '--timeout', '2'];
    const left = await expectNoLeak(words, { environment: keysFor(server) });
    const signatures = server.requests.map(({ target }) => new URL(target, 'http://x').searchParams.get('sign') ?? '');
    expect(
      leaksIn(
        left,
        signatures.filter((sign) => sign !== ''),
      ),
    ).toEqual([]);
  });

  it.each(['throw', 'reject', 'emit'])(
    'an error outside the command is printed without secrets: %s',
    async (BESIDE) => {
      const server = await serveFaults({ answer: () => FAULTS['a hang'] });
      const NODE_OPTIONS = `--require ${PRELOADS.beside} --report-uncaught-exception --trace-uncaught`;
      const { code, left } = await watch(['account', '--verbose'], {
        home,
        environment: { ...keysFor(server), NODE_OPTIONS, BESIDE },
      });
      expect(leaksIn(left, SECRETS)).toEqual([]);
      expect(code).toBe(1);
      expect(left.stderr).toMatch(
        /bytes: \*\*\* \*\*\*[\s\S]*beside: \*\*\* \*\*\*[\s\S]*pit has a bug: \w+: \*\*\* \*\*\*/,
      );
    },
  );

  it.each([
    ['order', 'buy', 'btc_usdt', SECRET, '--at', '1', '--yes'],
    ['order', 'buy', ACCESS, '1', '--at', SECRET, '--yes', '--json'],
    ['cancel', 'btc_usdt', ACCESS],
    ['account', `--${SECRET}`],
    [SECRET],
    ['profile', 'add', ACCESS, '--base-url', 'x', '--trade-url', 'y'],
  ])('a secret typed as an argument by mistake is not repeated: pit %s %s …', async (...words) => {
    const { left } = await watch(words, {
      home,
      environment: { ...EVERYTHING, PIT_ACCESS_KEY: ACCESS, PIT_SECRET_KEY: SECRET },
    });
    // the list of processes shows what the user typed, whatever a program does
    expect(leaksIn({ ...left, processes: '' }, SECRETS)).toEqual([]);
  });
});

describe('stored keys', () => {
  const kept = temporaryHome();

  it('sets keys from stdin and a file and uses them without a leak', async () => {
    const server = await serveWell();
    const run = async (words: string[], input = '', environment: Record<string, string> = EVERYTHING) => {
      const { code, left } = await watch(words, { home: kept, input, environment });
      const { [path.join(kept, 'cwd', 'keys.txt')]: _, ...others } = left;
      expect(leaksIn(others, SECRETS)).toEqual([]);
      return code;
    };
    expect(await run(['profile', 'add', 'main', '--base-url', server.url, '--trade-url', server.url])).toBe(0);
    expect(await run(['keys', 'set', '--profile', 'main', '--stdin', '--verbose'], `${ACCESS}\n${SECRET}\n`)).toBe(0);
    expect(await run(['keys', 'show', '--profile', 'main', '--json'])).toBe(0);
    expect(await run(['account', '--profile', 'main', '--verbose'])).toBe(0);
    writeFileSync(path.join(kept, 'cwd', 'keys.txt'), `${ACCESS}\n${SECRET}`, { mode: 0o600 });
    expect(await run(['keys', 'set', '--profile', 'main', '--file', 'keys.txt'])).toBe(0);
    expect(await run(['cancel', 'btc_usdt', '7', '--profile', 'main', '--verbose'])).toBe(0);
    expect(await run(['keys', 'remove', '--profile', 'main', '--yes'])).toBe(0);
    expect(server.bytes).toContain('accesskey=Ak%2F9f7d');
  });

  it.each([
    `${ACCESS}`,
    `${ACCESS} ${SECRET}`,
    `${ACCESS}\n${SECRET}\nmore`,
    `${ACCESS}\n\u0000${SECRET}`,
    `"${ACCESS}\n\n${SECRET}"\n\nmore`,
  ])('malformed keys are not quoted (%#)', async (input) => {
    const { code, left } = await watch(['keys', 'set', '--profile', 'main', '--stdin', '--verbose'], {
      home: kept,
      input,
      environment: EVERYTHING,
    });
    expect(code).toBe(2);
    const { [path.join(kept, 'cwd', 'keys.txt')]: _, ...others } = left;
    expect(leaksIn(others, SECRETS)).toEqual([]);
  });
});

const ADDRESS = '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM';
const COIN = {
  ...{ key: 'btc', enName: 'BTC', cnName: 'BTC', showName: 'BTC', unitTag: 'BTC', unitDecimal: 8, fundstype: 1 },
  ...{ available: '5', freez: '0', isCanRecharge: true, isCanWithdraw: true, canLoan: false },
};
const BASE = { username: 'a', trade_password_enabled: true, auth_google_enabled: false, auth_mobile_enabled: true };
const PERMISSIONS = { leverPerm: true, assetPerm: true, entrustPerm: true, moneyPerm: true };
const LIST = { list: [], pageIndex: 1, pageSize: 50, totalCount: 0, totalPage: 0 };
const CHAINS = [{ chainName: 'BTC', mainChainName: 'BTC', fee: 0.0005, canDeposit: true, canWithdraw: true }];
const FUNDS: Readonly<Record<string, object>> = {
  getAccountInfo: { result: { coins: [COIN], base: BASE }, ...PERMISSIONS },
  getFeeInfo: { code: 1000, message: 'ok', result: { BTC: CHAINS } },
  getPayinAddress: { code: 1000, message: { des: '', isSuc: true, datas: [] } },
  getWithdrawAddress: { code: 1000, message: { des: '', isSuc: true, datas: { key: ADDRESS } } },
  getWithdrawRecord: { code: 1000, message: { des: '', isSuc: true, datas: LIST } },
};

/** Ends a command that would ask for a long time what became of its withdrawal. */
const LOCKED = respond('{"code":"4001","message":"locked"}');

/** An exchange at which everything goes well but the withdrawal itself, and which may lock the machine out after it. */
function serveFunds(withdraw: (target: string) => Answer, locks = false): Promise<FaultServer> {
  let isLocked = false;
  return serveFaults({
    answer: ({ target }) => {
      if (isLocked) return LOCKED;
      isLocked = locks && target.startsWith('/api/withdraw?');
      const body = FUNDS[/\/(\w+)(\?|$)/.exec(target)?.[1] ?? ''];
      return body === undefined ? withdraw(target) : respond(JSON.stringify(body));
    },
  });
}

describe('the fund password of pit withdraw', () => {
  const WORDS = ['withdraw', 'btc', '0.01', '--to', ADDRESS, '--verbose'];
  // enough to get to the withdrawal on a busy machine, as tracing slows the requests
  const SCRIPT = [...WORDS, '--confirm-address', ADDRESS, '--safe-pwd-stdin', '--timeout', '20'];
  const done = () => respond('{"code":1000,"message":"ok","id":"7"}');

  function sentBy(server: FaultServer): (string | null)[] {
    const sent = server.requests.filter(({ target }) => target.startsWith('/api/withdraw?'));
    return sent.map(({ target }) => new URL(target, 'http://x').searchParams.get('safePwd'));
  }

  it.each<[string, (target: string) => Answer, number]>([
    ['that is done', done, 0],
    ['that is lost', () => FAULTS['a reset after reading'], 6],
    ['that never ends', () => FAULTS['a hang'], 6],
    ['that is answered by a page', () => FAULTS['an HTML page with 502'], 6],
    ['that breaks off', () => FAULTS['a body that breaks off'], 6],
    ['that is redirected', () => FAULTS['a redirect to itself'], 6],
    ['that is answered with no HTTP', () => FAULTS['no HTTP at all'], 6],
    ['that is answered with other JSON', () => FAULTS['JSON of another kind'], 6],
    [
      'that is refused with its own request',
      (target) => respond(`{"code":1005,"message":${JSON.stringify(target)}}`),
      3,
    ],
    ['that is refused with the password', () => respond(JSON.stringify({ code: 1005, message: `not ${PASSWORD}` })), 3],
  ])('no output, file or process list has the password of a withdrawal %s', async (_, withdraw, exitCode) => {
    const server = await serveFunds(withdraw, exitCode === 6);
    const environment = { ...keysFor(server), ...EVERYTHING };
    const { code, left } = await watch(SCRIPT, { home, environment, input: `${PASSWORD}\n` });
    expect(leaksIn(left, SECRETS)).toEqual([]);
    expect([code, sentBy(server)]).toEqual([exitCode, [PASSWORD]]);
    expect(left.stderr).toContain('safePwd=***');
  });

  it('a later command writes nothing of the password', async () => {
    const server = await serveFunds(() => FAULTS['a reset after reading'], true);
    await watch(SCRIPT, { home, environment: keysFor(server), input: PASSWORD });
    await expectNoLeak(['resolve', '--json', '--verbose', '--timeout', '2'], {
      environment: { ...keysFor(server), ...EVERYTHING },
    });
  });

  it.skipIf(!requires('python3'))('the screen never shows the typed password (needs python3)', async () => {
    const server = await serveFunds(done);
    const typed = PASSWORD.replace('é', 'e');
    const { screen, status } = await onTerminal({
      command: pitLine(...WORDS),
      environment: plainEnvironment(home, { ...keysFor(server), NO_COLOR: '1', NODE_DEBUG: 'http,net,stream' }),
      steps: [
        { await: 'to send it:', type: `${ADDRESS.slice(-6)}\r` },
        { await: 'password:', type: `${typed}\r` },
      ],
    });
    expect([status, sentBy(server)]).toEqual([0, [typed]]);
    expect(leaksIn({ screen }, [typed, ACCESS, SECRET])).toEqual([]);
  });

  it('pit reads no fund password from an argument or the environment', async () => {
    const server = await serveFunds(done);
    const environment = { ...keysFor(server), PIT_SAFE_PWD: PASSWORD, safePwd: PASSWORD };
    const { code } = await watch([...WORDS, '--confirm-address', ADDRESS], { home, environment });
    expect([code, server.requests]).toEqual([8, []]);
  });
});

describe('the search for secrets', () => {
  it('finds the access key and the signature in NODE_DEBUG=net output that is not redacted', async () => {
    const server = await serveWell();
    // Node 20 shows them under http as well, Node 26 under net only
    const environment = { ...keysFor(server), NODE_DEBUG: 'net', NODE_OPTIONS: `--require ${PRELOADS.unredacted}` };
    const { left } = await watch(['account'], { home, environment });
    expect(leaksIn({ stderr: left.stderr ?? '' }, SECRETS)).toHaveLength(1);
    expect(left.stderr).toMatch(/sign=[0-9a-f]{32}/);
  });

  it('finds a secret in every encoding, and a piece of one', () => {
    const forms = [
      ...[ACCESS, encodeURIComponent(ACCESS), ACCESS.slice(0, 8), ACCESS.slice(-8), JSON.stringify(ACCESS)],
      ...[0, 1, 2].map((before) => Buffer.from(`${'x'.repeat(before)}${ACCESS}`).toString('base64')),
      `<Buffer ${(Buffer.from(ACCESS).toString('hex').match(/../g) ?? []).slice(0, 9).join(' ')} ... >`,
      'sign=0123456789abcdef0123456789abcdef',
      "'sign' => '0123456789abcdef0123456789abcdef'",
    ];
    expect(forms.filter((text) => leaksIn({ text }, [ACCESS]).length === 0)).toEqual([]);
    expect(leaksIn({ text: 'sign=*** accesskey=*** the fund password' }, SECRETS)).toEqual([]);
  });
});
