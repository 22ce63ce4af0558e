import { expect, it, vi } from 'vitest';

// what CONTRIBUTING says of operations that read: their description, and all else follows
vi.mock('../../src/exchange/operations/index.js', async (original) => {
  const module = await original<typeof import('../../src/exchange/operations/index.js')>();
  const { getFeeInfo, getWithdrawRecord } = module.operations;
  Object.assign(module.operations, {
    getCoinNews: { ...getFeeInfo, purpose: 'made up by a test' },
    getCoinGifts: { ...getWithdrawRecord, pages: { ...getWithdrawRecord.pages, read: 'gifts' } },
  });
  return module;
});

// first of all: `described-reads` makes its methods of the operations that it finds when it is loaded
const { operationOf } = await import('../../src/exchange/operations/index.js');
const [{ interfacePage }, api, { commandTree }, { DescribedReads }] = await Promise.all([
  import('../../src/exchange/interface-page.js'),
  import('../../src/commands/api/api.js'),
  import('../../src/commands/reference/index.js'),
  import('../../src/exchange/described-reads.js'),
]);

it('an operation that is described is in the page of the interface, in pit api and its completion', async () => {
  expect(interfacePage()).toContain('getCoinNews');
  const { method } = api.default.arguments ?? {};
  expect(method?.parse('getCoinNews')).toBe('getCoinNews');
  expect(() => method?.parse('getcoinnews')).toThrow('There is no operation "getcoinnews".');
  expect(method?.parse.completes).toMatchObject({ words: expect.arrayContaining(['getCoinNews']) });
  const tree = await commandTree();
  expect(Object.keys(tree.operations)).toContain('getCoinNews');
  expect(operationOf('getCoinNews').effect).toBe('read');
});

it('a list with pages that is described is a method that reads one page of it, or all', async () => {
  const pages = [['3', '2'], ['1']].map((ids) =>
    ids.map((id) => ({ id, time: Number(id), amount: '1', address: null })),
  );
  const asked: unknown[] = [];
  class Gifts extends DescribedReads {
    protected override async readOperation(...[name, request]: [string, object]): Promise<never> {
      asked.push([name, request]);
      const { page } = request as { readonly page: number };
      return { records: pages[page - 1] ?? [], rowCount: 3, pageCount: 2, size: 2 } as never;
    }
  }
  type Read = (request: object, page?: number) => AsyncIterable<readonly { readonly id: string }[]>;
  const reader = new Gifts() as unknown as { readonly gifts: Read };
  const idsOf = async (page?: number) => {
    const ids: string[][] = [];
    for await (const records of reader.gifts({ coin: 'btc' }, page)) ids.push(records.map(({ id }) => id));
    return ids;
  };
  expect(await idsOf(2)).toEqual([['1']]);
  expect(asked).toEqual([['getCoinGifts', { coin: 'btc', page: 2, size: 50 }]]);
  expect(await idsOf()).toEqual([['3', '2'], ['1']]);
});
