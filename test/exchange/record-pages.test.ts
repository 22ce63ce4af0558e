import { describe, expect, it } from 'vitest';
import { ExchangeZone } from '../../src/exchange/exchange-zone.js';
import type { Pages } from '../../src/exchange/lists/growing-pages.js';
import { datedDeposits } from '../../src/exchange/lists/record-pages.js';
import { respond, serveFaults } from '../support/fault-server.js';
import { clientOf } from './support.js';

const WITHDRAWAL = '{"id":202611219007199254740993,"amount":0.10,"status":5,"submitTime":1795268221000}';
const DEPOSIT =
  '{"id":"7","amount":1e-8,"status":2,"confirmTimes":"3","itransfer":"1","submit_time":"2026-11-21 14:00:00"}';

const NO_ZONE = {
  zone: new ExchangeZone(undefined),
  learnZone: async () => undefined,
};

function datas(list: string, more = ''): string {
  return `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"list":${list}${more}}}}`;
}

async function clientFor(answer: (page: number) => string) {
  const pages: string[] = [];
  const server = await serveFaults({
    answer: ({ target }) => {
      const { pageIndex, pageSize } = Object.fromEntries(new URL(target, 'http://localhost').searchParams);
      pages.push(`${pageIndex}/${pageSize}`);
      return respond(answer(Number(pageIndex)));
    },
  });
  return { client: clientOf(server.url).client, pages };
}

/** The records of one page, and whether there are older ones. */
async function pageOf<Entry>(pages: Pages<Entry>) {
  const { value: records } = await pages.next();
  const end = await pages.next();
  return { records, hasOlder: end.done === true && end.value.hasOlder };
}

describe('a page of records', () => {
  it('accepts records without optional fields', async () => {
    const { client } = await clientFor(() => datas(`[${WITHDRAWAL}]`));
    expect(await pageOf(client.withdrawals({ coin: 'btc' }, 1))).toEqual({
      records: [
        {
          ...{ id: '202611219007199254740993', coin: 'btc', amount: '0.10', time: 1795268221000 },
          ...{ state: 'confirmed', status: 5, fee: null, processedTime: null, address: null },
          ...{ merchantOrderNo: null, hash: null },
        },
      ],
      hasOlder: false,
    });
    const deposits = await clientFor(() => datas(`[${DEPOSIT}]`, ',"total":"120","pageSize":20,"pageIndex":1'));
    expect(await pageOf(datedDeposits(deposits.client.undatedDeposits({ coin: 'btc' }, 3), NO_ZONE))).toEqual({
      records: [
        {
          ...{ id: '7', coin: 'btc', amount: '0.00000001', confirmations: 3, internal: true },
          ...{ state: 'success', status: 2, time: null, timeRaw: '2026-11-21 14:00:00' },
          ...{ address: null, description: null, hash: null },
        },
      ],
      hasOlder: true,
    });
    expect(deposits.pages).toEqual(['3/50']);
  });

  it.each([datas('[]'), '{"code":3008,"message":"no transaction record"}'])('reads no records: %s', async (body) => {
    const { client } = await clientFor(() => body);
    expect(await pageOf(datedDeposits(client.undatedDeposits({ coin: 'btc' }, 1), NO_ZONE))).toEqual({
      records: [],
      hasOlder: false,
    });
    expect(await pageOf(client.withdrawals({ coin: 'btc' }, 1))).toEqual({ records: [], hasOlder: false });
  });

  it.each([
    ['fewer are sent than a page has', 1, '', false],
    ['a page of the size that the exchange names is full', 20, ',"pageSize":20', true],
    ['the total is reached', 20, ',"pageSize":20,"total":60', false],
    ['the total is larger', 20, ',"pageSize":20,"total":61', true],
    ['the last of them is the total', 1, ',"pageSize":20,"total":41', false],
    ['the total is larger, and no size is named', 10, ',"total":37', true],
  ])('tells whether there are older records if %s', async (_, count, more, hasOlder) => {
    const { client } = await clientFor(() => datas(`[${Array(count).fill(DEPOSIT)}]`, more));
    expect(await pageOf(datedDeposits(client.undatedDeposits({ coin: 'btc' }, 3), NO_ZONE))).toMatchObject({
      hasOlder,
    });
  });
});

it('dates deposits by the time zone, which it learns once and only if there are deposits without a moment', async () => {
  const old = DEPOSIT.replace('2026-11-21', '2026-07-21');
  const { client } = await clientFor((page) => datas(page === 3 ? '[]' : `[${Array(49).fill(DEPOSIT)},${old}]`));
  const zone = new ExchangeZone(undefined);
  let learned = 0;
  const learnZone = async () => {
    learned += 1;
    zone.learn({ time: Date.UTC(2026, 10, 21, 6), shownTime: '2026-11-21 14:00:00' });
  };
  const { records } = await pageOf(datedDeposits(client.undatedDeposits({ coin: 'btc' }, 1), { zone, learnZone }));
  expect(records).toContainEqual(expect.objectContaining({ time: Date.UTC(2026, 10, 21, 6) }));
  expect(records).toContainEqual(expect.objectContaining({ time: null, timeRaw: '2026-07-21 14:00:00' }));
  expect(learned).toBe(1);
  await pageOf(datedDeposits(client.undatedDeposits({ coin: 'btc' }, 3), { zone, learnZone }));
  expect(learned).toBe(1);
});

describe('all records', () => {
  /** Records whose ids count down from the total. */
  const page = (total: number, size: number, index: number) =>
    Array.from({ length: total }, (_, at) => ({ id: total - at, amount: 1, status: 0, submitTime: total - at + 2e12 }))
      .slice((index - 1) * size, index * size)
      .map((entry) => JSON.stringify(entry));

  async function idsOf(pages: AsyncIterable<readonly { readonly id: string }[]>): Promise<string[]> {
    const ids: string[] = [];
    for await (const records of pages) ids.push(...records.map(({ id }) => id));
    return ids;
  }

  it('reads all records to the last page, even if pages are smaller than requested', async () => {
    for (const size of [50, 20]) {
      const { client, pages } = await clientFor((index) => datas(`[${page(130, size, index)}]`, `,"pageSize":${size}`));
      expect(await idsOf(client.withdrawals({ coin: 'btc' }))).toEqual(
        Array.from({ length: 130 }, (_, at) => `${130 - at}`),
      );
      expect(pages[0]).toBe('1/50');
    }
  });

  it.each([
    ['no size, but how many there are', ',"totalCount":37'],
    ['no size, but how many pages there are', ',"totalPage":4'],
    ['the size that was requested, and how many there are', ',"pageSize":50,"totalCount":37'],
  ])('reads them all if pages have ten, and the exchange names %s', async (_, counts) => {
    const { client, pages } = await clientFor((index) => datas(`[${page(37, 10, index)}]`, counts));
    expect(await idsOf(client.withdrawals({ coin: 'btc' }))).toHaveLength(37);
    expect(pages).toEqual(['1/50', '2/50', '3/50', '4/50']);
  });

  it('returns each record once although more are added meanwhile', async () => {
    let total = 120;
    const { client } = await clientFor((index) => {
      const body = datas(`[${page(total, 50, index)}]`);
      total += 3;
      return body;
    });
    expect(await idsOf(datedDeposits(client.undatedDeposits({ coin: 'btc' }), NO_ZONE))).toEqual(
      Array.from({ length: 120 }, (_, at) => `${120 - at}`),
    );
  });
});
