#!/usr/bin/env node
// Runs the program that scripts/build.js has bundled in dist/, with V8's code cache: compiling is most of what a start costs.
// `start` of dist/main.cjs is the program. Each file of dist/ is one function, which load() compiles or takes from the cache, and runs.
// The cache has each file's code once, with the functions that any command has used, and a run adds the code of a command that is new
// to it when it ends. Node's own cache (module.enableCompileCache) is missing on Node 20, and holds only the functions that the first of
// all commands has used.
const {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const path = require('node:path');
const { Script } = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist');
const ENTRY = 'main.cjs';
/** The command that shells ask at each Tab. */
const COMPLETION = '__complete';
/** The exit code of a wrong command line: its first word may be no command. */
const USAGE = 2;
const STICKY = 0o1000;
/** In bytes, of all files of the cache together: those of several versions of Node. */
const LARGEST_CACHE = 24_000_000;
/** Bytes that hold the first line of a cache. */
const LONGEST_INDEX = 65_536;

/** The text of files that were read before they are needed, by the names of the files. */
const held = new Map();
/** The modules that were loaded, by the names of their files. */
const loaded = new Map();
/** Those whose code is cached, by the same names. */
const scripts = new Map();
/** Whether all their code was in the cache. */
let isComplete = true;
const command = commandOf(process.argv.slice(2));
const cacheFile = command === undefined && process.argv[2] !== COMPLETION ? undefined : cacheFileOf();
const cache = cacheFile === undefined ? undefined : openCache(cacheFile);

process.once('exit', (code) => {
  if (command === undefined || code === USAGE || (isComplete && cache?.commands.includes(command))) return;
  try {
    writeCache();
  } catch {
    // a full disk, or no folder of the user's own: the next run compiles as this one did
  }
});

run().catch((error) => {
  if (error.code !== 'PIT_REPLACED') throw error;
  reportMissing(error);
});

async function run() {
  await load(ENTRY).start(holdProgram);
}

/**
 * Requires a file of dist/, or a module of Node. A package would be searched for in every folder above as well, where others may have put
 * one.
 * @param {string} id
 */
function requireFrom(id) {
  if (id.startsWith('./')) return load(id.slice('./'.length));
  const found = process.getBuiltinModule(id);
  if (found === undefined) throw Object.assign(new Error(`No ${id}`), { code: 'MODULE_NOT_FOUND' });
  return found;
}

/**
 * What a file of dist/ exports. It is run when it is first asked for.
 * @param {string} name
 */
function load(name) {
  const before = loaded.get(name);
  if (before !== undefined) return before.exports;
  // path.join for every file makes V8 optimize it, which takes megabytes
  const filename = `${DIST}${path.sep}${name}`;
  const source = held.get(name) ?? sourceOf(filename);
  held.delete(name);
  const script = new Script(source, { filename, cachedData: cachedCode(name) });
  // the name of the first file says nothing about its content
  if (name !== ENTRY) scripts.set(name, script);
  if (name !== ENTRY && script.cachedDataRejected !== false) isComplete = false;
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, DIST);
  return module.exports;
}

/**
 * The text of a file. Its name holds the hash of its content, so an update leaves no other text under the same name.
 * @param {string} filename
 */
function sourceOf(filename) {
  try {
    // Node reads UTF-8 without a buffer of its bytes
    return readFileSync(filename, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    throw Object.assign(new Error(`${filename} is gone`), { code: 'PIT_REPLACED' });
  }
}

/**
 * Reads all that the program may ever load, and runs none of it: from here on, an update that replaces or removes its files changes
 * nothing for this process. Throws PIT_REPLACED if one has done so before.
 */
function holdProgram() {
  const names = new Set([ENTRY]);
  // a file names those that it loads, and the set grows while it is read; a pattern without its fixed beginning takes 50 ms
  for (const name of names) {
    const source = held.get(name) ?? sourceOf(`${DIST}${path.sep}${name}`);
    if (!loaded.has(name)) held.set(name, source);
    for (const [, other] of source.matchAll(/\.\/([\w-]+-[\w-]{8}\.cjs)/g)) names.add(other);
  }
}

/**
 * Says in a sentence what to do if a file of dist/ is missing before the program could start.
 * @param {Error} error
 */
function reportMissing({ message }) {
  const root = path.dirname(DIST);
  const isCheckout = existsSync(path.join(root, 'scripts'));
  const fix = isCheckout ? `run \`npm run build\` in ${root}` : 'install pit again';
  process.stderr.write(`pit: ${message}; ${fix}.\n`);
  process.exitCode = 1;
}

/**
 * What a command line is cached under; undefined without a command, and for a completion, which reads the cache and writes nothing.
 * @param {readonly string[]} words
 */
function commandOf([first = '', ...more]) {
  if (first === COMPLETION || [first, ...more].every((word) => word.startsWith('-'))) return undefined;
  return /^[a-z][a-z-]*$/.test(first) ? first : 'flags';
}

/** The file of the cache for this Node: beside the program, or in the user's cache if the program belongs to somebody else. */
function cacheFileOf(make = (/** @type {string} */ _folder) => {}) {
  for (const folders of cacheFolders())
    try {
      folders.forEach(make);
      return path.join(ownFolder(folders.at(-1) ?? ''), `code-${process.version}-${process.platform}-${process.arch}`);
    } catch {
      // it is missing, or others can change it
    }
  return undefined;
}

/**
 * Makes a folder, one by one: a recursive mkdir never ends in /proc, and its folders would be open to others.
 * @param {string} folder
 */
function makeFolder(folder) {
  if (!existsSync(folder)) mkdirSync(folder, 0o700);
}

/** The folders that may hold the cache, each after those above it that may be missing. */
function cacheFolders() {
  const { PIT_HOME, XDG_CACHE_HOME = '', HOME = '' } = process.env;
  /** @type {(top: string, name: string) => string[]} */
  const within = (top, name) => [top, path.join(top, name), path.join(top, name, 'code')];
  const places = [[path.join(DIST, '.code')]];
  if (PIT_HOME) places.push(within(path.resolve(PIT_HOME), 'cache'));
  else if (path.isAbsolute(XDG_CACHE_HOME)) places.push(within(XDG_CACHE_HOME, 'pit'));
  else if (path.isAbsolute(HOME))
    places.push(within(path.join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache'), 'pit'));
  return places;
}

/**
 * Where a folder really is. Throws if another user could change it or put another in its place: what is in the cache is run.
 * @param {string} folder
 */
function ownFolder(folder) {
  const real = realpathSync(folder);
  accessSync(real, constants.W_OK);
  for (let above = real; ; above = path.dirname(above)) {
    requireOwn(lstatSync(above), above === real ? 0 : STICKY);
    if (above === path.dirname(above)) return real;
  }
}

/**
 * Throws if it is another user's, or others could have written to it, except in folders like /tmp. A group with the id of the user is the
 * user.
 * @param {import('node:fs').Stats} stats
 * @param {number} exception a bit of the mode with which others may write to it
 */
function requireOwn({ uid, gid, mode }, exception) {
  const user = process.geteuid?.() ?? uid;
  const isWritable = (mode & (gid === user || gid === 0 ? 0o002 : 0o022)) !== 0;
  // also in a sticky folder, its owner may move what is in it
  if ((uid !== user && uid !== 0) || (isWritable && (mode & exception) === 0)) throw new Error('others can change it');
}

/**
 * Opens a cache and reads its index: the commands that have added to it, and where the code of each file is.
 * @param {string} file
 */
function openCache(file) {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const found = fstatSync(descriptor);
    requireOwn(found, 0);
    const opened = { descriptor, half: found.size / 2 };
    const beginning = Math.min(LONGEST_INDEX, opened.half);
    const index = readTwice(opened, 0, Buffer.allocUnsafe(beginning), Buffer.allocUnsafe(beginning));
    if (index === undefined) return undefined;
    let position = index.indexOf('\n') + 1;
    /** @type {{ commands: string[], codes: [name: string, length: number][] }} */
    const { commands, codes } = JSON.parse(index.toString('utf8', 0, position));
    const places = new Map();
    for (const [name, length] of codes) {
      places.set(name, { position, length });
      position += length;
    }
    if (position !== opened.half) return undefined;
    const longest = Math.max(0, ...codes.map(([, length]) => length));
    return { ...opened, commands, places, code: Buffer.allocUnsafe(longest), copy: Buffer.allocUnsafe(longest) };
  } catch {
    // missing, damaged, or open to others
    return undefined;
  }
}

/**
 * Fills a buffer from a place in a cache, which holds its content twice; undefined if the two differ. V8 checks no code, and a flipped bit
 * makes it crash or never end. Comparing takes less time than a checksum, for which Node loads zlib.
 * @param {{ descriptor: number, half: number }} cache
 * @param {number} position
 * @param {Buffer} content
 * @param {Buffer} copy of the same length
 */
function readTwice({ descriptor, half }, position, content, copy) {
  const read = readSync(descriptor, content, { position });
  const copied = readSync(descriptor, copy, { position: position + half });
  return read === content.length && copied === copy.length && content.equals(copy) ? content : undefined;
}

/**
 * The cached code of a file, in a buffer that the next call overwrites. Undefined if there is none, or it is damaged.
 * @param {string} name
 */
function cachedCode(name) {
  const place = cache?.places.get(name);
  if (cache === undefined || place === undefined) return undefined;
  const { position, length } = place;
  return readTwice(cache, position, cache.code.subarray(0, length), cache.copy.subarray(0, length));
}

/** Adds the code of this run to the cache. The file is replaced as a whole: other runs may read or write it. */
function writeCache() {
  const file = cacheFileOf(makeFolder);
  if (file === undefined) return;
  const codes = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
  // that of an earlier build goes
  for (const name of cache?.places.keys() ?? [])
    if (!codes.has(name) && existsSync(path.join(DIST, name))) codes.set(name, Buffer.from(cachedCode(name) ?? ''));
  const lengths = [...codes].map(([name, code]) => [name, code.length]);
  const index = { commands: [...new Set([...(cache?.commands ?? []), command])], codes: lengths };
  const once = [Buffer.from(`${JSON.stringify(index)}\n`), ...codes.values()];
  const content = Buffer.concat([...once, ...once]);
  if (content.length > LARGEST_CACHE) return rmSync(file, { force: true });
  const temporary = `${file}.${process.pid}`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  removeOld(file, content.length);
}

/**
 * Removes the oldest other files of the cache, until all together are small enough.
 * @param {string} cacheFile
 * @param {number} size
 */
function removeOld(cacheFile, size) {
  const folder = path.dirname(cacheFile);
  const others = readdirSync(folder).map((name) => path.join(folder, name));
  const found = others.filter((file) => file !== cacheFile).map((file) => ({ file, ...sizeAndTime(file) }));
  let total = size;
  for (const one of found.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += one.size;
    if (total > LARGEST_CACHE) rmSync(one.file, { force: true, recursive: true });
  }
}

/** @param {string} file */
function sizeAndTime(file) {
  const { size = 0, mtimeMs = 0 } = lstatSync(file, { throwIfNoEntry: false }) ?? {};
  return { size, mtimeMs };
}
