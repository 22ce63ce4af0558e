import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { Failure } from '../errors.js';
import { directoriesOf } from './directories.js';

/** The package that holds lmdb's library for this machine. */
const LMDB = `@lmdb/lmdb-${process.platform}-${process.arch}`;

/** Loads lmdb's native library. The build gives lmdb this function in place of the package that finds libraries. */
export default function loadLmdb(): unknown {
  if (isSea()) return loadFromExecutable(LMDB);
  const require = createRequire(import.meta.url);
  const folder = path.dirname(require.resolve(LMDB));
  return require(path.join(folder, lmdbLibraryIn(folder)));
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
  for (const folderOf of [tmpdir, cacheFolder]) {
    try {
      const exports = loadIn(folderOf(), library);
      loaded.set(name, exports);
      return exports;
    } catch (error) {
      // not there, read-only, full, or nothing may be run from it
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  const hint = 'Set TMPDIR to a folder that only you can write to, and from which programs may be run.';
  throw new Failure('internal', `A part of pit cannot be loaded, ${name}: ${problems.join('; ')}.`, { hint });
}

function cacheFolder(): string {
  const { cache } = directoriesOf(process.env.PIT_HOME);
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  return cache;
}

function loadIn(parent: string, library: Uint8Array): unknown {
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
      // NFS keeps a library that is in use
    }
  }
}

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;

/** Whether only root or the user can rename what the user makes in a folder. */
function isSafe(folder: string): boolean {
  const user = process.geteuid?.();
  const { uid, mode } = statSync(folder);
  return user === undefined || ((uid === user || uid === 0) && ((mode & OTHERS_WRITE) === 0 || (mode & STICKY) !== 0));
}
