import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const { removeEarlierBundles, replaceBundle } = (await import(
  pathToFileURL(path.resolve('scripts/replace-bundle.js')).href
)) as {
  readonly replaceBundle: (made: string, dist: string) => void;
  readonly removeEarlierBundles: (dist: string) => void;
};

let folder: string;
let dist: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pit-bundle-'));
  dist = path.join(folder, 'dist');
  mkdirSync(dist);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A build: its entry names a part, whose name is its content. */
function build(...parts: readonly string[]): void {
  const made = mkdtempSync(path.join(folder, 'made-'));
  writeFileSync(path.join(made, 'main.cjs'), parts.join());
  for (const part of parts) writeFileSync(path.join(made, `${part}.cjs`), part);
  replaceBundle(made, dist);
}

const names = () => readdirSync(dist).filter((name) => !name.startsWith('.'));
const current = () => readFileSync(path.join(dist, 'main.cjs'), 'utf8').split(',');

it('a program that runs the bundle before it finds all its parts after a build, also if the same is built twice', () => {
  build('a', 'b');
  build('a', 'c');
  build('a', 'c');
  expect(current()).toEqual(['a', 'c']);
  expect(names()).toEqual(['a.cjs', 'b.cjs', 'c.cjs', 'main.cjs']);
});

it('what the bundle before the last one needed goes', () => {
  build('a');
  build('b');
  build('c');
  expect(names()).toEqual(['b.cjs', 'c.cjs', 'main.cjs']);
});

it('the program is whole when a build is cut off before its last step', () => {
  build('a');
  const made = mkdtempSync(path.join(folder, 'made-'));
  writeFileSync(path.join(made, 'b.cjs'), 'b');
  // without an entry, moving it fails as a full disk would make it fail
  expect(() => replaceBundle(made, dist)).toThrow();
  for (const part of current()) expect(existsSync(path.join(dist, `${part}.cjs`))).toBe(true);
});

it('a package holds the files of one bundle', () => {
  build('a');
  build('b');
  removeEarlierBundles(dist);
  expect(names()).toEqual(['b.cjs', 'main.cjs']);
});
