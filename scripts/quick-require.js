// The loader in dist/bin.cjs: requires a bundle with the code that V8 made of it when it was built. Compiling
// is most of what a start costs. V8 trusts that code: one patch of Node runs into the ground on what another has made, and
// so does any Node on damaged code. So it is kept under the exact version, with a checksum and a digest of its source, and
// used only from a folder that nobody else can write to; otherwise the source counts.
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const loaded = new Map();

/** What makes a function of a bundle. */
export const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/**
 * Requires a bundle of the folder, and with the same means those that it requires itself.
 * `compiled` is told each script, for the build to keep its code.
 */
export function quickRequire(folder, name, compiled = () => {}) {
  const [file, member] = name.split('?');
  const filename = path.join(folder, file);
  const exports = loaded.get(filename) ?? load(folder, filename, compiled);
  return member === undefined ? exports : exports[member];
}

function load(folder, filename, compiled) {
  const source = readFileSync(filename);
  const script = new vm.Script(WRAPPER.join(source.toString()), {
    filename,
    cachedData: keptCode(filename, source),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const plain = createRequire(filename);
  const require = (id) => (/^\.\/[\w-]+\.cjs(\?|$)/.test(id) ? quickRequire(folder, id, compiled) : plain(id));
  require.resolve = plain.resolve;
  script.runInThisContext()(module.exports, require, module, filename, folder);
  compiled(filename, script);
  loaded.set(filename, module.exports);
  return module.exports;
}

const SUM_LENGTH = 8;
const DIGEST_LENGTH = 32;
/** Where the code begins in its file. */
export const CODE_AT = DIGEST_LENGTH + SUM_LENGTH;
/** Bits of a mode that let the group or everyone else write. */
const OTHERS_WRITE = 0o022;

/** Keeps the code that V8 has made of a bundle for this very Node. */
export function keepCode(filename, script) {
  const code = script.createCachedData();
  const file = codeFile(filename);
  writeFileSync(file, Buffer.concat([digest(readFileSync(filename)), Buffer.from(checksum(code)), code]));
  for (const one of [path.dirname(file), filename, file]) chmodSync(one, statSync(one).mode & ~OTHERS_WRITE);
}

function keptCode(filename, source) {
  try {
    const file = codeFile(filename);
    if (![path.dirname(file), file].every(isOurs)) return undefined;
    const kept = readFileSync(file);
    const code = kept.subarray(CODE_AT);
    const isWhole = kept.toString('latin1', DIGEST_LENGTH, CODE_AT) === checksum(code);
    return isWhole && digest(source).equals(kept.subarray(0, DIGEST_LENGTH)) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only root or the user can write to it. Windows has neither modes nor numeric owners. */
function isOurs(target) {
  const user = process.geteuid?.();
  const { uid, mode } = statSync(target);
  return user === undefined || ((uid === user || uid === 0) && (mode & OTHERS_WRITE) === 0);
}

function digest(source) {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(source).digest();
}

/** The file with the code that this very Node has kept of a bundle. */
export function codeFile(filename) {
  return `${filename}.${process.version}-${process.arch}.code`;
}

function checksum(code) {
  // not imported above: --version needs none of this
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(code).toString(16).padStart(SUM_LENGTH, '0');
}
