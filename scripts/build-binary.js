// `npm run build:binary [-- FILE]`: makes release/pit, or the file that is named: one executable that holds this very Node and
// all that pit reads at run time: the whole program as one bundle, the completion scripts, and the native libraries.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { bundle } from './build.js';
import { requireNodeForExecutable } from './executable-node.js';
import { prepare, root } from './prepare.js';

/** The native libraries by the name under which pit loads them: the package that loads one, and where it is. */
const NATIVE = {
  [`@lmdb/lmdb-${process.platform}-${process.arch}`]: { loads: 'lmdb', place: /@lmdb[\\/]/ },
  '@napi-rs/keyring': { loads: '@napi-rs/keyring', place: /@napi-rs[\\/]keyring-/ },
};

requireNodeForExecutable();
prepare();

const { 2: target = path.join(root, 'release', 'pit') } = process.argv;
mkdirSync(path.dirname(target), { recursive: true });
const folder = mkdtempSync(path.join(path.dirname(target), '.build-'));
try {
  const within = (/** @type {string} */ name) => path.join(folder, name);
  const [main, node, config, output] = [within('main.cjs'), within('node'), within('config.json'), within('pit')];
  await bundle('src/main.ts', {
    file: main,
    codeSplitting: false,
    // a shell gives the name that was typed
    footer: 'process.argv[1] = process.execPath; exports.start();',
  });
  copyNode(node);
  const settings = { disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify({ main, executable: node, output, ...settings, assets: assets() }));
  must(process.execPath, '--build-sea', config);
  // macOS runs nothing that was changed after it was signed
  if (process.platform === 'darwin') must('codesign', '--sign', '-', '--force', output);
  // at once, because a file that runs cannot be written to
  renameSync(output, target);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * This Node, on Linux without the names that only a debugger reads.
 * @param {string} file
 */
function copyNode(file) {
  copyFileSync(process.execPath, file);
  if (process.platform === 'linux') spawnSync('strip', [file], { stdio: 'ignore' });
}

/** What the file holds beside the program, by the names under which pit reads it. */
function assets() {
  const scripts = readdirSync(path.join(root, 'completions')).map((name) => `completions/${name}`);
  const held = ['dist/commands.json', ...scripts].map((name) => [name, path.join(root, name)]);
  const require = createRequire(import.meta.url);
  for (const [name, { loads, place }] of Object.entries(NATIVE)) {
    require(loads);
    const library = Object.keys(require.cache).find((file) => place.test(file) && file.endsWith('.node'));
    if (library === undefined) throw new Error(`the native library of ${loads} is not installed`);
    held.push([`native/${name}`, library]);
  }
  return Object.fromEntries(held);
}

/**
 * @param {string} command
 * @param {readonly string[]} words
 */
function must(command, ...words) {
  const { status, error } = spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`${command} ${words[0]} ended with ${status}`);
}
