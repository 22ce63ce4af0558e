import { beforeAll, describe, expect, it } from 'vitest';
import { exitCodeHelp } from '../../src/cli/exit-codes.js';
import { displayWidth, prepareWidths } from '../../src/terminal/text.js';
import { useWorld } from '../commands/pit-home.js';

const pit = useWorld();

function on(columns: number, line: string) {
  return pit.world.run(`${line} --no-color`, { columns, environment: { TERM: 'xterm' } });
}

beforeAll(async () => {
  await prepareWidths('ก็');
  await on(80, 'order buy btc_usdt 0.01 --at ask --id widths1 --yes');
  await on(80, 'order sell btc_usdt 0.01 --at ask+50% --id widths2 --yes');
  await on(80, 'sandbox fault add delay --delay 1 --operation getOrder --count 1');
});

/** What cannot be broken stands alone on its line, and may be wider: an address, a key, a host. */
const WHOLE = /^\s*(?:\S+(?: {2,}\S+)?|[\w ]+ {2,}\S+|memo \S+)\s*$/;

const LINES = [
  'markets',
  'ticker',
  'depth btc_usdt',
  'trades btc_usdt',
  'kline btc_usdt',
  'order buy btc_usdt 0.01 --at bid --dry-run',
  'order show btc_usdt --id widths1',
  'order replace btc_usdt --id widths2 --at ask+40% --dry-run',
  'orders btc_usdt --state all',
  'cancel btc_usdt --id widths2',
  'cancel-after btc_usdt --yes',
  'resolve widths1',
  'account',
  'balance --all',
  'balance --in usdt',
  'bills',
  'bills --summary',
  'address usdt',
  'address xrp',
  'deposits usdt',
  'withdrawals usdt',
  'fees',
  'profile list',
  'profile show',
  'keys show',
  'sandbox account list',
  'sandbox account show',
  'sandbox fault list',
  'sandbox fault log',
  'markets --fields market,tickSize,minAmount,minNotional,priceScale,amountScale',
  'order show btc_usdt --id widths1 --fields time,id,price,market',
  'depth btc_usd',
];

it.each([40, 80, 200])('pit help exit-codes fits %i columns', (columns) => {
  const lines = exitCodeHelp(columns).split('\n');
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
  expect(lines.length).toBeGreaterThan(12);
});

describe.each([40, 80, 200])('on a terminal of %i columns', (columns) => {
  it.each(LINES)('pit %s fits the width and breaks no value', async (line) => {
    const { stdout, stderr } = await on(columns, line);
    const lines = `${stdout}\n${stderr}`.split('\n');
    expect(lines.join('').trim()).not.toBe('');
    const wide = lines.filter((text) => displayWidth(text) > columns && !WHOLE.test(text));
    expect(wide).toEqual([]);
  });
});

it.each([
  ['depth btc_usdt', 'cumulative (btc)'],
  ['kline btc_usdt', 'change'],
  ['balance --in usdt', 'share'],
])('pit %s does not promise %s in CSV or JSON if it is cut off', async (line, title) => {
  const text = (await on(24, line)).stdout.split('\n').join(' ');
  const words = ['A wider terminal has all.', `A wider terminal has all, --csv and --json all but ${title}.`];
  expect(words.filter((each) => text.includes(each))).toHaveLength(1);
});
