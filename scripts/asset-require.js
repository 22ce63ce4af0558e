// The loader of the single file of `npm run build:binary`: requires the bundles that the file holds, with the code that V8
// made of them. Nothing is looked for beside the file, where anyone may have put it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getAssetKeys, getRawAsset } from 'node:sea';
import vm from 'node:vm';
import { codeIn, WRAPPER } from './quick-require.js';

const KEYS = new Set(getAssetKeys());

const loaded = new Map();

/** Requires a bundle, one module of a bundle (`./main.cjs?src/main.ts`), a package with a native library, or a module of Node. */
export function assetRequire(id) {
  const [, file, member] = /^\.\/([\w-]+\.cjs)(?:\?(.*))?$/.exec(id) ?? [];
  if (file === undefined) return KEYS.has(`native/${id}`) ? native(id) : moduleOfNode(id);
  const exports = loaded.get(file) ?? load(file);
  return member === undefined ? exports : exports[member];
}

/** The text of an asset. */
export function assetText(name) {
  return Buffer.from(getRawAsset(name)).toString();
}

assetRequire.native = native;

function load(file) {
  const code = `${file}.code`;
  const script = new vm.Script(WRAPPER.join(assetText(file)), {
    filename: file,
    cachedData: KEYS.has(code) ? codeIn(Buffer.from(getRawAsset(code)), Buffer.from(getRawAsset(file))) : undefined,
  });
  const module = { exports: {} };
  const folder = path.dirname(process.execPath);
  script.runInThisContext()(module.exports, assetRequire, module, path.join(folder, file), folder);
  loaded.set(file, module.exports);
  return module.exports;
}

function moduleOfNode(id) {
  const module = process.getBuiltinModule(id);
  if (module !== undefined) return module;
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: 'MODULE_NOT_FOUND' });
}

/**
 * Loads the native library of a package. The system loads one only from a file, so it is written to a folder that only the
 * user can enter, and deleted as soon as it is loaded: nobody can swap or damage it, and nothing is left to keep in order.
 */
function native(name) {
  const asset = `native/${name}`;
  if (loaded.has(asset)) return loaded.get(asset);
  const problems = [];
  for (const folderOf of [tmpdir, cacheFolder]) {
    try {
      const exports = loadFrom(folderOf(), Buffer.from(getRawAsset(asset)));
      loaded.set(asset, exports);
      return exports;
    } catch (error) {
      // not there, read-only, full, or nothing may be run from it
      problems.push(error.message);
    }
  }
  const { Failure } = assetRequire('./main.cjs?src/errors.ts');
  const hint = 'Set TMPDIR to a folder that only you can write to, and from which programs may be run.';
  throw new Failure('internal', `A part of pit cannot be loaded, ${name}: ${problems.join('; ')}.`, { hint });
}

function cacheFolder() {
  const { directoriesOf } = assetRequire('./main.cjs?src/platform/directories.ts');
  const { cache } = directoriesOf(process.env.PIT_HOME);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return cache;
}

function loadFrom(parent, library) {
  if (!isSafe(parent)) throw new Error(`others can replace files in ${parent}`);
  const folder = mkdtempSync(path.join(parent, 'pit-'));
  try {
    const file = path.join(folder, 'library.node');
    writeFileSync(file, library, { flag: 'wx', mode: 0o700 });
    // whatever the umask says
    chmodSync(file, 0o700);
    const module = { exports: {} };
    process.dlopen(module, file);
    return module.exports;
  } finally {
    try {
      rmSync(folder, { recursive: true });
    } catch {
      // Windows and NFS keep a library that is in use
    }
  }
}

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** Whether only root or the user can rename what the user makes in a folder. Windows has neither modes nor numeric owners. */
function isSafe(folder) {
  const user = process.geteuid?.();
  const { uid, mode } = statSync(folder);
  return user === undefined || ((uid === user || uid === 0) && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0));
}
