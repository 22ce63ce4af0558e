import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ENTRY_NAMES } from '../../src/trading/algos/plan/entries/entry-kinds.js';
import { ROOT, textOf } from './sources.js';

it('nothing but the tables asks for the kind of an entry by its name', () => {
  const folders = [
    'src/trading/algos',
    ...['algo', 'order', 'watch', 'commit', 'mcp'].map((name) => `src/commands/${name}`),
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(folder, file)),
  );
  expect(files.length).toBeGreaterThan(60);
  // an order may be a limit order too
  const names = ENTRY_NAMES.filter((name) => name !== 'limit').join('|');
  const asking = new RegExp(`\\bentry\\??\\.kind [!=]==|kind === '(?:${names})'`);
  const naming = files.filter((file) => asking.test(textOf(file)));
  // that of a plain order with a condition is `when`
  expect(naming).toEqual(['src/trading/algos/plan/terms.ts']);
});
