// Bundles src/ into dist/. Start-up time decides the layout: `bin.js` answers --version alone; `main.cjs` holds all of
// pit's own code, each module run when it is first imported; large packages that are not always needed stay in files
// apart. All but the entry is CommonJS: its modules and Node's own load later and cheaper than those of ES modules.

import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { lighter } from './lighter-packages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = path.join(root, 'src');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** Modules with a file of their own in dist/, loaded by the first import that meets them. */
const APART = {
  got: 'got',
  inquirer: 'inquirer',
  '@inquirer/core': 'inquirer-core',
  conf: 'conf',
  lmdb: 'lmdb',
  'proper-lockfile': 'proper-lockfile',
  'csv-stringify/sync': 'csv-stringify',
  'string-width': 'string-width',
  '@redis/client': 'redis-client',
  uqr: 'uqr',
  hyparquet: 'hyparquet',
  'hyparquet-writer': 'hyparquet-writer',
  ws: 'ws',
  './data/btc-usdt-2023-03.js': 'recorded-history',
};

const shared = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  platform: 'node',
  target: 'node20.17',
  define: { PIT_VERSION: JSON.stringify(version) },
  logLevel: 'warning',
};

/** Lets pit's own code require the file that is built beside it. Packages may mean another version of the same name. */
const apart = {
  name: 'apart',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ path: name, importer }) =>
      importer.startsWith(sources) && Object.hasOwn(APART, name)
        ? { path: APART[name], namespace: 'apart' }
        : undefined,
    );
    onResolve({ filter: /.*/, namespace: 'apart' }, ({ path: name }) => ({ path: name, external: true }));
    onLoad({ filter: /.*/, namespace: 'apart' }, ({ path: name }) => ({
      contents: `export * from './${name}.cjs'; export { default } from './${name}.cjs';`,
    }));
  },
};

/** Lets the entry, an ES module as bin/ is, require the rest. */
const requiring = {
  name: 'requiring',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: 'main', namespace: 'requiring' }));
    onLoad({ filter: /.*/, namespace: 'requiring' }, () => ({
      contents: `import { quickRequire } from './scripts/quick-require.js';
        export const { main } = quickRequire(import.meta.dirname, './main.cjs');`,
      resolveDir: root,
    }));
  },
};

rmSync(path.join(root, 'dist'), { recursive: true, force: true });

await build({
  ...shared,
  format: 'esm',
  outExtension: {},
  entryPoints: ['src/bin.ts'],
  plugins: [requiring],
});

await build({
  ...shared,
  entryPoints: ['src/main.ts'],
  // the kept code is compiled as a script, in which import() of Node's own modules would throw
  supported: { 'dynamic-import': false },
  plugins: [apart, lighter],
});

await build({
  ...shared,
  entryPoints: Object.entries(APART).map(([name, out]) => ({
    in: name.startsWith('./') ? `src/sandbox/markets/${name.replace(/js$/, 'ts')}` : name,
    out,
  })),
  plugins: [lighter],
});

const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/keep-code.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (status !== 0) throw new Error('the bundle does not run');
