import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { BUILT } from '../support/command.js';
import { copyProject, ROOT as root } from './project-copy.js';

const folder = mkdtempSync(path.join(tmpdir(), 'pit-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

/** What `npm pack` makes of a copy of the project. */
function pack(project: string): Packed {
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(execFileSync('npm', words, { cwd: project, encoding: 'utf8' })) as Packed[];
  if (packed === undefined) throw new Error('npm packed nothing');
  return packed;
}

const ofRoot = pack(root);

/** What needs no build by itself: read by shells, by `man` or by people. */
const TEXTS =
  /^(bin\/package\.json|completions\/(_pit|pit\.(bash|fish))|man\/man1\/pit(-[a-z-]+)?\.1|skills\/pit\/SKILL\.md|(CHANGELOG|README)\.md|LICENSE|package\.json)$/;

it('the package holds only what runs or is read, and no code that one Node has compiled', () => {
  const names = ofRoot.files.map((file) => file.path);
  const programs = readdirSync(path.join(root, 'dist')).filter((name) => !name.startsWith('.'));
  const expected = ['bin/pit.js', ...programs.map((name) => `dist/${name}`)];
  expect(names.filter((name) => !TEXTS.test(name)).sort()).toEqual(expected.sort());
  expect(names).toEqual(
    expect.arrayContaining(['completions/_pit', 'man/man1/pit.1', 'skills/pit/SKILL.md', 'LICENSE']),
  );
});

/** What `pit --version --json` prints of a program. */
function versionOf(program: string): { readonly commit: string | null; readonly source: string } {
  return JSON.parse(execFileSync(process.execPath, [program, '--version', '--json'], { encoding: 'utf8' }));
}

it('--version --json in an installed package names the package as its source, and the commit', () => {
  execFileSync('tar', ['-xzf', path.join(folder, ofRoot.filename), '-C', folder]);
  const built = versionOf(BUILT);
  expect(built.source).toBe('checkout');
  expect(versionOf(path.join(folder, 'package', 'bin', 'pit.js'))).toEqual({ ...built, source: 'package' });
});

it('a second build, in another folder, makes the same package to the byte', () => {
  const { commit } = versionOf(BUILT);
  const { copy, remove } = copyProject('second build');
  onTestFinished(remove);
  execFileSync(process.execPath, ['scripts/build.js'], {
    cwd: copy,
    env: { ...process.env, PIT_COMMIT: commit ?? '' },
  });
  const built = readdirSync(path.join(copy, 'dist')).filter((name) => !name.startsWith('.'));
  const content = (project: string, name: string) => readFileSync(path.join(project, 'dist', name));
  expect(built.filter((name) => !content(copy, name).equals(content(root, name)))).toEqual([]);
  expect(pack(copy).integrity).toBe(ofRoot.integrity);
});
