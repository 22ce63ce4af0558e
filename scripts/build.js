// Bundles src/ into dist/. Start-up time decides the layout: `main.js` answers --version alone; `pit.js` holds all of
// pit's own code, each module run when it is first imported; what is large and not always needed stays in files apart.
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
  conf: 'conf',
  'proper-lockfile': 'proper-lockfile',
  'csv-stringify/sync': 'csv-stringify',
  'string-width': 'string-width',
  './data/btc-usdt-2023-03.js': 'recorded-history',
};

/** CommonJS packages inside a bundle still call require for Node's own modules. */
const REQUIRE = "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);";

const shared = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  define: { PIT_VERSION: JSON.stringify(version) },
  // it finds its prebuilt library from its own folder
  external: ['lmdb'],
  logLevel: 'warning',
};

/** Points an import of pit's own code at the file that is built beside it. Packages may mean another version of the name. */
function leaving(targets) {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /.*/ }, ({ path: name, importer }) => {
        const target = importer.startsWith(sources) ? targets[name] : undefined;
        return target === undefined ? undefined : { path: `./${target}.js`, external: true };
      });
    },
  };
}

rmSync(path.join(root, 'dist'), { recursive: true, force: true });

await build({ ...shared, entryPoints: ['src/main.ts'], plugins: [leaving({ './pit.js': 'pit' })] });

await build({
  ...shared,
  entryPoints: ['src/pit.ts'],
  banner: { js: REQUIRE },
  plugins: [leaving(APART), lighter],
});

await build({
  ...shared,
  entryPoints: Object.entries(APART).map(([name, out]) => ({
    in: name.startsWith('./') ? `src/sandbox/markets/${name.replace(/js$/, 'ts')}` : name,
    out,
  })),
  banner: { js: REQUIRE },
  plugins: [lighter],
});
