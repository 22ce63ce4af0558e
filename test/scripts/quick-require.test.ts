import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryHome } from '../support/pit.js';
import { PIT, runProgram } from '../support/program.js';

const home = temporaryHome();
let copy: string;

/** A copy of the built program, whose compiled code cache may be damaged. */
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'pit-copy-'));
  const root = path.dirname(path.dirname(PIT));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

function codeCache(): string {
  const name = readdirSync(path.join(copy, 'dist')).find(
    (file) => file.startsWith('main.cjs.') && file.endsWith('.code'),
  );
  return path.join(copy, 'dist', name ?? 'missing');
}

it.each<[string, (code: Buffer) => Buffer]>([
  [
    'flipped in the middle',
    (code) => Buffer.concat([code.subarray(0, 9000), Buffer.from([1, 2, 3]), code.subarray(9003)]),
  ],
  ['cut off', (code) => code.subarray(0, code.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['text', () => Buffer.from('not compiled code')],
])('a compiled code cache that is %s is ignored', async (_, spoil) => {
  writeFileSync(codeCache(), spoil(readFileSync(codeCache())));
  const program = path.join(copy, 'bin', 'pit.js');
  const { code, stdout } = await runProgram(['--help'], { home, program });
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: pit');
});

it('the compiled code cache is named after the exact version of Node', () => {
  expect(path.basename(codeCache())).toBe(`main.cjs.${process.version}-${process.arch}.code`);
});
