// Replaces the bundle in dist/ while it may run: a program that npm has linked to a checkout starts at any moment of a build.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The names of the files of the bundle in dist/. */
const NAMES = '.files.json';
/** What bin/pit.js loads first. The names of all that it loads are in it, so that replacing it replaces the program. */
const ENTRY = 'main.cjs';

/**
 * Moves a new bundle into dist/. The files of the bundle before it stay, for programs that run it: they load more of it when they
 * need it. Those of earlier ones go.
 *
 * @param {string} made the folder of the new bundle, on the same disk; it is left empty
 * @param {string} dist
 */
export function replaceBundle(made, dist) {
  const names = readdirSync(made).sort();
  const before = namesIn(dist);
  const next = path.join(made, NAMES);
  writeFileSync(next, JSON.stringify(names));
  // names hold the hash of the content, except for the entry and for texts that any of the two programs may print
  for (const name of names) if (name !== ENTRY) renameSync(path.join(made, name), path.join(dist, name));
  renameSync(path.join(made, ENTRY), path.join(dist, ENTRY));
  renameSync(next, path.join(dist, NAMES));
  // the same bundle again: what ran before it may still run
  if (before.join() !== names.join()) removeOthers(dist, [...before, ...names]);
}

/**
 * Removes what an earlier bundle has left in dist/. A program that still runs it can load no more of it.
 * @param {string} dist
 */
export function removeEarlierBundles(dist) {
  removeOthers(dist, namesIn(dist));
}

/**
 * @param {string} dist
 * @returns {string[]}
 */
function namesIn(dist) {
  const file = path.join(dist, NAMES);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

/**
 * Hidden files are the marks of a build and the cached code.
 * @param {string} dist
 * @param {readonly string[]} kept
 */
function removeOthers(dist, kept) {
  const keep = new Set(kept);
  for (const name of readdirSync(dist))
    if (!keep.has(name) && !name.startsWith('.')) rmSync(path.join(dist, name), { recursive: true });
}
