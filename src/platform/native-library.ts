import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { Failure, systemErrorCode } from '../errors.js';
import { directoriesOf } from './files/directories.js';
import { makeOwnFolder, resolveUnmovable } from './files/private-files.js';

/** The package that holds lmdb's library for this machine. */
const LMDB = `@lmdb/lmdb-${process.platform}-${process.arch}`;

/** Loads lmdb's native library. The build gives lmdb this function in place of the package that finds libraries. */
export default function loadLmdb(): unknown {
  if (isSea()) return loadFromExecutable(LMDB);
  const folder = packageFolder(LMDB);
  if (folder === undefined) throw new Error(`the package ${LMDB} is not installed`);
  return loadLibrary(path.join(folder, lmdbLibraryIn(folder)));
}

/** Loads a native library by its path, without a search for packages. Throws what Node reports. */
export function loadLibrary(file: string): unknown {
  return createRequire(import.meta.url)(file);
}

/** The folder of pit's own files, with its `bin` and, unless npm has put it above, its `node_modules`. */
export function installationFolder(): string {
  const isRoot = (folder: string) =>
    ['package.json', 'node_modules'].some((name) => existsSync(path.join(folder, name)));
  let folder = path.dirname(fileURLToPath(import.meta.url));
  while (!isRoot(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
  return folder;
}

/**
 * The folder of an installed package; undefined if it is not installed. Node would search in every folder above pit, where
 * others may have put one: only those of the installation count, which may be pit's own `node_modules` or the one that pit is in.
 */
export function packageFolder(name: string): string | undefined {
  const own = installationFolder();
  const beside = path.dirname(own);
  const places = [path.join(own, 'node_modules'), ...(path.basename(beside) === 'node_modules' ? [beside] : [])];
  return places.map((place) => path.join(place, name)).find((folder) => existsSync(folder));
}

/** The name of the library for any version of Node, in the folder of its package. Alpine Linux has another C library. */
export function lmdbLibraryIn(folder: string): string {
  const isMusl = existsSync('/etc/alpine-release');
  const names = readdirSync(folder).filter((name) => /^node\.napi\b.*\.node$/.test(name));
  const found = names.find((name) => name.includes('.musl.') === isMusl);
  if (found === undefined) throw new Error(`${folder} holds no library for this machine`);
  return found;
}

const loaded = new Map<string, unknown>();

/**
 * Loads a native library that the single executable holds. The system loads one only from a file, so it is written to a
 * folder that only the user can enter, and deleted as soon as it is loaded. Throws Failure `internal` if no folder will do.
 */
export function loadFromExecutable(name: string): unknown {
  if (loaded.has(name)) return loaded.get(name);
  const library = Buffer.from(getRawAsset(`native/${name}`) as ArrayBuffer);
  const problems: string[] = [];
  const { cache } = directoriesOf(process.env.PIT_HOME);
  for (const folder of [tmpdir(), cache]) {
    try {
      if (folder === cache) makeOwnFolder(cache);
      const exports = loadIn(folder, library);
      loaded.set(name, exports);
      return exports;
    } catch (thrown) {
      // a system error: it is read-only or full, or programs may not be run from it
      const problem =
        thrown instanceof Failure ? thrown.message : `${folder} cannot be used (${systemErrorCode(thrown)}).`;
      problems.push(problem);
    }
  }
  const hint = 'Set TMPDIR to a folder that only you can write to, and from which programs may be run.';
  throw new Failure('internal', `${name}, a part of pit, cannot be loaded from any folder. ${problems.join(' ')}`, {
    hint,
  });
}

function loadIn(parent: string, library: Uint8Array): unknown {
  const place = resolveUnmovable(parent);
  if (place === undefined) throw new Failure('internal', `${parent} does not exist.`);
  const folder = mkdtempSync(path.join(place, 'pit-'));
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
      // NFS keeps a library that is in use
    }
  }
}
