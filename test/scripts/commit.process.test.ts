import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SCRIPT = pathToFileURL(path.resolve('scripts/prepare.js')).href;
const PRINTED = `import { commitOf } from '${SCRIPT}'; console.log(JSON.stringify(commitOf(process.argv[1])));`;

const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'pit-commit-')));
let commit = '';

function git(...words: readonly string[]): string {
  const author = ['-c', 'user.name=tester', '-c', 'user.email=tester@example.com'];
  return execFileSync('git', [...author, ...words], { cwd: project, encoding: 'utf8' }).trim();
}

/** The commit that a build in the folder would name. */
function commitOf(folder: string, environment: Readonly<Record<string, string>> = {}): string | null {
  const { PIT_COMMIT: _given, ...others } = process.env;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', PRINTED, folder], {
      encoding: 'utf8',
      env: { ...others, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}

beforeAll(() => {
  mkdirSync(path.join(project, 'src'));
  mkdirSync(path.join(project, 'copy'));
  writeFileSync(path.join(project, 'src', 'main.ts'), 'first\n');
  git('init', '--quiet');
  git('add', 'src');
  git('commit', '--quiet', '--message', 'first');
  commit = git('rev-parse', 'HEAD');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

it('names the commit of a checkout, also if what is not built was changed', () => {
  writeFileSync(path.join(project, 'notes.md'), 'not built\n');
  expect(commitOf(project)).toBe(commit);
});

it('names no commit for a copy within another checkout, or without git', () => {
  expect(commitOf(path.join(project, 'copy'))).toBeNull();
  expect(commitOf(project, { PATH: project })).toBeNull();
});

it('marks a commit if what is built has changed or got a new file', () => {
  const added = path.join(project, 'src', 'new.ts');
  writeFileSync(added, 'new\n');
  expect(commitOf(project)).toBe(`${commit}-dirty`);
  rmSync(added);
  expect(commitOf(project)).toBe(commit);
  writeFileSync(path.join(project, 'src', 'main.ts'), 'second\n');
  expect(commitOf(project)).toBe(`${commit}-dirty`);
});

it('takes the commit of a copy from PIT_COMMIT, and only a whole one', () => {
  const given = '0123456789abcdef0123456789abcdef01234567';
  const read = (value: string) => commitOf(project, { PIT_COMMIT: value });
  expect([read(given), read(`${given}-dirty`), read('')]).toEqual([given, `${given}-dirty`, null]);
  expect(() => read('0123456')).toThrow('not the whole hash');
});
