import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { useWorld } from '../pit-home.js';

const pit = useWorld();

const START = 1_677_628_800_000;
const ROWS = [
  ['23140.48', '23150.77', '23128.52', '23142.31', '2.131777'],
  ['23143.89', '23148.80', '23137.61', '23137.77', '0.881378'],
  ['23141.80', '23156.46', '23136.83', '23153.44', '0.702146'],
];

function file(name: string): string {
  return path.join(pit.home, name);
}

it.each(['--speed max', ''])('replays a file of candles exactly %s', async (speed) => {
  const lines = ROWS.map((row, minute) => [START + minute * 60_000, ...row].join(','));
  writeFileSync(file('candles.csv'), `time_ms,open,high,low,close,volume\n${lines.join('\n')}\n`);
  const replayed = await pit.json(`sandbox replay btc_usdt ${file('candles.csv')} ${speed} --yes`.replace('  ', ' '));
  expect(replayed).toMatchObject({ market: 'btc_usdt', kind: 'candles', rows: 3, left: 0, speed: null });
  const candles = await pit.json<Record<string, string>[]>('kline btc_usdt --type 1min --since 2023-03-01 --size 3');
  expect(candles.map(({ open, high, low, close, volume }) => [open, high, low, close, volume])).toEqual(ROWS);
});

it('imports what it exported, and asks before replacing data', async () => {
  const before = await pit.json('balance --all');
  await pit.json(`sandbox export ${file('all.state')}`);
  expect(statSync(file('all.state')).mode & 0o077).toBe(0);
  await pit.json('sandbox transfer usdt 5 --margin btc_usdt');
  expect(await pit.json('balance --all')).not.toEqual(before);
  await pit.json(`sandbox import ${file('all.state')} --yes`);
  expect(await pit.json('balance --all')).toEqual(before);
  writeFileSync(file('bad.state'), 'not a state');
  await pit.failure(`sandbox import ${file('bad.state')} --yes`, 2);
  expect(await pit.json('balance --all')).toEqual(before);
});

it('refuses in a dry run each file that the import refuses, with the same message', async () => {
  await pit.json(`sandbox export ${file('whole.state')}`);
  const whole = readFileSync(file('whole.state'), 'utf8');
  writeFileSync(file('cut.state'), whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1));
  writeFileSync(file('tape.ndjson'), '{"channel":"ticker:btc_usdt"}\n');
  for (const [name, reason] of [
    ['none.state', 'ENOENT'],
    ['tape.ndjson', 'it does not begin with {"pitSandbox"'],
    ['cut.state', 'it is incomplete or was changed'],
  ] as const) {
    const dry = await pit.failure(`sandbox import ${file(name)} --dry-run`, 2);
    expect(dry.message).toContain(`${file(name)} cannot be read: ${reason}`);
    expect(await pit.failure(`sandbox import ${file(name)} --yes`, 2)).toEqual(dry);
  }
});

it('says in a dry run what an import would end, from a file or from stdin, and ends nothing', async () => {
  await pit.json(`sandbox export ${file('before.state')}`);
  const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.01 --at bid-2% --yes');
  const { change } = await pit.json<{ change: string[] }>(`sandbox import ${file('before.state')} --dry-run`);
  expect(change.slice(0, 2)).toEqual([
    `Would replace the sandbox by ${file('before.state')}.`,
    'Would end accounts, orders and balances.',
  ]);
  const input = readFileSync(file('before.state'), 'utf8');
  const [, ...ended] = change;
  expect(await pit.json('sandbox import - --dry-run', { input })).toMatchObject({
    change: ['Would replace the sandbox by stdin.', ...ended],
  });
  expect((await pit.failure('sandbox import - --dry-run', 2, { input: 'no export' })).message).toMatch(/^stdin cannot/);
  expect(await pit.json('orders btc_usdt')).toMatchObject([{ id }]);
});

it('says what a replay of the past would end, asks, and says what it ended', async () => {
  await pit.json('order buy btc_usdt 0.01 --at bid-2% --yes');
  writeFileSync(file('past.csv'), `${START - 86_400_000},${ROWS[0]?.join(',')}\n`);
  const line = `sandbox replay btc_usdt ${file('past.csv')}`;
  const change = expect.arrayContaining([
    'Would start a new exchange at 2023-02-28T00:00:00.000Z, with the markets of the tape.',
    'Would end accounts, orders and balances.',
  ]);
  expect(await pit.json(`${line} --dry-run`)).toMatchObject({ change });
  expect((await pit.failure(line, 8)).kind).toBe('declined');
  const shown = await pit.run(`${line} --yes`);
  expect(shown.stdout).toContain(
    'Started a new exchange at 2023-02-28T00:00:00.000Z.\nEnded accounts, orders and balances',
  );
});
