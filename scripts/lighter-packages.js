// What packages do at import and pit never uses, left out of the bundle, and how they find their files in it. Each entry says
// what it saves and why it is safe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

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

export const lighter = {
  name: 'lighter-packages',
  setup({ onResolve, onLoad }) {
    // its ES modules find themselves by import.meta, which a CommonJS bundle lacks
    onResolve({ filter: /^lmdb$/ }, ({ resolveDir }) => ({ path: createRequire(`${resolveDir}/`).resolve('lmdb') }));
    for (const [index, { importer, module }] of EMPTIED.entries()) {
      onResolve({ filter: module }, (request) =>
        importer.test(request.importer) ? { path: String(index), namespace: 'emptied' } : undefined,
      );
    }
    onLoad({ filter: /.*/, namespace: 'emptied' }, ({ path }) => ({ contents: EMPTIED[Number(path)].as }));
    for (const { file, from, to } of CHANGED) {
      onLoad({ filter: file }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        // a new version of the package may need none of this, or something else
        if (!from.test(source)) throw new Error(`${path} no longer holds ${from}`);
        return { contents: source.replace(from, to) };
      });
    }
  },
};
