import { expect, it } from 'vitest';
import { commands } from '../../src/commands/index.js';
import { textOf } from '../architecture/sources.js';
import { EXAMPLES, NAMES } from '../operations/index.js';

const LISTS = ['hostile.test.ts', 'hostile-account.process.test.ts'].map((name) => textOf(`test/cli-contract/${name}`));

/** What shows the answer of an operation is tried for it. */
const LINES = NAMES.flatMap((name) => EXAMPLES[name].lines);

const showing = (
  await Promise.all(
    Object.entries(commands).map(async ([path, load]) => {
      const { output, row } = (await load()).default;
      return JSON.stringify([output, row]).includes('"fromOutside":true') ? [path] : [];
    }),
  )
).flat();

/** Commands that no list tries: their texts leave through the same functions of `src/terminal` as those of one that a list tries. */
const AS_ANOTHER: Readonly<Record<string, string>> = {
  'algo show': 'algo list',
  'algo cancel': 'algo list',
  'algo pause': 'algo list',
  'algo resume': 'algo list',
  'algo run': 'algo list',
  'order batch': 'order',
  'order replace': 'order',
  commit: 'order',
  rehearse: 'pnl',
  stream: 'bills',
  withdraw: 'fees',
};

const isListed = (path: string) =>
  LISTS.some((text) => new RegExp(`['\`]${path}[ '\`]`).test(text)) ||
  LINES.some((line) => `${line} `.startsWith(`${path} `));

it.each(showing)('pit %s, which shows texts of the exchange, is in a list of hostile texts', (path) => {
  expect(isListed(AS_ANOTHER[path] ?? path)).toBe(true);
});

it('no command that is in a list, or shows no such text, counts as another one', () => {
  expect(Object.keys(AS_ANOTHER).filter((path) => isListed(path) || !showing.includes(path))).toEqual([]);
});
