// The loader at the head of dist/main.js: requires a bundle with the code that V8 made of it when it was built. Compiling
// is most of what a start costs. Another version of V8 refuses that code and compiles the source as always.
import { readFileSync } from 'node:fs';
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
    cachedData: readIfThere(`${filename}.code`),
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

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
