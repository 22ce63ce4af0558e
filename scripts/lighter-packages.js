// What packages do at import and pit never uses, left out of the bundle, and how they find their files in it. Each entry says
// what it saves and why it is safe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { build } from 'esbuild';

/** Modules replaced by an empty one. */
const EMPTIED = [
  // got's HTTP/2, which pit does not ask for; at import it makes a TLS socket and so parses all root certificates (~40 ms)
  { importer: /\/got\//, module: /^http2-wrapper$/, as: 'export default {}' },
  // got's cache and its own name resolution, which pit does not ask for either
  {
    importer: /\/got\//,
    module: /^cacheable-request$/,
    as: 'export default class {}; export class CacheError extends Error {}',
  },
  { importer: /\/got\//, module: /^cacheable-lookup$/, as: 'export default class {}' },
  // conf's `schema`, which pit does not use
  { importer: /\/conf\//, module: /^ajv\/dist\/2020\.js$/, as: 'export class Ajv2020 {}' },
  { importer: /\/conf\//, module: /^ajv-formats$/, as: 'export default { default() {} }' },
  // conf's migrations, which pit does not use
  { importer: /\/conf\//, module: /^semver$/, as: 'export default {}' },
  // inquirer's editor and its tables of character sets, which no question of pit opens
  {
    importer: /\/@inquirer\/editor\//,
    module: /^@inquirer\/external-editor$/,
    as: 'export const editAsync = undefined',
  },
  // inquirer cleans up at signals with it, and it installs handlers for all of them; pit handles signals itself, and Node
  // restores the terminal
  { importer: /\/@inquirer\/core\//, module: /^signal-exit$/, as: 'export const onExit = () => () => {}' },
  // what chalk finds out about the terminal, which pit tells it
  { importer: /\/chalk\//, module: /^#supports-color$/, as: 'export default { stdout: false, stderr: false }' },
  // a faster reader of texts, in a native library of its own, which lmdb's encoding does without
  { importer: /\/msgpackr\//, module: /^msgpackr-extract$/, as: 'module.exports = undefined' },
];

/** Changes to the text of a package: work moved from the import to the first use, and ways to find files in a bundle. */
const CHANGED = [
  {
    // two formatters for error messages (~12 ms)
    file: /@sindresorhus\/is\/distribution\/index\.js$/,
    from: /const (and|or)Formatter = (new Intl\.ListFormat\([^)]*\));/g,
    to: 'const $1Formatter = { format: (list) => $2.format(list) };',
  },
  {
    // the module is large, and only https needs it
    file: /\/got\/dist\/source\/core\/options\.js$/,
    from: /checkServerIdentity: https\.checkServerIdentity \?\? checkServerIdentity,/g,
    to: 'checkServerIdentity: https.checkServerIdentity ?? ((...words) => checkServerIdentity(...words)),',
  },
  {
    // got gives its diagnostics a random id and loads Node's cryptography for that; pit does not subscribe to them
    file: /\/got\/dist\/source\/core\/diagnostics-channel\.js$/,
    from: /return randomUUID\(\);/g,
    to: "return '';",
  },
  {
    // this check loads zlib, a fifth of the time that loading got takes, and few responses are compressed
    file: /\/decompress-response\/index\.js$/,
    from: /typeof zlib\.createZstdDecompress === 'function'/g,
    to: 'process.versions.zstd !== undefined',
  },
  {
    // plain text is as wide as it is long; the pattern of all emoji takes longer to compile than a table to draw
    file: /\/cli-table3\/node_modules\/string-width\/index\.js$/,
    from: /string = stripAnsi\(string\);/g,
    to: 'if (/^[ -~]*$/.test(string)) return string.length;\nstring = stripAnsi(string);',
  },
  {
    // the characters that inquirer draws with are as wide as letters; the patterns of all emoji and of all Chinese characters
    // take longer to compile than a question to draw
    file: /\/fast-string-truncated-width\/dist\/index\.js$/,
    from: /const LATIN_RE = \/\(\?:\[\\x20-\\x7E\\xA0-\\xFF\]/g,
    to: 'const LATIN_RE = /(?:[\\x20-\\x7E\\xA0-\\xFF\\u2022\\u2026\\u2191\\u2193\\u2500-\\u259F\\u276F]',
  },
  {
    // the folders of the user, which PIT_HOME replaces
    file: /\/env-paths\/index\.js$/,
    from: /const homedir = os\.homedir\(\);\nconst tmpdir = os\.tmpdir\(\);([\s\S]*function envPaths\([^)]*\) \{)/,
    to: 'let homedir, tmpdir;$1 homedir = os.homedir(); tmpdir = os.tmpdir();',
  },
  {
    // only help is written with it
    file: /\/commander\/lib\/command\.js$/,
    from: /const \{ Help, stripColor \} = require\('\.\/help\.js'\);/g,
    to: "const stripColor = (text) => require('./help.js').stripColor(text);",
  },
  {
    file: /\/commander\/lib\/command\.js$/,
    from: /Object\.assign\(new Help\(\), /g,
    to: "Object.assign(new (require('./help.js').Help)(), ",
  },
  {
    file: /\/commander\/index\.js$/,
    from: /const \{ Help \} = require\('\.\/lib\/help\.js'\);([\s\S]*)exports\.Help = Help;/,
    to: '$1',
  },
  {
    // for subcommands in programs of their own, which pit has none of
    file: /\/commander\/lib\/command\.js$/,
    from: /const childProcess = require\('node:child_process'\);/g,
    to: "const childProcess = { spawn: (...words) => require('node:child_process').spawn(...words) };",
  },
  {
    // its native library is beside it only in a tree of packages; the name of the platform's package finds it anywhere,
    // and in the single file (scripts/asset-require.js)
    file: /\/lmdb\/dist\/index\.cjs$/,
    from: /\bloadNAPI(__default\["default"\]|)\(dirName\)/g,
    to: `(require.native ?? ((name) => loadNAPI$1(pathModule.dirname(require.resolve(name)))))(
      "@lmdb/lmdb-" + process.platform + "-" + process.arch)`,
  },
  {
    // looks for the library that fits in the very folder it is given
    file: /\/node-gyp-build-optional-packages\/node-gyp-build\.js$/,
    from: /\bvar prebuild = resolve\(dir\)/g,
    to: 'var prebuild = resolveFile(dir)',
  },
];

/** ES modules that are cut down to what pit uses: in a bundle whose modules load later on, esbuild keeps all of a package. */
const CUT = {
  valibot: [
    'array',
    'getDotPath',
    'looseTuple',
    'nullish',
    'object',
    'optional',
    'picklist',
    'pipe',
    'rawTransform',
    'record',
    'safeParse',
    'string',
    'transform',
    'tuple',
    'union',
    'unknown',
  ],
  'lossless-json': ['isSafeNumber', 'parse', 'stringify'],
};

export const lighter = {
  name: 'lighter-packages',
  setup({ onResolve, onLoad }) {
    // its ES modules find themselves by import.meta, which a CommonJS bundle lacks
    onResolve({ filter: /^lmdb$/ }, ({ resolveDir }) => ({ path: createRequire(`${resolveDir}/`).resolve('lmdb') }));
    onLoad({ filter: /\/(valibot\/dist\/index\.mjs|lossless-json\/lib\/esm\/index\.js)$/ }, async ({ path }) => {
      const [, name] = /node_modules\/([^/]+)/.exec(path);
      const contents = `export { ${CUT[name].join(', ')} } from ${JSON.stringify(path)};`;
      const options = { bundle: true, write: false, format: 'esm', platform: 'node', treeShaking: true };
      const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: dirname(path) } });
      return { contents: outputFiles[0].text };
    });
    for (const [index, { importer, module }] of EMPTIED.entries()) {
      onResolve({ filter: module }, (request) =>
        importer.test(request.importer) ? { path: String(index), namespace: 'emptied' } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: 'emptied' }, ({ path }) => ({ contents: EMPTIED[Number(path)].as }));
    for (const { file } of CHANGED) {
      onLoad({ filter: file }, ({ path }) => {
        const changes = CHANGED.filter((one) => one.file.test(path));
        const contents = changes.reduce(
          (text, { from, to }) => {
            // a new version of the package may need none of this, or something else
            if (text.search(from) < 0) throw new Error(`${path} no longer holds ${from}`);
            return text.replace(from, to);
          },
          readFileSync(path, 'utf8'),
        );
        return { contents };
      });
    }
  },
};
