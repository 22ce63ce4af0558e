// The loader at the head of dist/bin.js: requires a bundle with the code that V8 made of it when it was built. Compiling
// is most of what a start costs. V8 trusts that code: one patch of Node runs into the ground on what another has made, and
// so does any Node on damaged code. So it is kept under the exact version, with a checksum; otherwise the source counts.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/**
 * Requires a bundle of the folder, and with the same means those that it requires itself.
 * `compiled` is told each script, for the build to keep its code.
 */
export function quickRequire(folder, name, compiled = () => {}) {
  const filename = path.join(folder, name);
  const script = new vm.Script(WRAPPER.join(readFileSync(filename, 'utf8')), {
    filename,
    cachedData: keptCode(filename),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const plain = createRequire(filename);
  const require = (id) => (/^\.\/[\w-]+\.cjs$/.test(id) ? quickRequire(folder, id, compiled) : plain(id));
  require.resolve = plain.resolve;
  script.runInThisContext()(module.exports, require, module, filename, folder);
  compiled(filename, script);
  return module.exports;
}

const SUM_LENGTH = 8;

/** Keeps the code that V8 has made of a bundle for this very Node. */
export function keepCode(filename, script) {
  const code = script.createCachedData();
  writeFileSync(codeFile(filename), Buffer.concat([Buffer.from(checksum(code)), code]));
}

function keptCode(filename) {
  try {
    const kept = readFileSync(codeFile(filename));
    const code = kept.subarray(SUM_LENGTH);
    return kept.toString('latin1', 0, SUM_LENGTH) === checksum(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

function codeFile(filename) {
  return `${filename}.${process.version}-${process.arch}.code`;
}

function checksum(code) {
  // not imported above: --version needs none of this
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(code).toString(16).padStart(SUM_LENGTH, '0');
}
