// Bundles src/ into dist/. Start-up time decides the layout: `bin.cjs` answers the version and help alone, help from texts
// that are made here; pit's own code is in a few chunks (scripts/chunks.js), and large packages that are not always needed
// stay in files apart. All is CommonJS: its modules and Node's own load later and cheaper than those of ES modules.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';
import { bundledPackages, licenceTexts } from './bundled-packages.js';
import { chunksOf } from './chunks.js';
import { commitOf } from './commit.js';
import { lazyImports } from './lazy-imports.js';
import { lighter } from './lighter-packages.js';
import { BUILD } from './quick-require.js';

// esbuild collects its garbage less often: that took an eighth of the build's processor time
process.env.GOGC ??= '400';

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
  define: { PIT_VERSION: JSON.stringify(version), PIT_COMMIT: JSON.stringify(commitOf(root)) },
  logLevel: 'warning',
};

/** Makes the texts of help and the table of commands. */
const REFERENCE = `
  import { helpFile } from './cli/help-text.ts';
  import { helpTemplates } from './cli/run.ts';
  import { PROGRAM } from './commands/index.ts';
  export { describeTree } from './commands/reference/command-tree.ts';
  export const file = helpFile(await helpTemplates(PROGRAM));
`;

/** Lets pit's own code require the file that is built beside it. Packages may mean another version of the same name. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path: name, importer }) =>
      importer.startsWith(sources) && Object.hasOwn(APART, name)
        ? { path: `./${APART[name]}.cjs`, external: true }
        : undefined,
    );
  },
};

/** Lets the entry load the chunks with their kept code. */
const starting = {
  name: 'starting',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/main\.js$/ }, () => ({ path: 'main', namespace: 'starting' }));
    onLoad({ filter: /.*/, namespace: 'starting' }, () => ({
      contents: `import { quickRequire } from './scripts/quick-require.js';
        export const { main } = quickRequire(__dirname, './main.cjs?src/main.ts', require);`,
      resolveDir: root,
    }));
    // whole, so that it is all that is loaded
    onResolve({ filter: /^\.\/(cli\/unknown-command|completion|config\/keychain-helper)\.js$/ }, ({ path: name }) => ({
      path: `./${path.basename(name, '.js')}.cjs`,
      external: true,
    }));
  },
};

/** Lets the answer to an unknown command load colours only if it is painted. */
const colourless = {
  name: 'colourless',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/palette\.js$/ }, () => ({ path: './palette.cjs', external: true }));
  },
};

rmSync(path.join(root, 'dist'), { recursive: true, force: true });

/** What esbuild says about each bundle. */
const bundles = [];

// import() of the other file would load Node's ES modules
const required = { 'dynamic-import': false };
await bundle({ ...shared, entryPoints: ['src/bin.ts'], supported: required, plugins: [starting] });
await bundle({
  ...shared,
  entryPoints: [{ in: 'src/config/keychain-helper.ts', out: 'keychain-helper' }],
  supported: required,
});
await buildLazily({ ...shared, entryPoints: ['src/completion.ts'], supported: required, plugins: [apart, lighter] });
await buildLazily({
  ...shared,
  entryPoints: [
    { in: 'src/cli/unknown-command.ts', out: 'unknown-command' },
    { in: 'src/terminal/palette.ts', out: 'palette' },
  ],
  supported: required,
  plugins: [colourless, lighter],
});

// the kept code is compiled as a script, in which import() of Node's own modules would throw
const program = { ...shared, supported: { 'dynamic-import': false }, plugins: [apart, lighter] };
const chunks = await chunksOf(root, { ...program, entryPoints: ['src/main.ts'] });
await buildLazily({ ...program, entryPoints: chunks.entryPoints, plugins: [chunks.plugin, ...program.plugins] });

await buildLazily({
  ...shared,
  entryPoints: Object.entries(APART).map(([name, out]) => ({ in: name, out })),
  plugins: [lighter],
});

markBuild();
const { help, tree } = await reference();
writeFileSync(path.join(root, 'dist/help.txt'), help);
writeFileSync(path.join(root, 'dist/commands.json'), JSON.stringify(tree));
const packages = bundledPackages(root, bundles);
writeFileSync(path.join(root, 'dist/licenses.txt'), licenceTexts(root, packages));
writeFileSync(path.join(root, 'dist/.packages.json'), JSON.stringify(packages));

const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/keep-code.js')], {
  stdio: ['ignore', 'ignore', 'inherit'],
});
if (status !== 0) throw new Error('the bundle does not run');

/** Builds bundles whose modules load what they import when they first use it. */
async function buildLazily(options) {
  const { metafile, outputFiles } = await build({ ...options, minify: false, write: false, metafile: true });
  bundles.push(metafile);
  for (const { path: file, text } of outputFiles) {
    const { code } = await transform(lazyImports(text), { minify: true, format: 'cjs', target: shared.target });
    writeFileSync(file, ascii(code));
  }
}

/** Writes into each bundle which build it is of, so that a running process loads none of another one. */
function markBuild() {
  const fileOf = (name) => path.join(root, 'dist', name);
  const names = readdirSync(path.join(root, 'dist')).filter((name) => name.endsWith('.cjs') && name !== 'bin.cjs');
  const texts = names.sort().map((name) => readFileSync(fileOf(name), 'utf8'));
  const mark = createHash('sha256').update(texts.join('\0')).digest('hex').slice(0, BUILD.length);
  for (const [index, name] of names.entries()) writeFileSync(fileOf(name), `//${mark}\n${texts[index]}`);
  const entry = readFileSync(fileOf('bin.cjs'), 'utf8');
  if (!entry.includes(BUILD)) throw new Error('the loader does not compare builds');
  writeFileSync(fileOf('bin.cjs'), entry.replace(BUILD, mark));
}

/** V8 keeps a text in half the room if it is in ASCII. esbuild leaves other characters in expressions and templates. */
function ascii(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function bundle(options) {
  const { metafile } = await build({ ...options, metafile: true });
  bundles.push(metafile);
}

/** The help of every command, as dist/bin.cjs answers it, and the table of commands from which shells complete. */
async function reference() {
  // within the project, so that its packages are found
  const folder = mkdtempSync(path.join(root, 'node_modules', '.help-'));
  try {
    const outfile = path.join(folder, 'help.mjs');
    await build({
      ...shared,
      stdin: { contents: REFERENCE, resolveDir: sources },
      outdir: undefined,
      outExtension: {},
      outfile,
      format: 'esm',
      packages: 'external',
    });
    const { file, describeTree } = await import(pathToFileURL(outfile).href);
    return { help: file, tree: await describeTree() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
