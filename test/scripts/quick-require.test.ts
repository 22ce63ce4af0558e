import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { temporaryHome } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const home = temporaryHome();
let copy: string;

/** A copy of the built program, whose compiled code cache may be damaged. */
beforeEach(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'pit-copy-'));
  const root = path.dirname(path.dirname(BUILT));
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

const LOADER = path.resolve(import.meta.dirname, '../../scripts/quick-require.js');

/** Loads a module of the copy in a Node of its own, which keeps its code if asked to, and returns what the module gives. */
function given(keep = false): string {
  const kept = keep ? ', keepCode' : '';
  const script = `import { keepCode, quickRequire } from ${JSON.stringify(LOADER)};
    console.log(quickRequire(${JSON.stringify(copy)}, './swapped.cjs'${kept}).given);`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim();
}

/** A module that gives 1, whose kept code was made of one that gives 2; with its digest or, as a forger would, the right one. */
function swapped(digestOf: 'its own source' | 'the source beside it'): string {
  const [one, two] = ['exports.given = 1;', 'exports.given = 2;'];
  const file = path.join(copy, 'swapped.cjs');
  const kept = `${file}.${process.version}-${process.arch}.code`;
  writeFileSync(file, two);
  given(true);
  writeFileSync(file, one);
  if (digestOf === 'the source beside it') {
    const code = readFileSync(kept);
    createHash('sha256').update(one).digest().copy(code);
    writeFileSync(kept, code);
  }
  return kept;
}

it('the compiled code cache of another source of the same length is ignored', () => {
  swapped('its own source');
  expect(given()).toBe('1');
});

it('the compiled code cache is used from a folder that nobody else can write to, and only from there', () => {
  const kept = swapped('the source beside it');
  expect(given()).toBe('2');
  for (const target of [copy, kept]) {
    const { mode } = statSync(target);
    chmodSync(target, mode | 0o020);
    expect(given()).toBe('1');
    chmodSync(target, mode);
  }
  expect(given()).toBe('2');
});
