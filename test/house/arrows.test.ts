import { describe, expect, it } from 'vitest';
import { complaints, HOMES, partOf } from './arrows.js';
import { filesUnder, importsIn, textOf } from './sources.js';

const files = filesUnder('src');
const imports = files.flatMap((file) => importsIn(file, textOf(file)));

describe('the import arrows', () => {
  it('every file belongs to a part of the house', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => partOf(file) === undefined)).toEqual([]);
  });

  it('point one way, and every library stays in its one home', () => {
    expect(imports.length).toBeGreaterThan(500);
    expect(complaints(imports)).toEqual([]);
  });

  it('lead to files that are there', () => {
    const known = new Set(files);
    expect(imports.filter(({ to }) => to.startsWith('src/') && !known.has(to))).toEqual([]);
  });

  it('start at bin/pit.js, which starts main and nothing else', () => {
    expect(importsIn('bin/pit.js', textOf('bin/pit.js'))).toEqual([{ from: 'bin/pit.js', to: 'dist/main.ts' }]);
    expect(textOf('bin/pit.js').trim().split('\n').length).toBeLessThanOrEqual(4);
  });

  it('every library that has a home is used there', () => {
    const used = new Set(imports.map(({ to }) => to));
    expect(Object.keys(HOMES).filter((library) => !used.has(library))).toEqual([]);
  });
});

describe('the check itself', () => {
  it.each([
    ['src/client/transport.ts', 'src/commands/depth.ts'],
    ['src/trading/order/place.ts', 'src/terminal/output.ts'],
    ['src/terminal/table.ts', 'src/config/store.ts'],
    ['src/protocol/request.ts', 'src/errors.ts'],
    ['src/sandbox/server/verify.ts', 'src/protocol/signing.ts'],
    ['src/sandbox/exchange.ts', 'src/client/transport.ts'],
    ['src/sandbox/exchange.ts', 'src/trading/order/place.ts'],
    ['src/sandbox/engine/book.ts', 'src/sandbox/ledger.ts'],
    ['src/sandbox/engine/book.ts', 'src/protocol/json.ts'],
    ['src/sandbox/engine/book.ts', 'node:crypto'],
    ['src/commands/depth.ts', 'chalk'],
    ['src/commands/depth.ts', 'got'],
    ['src/main.ts', 'src/client/transport.ts'],
    ['src/utils.ts', 'src/errors.ts'],
    ['src/client/transport.ts', 'left-pad'],
    ['src/client/transport.ts', '(computed)'],
  ])('tells that %s may not import %s', (from, to) => {
    expect(complaints([{ from, to }])).toHaveLength(1);
  });

  it.each([
    ['src/commands/order/order.ts', 'src/trading/order/place.ts'],
    ['src/sandbox/engine/book.ts', 'src/protocol/decimal.ts'],
    ['src/sandbox/exchange.ts', 'src/sandbox/engine/book.ts'],
    ['src/sandbox/exchange.ts', 'src/protocol/operations/index.ts'],
    ['src/client/transport.ts', 'got'],
    ['src/protocol/signing.ts', 'node:crypto'],
  ])('lets %s import %s', (from, to) => {
    expect(complaints([{ from, to }])).toEqual([]);
  });

  it('sees every way to import', () => {
    const text = `
      import './effect.js';
      import value, { type Kind } from '../config/store.js';
      import type { Got } from 'got';
      export { one } from './one.js';
      export * from 'csv-stringify/sync';
      type Late = import('@scope/name/part').Late;
      const load = async (name: string) => [await import('node:fs'), await import(name)];
      export const own = 'from ./nowhere.js';`;
    expect(importsIn('src/client/a.ts', text).map(({ to }) => to)).toEqual([
      'src/client/effect.ts',
      'src/config/store.ts',
      'got',
      'src/client/one.ts',
      'csv-stringify',
      '@scope/name',
      'node:fs',
      '(computed)',
    ]);
  });
});
