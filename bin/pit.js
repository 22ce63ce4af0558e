#!/usr/bin/env node
// Runs the program that scripts/build.js has bundled in dist/, with V8's code cache: compiling is most of what a start costs.
// The cached code of all files that a command loads is in one file. Node's own cache (module.enableCompileCache) is missing on
// Node 20, and holds only the functions that the first of all commands has used.
const {
  accessSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist');
const ENTRY = 'main.cjs';
/** Mode bits that let others write. */
const OTHERS_WRITE = 0o022;
/** Bytes of the cache that are compared at once. Its first line, the index, is shorter. */
const PIECE = 65_536;
const requireOther = createRequire(path.join(DIST, ENTRY));

/** The modules that were loaded, by the names of their files. */
const loaded = new Map();
/** What was compiled in this run, by the same names. */
const compiled = new Map();
const cacheFile = cacheFileOf(process.argv.slice(2));
const cache = cacheFile === undefined ? undefined : openCache(cacheFile);

/** Requires a file of dist/, or another module. */
function requireFrom(id) {
  const name = id.startsWith('./') ? id.slice('./'.length) : undefined;
  if (name === undefined) return requireOther(id);
  if (!loaded.has(name)) load(name);
  return loaded.get(name).exports;
}
requireFrom.resolve = requireOther.resolve;

function load(name) {
  // path.join for every file makes V8 optimize it, which takes megabytes
  const filename = `${DIST}${path.sep}${name}`;
  const script = new Script(sourceOf(filename), { filename, cachedData: cachedCode(name) });
  // the name of the first file says nothing about its content
  if (name !== ENTRY && script.cachedDataRejected !== false) compiled.set(name, script);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, DIST);
}

/** The text of a file. Its name holds the hash of its content, so an update leaves no other text under the same name. */
function sourceOf(filename) {
  try {
    // Node reads UTF-8 without a buffer of its bytes
    return readFileSync(filename, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw Object.assign(new Error(`${filename} is gone`), { code: 'PIT_REPLACED' });
  }
}

/** Says in a sentence what to do if a file of dist/ is missing before the program could start. */
function reportMissing({ message }) {
  const root = path.dirname(DIST);
  const isCheckout = existsSync(path.join(root, 'scripts'));
  const fix = isCheckout ? `run \`npm run build\` in ${root}` : 'install pit again';
  process.stderr.write(`pit: ${message}; ${fix}.\n`);
  process.exitCode = 1;
}

/** The file with the code that this Node compiled for a command; undefined without a command or a folder. */
function cacheFileOf(words) {
  const [first = ''] = words;
  // a completion writes nothing
  if (first === '__complete' || words.every((word) => word.startsWith('-'))) return undefined;
  const command = /^[a-z][a-z-]*$/.test(first) ? first : 'flags';
  const folder = cacheFolders().at(-1);
  return folder && path.join(folder, `${command}-${process.version}-${process.platform}-${process.arch}`);
}

/**
 * The folder of the cache and those above it that may be missing, outermost first: beside the program, or in the user's cache if the
 * program belongs to somebody else, as after `sudo npm install --global`. None if there is no such place.
 */
function cacheFolders() {
  try {
    accessSync(DIST, constants.W_OK);
    return [path.join(DIST, '.code')];
  } catch {
    const { PIT_HOME, XDG_CACHE_HOME = '', HOME = '' } = process.env;
    const within = (top, name) => [top, path.join(top, name), path.join(top, name, 'code')];
    if (PIT_HOME) return within(path.resolve(PIT_HOME), 'cache');
    if (path.isAbsolute(XDG_CACHE_HOME)) return within(XDG_CACHE_HOME, 'pit');
    if (!path.isAbsolute(HOME)) return [];
    return within(path.join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache'), 'pit');
  }
}

/** Throws if another user could have written to it: what is in the cache is run. */
function requireOwn(target) {
  const { uid, mode } = statSync(target);
  const isOwn = uid === process.geteuid?.() || uid === 0;
  if (!isOwn || (mode & OTHERS_WRITE) !== 0) throw new Error(`${target} is open to others`);
}

/** Opens a cache and reads its index: where the code of each file of dist/ is. Undefined if it is missing or damaged. */
function openCache(file) {
  try {
    requireOwn(path.dirname(file));
    requireOwn(file);
    const descriptor = openSync(file, 'r');
    const half = fstatSync(descriptor).size / 2;
    // pages of a buffer that is not filled with zeros take no memory until they are written
    const buffers = { content: Buffer.allocUnsafe(half), piece: Buffer.allocUnsafe(PIECE) };
    const opened = { descriptor, half, ...buffers, places: new Map() };
    const index = readTwice(opened, { start: 0, length: Math.min(PIECE, half) });
    let start = index.indexOf('\n') + 1;
    for (const [name, length] of JSON.parse(index.subarray(0, start))) {
      opened.places.set(name, { start, length });
      start += length;
    }
    return opened;
  } catch {
    // missing, unreadable, or open to others
    return undefined;
  }
}

/** The cached code of a file, in a buffer that the next call overwrites. Undefined if there is none, or it is damaged. */
function cachedCode(name) {
  try {
    const place = cache?.places.get(name);
    return place && readTwice(cache, place);
  } catch {
    return undefined;
  }
}

/** Reads a part of both halves of a cache, which are equal: V8 crashes on damaged code, and comparing is faster than a checksum. Throws if they differ. */
function readTwice({ descriptor, half, content, piece }, { start, length }) {
  readSync(descriptor, content, { length, position: start });
  // in pieces, which take less memory than the whole
  for (let at = 0; at < length; at += PIECE) {
    const part = content.subarray(at, Math.min(at + PIECE, length));
    readSync(descriptor, piece, { length: part.length, position: half + start + at });
    if (!part.equals(piece.subarray(0, part.length))) throw new Error('The two halves of the cache differ');
  }
  return content.subarray(0, length);
}

/** Adds what was compiled in this run to the cache. The file is replaced as a whole: other runs may read or write it. */
function writeCache() {
  const codes = new Map();
  for (const name of cache?.places.keys() ?? []) {
    const code = existsSync(path.join(DIST, name)) ? cachedCode(name) : undefined;
    if (code !== undefined) codes.set(name, Buffer.from(code));
  }
  for (const [name, script] of compiled) codes.set(name, script.createCachedData());
  const lengths = [...codes].map(([name, code]) => [name, code.length]);
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...codes.values()]);
  // one by one: a recursive mkdir never ends in /proc, and its folders would be open to others
  for (const folder of cacheFolders()) if (!existsSync(folder)) mkdirSync(folder, 0o700);
  requireOwn(path.dirname(cacheFile));
  const temporary = `${cacheFile}.${process.pid}`;
  try {
    writeFileSync(temporary, Buffer.concat([content, content]), { flag: 'wx', mode: 0o600 });
    renameSync(temporary, cacheFile);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** The exit code of a wrong command line: its first word may be no command. */
const USAGE = 2;

process.once('exit', (code) => {
  if (cacheFile === undefined || code === USAGE || compiled.size === 0) return;
  try {
    writeCache();
  } catch {
    // a full disk, or no folder of the user's own: the next run compiles as this one did
  }
});

async function run() {
  await requireFrom(`./${ENTRY}`).start();
}

run().catch((error) => {
  if (error.code !== 'PIT_REPLACED') throw error;
  reportMissing(error);
});
