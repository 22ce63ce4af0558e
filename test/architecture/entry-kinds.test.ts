import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
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
  const naming = files.filter((file) => /\bentry\??\.kind [!=]==|kind === '(?:twap|chase|iceberg)'/.test(textOf(file)));
  // that of a plain order with a condition is `when`
  expect(naming).toEqual(['src/trading/algos/plan/terms.ts']);
});
