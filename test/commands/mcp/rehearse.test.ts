import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePitHome } from '../pit-home.js';
import { TradingClient } from './trading-client.js';

const pit = usePitHome();
let client: TradingClient;

beforeAll(async () => {
  client = new TradingClient({ pit });
  await client.initialize();
  const folder = path.join(pit.home, 'state', 'tapes');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const prices = [20_000, 20_100, 20_200, 19_900, 19_500, 19_400];
  const rows = prices.map((price, minute) => {
    const time = new Date(Date.parse('2026-01-05T00:00:00Z') + minute * 60_000).toISOString();
    const text = price.toFixed(2);
    return { market: 'btc_usdt', type: '1min', time, open: text, high: text, low: text, close: text, volume: '5' };
  });
  writeFileSync(path.join(folder, 'hill.ndjson'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  writeFileSync(path.join(pit.home, 'outside.ndjson'), '');
  symlinkSync(path.join(pit.home, 'outside.ndjson'), path.join(folder, 'link.ndjson'));
});

afterAll(() => client.end());

interface Report {
  readonly tape: { readonly from: string; readonly to: string; readonly documents: number };
  readonly orders: number;
  readonly fills: number;
  readonly net: string;
  readonly algo: { state: string; reason: string | null; events: { event: string; text: string }[] } | null;
}

const SELL = { market: 'btc_usdt', side: 'sell', amount: '0.1' };

describe('the tool rehearse', () => {
  it('is there without --allow-trading, and says that it sends nothing', async () => {
    const tools = (await client.tools()) as readonly { readonly name: string; readonly annotations: object }[];
    expect(tools.find(({ name }) => name === 'rehearse')?.annotations).toEqual({ readOnlyHint: true });
  });

  it("tries an order with its exits on the market's last days, and changes nothing", async () => {
    const report = await client.done<Report>('rehearse', { ...SELL, trail: '2%', days: 1 });
    const hours = (Date.parse(report.tape.to) - Date.parse(report.tape.from)) / 3_600_000;
    expect(hours).toBeGreaterThan(20);
    expect(hours).toBeLessThan(25);
    expect(report.algo?.events[0]).toMatchObject({ event: 'began' });
    expect(await pit.json('algo list --all')).toEqual([]);
    expect(await pit.json('orders btc_usdt --state all')).toEqual([]);
  });

  it('says what became of an algo order on a tape of the folder of tapes', async () => {
    const report = await client.done<Report>('rehearse', { ...SELL, trail: '1%', tape: 'hill.ndjson', funds: 'btc=1' });
    expect(report).toMatchObject({ orders: 1, fills: 1, tape: { documents: 6 } });
    expect(report.algo).toMatchObject({ state: 'done', reason: expect.any(String) });
    expect(report.algo?.events.map(({ event }) => event)).toEqual(['began', 'triggered', 'ended']);
  });

  it('tries a plain order', async () => {
    const order = { ...SELL, price: 'bid-1%', tape: 'hill.ndjson', funds: 'btc=1' };
    expect(await client.done<Report>('rehearse', order)).toMatchObject({ orders: 1, fills: 1, algo: null });
  });

  it.each([
    ['a path', { tape: '../outside.ndjson' }, '"../outside.ndjson" is not the name of a tape.'],
    ['a link that leads out of the folder', { tape: 'link.ndjson' }, 'There is no tape "link.ndjson".'],
    ['a tape that is not there', { tape: 'other.ndjson' }, 'There is no tape "other.ndjson".'],
    ['two recordings', { tape: 'hill.ndjson', days: 2 }, 'tape and days exclude each other.'],
    ['too many days', { days: 31 }, expect.stringContaining('days')],
    ['a flag in a value', { trail: '2% --exec=sh' }, expect.stringContaining('is not a trail distance')],
    ['an order that is none', { limit: '1' }, 'limit needs stop.'],
    ['a parameter that runs programs', { exec: 'sh' }, 'rehearse has no parameter "exec".'],
  ])('refuses %s', async (_, given, message) => {
    expect(await client.failed('rehearse', { ...SELL, ...given })).toMatchObject({ kind: 'usage', message });
  });
});
