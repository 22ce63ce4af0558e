import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { temporaryHome } from '../support/pit.js';
import { PitHome } from './pit-home.js';

const home = temporaryHome();
const pit = new PitHome(home);
beforeAll(() => pit.serve());

const START = 1_677_628_800_000;
const ROWS = [
  ['23140.48', '23150.77', '23128.52', '23142.31', '2.131777'],
  ['23143.89', '23148.80', '23137.61', '23137.77', '0.881378'],
  ['23141.80', '23156.46', '23136.83', '23153.44', '0.702146'],
];

function file(name: string): string {
  return path.join(home, name);
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
  await pit.json('sandbox deposit usdt 5');
  await pit.json(`sandbox import ${file('all.state')} --yes`);
  expect(await pit.json('balance --all')).toEqual(before);
  writeFileSync(file('bad.state'), 'not a state');
  await pit.failure(`sandbox import ${file('bad.state')} --yes`, 2);
  expect(await pit.json('balance --all')).toEqual(before);
});
