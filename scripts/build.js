// Bundles src/ into dist/, for `npm run build`. A command loads only what it uses: each import() in the sources becomes a require()
// of a file of its own, whose name holds the hash of its content. bin/pit.js loads these files.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import { importBundled } from './bundle-program.js';
import { writeLicences } from './licences.js';
import { commitOf, root } from './prepare.js';
import { replaceBundle } from './replace-bundle.js';
import { stubs } from './stubs.js';

const dist = path.join(root, 'dist');
const require = createRequire(import.meta.url);

/** @typedef {import('rolldown').Plugin} Plugin */

/**
 * lmdb looks for its native library in the folder of its package, which a bundle does not have.
 * @type {Plugin}
 */
const nativeLibrary = {
  name: 'native-library',
  resolveId(id) {
    return id === 'node-gyp-build-optional-packages' ? path.join(root, 'src/platform/native-library.ts') : undefined;
  },
};

/**
 * cli-table3 measures as pit does: its own measure counts marks of Thai or Arabic as letters, and takes twice as long.
 * @type {Plugin}
 */
const cellWidths = {
  name: 'cell-widths',
  resolveId(id, importer = '') {
    return id === 'string-width' && importer.includes('/node_modules/cli-table3/') ? '\0cell-widths' : undefined;
  },
  load(id) {
    const file = JSON.stringify(path.join(root, 'src/terminal/text.ts'));
    return id === '\0cell-widths'
      ? { code: `module.exports = require(${file}).displayWidth;`, moduleType: 'js' }
      : undefined;
  },
};

/** Modules of Node that load slowly. A command often needs only some of those that its packages import. */
const SLOW =
  /^(?:node:)?(child_process|crypto|dgram|dns|http|https|net|os|readline|readline\/promises|sea|stream\/promises|timers\/promises|tls|tty|v8|zlib)$/;

/**
 * Loads each of these modules when one of its members is first used.
 * @type {Plugin}
 */
const lazyNode = {
  name: 'lazy-node',
  resolveId(id) {
    const [, name] = SLOW.exec(id) ?? [];
    return name === undefined ? undefined : `\0node:${name}`;
  },
  load(id) {
    if (!id.startsWith('\0node:')) return undefined;
    const name = id.slice('\0'.length);
    const members = Object.keys(require(name)).map((member) => `get ${member}() { return load().${member}; }`);
    const code = `const load = () => process.getBuiltinModule('${name}'); module.exports = { ${members.join(', ')} };`;
    return { code, moduleType: 'js' };
  },
};

/** The helper of the bundler for a module of Node, or in CommonJS, that others import. */
const IMPORTED = /export var __toESM = .*?\n\);\n/s;

/**
 * Lets what is imported inherit from the module. The bundler's own helper makes a getter for each member, of node:fs a hundred in every
 * file that imports it: two milliseconds of a start.
 * @type {Plugin}
 */
const inheritedImports = {
  name: 'inherited-imports',
  transform(code, id) {
    if (id !== '\0rolldown/runtime.js') return undefined;
    const inherits = `export var __toESM = (mod, isNodeMode) => {
      const target = __create(Object(mod));
      const hasDefault = !isNodeMode && target.__esModule && __hasOwnProp.call(mod, 'default');
      return hasDefault ? target : __defProp(target, 'default', { value: mod, enumerable: true });
    };\n`;
    if (!IMPORTED.test(code)) throw new Error('The bundler has another helper for imports.');
    return code.replace(IMPORTED, () => inherits);
  },
};

/**
 * Bundles a program as CommonJS and returns what rolldown says about the files.
 *
 * @param {string} input the module that starts it
 * @param {import('rolldown').OutputOptions} output rolldown's options for the output
 */
export async function bundle(input, output) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { output: files } = await build({
    cwd: root,
    input: { main: input },
    platform: 'node',
    plugins: [stubs, nativeLibrary, cellWidths, lazyNode, inheritedImports],
    transform: {
      target: 'node20.19',
      define: { PIT_VERSION: JSON.stringify(version), PIT_COMMIT: JSON.stringify(commitOf(root)) },
      // a package of got makes two when it is loaded, which takes as long as the rest of got
      inject: { 'Intl.ListFormat': [path.join(root, 'src/platform/list-format.ts'), 'ListFormat'] },
    },
    // lmdb makes functions of text; what one command loads when it needs it, another needs from the start
    checks: { eval: false, ineffectiveDynamicImport: false },
    // loading a module of src/ does nothing by itself: of what exchange.ts exports, a file loads what it uses
    treeshake: { moduleSideEffects: (id) => !id.startsWith(path.join(root, 'src') + path.sep) },
    // the recorded candles
    moduleTypes: { '.bin': 'binary' },
    output: {
      format: 'cjs',
      minify: true,
      comments: false,
      // V8 stores a string of ASCII in half the memory
      charset: 'ascii',
      dynamicImportInCjs: false,
      ...output,
    },
  });
  return files.filter((file) => file.type === 'chunk');
}

/**
 * Writes the bundle into a folder, which has to be named `dist`.
 * @param {string} folder
 */
async function makeBundle(folder) {
  const files = await bundle('src/main.ts', {
    dir: folder,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      groups: [
        // what every start loads, even `pit --version`
        { name: 'entry', tags: ['$initial'] },
        // Opening one file is faster than opening many, and unused code takes time as well. Each of these brings what it imports.
        // what a completion needs, which shells ask at each Tab
        { name: 'completion', test: /src\/completion\.ts$/ },
        // what every command needs
        { name: 'command', test: /src\/(cli\/run|commands\/index|commands\/session\/context)\.ts$/ },
        // the lower layers
        { name: 'base', test: /src\/(errors|domain|platform|config)\b/, minShareCount: 4 },
        // what nearly every command needs
        { name: 'shared', test: /src\/(cli|terminal|commands)\//, minShareCount: 30 },
        // what every command needs that asks an exchange something
        { name: 'exchange', test: /src\/exchange\/connect\.ts$/ },
        // what commands share that trade
        { name: 'trading', test: /src\/(trading|commands|exchange)\//, minShareCount: 20 },
      ],
    },
    // makes each file a function, as bin/pit.js runs it
    postBanner: '(function (exports, require, module, __filename, __dirname) {',
    postFooter: '})',
  });
  writeLicences(folder, files);
  // `pit --help` prints this text, because making it takes longer than the rest of the start
  const bin = path.join(path.dirname(folder), 'bin');
  cpSync(path.join(root, 'bin'), bin, { recursive: true });
  const help = execFileSync(process.execPath, [path.join(bin, 'pit.js'), '--help']);
  writeFileSync(path.join(folder, 'help.txt'), help);
  // `pit __complete` answers from this table of commands, without loading them
  const { commandTree } = await importBundled(path.join(root, 'src/commands/reference/index.ts'));
  writeFileSync(path.join(folder, 'commands.json'), JSON.stringify(await commandTree()));
}

/** The program in dist/ stays whole while the next one is made beside it. */
async function main() {
  mkdirSync(dist, { recursive: true });
  const beside = mkdtempSync(path.join(dist, '.next-'));
  try {
    await makeBundle(path.join(beside, 'dist'));
    replaceBundle(path.join(beside, 'dist'), dist);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
