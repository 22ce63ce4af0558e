// `npm run build:binary [-- FILE]`: makes release/pit, or the file that is named: one executable that holds this very Node and
// all that pit reads at run time.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { OLDEST_NODE, requireNodeForExecutable } from './executable-node.js';
import { prepare, root } from './prepare.js';
import { codeFile } from './quick-require.js';

/** The native libraries by the name under which pit requires them: the package that loads one, and where it is. */
const NATIVE = {
  [`@lmdb/lmdb-${process.platform}-${process.arch}`]: { loads: 'lmdb', place: /@lmdb[\\/]/ },
  '@napi-rs/keyring': { loads: '@napi-rs/keyring', place: /@napi-rs[\\/]keyring-/ },
};

requireNodeForExecutable();
prepare();

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const dist = path.join(root, 'dist');
const { 2: target = path.join(root, 'release', process.platform === 'win32' ? 'pit.exe' : 'pit') } = process.argv;
mkdirSync(path.dirname(target), { recursive: true });
const folder = mkdtempSync(path.join(path.dirname(target), '.build-'));
try {
  const [main, node, config, output] = ['main.cjs', 'node', 'config.json', 'pit'].map((name) =>
    path.join(folder, name),
  );
  await bundleMain(main);
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

/** The entry of pit, which reads from the file itself what it otherwise reads from dist/. */
async function bundleMain(outfile) {
  const loader = JSON.stringify('./scripts/asset-require.js');
  const held = {
    name: 'held',
    setup({ onResolve, onLoad }) {
      onResolve(
        { filter: /^\.\/(main|cli\/unknown-command|completion|config\/keychain-helper)\.js$/ },
        ({ path: name }) => ({
          path: path.basename(name, '.js'),
          namespace: 'held',
        }),
      );
      onLoad({ filter: /.*/, namespace: 'held' }, ({ path: name }) => ({
        contents: `module.exports = require(${loader}).assetRequire('./${name}.cjs${name === 'main' ? '?src/main.ts' : ''}');`,
        resolveDir: root,
      }));
      onResolve({ filter: /^\.\/help-file\.js$/ }, () => ({ path: 'help-file', namespace: 'help' }));
      onLoad({ filter: /.*/, namespace: 'help' }, () => ({
        contents: `import { assetText } from ${loader}; export const helpFile = () => assetText('help.txt');`,
        resolveDir: root,
      }));
    },
  };
  await build({
    absWorkingDir: root,
    outfile,
    stdin: {
      // a shell gives the name that was typed
      contents: "process.argv[1] = process.execPath; require('./src/bin.ts').start();",
      resolveDir: root,
    },
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: `node${OLDEST_NODE.join('.')}`,
    define: { PIT_VERSION: JSON.stringify(version) },
    supported: { 'dynamic-import': false },
    plugins: [held],
    logLevel: 'warning',
  });
}

/** This Node, on Linux without the names that only a debugger reads. */
function copyNode(file) {
  copyFileSync(process.execPath, file);
  if (process.platform === 'linux') spawnSync('strip', [file], { stdio: 'ignore' });
}

/** What the file holds: the bundles with the code that V8 made of them, texts that pit prints, and the native libraries. */
function assets() {
  const names = readdirSync(dist).filter((name) => /\.(cjs|txt)$/.test(name) && name !== 'bin.cjs');
  const held = names.flatMap((name) => {
    const file = path.join(dist, name);
    const code = codeFile(file);
    return [[name, file], ...(existsSync(code) ? [[`${name}.code`, code]] : [])];
  });
  const scripts = readdirSync(path.join(root, 'completions')).map((name) => `completions/${name}`);
  for (const name of ['dist/commands.json', ...scripts]) held.push([name, path.join(root, name)]);
  const require = createRequire(import.meta.url);
  for (const [name, { loads, place }] of Object.entries(NATIVE)) {
    require(loads);
    const library = Object.keys(require.cache).find((file) => place.test(file) && file.endsWith('.node'));
    if (library === undefined) throw new Error(`the native library of ${loads} is not installed`);
    held.push([`native/${name}`, library]);
  }
  return Object.fromEntries(held);
}

function must(command, ...words) {
  const { status, error } = spawnSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw error ?? new Error(`${command} ${words[0]} ended with ${status}`);
}
