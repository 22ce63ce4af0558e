import { beforeAll, describe, expect, it } from 'vitest';
import { marketList, NO_ORDER, orderRow, parametersOf } from '../../support/wire.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { literalExchange } from '../literal-exchange.js';
import { place } from '../order/order-rows.js';
import { DECIMAL, ID, lastError, TIME, useWorld } from '../pit-home.js';
import { Straight } from '../straight.js';

interface Fill {
  readonly orderId: string;
  readonly clientId: string | null;
  readonly time: string;
  readonly market: string;
  readonly side: string;
  readonly price: string;
  readonly amount: string;
  readonly value: string;
}

const pit = useWorld({ markets: STILL_MARKETS });
const straight = new Straight(pit);
const HEADER = 'orderId,clientId,time,market,side,price,amount,value,fee,feeCoin';
/** Oldest first: those of pit, then one that another program placed. */
const filled: string[] = [];
const fill = async (words: string) => filled.push((await place(pit, words)).id);

beforeAll(async () => {
  await straight.administer('POST /clock/stop');
  await fill('buy eos_usdt 5 --at ask+2% --id first001');
  await straight.administer('POST /clock/advance', { ms: 10_000 });
  for (let count = 0; count < 11; count += 1) await fill('sell eos_usdt 5 --at bid-2%');
  await fill('buy xrp_usdt 10 --at ask+2%');
  for (let count = 0; count < 11; count += 1) await place(pit, 'buy xrp_usdt 10 --at bid-9%');
  const best = await straight.best('eos_usdt');
  const order = { market: 'eos_usdt', side: 'buy', price: best.ask, amount: '6', type: 'ioc' } as const;
  filled.push(await straight.place(order));
});

function list(words: string): Promise<Fill[]> {
  return pit.json<Fill[]>(`fills ${words}`.trimEnd());
}

function idsOf(fills: readonly Fill[]): string[] {
  return fills.map(({ orderId }) => orderId);
}

/** Those of eos_usdt, newest first. */
function ofEos(): string[] {
  return filled.toReversed().filter((_, index) => index !== 1);
}

describe('pit fills', () => {
  it('lists each order that filled, with its average, value and fee', async () => {
    const rows = await list('eos_usdt --all');
    expect(idsOf(rows)).toEqual(ofEos());
    for (const row of rows)
      expect(row).toStrictEqual({
        orderId: ID,
        clientId: row.orderId === filled.at(-1) ? null : expect.stringMatching(/^(pit[0-9a-f]{24}|first001)$/),
        time: TIME,
        market: 'eos_usdt',
        side: expect.stringMatching(/^(buy|sell)$/),
        price: DECIMAL,
        amount: DECIMAL,
        value: DECIMAL,
        fee: DECIMAL,
        feeCoin: row.side === 'buy' ? 'eos' : 'usdt',
      });
    expect(rows.at(-1)?.clientId).toBe('first001');
    const shown = await pit.json<{ averagePrice: string; filled: string }>(`order show eos_usdt ${filled[0]}`);
    expect(rows.at(-1)).toMatchObject({ price: shown.averagePrice, amount: shown.filled });
  });

  it('merges the markets of the journal, newest first, and names them', async () => {
    expect(idsOf(await list('--all'))).toEqual(filled.toReversed());
    expect((await pit.run('fills --all')).stderr).toContain('eos_usdt, xrp_usdt');
  });

  it('reads the newest page of each side by default, and notes that there may be older fills', async () => {
    const buys = ofEos().filter((id) => id === filled[0] || id === filled.at(-1));
    const newest = [filled.at(-1), ...filled.slice(2, 12).toReversed(), buys.at(-1)];
    expect(idsOf(await list('eos_usdt'))).toEqual(newest);
    expect((await pit.run('fills eos_usdt')).stderr).toContain('--from TIME or --all');
    // ten orders that did not fill are newer
    expect(idsOf(await list('xrp_usdt'))).toEqual([]);
    expect(await pit.done('fills xrp_usdt')).toContain('No fills in xrp_usdt.');
    expect((await pit.run('fills eos_usdt --all')).stderr).not.toContain('--from TIME');
  });

  it('reads a range of times', async () => {
    const all = await list('eos_usdt --all');
    const first = all.at(-1)?.time ?? '';
    const later = new Date(Date.parse(first) + 5_000).toISOString();
    expect(idsOf(await list(`eos_usdt --from ${later}`))).toEqual(ofEos().slice(0, -1));
    expect(idsOf(await list(`eos_usdt --to ${later}`))).toEqual([filled[0]]);
    expect(idsOf(await list(`--from ${first} --to ${later}`))).toEqual([filled[0]]);
    await pit.failure(`fills --from ${later} --to ${first}`, 2);
  });

  it('prints CSV with the columns of the contract, and an empty list without fills', async () => {
    const { header, rows } = await pit.csv('fills eos_usdt --all');
    expect(header).toBe(HEADER);
    expect(rows.map((row) => row.split(',')[0])).toEqual(ofEos());
    expect(await pit.csv('fills ltc_usdt')).toEqual({ header: HEADER, rows: [] });
    expect(await list('ltc_usdt')).toEqual([]);
  });

  it('suggests the nearest market', async () => {
    expect((await pit.failure('fills eos_usdd', 2)).hint).toContain('eos_usdt');
  });
});

describe('pit orders --all-markets', () => {
  it('lists the open orders of every market, also of those that pit never traded', async () => {
    const elsewhere = await straight.place({ market: 'ltc_usdt', side: 'buy', price: '1', amount: '10' });
    const rows = await pit.json<{ id: string; market: string }[]>('orders --all-markets');
    expect(rows[0]).toMatchObject({ id: elsewhere, market: 'ltc_usdt' });
    expect(rows).toHaveLength(12);
    expect(await pit.json<unknown[]>('orders')).toHaveLength(11);
    expect(await pit.done('orders --all-markets')).toMatch(/ltc_usdt/);
    await pit.failure('orders ltc_usdt --all-markets', 2);
    await pit.failure('orders --all-markets --side buy --page 1', 2);
  });

  it('reports a market that cannot be read, and lists the others', async () => {
    const row = orderRow({ id: '7', market: 'ltc_usdt', price: '30', amount: '0.01', time: 1_648_461_600_123 });
    const { extra } = literalExchange((path, parameters) => {
      if (path === '/data/v1/markets') return marketList({ btc_usdt: {}, eth_usdt: {}, ltc_usdt: {} });
      const { market, side } = parametersOf(parameters);
      if (market === 'eth_usdt') return '{"code":1001,"message":"not now"}';
      return market === 'ltc_usdt' && side === 'buy' ? JSON.stringify([row]) : NO_ORDER;
    });
    const { code, stdout, stderr } = await pit.run('orders --all-markets --json', extra);
    expect(JSON.parse(stdout)).toMatchObject([{ id: '7', market: 'ltc_usdt' }]);
    expect([code, lastError(stderr).message]).toEqual([9, expect.stringMatching(/The orders of eth_usdt .*not now/)]);
  });
});
