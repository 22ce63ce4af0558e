import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { environmentAt } from '../commands/literal-exchange.js';
import { place } from '../commands/order/order-rows.js';
import { lastError, usePitHome } from '../commands/pit-home.js';
import { PIT, pitLine } from '../support/command.js';
import { warnings } from '../support/json-lines.js';
import { plainEnvironment } from '../support/pit.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { serve } from '../trading/support/exchange.js';

const pit = usePitHome();
let order = '';
beforeAll(async () => {
  order = (await place(pit, 'buy btc_usdt 0.01 --at bid-20%')).id;
});

/** Runs the built program with one of its outputs on a full disk, and returns its exit code and the other output. */
function runOnFullDisk(line: string, full: 'stdout' | 'stderr'): Promise<{ code: number; text: string }> {
  const file = openSync('/dev/full', 'w');
  const stdio = full === 'stdout' ? (['ignore', file, 'pipe'] as const) : (['ignore', 'pipe', file] as const);
  const child = spawn(PIT.command, [...PIT.arguments, ...line.split(' ')], {
    env: plainEnvironment(pit.home),
    stdio: [...stdio],
  });
  let text = '';
  (child.stdout ?? child.stderr)?.on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve) =>
    child.on('close', (code) => {
      closeSync(file);
      resolve({ code: code ?? -1, text });
    }),
  );
}

describe.skipIf(!existsSync('/dev/full'))('a full disk behind an output (needs /dev/full)', () => {
  it.each([
    'markets',
    'markets --json',
    'markets --csv',
    'bills --all --json',
    'bills --all --csv',
    '--help',
    '--version',
    '--version --json',
    'schema',
  ])('pit %s exits with 1 and names the reason', async (line) => {
    const { code, text } = await runOnFullDisk(line, 'stdout');
    expect(code).toBe(1);
    expect(text).toMatch(/^pit: Cannot write to stdout: .*ENOSPC|"message":"Cannot write to stdout: .*ENOSPC/);
  });

  it('an order that cannot be printed to stdout is printed to stderr', async () => {
    const { code, text } = await runOnFullDisk('order buy eth_usdt 0.1 --at bid-20% --yes --json', 'stdout');
    const lost = warnings(text).find(({ message }) => message.startsWith('This could not be printed: '));
    const printed = lost?.message.slice('This could not be printed: '.length) ?? '';
    const { id } = JSON.parse(printed) as { readonly id: string };
    expect(text).toContain('The command finished; its result is in the warning above.');
    expect([code, await pit.json(`order show eth_usdt ${id}`)]).toEqual([1, expect.objectContaining({ id })]);
  });

  it('losing stderr alone is no error', async () => {
    const { code, text } = await runOnFullDisk('markets --verbose', 'stderr');
    expect({ code, hasAnswer: text.includes('btc_usdt') }).toEqual({ code: 0, hasAnswer: true });
  });
});

describe('a signal while an order is waiting for its answer', () => {
  it.each([
    ['SIGINT', 130, 'signal130'],
    ['SIGTERM', 143, 'signal143'],
  ] as const)('%s ends pit with exit code %i, and pit resolve still knows the order', async (signal, code, id) => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    // accepts the order and never answers
    const server = await serve({ write: () => arrive() });
    const env = plainEnvironment(pit.home, environmentAt(server.url));
    const words = [
      'order',
      'buy',
      'btc_usdt',
      '0.01',
      '--at',
      '20000',
      '--override',
      'price-band',
      '--yes',
      '--id',
      id,
    ];
    const child = spawn(PIT.command, [...PIT.arguments, ...words], { env });
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    await arrived;
    child.kill(signal);
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
    expect(errors).toContain(`pit resolve ${id}`);
    const resolved = await pit.run(`resolve ${id} --timeout 1 --json`, { environment: environmentAt(server.url) });
    expect(JSON.parse(resolved.stdout)).toMatchObject([{ operation: 'order', clientId: id, outcome: 'unknown' }]);
    expect({ code: resolved.code, kind: lastError(resolved.stderr).kind }).toEqual({ code: 6, kind: 'unknown' });
  });
});

describe.skipIf(!requires('python3'))('depth on a terminal (needs python3)', () => {
  it.each([
    ['prints no escape sequence with TERM=dumb', { TERM: 'dumb' }, /\u001b/],
    ['prints no colour with NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, /\u001b\[[\d;]*m/],
  ])('%s', async (_name, added, unwanted) => {
    const command = pitLine('depth', 'btc_usdt');
    const { screen, status } = await onTerminal({ command, environment: plainEnvironment(pit.home, added) });
    expect(status).toBe(0);
    expect(screen).toContain('btc_usdt');
    expect(screen).not.toMatch(unwanted);
  });
});

describe('the language and the time zone of the user', () => {
  const GERMAN = { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de', LC_NUMERIC: 'de_DE.UTF-8' };
  const TURKISH = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Dubai' };

  it.each([
    ['German', GERMAN],
    ['Turkish, in Dubai', TURKISH],
    ['unknown ones', { LC_ALL: 'xx_XX', TZ: 'Nowhere/Bad' }],
  ])('the language and the time zone change no byte of JSON and CSV: %s', async (_name, environment) => {
    for (const line of [`order show btc_usdt ${order} --json`, 'markets --json', 'markets --csv', 'bills --csv'])
      expect(await pit.done(line, { environment, ownProcess: true })).toBe(await pit.done(line));
  });

  it('tables show local time and name the zone; JSON has UTC', async () => {
    const { time } = await pit.json<{ time: string }>(`order show btc_usdt ${order}`);
    expect(time).toMatch(/Z$/);
    const local = new Date(Date.parse(time) + 4 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    const table = await pit.done('orders btc_usdt', { environment: TURKISH, ownProcess: true });
    expect(table).toContain('time (Asia/Dubai)');
    expect(table).toContain(local);
  });
});

describe('an unknown coin', () => {
  it.each([
    ['balance bct', 'btc'],
    ['fees usdc', 'usdt'],
    ['deposits bct', 'btc'],
    ['balance --in usdz', 'usdt'],
  ])('pit %s suggests the nearest coin', async (line, nearest) => {
    expect((await pit.failure(line, 2)).hint).toContain(nearest);
  });

  it.each(['markets --quote usd', 'ticker --quote usd', 'markets --quote usdt --base bct'])(
    'pit %s lists nothing and suggests the nearest coin',
    async (line) => {
      const { code, stdout, stderr } = await pit.run(`${line} --json`);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
      expect(stderr).toMatch(/No market has .* Did you mean (usdt|.*btc)/);
    },
  );
});

describe('--fields', () => {
  it('selects and orders the fields of CSV and tables', async () => {
    expect((await pit.csv('orders btc_usdt --fields state,id')).rows).toEqual([`open,${order}`]);
    expect(await pit.done('orders btc_usdt --fields state,id')).toBe(`state  id\nopen   ${order}\n`);
    expect((await pit.csv('bills usdt --fields coin,change')).rows[0]).toBe('usdt,250000');
    expect((await pit.csv('depth btc_usdt --size 1 --fields side')).rows).toEqual(['ask', 'bid']);
    expect((await pit.csv('account --fields coins.coin,permissions')).header).toBe(
      'coins.coin,permissions.asset,permissions.lever,permissions.entrust,permissions.money',
    );
    expect(await pit.done(`order show btc_usdt ${order} --fields id,filled`)).toBe(
      `id      ${order}\nfilled  0.000000\n`,
    );
    expect(await pit.csv('orders btc_usdt --state cancelled --fields id')).toEqual({ header: 'id', rows: [] });
  });

  it.each([
    [
      'orders btc_usdt --csv --fields id,pirce',
      /There is no field "pirce"\. Did you mean price/,
      /Fields: id, clientId/,
    ],
    ['orders btc_usdt --fields average', /There is no field "average"\. Did you mean averagePrice\?/, /id, clientId/],
    ['markets --fields nothing', /There is no field "nothing"/, /market, base/],
    ['markets --fields a,,b', /--fields must be a list of names, not "a,,b"/, /id,price/],
    ['markets --fields market --dry-run', /exclude each other/, /one of them/],
  ])('pit %s is a usage error, and no request is sent', async (line, message, hint) => {
    const { code, stdout, stderr } = await pit.run(line, { environment: environmentAt('http://127.0.0.1:1') });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
  });

  it('cannot be combined with --json, which has every field', async () => {
    const { message, hint } = await pit.failure('markets --fields market', 2);
    expect([message, hint]).toEqual(['--fields and --json exclude each other.', 'Give one of them.']);
  });
});
