// `npm run build`: bundles src/ into dist/. A command loads only what it uses: each import() in the sources becomes a require()
// of a file of its own, whose name holds the hash of its content. bin/pit.js loads these files.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { bundleProgram } from './bundle-program.js';
import { commitOf, root } from './prepare.js';

const dist = path.join(root, 'dist');
const require = createRequire(import.meta.url);

/** What packages import and pit never runs, or only over https, and the module that stands for it. */
const STAND_INS = [
  // HTTP/2, which makes a TLS socket when it is loaded, the cache, and names resolved without the system
  { of: 'got', module: /^http2-wrapper$/, becomes: 'export default {}' },
  {
    of: 'got',
    module: /^cacheable-request$/,
    becomes: 'export default class {} export class CacheError extends Error {}',
  },
  { of: 'got', module: /^cacheable-lookup$/, becomes: 'export default class {}' },
  // reports to Node's diagnostics, which load its cryptography for a random number
  {
    of: 'got',
    module: /\/diagnostics-channel\.js$/,
    becomes: `export const generateRequestId = () => ''; const nothing = () => {};
      export { nothing as publishRequestCreate, nothing as publishRequestStart, nothing as publishResponseStart,
        nothing as publishResponseEnd, nothing as publishRetry, nothing as publishError, nothing as publishRedirect }`,
  },
  {
    of: 'got',
    module: /^node:tls$/,
    becomes: `export const checkServerIdentity = (host, certificate) =>
      process.getBuiltinModule('node:tls').checkServerIdentity(host, certificate)`,
  },
  // checks of a configuration against a schema, and migrations
  { of: 'conf', module: /^ajv\/dist\/2020\.js$/, becomes: 'export class Ajv2020 {}' },
  { of: 'conf', module: /^ajv-formats$/, becomes: 'export default {}' },
  { of: 'conf', module: /^semver$/, becomes: 'export default {}' },
  // the editor, and handlers for all signals: pit handles signals itself
  { of: '@inquirer/editor', module: /^@inquirer\/external-editor$/, becomes: 'export const editAsync = undefined' },
  { of: '@inquirer/core', module: /^signal-exit$/, becomes: 'export const onExit = () => () => {}' },
  // what chalk finds out about the terminal, which pit tells it
  { of: 'chalk', module: /^#supports-color$/, becomes: 'export default { stdout: false, stderr: false }' },
  // a faster reader of texts in a native library of its own
  { of: 'msgpackr', module: /^msgpackr-extract$/, becomes: 'module.exports = undefined' },
];

const standIns = {
  name: 'stand-ins',
  resolveId(id, importer = '') {
    const isMeant = ({ of, module }) => importer.includes(`/node_modules/${of}/`) && module.test(id);
    const index = STAND_INS.findIndex(isMeant);
    return index === -1 ? undefined : `\0stand-in:${index}`;
  },
  load(id) {
    const [, index] = /^\0stand-in:(\d+)$/.exec(id) ?? [];
    return index === undefined ? undefined : { code: STAND_INS[index].becomes, moduleType: 'js' };
  },
};

/** lmdb looks for its native library beside itself, which in a bundle is nowhere. */
const nativeLibrary = {
  name: 'native-library',
  resolveId(id) {
    return id === 'node-gyp-build-optional-packages' ? path.join(root, 'src/platform/native-library.ts') : undefined;
  },
};

/** Modules of Node that take a while to load, as a command often needs only a part of what a package imports. */
const SLOW =
  /^(?:node:)?(child_process|crypto|dgram|dns|http|https|net|os|readline|readline\/promises|sea|stream\/promises|timers\/promises|tls|tty|v8|zlib)$/;

/** Loads each of these modules when something of it is first used. */
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

/**
 * Bundles a program as CommonJS and returns what rolldown says about the files.
 *
 * @param input the module that starts it
 * @param output rolldown's options for the output
 */
export async function bundle(input, output) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { output: files } = await build({
    cwd: root,
    input: { main: input },
    platform: 'node',
    plugins: [standIns, nativeLibrary, lazyNode],
    transform: {
      target: 'node20.19',
      define: { PIT_VERSION: JSON.stringify(version), PIT_COMMIT: JSON.stringify(commitOf(root)) },
      // a package of got makes two of them for its messages when it is loaded, which takes as long as the rest of got
      inject: { 'Intl.ListFormat': [path.join(root, 'src/platform/list-format.ts'), 'ListFormat'] },
    },
    // lmdb makes functions of text
    checks: { eval: false },
    // the recorded candles
    moduleTypes: { '.bin': 'binary' },
    output: {
      format: 'cjs',
      minify: true,
      comments: false,
      // V8 keeps a text in half the room if it is in ASCII
      charset: 'ascii',
      dynamicImportInCjs: false,
      ...output,
    },
  });
  return files.filter(({ type }) => type === 'chunk');
}

/** The packages that bundled files hold anything of, by their folders as package-lock.json names them, and the files. */
function packagesIn(files) {
  const holders = new Map();
  for (const { fileName, modules } of files)
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.relative(root, id)) ?? [];
      if (renderedLength > 0 && folder !== undefined)
        holders.set(folder, (holders.get(folder) ?? new Set()).add(fileName));
    }
  return [...holders].sort().map(([folder, names]) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    return { folder, name, version, license, files: [...names].sort() };
  });
}

/** The licences of packages, one after the other, as most of them ask for. */
function licenceTexts(packages) {
  const texts = packages.map(({ folder, name, version, license }) => {
    const files = readdirSync(path.join(root, folder)).sort();
    const file = files.find((one) => /^licen[cs]e(-mit)?(\.md|\.txt)?$/i.test(one));
    const text =
      file === undefined ? `License: ${license}` : readFileSync(path.join(root, folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `pit holds the code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

async function main() {
  const files = await bundle('src/main.ts', {
    dir: dist,
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: {
      groups: [
        // what is loaded at once, and so for `pit --version`
        { name: 'entry', tags: ['$initial'] },
        // what many commands share is one file, because each file takes a while to open
        { name: 'shared', minShareCount: 8 },
      ],
    },
    // makes each file a function, as bin/pit.js runs it
    postBanner: '(function (exports, require, module, __filename, __dirname) {',
    postFooter: '})',
  });
  if (files.some(({ code }) => /\P{ASCII}/u.test(code))) throw new Error('bin/pit.js reads files in ASCII only');
  const packages = packagesIn(files);
  writeFileSync(path.join(dist, 'licenses.txt'), licenceTexts(packages));
  // for the bill of materials, and for the test of what a command loads
  writeFileSync(path.join(dist, '.packages.json'), JSON.stringify(packages));
  // the text that `pit --help` prints is made here, because making it takes longer than all else
  const help = execFileSync(process.execPath, [path.join(root, 'bin/pit.js'), '--help']);
  writeFileSync(path.join(dist, 'help.txt'), help);
  writeFileSync(path.join(dist, 'commands.json'), JSON.stringify(await commandTree()));
}

/** The table of commands, from which `pit __complete` answers without loading them. */
async function commandTree() {
  // within the project, so that its packages are found
  const folder = mkdtempSync(path.join(root, 'node_modules', '.commands-'));
  try {
    const file = path.join(folder, 'reference.mjs');
    await bundleProgram(path.join(root, 'src/commands/reference/index.ts'), file);
    const reference = await import(pathToFileURL(file).href);
    return await reference.commandTree();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
