// What takes the place of modules that pit never runs, in its bundle and in the programs of tests. A stub is here because the module would
// do something, or because it would add 2 % or more to the start of the command that loads it; to find out, take the stub away and compare
// `npm run bench -- start`.

/**
 * Modules that packages import and pit never runs, or only over https, and the stubs that replace them.
 * @typedef {{ of: string, module: RegExp, becomes: string }} Stub the package that imports the module, and the stub's code
 * @type {readonly Stub[]}
 */
const STUBS = [
  // HTTP/2, which opens a TLS socket when it is loaded, the cache, and a resolver of names
  { of: 'got', module: /^http2-wrapper$/, becomes: 'export default {}' },
  {
    of: 'got',
    module: /^cacheable-request$/,
    becomes: 'export default class {} export class CacheError extends Error {}',
  },
  { of: 'got', module: /^cacheable-lookup$/, becomes: 'export default class {}' },
  // messages for Node's diagnostics channel, which load node:crypto for a random number
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
  // loads zlib on demand; whether there is zstd depends on the Node that runs pit, not on the one that builds it
  {
    of: 'decompress-response',
    module: /^node:zlib$/,
    becomes: `export default new Proxy({}, {
      get: (_, name) =>
        name === 'createZstdDecompress' && process.versions.zstd === undefined
          ? undefined
          : () => process.getBuiltinModule('node:zlib')[name](),
    })`,
  },
  // a copy of node:fs that tries again when too many files are open; pit gives its own
  { of: 'proper-lockfile', module: /^graceful-fs$/, becomes: `module.exports = require('node:fs')` },
  // handlers for all signals, which send the signal again: one Ctrl-C would be two for whoever finishes a write on the first. What
  // they tidy up at the end needs none, because conf writes without a pause
  { of: 'atomically', module: /^when-exit$/, becomes: 'export default () => () => {}' },
  // the question that opens an editor, with the tables of all encodings: half a megabyte
  {
    of: '@inquirer/editor',
    module: /^@inquirer\/external-editor$/,
    becomes: "export const editAsync = () => { throw new Error('pit asks in no editor'); };",
  },
  // handlers for all signals: pit handles signals itself
  { of: '@inquirer/core', module: /^signal-exit$/, becomes: 'export const onExit = () => () => {}' },
  // chalk's detection of colours: pit sets the level itself
  { of: 'chalk', module: /^#supports-color$/, becomes: 'export default { stdout: false, stderr: false }' },
  // a compiler of JSON Schemas: pit checks arguments itself
  {
    of: '@modelcontextprotocol/server',
    module: /^@modelcontextprotocol\/server\/_shims$/,
    becomes: `export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}`,
  },
  // a faster reader of strings, in a native library
  { of: 'msgpackr', module: /^msgpackr-extract$/, becomes: 'module.exports = undefined' },
];

/**
 * Puts the stubs in the place of these modules.
 * @type {import('rolldown').Plugin}
 */
export const stubs = {
  name: 'stubs',
  resolveId(id, importer = '') {
    const isMeant = (/** @type {Stub} */ { of, module }) =>
      importer.includes(`/node_modules/${of}/`) && module.test(id);
    const index = STUBS.findIndex(isMeant);
    return index === -1 ? undefined : `\0stub:${index}`;
  },
  load(id) {
    const [, index] = /^\0stub:(\d+)$/.exec(id) ?? [];
    const stub = STUBS[Number(index)];
    return stub === undefined ? undefined : { code: stub.becomes, moduleType: 'js' };
  },
};
