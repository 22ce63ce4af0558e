// Installs and builds what is missing or out of date, so that one command works on a fresh clone and costs nothing later.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { commitOf } from './commit.js';

const MACHINE = `${process.platform} ${process.arch}`;

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Makes `node_modules` what the lockfile says. */
export function preparePackages() {
  // no package is compiled here, so they are the same for every Node
  once('node_modules/.installed', ['package-lock.json'], MACHINE, 'Installing the packages', () =>
    // leaves the lockfile alone
    npm('ci', '--loglevel=error'),
  );
}

/** Makes `node_modules` what the lockfile says and `dist` what the sources say. */
export function prepare() {
  preparePackages();
  const inputs = ['package-lock.json', 'package.json', 'scripts', 'src'];
  // the bundle holds code that this very Node compiled, and names the commit
  once('dist/.built', inputs, `${MACHINE} ${process.version} ${commitOf(root)}`, 'Building', () =>
    run(process.execPath, ['scripts/build.js']),
  );
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

/** Does the work unless its mark says that it was done with the same inputs, in the same circumstances. */
function once(mark, inputs, circumstances, title, work) {
  const file = path.join(root, mark);
  const digest = digestOf(inputs, circumstances);
  if (existsSync(file) && readFileSync(file, 'utf8') === digest) return;
  console.error(`${title} …`);
  work();
  writeFileSync(file, digest);
}

function digestOf(inputs, circumstances) {
  const hash = createHash('sha256').update(`${circumstances}\n`);
  for (const file of inputs.flatMap(filesBelow)) hash.update(`${file}\n`).update(readFileSync(path.join(root, file)));
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
