import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { afterAll, expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { copyProject, ROOT as root } from './project-copy.js';

const folder = mkdtempSync(path.join(tmpdir(), 'pit-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

/** What `npm pack` makes of a copy of the project that was never built. */
function pack(name: string): Packed & { readonly copy: string } {
  const { copy, remove } = copyProject(name);
  removals.push(remove);
  const words = ['pack', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(
    execFileSync('npm', words, {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, PIT_COMMIT: commit ?? '' },
    }),
  ) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing');
  return { ...packed, copy };
}

const removals: (() => void)[] = [];
afterAll(() => {
  for (const remove of removals) remove();
});

const { commit } = versionOf(BUILT);
const packed = pack('fresh clone');
const unpacked = path.join(folder, 'package');
execFileSync('tar', ['-xzf', path.join(folder, packed.filename), '-C', folder]);

/** What needs no build by itself: read by shells, by `man` or by people. */
const TEXTS =
  /^(bin\/package\.json|completions\/(_pit|pit\.(bash|fish))|man\/man1\/pit(-[a-z-]+)?\.1|skills\/pit\/SKILL\.md|(CHANGELOG|README)\.md|LICENSE|package\.json)$/;

it('the package holds only what runs or is read, and no code that one Node has compiled', () => {
  const names = packed.files.map((file) => file.path);
  const programs = readdirSync(path.join(packed.copy, 'dist')).filter((name) => !name.startsWith('.'));
  const expected = ['bin/pit.js', ...programs.map((name) => `dist/${name}`)];
  expect(names.filter((name) => !TEXTS.test(name)).sort()).toEqual(expected.sort());
  expect(names).toEqual(
    expect.arrayContaining(['completions/_pit', 'man/man1/pit.1', 'skills/pit/SKILL.md', 'LICENSE']),
  );
});

it('the package asks npm for native libraries only, and the checkout keeps its own package.json', () => {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const { dependencies, devDependencies, overrides, scripts, ...rest } = read(path.join(root, 'package.json'));
  expect(Object.keys(dependencies).length).toBeGreaterThan(10);
  expect(read(path.join(unpacked, 'package.json'))).toEqual(rest);
  expect(read(path.join(packed.copy, 'package.json'))).toEqual(read(path.join(root, 'package.json')));
});

it('publint finds nothing to improve in the package', async () => {
  const { messages } = await publint({ pkgDir: unpacked, pack: false, strict: true });
  expect(messages).toEqual([]);
});

/** What `pit --version --json` prints of a program. */
function versionOf(program: string): { readonly commit: string | null; readonly source: string } {
  return JSON.parse(execFileSync(process.execPath, [program, '--version', '--json'], { encoding: 'utf8' }));
}

it('--version --json in an installed package names the package as its source, and the commit', () => {
  const built = versionOf(BUILT);
  expect(built.source).toBe('checkout');
  expect(versionOf(path.join(unpacked, 'bin', 'pit.js'))).toEqual({ ...built, source: 'package' });
});

it('a second build, in another folder, makes the same package to the byte', () => {
  expect(pack('second build').integrity).toBe(packed.integrity);
});
