import { expect, it, vi } from 'vitest';
import { textOf } from '../architecture/sources.js';
import { useWorld } from '../commands/pit-home.js';

// what CONTRIBUTING says of a command: its file and a row in its section of the table, and all else follows
vi.mock('../../src/commands/index.js', async (original) => {
  const module = await original<typeof import('../../src/commands/index.js')>();
  const shape = await import('../../src/cli/shapes.js');
  const { flag, required } = await import('../../src/cli/definition.js');
  const { define } = await import('../../src/commands/session/command.js');
  const { marketName, wholeNumber } = await import('../../src/commands/inputs/parsers.js');
  const tide = define({
    summary: 'Show how high the tide of a market is',
    arguments: { market: required('the market', marketName) },
    flags: { metres: flag('--metres <n>', 'how high it is (default: 3)', wholeNumber('--metres', 1, 9)) },
    examples: ['tide btc_usdt', 'tide btc_usdt --metres 5'],
    output: shape.object({ market: shape.text('of the exchange'), metres: shape.integer('above the ground') }),
    run: async (_, { market, metres = 3 }) => ({ data: { market, metres }, show: () => `${market} ${metres} m` }),
  });
  Object.assign(module.commands, { tide: async () => ({ default: tide }) });
  (module.SECTIONS['Market data'] as string[]).push('tide');
  return module;
});

const [{ commandTree, referenceFiles }, { answer }] = await Promise.all([
  import('../../src/commands/reference/index.js'),
  import('../../src/commands/completion/answer.js'),
]);

const pit = useWorld();

it('a command that is added to the table runs, and its JSON has the form that it declares', async () => {
  expect(await pit.done('tide btc_usdt')).toBe('btc_usdt 3 m\n');
  expect(await pit.json('tide BTC/USDT --metres 5')).toEqual({ market: 'btc_usdt', metres: 5 });
});

it('a command that is added to the table checks its arguments, and is suggested for a misspelt one', async () => {
  expect(await pit.failure('tide btc_usdt --metres 10', 2)).toMatchObject({
    message: expect.stringContaining('--metres'),
  });
  expect(await pit.failure('tied btc_usdt', 2)).toMatchObject({ hint: expect.stringContaining('tide') });
});

it('a command that is added to the table is in help, with its flags and examples', async () => {
  const [all, own] = [await pit.done('--help'), await pit.done('tide --help')];
  expect(all.slice(0, all.indexOf('Trading'))).toContain('tide');
  expect(own).toContain('Show how high the tide of a market is');
  for (const part of ['--metres <n>', 'how high it is (default: 3)', 'pit tide btc_usdt --metres 5'])
    expect(own).toContain(part);
});

it('a command that is added to the table is completed, with its flags and markets', async () => {
  const tree = await commandTree();
  const names = {
    words: (kind: string) => (kind === 'markets' ? ['eos_eth'] : []),
    orders: () => [],
    profiles: () => [],
    algos: () => [],
    prepared: () => [],
  };
  expect(answer(['pit tid'], tree, names)).toContain('tide');
  expect(answer(['pit tide '], tree, names)).toContain('eos_eth');
  expect(answer(['pit tide eos_eth --'], tree, names)).toContain('--metres');
});

it('a command that is added to the table has a schema, a manual page and a row in docs/commands.md', async () => {
  expect(await pit.json('schema tide')).toMatchObject({ properties: { metres: { type: 'integer' } } });
  const files = await referenceFiles(textOf);
  expect(files.get('man/man1/pit-tide.1')).toContain('how high it is (default: 3)');
  const page = files.get('docs/commands.md') ?? '';
  expect(page.slice(0, page.indexOf('## Trading'))).toContain('Show how high the tide of a market is');
  expect(files.get('package.json')).toContain('man/man1/pit-tide.1');
});
