import { expect, it, vi } from 'vitest';
import { type AlgoFlags, ENTRY_FLAGS } from '../../src/commands/order/algo-args.js';
import type { AlgoEntry, AlgoEntryName } from '../../src/trading/algos/plan/entries/entry-terms.js';
import { textOf } from '../architecture/sources.js';
import { useWorldPerTest } from '../commands/pit-home.js';
import { eventually } from '../support/eventually.js';

// what CONTRIBUTING says of a kind of algo order: a row in each of four tables, and all else follows
const isDip = ({ kind }: { readonly kind: string }) => kind === 'dip';

vi.mock('../../src/trading/algos/plan/entries/entry-terms.js', async (original) => {
  const module = await original<typeof import('../../src/trading/algos/plan/entries/entry-terms.js')>();
  const v = await import('valibot');
  return { ...module, ENTRY: v.union([module.ENTRY, v.object({ kind: v.literal('dip') })]) };
});

vi.mock('../../src/trading/algos/plan/entries/entry-kinds.js', async (original) => {
  const module = await original<typeof import('../../src/trading/algos/plan/entries/entry-kinds.js')>();
  const input = await import('../../src/trading/algos/plan/decision-input.js');
  const { restingPrice } = await import('../../src/trading/algos/plan/prices.js');
  const kinds: Pick<typeof module, 'kindOfEntry'> = {
    kindOfEntry: (entry) =>
      isDip(entry) ? { ...module.kindOfEntry({ kind: 'chase' }), ...DIP } : module.kindOfEntry(entry),
  };
  const DIP: Partial<ReturnType<typeof module.kindOfEntry>> = {
    followsMarket: false,
    priceOf: () => null,
    withPrice: (entry) => entry,
    typeOf: () => 'limit',
    plan(given) {
      const open = input.openOf(input.entriesOf(given), 'entry');
      if (open !== null) return input.wanting(input.asItIs(open));
      const price = restingPrice(given.market, given.terms.side);
      if (price === null) return input.waiting('the market shows no price');
      return input.wanting({ role: 'entry', type: 'limit', price, amount: input.entryRest(given), notBefore: null });
    },
  };
  return {
    ...module,
    ...kinds,
    ENTRY_NAMES: [...module.ENTRY_NAMES, 'dip'],
    namedPriceOf: (entry: AlgoEntry | null) => entry && kinds.kindOfEntry(entry).priceOf(entry),
  };
});

vi.mock('../../src/commands/algo/view/entry-words.js', async (original) => {
  const module = await original<typeof import('../../src/commands/algo/view/entry-words.js')>();
  const words: Partial<ReturnType<typeof module.wordsOf>> = {
    how: () => 'in a dip',
    cell: () => 'dip',
    does: ({ side }) => `pit waits to ${side} in a dip.`,
  };
  return {
    ...module,
    wordsOf: (entry: AlgoEntry) =>
      isDip(entry) ? { ...module.wordsOf({ kind: 'chase', bound: null }), ...words } : module.wordsOf(entry),
  };
});

vi.mock('../../src/commands/order/algo-args.js', async (original) => {
  const module = await original<typeof import('../../src/commands/order/algo-args.js')>();
  const { toggle } = await import('../../src/cli/definition.js');
  Object.assign(module.ALGO_FLAGS, { dip: toggle('--dip', 'buy in a dip') });
  const flags: (typeof module.ENTRY_FLAGS)[AlgoEntryName] = {
    flag: '--dip',
    types: [],
    isAsked: (given) => (given as AlgoFlags & { readonly dip?: boolean }).dip === true,
    entryOf: () => ({ kind: 'dip' }) as never,
  };
  Object.assign(module.ENTRY_FLAGS, { dip: flags });
  return module;
});

const pit = useWorldPerTest({
  markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } },
  balances: { usdt: '10000' },
});

const ORDER = 'order buy btc_usdt 0.1 --dip';

it('a kind of algo order that is added to the tables is previewed in its own words', async () => {
  const preview = await pit.done(`${ORDER} --dry-run`);
  expect(preview).toContain('pit waits to buy in a dip.');
  expect(await pit.done('order --help')).toContain('--dip');
});

it('a kind of algo order that is added to the tables is recorded, carried out, listed, paused and cancelled', async () => {
  const { id } = await pit.json<{ readonly id: string }>(`${ORDER} --yes`);
  const shown = () => pit.json(`algo show ${id}`);
  await eventually(async () =>
    expect(await shown()).toMatchObject({
      kind: 'dip',
      state: 'working',
      children: [{ role: 'entry', type: 'limit', amount: '0.100000', state: 'open' }],
    }),
  );
  expect(await pit.done('algo list')).toContain('dip');
  expect(await pit.json(`algo pause ${id}`)).toMatchObject([{ id, kind: 'dip', state: 'paused' }]);
  expect(await pit.json(`algo cancel ${id}`)).toMatchObject([{ id, kind: 'dip', state: 'cancelled', filled: '0' }]);
  expect(await pit.json('orders btc_usdt')).toEqual([]);
});

it.each(Object.entries(ENTRY_FLAGS).filter(([name]) => name !== 'dip'))(
  'the entry %s is in docs/algo-orders.md, in a table and among the entries, and in the tables of decisions',
  (name, { flag }) => {
    const page = textOf('docs/algo-orders.md');
    expect(page).toMatch(new RegExp(`^\\|.*\`.*${flag}\\b.*\`.*\\|.+\\|$`, 'm'));
    expect(/^An \*entry\* is [^.]*\./m.exec(page)?.[0]).toContain(`\`${flag}\``);
    expect(textOf('test/trading/algos/plan/entries.test.ts')).toMatch(new RegExp(`\\b${name}\\(`));
  },
);
