import { spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { lastError, useDesk } from '../commands/desk.js';
import { environmentAt } from '../commands/literal-exchange.js';
import { place } from '../commands/orders-desk.js';
import { plainEnvironment } from '../support/pit.js';
import { PIT } from '../support/program.js';
import { onTerminal } from '../support/pty.js';
import { requires } from '../support/tools.js';
import { serve } from '../trading/support/exchange.js';

const desk = useDesk();
let order = '';
beforeAll(async () => {
  order = (await place(desk, 'buy btc_usdt 0.01 --at bid-20%')).id;
});

function ranFull(line: string) {
  const stdout = openSync('/dev/full', 'w');
  const env = plainEnvironment(desk.home);
  return spawnSync(process.execPath, [PIT, ...line.split(' ')], { env, stdio: ['ignore', stdout, 'pipe'] });
}

describe.skipIf(!existsSync('/dev/full'))('an output that is full (needs /dev/full)', () => {
  it.each([
    'markets',
    'markets --json',
    'markets --csv',
    'bills --all --json',
    'bills --all --csv',
    '--help',
    'schema',
  ])('is an error of pit %s', (line) => {
    const ran = ranFull(line);
    expect(ran.status).toBe(1);
    expect(String(ran.stderr)).toContain('could not be written to stdout: ENOSPC');
  });

  it('does not hide what a write did', async () => {
    const ran = ranFull('order buy eth_usdt 0.1 --at bid-20% --yes --json');
    const [, said = ''] = /could not be printed: (\{.*\})/.exec(String(ran.stderr)) ?? [];
    const { id } = JSON.parse(said) as { readonly id: string };
    expect([ran.status, await desk.json(`order show eth_usdt ${id}`)]).toEqual([1, expect.objectContaining({ id })]);
  });

  it('is none where only the remarks are lost', () => {
    const stderr = openSync('/dev/full', 'w');
    const env = plainEnvironment(desk.home);
    const ran = spawnSync(process.execPath, [PIT, 'markets', '--verbose'], { env, stdio: ['ignore', 'pipe', stderr] });
    expect({ status: ran.status, out: String(ran.stdout).includes('btc_usdt') }).toEqual({ status: 0, out: true });
  });
});

describe('a signal while an order is under way', () => {
  it.each([
    ['SIGINT', 130, 'signal130'],
    ['SIGTERM', 143, 'signal143'],
  ] as const)('%s ends it with %i, and the journal keeps what it was about', async (signal, code, id) => {
    let left = () => {};
    const arrived = new Promise<void>((resolve) => {
      left = resolve;
    });
    // takes the order, and says nothing
    const server = await serve({ write: () => left() });
    const env = plainEnvironment(desk.home, environmentAt(server.url));
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
    const child = spawn(process.execPath, [PIT, ...words], { env });
    let told = '';
    child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    await arrived;
    child.kill(signal);
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(code);
    expect(told).toContain(`pit resolve ${id}`);
    const resolved = await desk.run(`resolve ${id} --timeout 1 --json`, { environment: environmentAt(server.url) });
    expect(JSON.parse(resolved.stdout)).toMatchObject([{ operation: 'order', clientId: id, outcome: 'unknown' }]);
    expect({ code: resolved.code, kind: lastError(resolved.stderr).kind }).toEqual({ code: 6, kind: 'unknown' });
  });
});

describe.skipIf(!requires('python3'))('a terminal (needs python3)', () => {
  it.each([
    ['TERM=dumb has no escape sequence', { TERM: 'dumb' }, /\u001b/],
    ['NO_COLOR has no colour', { TERM: 'xterm', NO_COLOR: '1' }, /\u001b\[[\d;]*m/],
  ])('with %s', async (_name, added, unwanted) => {
    const command = [process.execPath, PIT, 'depth', 'btc_usdt'];
    const { screen, status } = await onTerminal({ command, environment: plainEnvironment(desk.home, added) });
    expect(status).toBe(0);
    expect(screen).toContain('btc_usdt');
    expect(screen).not.toMatch(unwanted);
  });
});

describe('what the user’s language and zone change', () => {
  const GERMAN = { LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8', LANGUAGE: 'de', LC_NUMERIC: 'de_DE.UTF-8' };
  const TURKISH = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Dubai' };

  it.each([
    ['German', GERMAN],
    ['Turkish, in Dubai', TURKISH],
    ['nothing known', { LC_ALL: 'xx_XX', TZ: 'Nowhere/Bad' }],
  ])('is no byte of JSON and CSV: %s', async (_name, environment) => {
    for (const line of [`order show btc_usdt ${order} --json`, 'markets --json', 'markets --csv', 'bills --csv'])
      expect(await desk.done(line, { environment })).toBe(await desk.done(line));
  });

  it('is the time of tables, which names its zone; JSON has UTC', async () => {
    const { time } = await desk.json<{ time: string }>(`order show btc_usdt ${order}`);
    expect(time).toMatch(/Z$/);
    const there = new Date(Date.parse(time) + 4 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    const table = await desk.done('orders btc_usdt', { environment: TURKISH });
    expect(table).toContain('time (Asia/Dubai)');
    expect(table).toContain(there);
  });
});

describe('a coin that there is not', () => {
  it.each([
    ['balance bct', 'btc'],
    ['fees usdc', 'usdt'],
    ['deposits bct', 'btc'],
    ['balance --in usdz', 'usdt'],
  ])('pit %s names the nearest', async (line, nearest) => {
    expect((await desk.failure(line, 2)).hint).toContain(nearest);
  });

  it.each(['markets --quote usd', 'ticker --quote usd', 'markets --quote usdt --base bct'])(
    'pit %s fits nothing, and the nearest is told',
    async (line) => {
      const { code, stdout, stderr } = await desk.run(`${line} --json`);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '[]\n' });
      expect(stderr).toMatch(/No market has .* Did you mean (usdt|.*btc)/);
    },
  );
});

describe('--fields', () => {
  it('chooses and orders the fields of CSV and tables', async () => {
    expect((await desk.csv('orders btc_usdt --fields state,id')).rows).toEqual([`open,${order}`]);
    expect(await desk.done('orders btc_usdt --fields state,id')).toBe(`state  id\nopen   ${order}\n`);
    expect((await desk.csv('bills usdt --fields coin,change')).rows[0]).toBe('usdt,250000');
    expect((await desk.csv('depth btc_usdt --size 1 --fields side')).rows).toEqual(['ask', 'bid']);
    expect((await desk.csv('account --fields coins.coin,permissions')).header).toBe(
      'coins.coin,permissions.asset,permissions.lever,permissions.entrust,permissions.money',
    );
    expect(await desk.done(`order show btc_usdt ${order} --fields id,filled`)).toBe(
      `id      ${order}\nfilled  0.000000\n`,
    );
    expect(await desk.csv('orders btc_usdt --state cancelled --fields id')).toEqual({ header: 'id', rows: [] });
  });

  it.each([
    [
      'orders btc_usdt --csv --fields id,pirce',
      /There is no field "pirce" here\. Did you mean price/,
      /Fields: id, clientId/,
    ],
    ['markets --fields nothing', /There is no field "nothing"/, /market, base/],
    ['markets --fields a,,b', /--fields is "a,,b"/, /id,price/],
    ['markets --fields market --dry-run', /exclude each other/, /one of them/],
  ])('pit %s is a wrong line, and nothing is asked', async (line, message, hint) => {
    const { code, stdout, stderr } = await desk.run(line, { environment: environmentAt('http://127.0.0.1:1') });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
  });

  it('and --json exclude each other', async () => {
    expect((await desk.failure('markets --fields market', 2)).hint).toContain('jq');
  });
});
