import { expect, it } from 'vitest';
import { type Name, namesGiven, namesTaken } from './exports.js';
import { filesUnder } from './sources.js';

/** It loads every command late, and takes nothing of it but its default. */
const INDEX = 'src/commands/index.ts';

function unused(given: readonly Name[], taken: readonly Name[]): string[] {
  const used = new Set(taken.map(({ file, name }) => `${file} ${name}`));
  return given
    .filter(({ file, name }) => !used.has(`${file} *`) && !used.has(`${file} ${name}`))
    .map(({ file, name }) => `${file} ${name}`);
}

it('a file exports nothing that no other file asks for', () => {
  const files = filesUnder('src');
  const taken = [...files, ...filesUnder('test'), 'bin/pit.js']
    .flatMap((file) => namesTaken(file).filter(({ name }) => file !== INDEX || name !== '*'))
    // what the program starts is built
    .map(({ file, name }) => ({ file: file.replace(/^dist\//, 'src/'), name }));
  expect(taken.length).toBeGreaterThan(1_000);
  const given = files.flatMap((file) => namesGiven(file));
  expect(unused(given, taken)).toEqual([]);
});

it('the check itself sees every way to give and to take', () => {
  const given = namesGiven(
    'src/a.ts',
    `export const one = 1, two = 2; export function three() {} export class Four {} export type Five = 5;
    export interface Six {} export enum Seven {} export { inner as eight }; export { nine } from './b.js';
    export default one; const inner = 8;`,
  );
  const names = ['one', 'two', 'three', 'Four', 'Five', 'Six', 'Seven', 'eight', 'nine'];
  expect(given.map(({ name }) => name)).toEqual(names);
  const taken = namesTaken(
    'src/part/c.ts',
    `import { one, type Five as Mine } from '../a.js';
    import type { Six } from '../a.js';
    import some from '../a.js';
    import * as all from './d.js';
    export { three as other } from '../a.js';
    export * from './e.js';
    import fs from 'node:fs'; const load = () => import('../f.js'); type Late = import('./g.js').Late;`,
  );
  const wanted = ['src/part/d.ts', 'src/part/e.ts', 'src/f.ts', 'src/part/g.ts'].map((file) => ({ file, name: '*' }));
  expect(taken).toEqual(expect.arrayContaining(wanted));
  expect(unused(given, taken)).toEqual(['two', 'Four', 'Seven', 'eight', 'nine'].map((name) => `src/a.ts ${name}`));
});
