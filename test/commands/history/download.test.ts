import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useWorld } from '../pit-home.js';

/** Twenty days. */
const HISTORY_MS = 20 * 86_400_000;
const pit = useWorld({ klineSince: 'first', historyMs: HISTORY_MS });
const file = (name: string) => path.join(pit.home, name);
const lines = (name: string) => readFileSync(file(name), 'utf8').trimEnd().split('\n');

interface Downloaded {
  readonly added: number;
  readonly from: string;
  readonly to: string;
}

describe('pit kline --out', () => {
  it('downloads more candles than an answer holds, the same as it lists', async () => {
    const since = new Date(pit.world.clock.now() - 1_200 * 60_000).toISOString();
    const command = `kline btc_usdt --type 1min --since ${since} --out ${file('minutes.csv')}`;
    const { added, from, to } = await pit.json<Downloaded>(command);
    expect(lines('minutes.csv')).toHaveLength(added + 1);
    expect(added).toBeGreaterThanOrEqual(1_198);
    const [listed] = await pit.json<Record<string, string>[]>(`kline btc_usdt --type 1min --since ${to} --size 1`);
    const { open, high, low, close, volume } = listed ?? {};
    expect(lines('minutes.csv').at(-1)).toBe(['btc_usdt', '1min', to, open, high, low, close, volume].join());
    expect(Date.parse(to) - Date.parse(from)).toBe((added - 1) * 60_000);
  });

  it('says what it added, and that nothing is new', async () => {
    const command = `kline eth_usdt --type 1day --since 10d --out ${file('days.ndjson')}`;
    const answer = await pit.done(command);
    expect(answer).toMatch(/^\d+ candles added to \S+days\.ndjson\. It has candles from \S+Z to \S+Z\.\n$/);
    expect(await pit.done(command)).toMatch(/^Nothing new for \S+days\.ndjson\. It has candles from /);
  });

  it('needs --since, and excludes what only a listing has', async () => {
    await pit.failure(`kline btc_usdt --out ${file('a.csv')}`, 2);
    await pit.failure(`kline btc_usdt --since 1d --size 5 --out ${file('a.csv')}`, 2);
    await pit.failure(`kline btc_usdt --since 1d --out ${file('a.txt')}`, 2);
  });
});

describe('pit trades --out', () => {
  it('downloads the trades after an id, and goes on from the last one', async () => {
    const listed = await pit.json<{ id: string }[]>('trades btc_usdt');
    const since = listed[0]?.id ?? '';
    const command = `trades btc_usdt --since ${since} --out ${file('trades.csv')}`;
    const { added } = await pit.json<Downloaded>(command);
    const ids = () =>
      lines('trades.csv')
        .slice(1)
        .map((line) => line.split(',')[1]);
    expect(ids().slice(0, listed.length - 1)).toEqual(listed.slice(1).map(({ id }) => id));
    expect(ids()).toHaveLength(added);
    const again = await pit.json<Downloaded>(command);
    expect(new Set(ids()).size).toBe(added + again.added);
  });

  it('refuses to add trades of another market', async () => {
    const [{ id } = { id: '' }] = await pit.json<{ id: string }[]>('trades btc_usdt');
    await pit.done(`trades btc_usdt --since ${id} --out ${file('other.csv')}`);
    const { message } = await pit.failure(`trades eth_usdt --since 1 --out ${file('other.csv')}`, 2);
    expect(message).toMatch(/has trades of another market: btc_usdt\.$/);
  });

  it('needs --since, and --follow needs --out', async () => {
    await pit.failure(`trades btc_usdt --out ${file('b.csv')}`, 2);
    await pit.failure('trades btc_usdt --follow', 2);
  });
});
