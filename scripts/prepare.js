// Installs and builds what is missing or out of date, so that one command works on a fresh clone and costs nothing later.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { commitOf } from './commit.js';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Makes `node_modules` what the lockfile says. */
export function preparePackages() {
  if (arePackagesInstalled()) return;
  console.error('Installing the packages …');
  // leaves the lockfile alone
  npm('ci', '--loglevel=error');
}

/** Whether npm has installed all packages of the lockfile that are for this machine, and no others. It writes down which. */
function arePackagesInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  const { '': _project, ...wanted } = packagesOf('package-lock.json');
  const isMissing = (name) => !Object.hasOwn(installed, name) && isNeeded(wanted[name]);
  return (
    Object.keys(wanted).length > 0 &&
    Object.keys(installed).every((name) => isDeepStrictEqual(installed[name], wanted[name])) &&
    !Object.keys(wanted).some(isMissing)
  );
}

function packagesOf(lockfile) {
  const file = path.join(root, lockfile);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

/** What only an optional package for another machine needs is optional too. One for a C library may be for another C library. */
function isNeeded({ optional = false, os = [], cpu = [], libc }) {
  return !optional || (libc === undefined && os.includes(process.platform) && cpu.includes(process.arch));
}

/** Makes `node_modules` what the lockfile says and `dist` what the sources say. */
export function prepare() {
  preparePackages();
  const mark = path.join(root, 'dist/.built');
  const digest = digestOfBuild();
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  console.error('Building …');
  run(process.execPath, ['scripts/build.js']);
  writeFileSync(mark, digest);
}

/** Runs a program in the project's folder with the terminal it was given; a failure ends this one too. */
export function run(command, words, environment = {}) {
  const { status, error } = spawnSync(command, words, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Runs the npm that started this script, or the one on the PATH. */
export function npm(...words) {
  const program = process.env.npm_execpath;
  if (program?.endsWith('npm-cli.js')) run(process.execPath, [program, ...words]);
  else run('npm', words);
}

/** Of all that a build is made of. */
function digestOfBuild() {
  // the bundle holds code that this very Node compiled, and names the commit
  const circumstances = `${process.platform} ${process.arch} ${process.version} ${commitOf(root)}`;
  const hash = createHash('sha256').update(`${circumstances}\n`);
  const files = ['package-lock.json', 'package.json', 'scripts', 'src'].flatMap(filesBelow);
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

function filesBelow(input) {
  const full = path.join(root, input);
  if (path.extname(input) !== '') return [input];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
