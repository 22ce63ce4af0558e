import { expect, it, vi } from 'vitest';

// what CONTRIBUTING says of an operation that reads: its description, and all else follows
vi.mock('../../src/exchange/operations/index.js', async (original) => {
  const module = await original<typeof import('../../src/exchange/operations/index.js')>();
  const { getFeeInfo } = module.operations;
  Object.assign(module.operations, { getCoinNews: { ...getFeeInfo, purpose: 'made up by a test' } });
  return module;
});

const [{ interfacePage }, api, { commandTree }, { operationOf }] = await Promise.all([
  import('../../src/exchange/interface-page.js'),
  import('../../src/commands/api/api.js'),
  import('../../src/commands/reference/index.js'),
  import('../../src/exchange/operations/index.js'),
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
