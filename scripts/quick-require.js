// The loader in dist/bin.cjs: requires a bundle with the code that V8 compiled it to at an earlier start, or at the build.
// Compiling is most of what a start costs. V8 does not check that code: another release of Node, or damaged code, crashes it. So
// the code is kept for one exact release of Node, together with its source, and used only if nobody else could have written it.
// Otherwise the source is compiled again.
//
// Node's own cache, module.enableCompileCache(), is missing on Node 20. On Node 22 and 24 it takes 0.7 of the instructions of
// `node -e 0` more for `pit depth`: it compiles code that a run first uses later on, and checks less.
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** The subfolder of dist/ with compiled code. package.json keeps it out of the package, because of its dot. */
const CODE_FOLDER = '.code';

/** The exports, script and text of each bundle that is loaded, and whether it had code, by its file. */
const loaded = new Map();

/** Which build the loader is of: the build writes its mark here, and at the start of each bundle. */
export const BUILD = 'build-of-bundles';

/** What makes a function of a bundle. */
export const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/**
 * Requires a bundle of the folder, and with the same means those that it requires itself; `plain` requires packages. When
 * the process ends, the code of bundles that had none is kept for the next start: in the folder, or among the user's own files
 * if somebody else, such as root, has installed the program.
 */
export function quickRequire(folder, name, plain) {
  const [file, member] = name.slice('./'.length).split('?');
  const { exports } = loaded.get(pathOf(folder, file)) ?? load(folder, file, plain);
  return member === undefined ? exports : exports[member];
}

/** The folder is `__dirname`: to normalise it for each module that is required would take a while. */
function pathOf(folder, file) {
  return folder + path.sep + file;
}

function load(folder, file, plain) {
  const { Script, constants: options } = process.getBuiltinModule('node:vm');
  const filename = pathOf(folder, file);
  const bytes = readBundle(filename);
  // the build makes ASCII
  const text = bytes.latin1Slice();
  const cachedData = keptCode(filename, bytes.subarray(WRAPPER[0].length, -WRAPPER[1].length));
  const script = new Script(text, {
    filename,
    cachedData,
    importModuleDynamically: options.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const hasCode = cachedData !== undefined && !script.cachedDataRejected;
  if (!hasCode) keepAtExit();
  const module = { exports: {} };
  // each of its modules requires what it needs
  const required = new Map();
  const require = (id) => {
    const known = required.get(id);
    if (known !== undefined) return known;
    const found = /^\.\/[\w-]+\.cjs(\?|$)/.test(id) ? quickRequire(folder, id, plain) : plain(id);
    required.set(id, found);
    return found;
  };
  require.resolve = plain.resolve;
  script.runInThisContext()(module.exports, require, module, filename, folder);
  const bundle = { exports: module.exports, script, text, hasCode };
  loaded.set(filename, bundle);
  return bundle;
}

/** The bytes of a bundle of this build. Throws if an update has replaced or removed it since the process started. */
function readBundle(filename) {
  try {
    const bytes = readWrapped(filename);
    const markAt = WRAPPER[0].length + '//'.length;
    // without its mark, this is the build itself
    if (BUILD.includes('-') || bytes.latin1Slice(markAt, markAt + BUILD.length) === BUILD) return bytes;
  } catch (error) {
    if (loaded.size === 0 || error.code !== 'ENOENT') throw error;
  }
  throw Object.assign(new Error(`${filename} is of another build`), { code: 'PIT_REPLACED' });
}

/** The bytes of a bundle within what makes it a function. They are joined here, where that needs no copy. */
function readWrapped(filename) {
  const descriptor = openSync(filename);
  try {
    const [before, after] = WRAPPER;
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(before.length + size + after.length);
    bytes.latin1Write(before, 0);
    if (readSync(descriptor, bytes, before.length, size, null) < size) throw new Error(`${filename} became shorter`);
    bytes.latin1Write(after, before.length + size);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

let willKeep = false;

/** In seconds. After a longer time, V8 may have dropped the code of functions that ran only at the start. */
const SHORT = 10;

function keepAtExit() {
  if (willKeep) return;
  willKeep = true;
  process.once('exit', () => {
    try {
      if (willKeep) keepCode(process.uptime() > SHORT);
    } catch {
      // no folder of the user's own or a full disk: the next start compiles as this one did
    }
  });
}

/** Bits of a mode that let the group or everyone else write. */
const OTHERS_WRITE = 0o022;
/** Of the name of a Node. */
const NODE_LENGTH = 40;
/** What V8's code fits: another patch, system or processor has other code. */
const THIS_NODE = `${process.version}-${process.platform}-${process.arch}`.padEnd(NODE_LENGTH);
/** The name of the Node, the length of the source, that of the code. */
const HEAD_LENGTH = NODE_LENGTH + 8;
/** V8 copies code that does not begin at such an address. */
const ALIGNMENT = 8;

/**
 * Keeps the code that V8 has made of all loaded bundles, for this very Node. Throws if it cannot be written.
 * @param onlyMissing leaves out the bundles that had code
 */
export function keepCode(onlyMissing = false) {
  willKeep = false;
  for (const [filename, { script, text, hasCode }] of loaded) {
    if (onlyMissing && hasCode) continue;
    const folder = folderToKeepIn(path.dirname(filename));
    if (!isOurs(lstatSync(folder))) throw new Error(`others can write to ${folder}`);
    const source = Buffer.from(text.slice(WRAPPER[0].length, -WRAPPER[1].length), 'latin1');
    write(codeFile(filename, folder), contentOf(source, script.createCachedData()));
  }
}

/** Makes the folder for the code of a folder's bundles. Throws if the user has none. */
function folderToKeepIn(bundles) {
  const { uid } = statSync(bundles);
  if (uid === (process.geteuid?.() ?? uid)) {
    accessSync(bundles, constants.W_OK);
    const beside = besideThem(bundles);
    mkdirSync(beside, { recursive: true, mode: 0o755 });
    return beside;
  }
  const own = amongOwnFiles(bundles);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  return own;
}

function besideThem(bundles) {
  return path.join(bundles, CODE_FOLDER);
}

/**
 * Where pit keeps what can be made again, with a folder for each installation. Throws without a home. The library that knows
 * these folders for the rest of pit would take longer to load than this saves; Windows has no owners.
 */
function amongOwnFiles(bundles) {
  const { PIT_HOME, XDG_CACHE_HOME, HOME } = process.env;
  const caches = process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'];
  const cache = PIT_HOME ? [path.resolve(PIT_HOME), 'cache'] : [XDG_CACHE_HOME || path.join(HOME, ...caches), 'pit'];
  return path.join(...cache, 'code', bundles.replace(/[^\w.-]/g, '-').slice(-LONGEST_NAME));
}

/** A folder with a longer name cannot be made everywhere. */
const LONGEST_NAME = 200;

/** The code stands there twice: comparing finds all damage, and is faster than to load a module of Node for a checksum. */
function contentOf(source, code) {
  const head = Buffer.alloc(HEAD_LENGTH, THIS_NODE);
  head.writeUInt32LE(source.length, NODE_LENGTH);
  head.writeUInt32LE(code.length, NODE_LENGTH + 4);
  return Buffer.concat([head, source, Buffer.alloc(padding(source.length)), code, code]);
}

function padding(length) {
  return (ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT;
}

/** The code in the content of a file that was kept. Throws if it is damaged, or was made of another source or by another Node. */
export function codeIn(content, source) {
  const [sourceLength, length] = [content.readUInt32LE(NODE_LENGTH), content.readUInt32LE(NODE_LENGTH + 4)];
  const codeAt = HEAD_LENGTH + sourceLength + padding(sourceLength);
  const [code, again] = [codeAt, codeAt + length].map((at) => content.subarray(at, at + length));
  const isWhole = content.length === codeAt + 2 * length && code.equals(again);
  const isMade =
    content.latin1Slice(0, NODE_LENGTH) === THIS_NODE &&
    content.subarray(HEAD_LENGTH, HEAD_LENGTH + sourceLength).equals(source);
  if (!isWhole || !isMade) throw new Error('not the code of this source');
  return code;
}

/** Writes a file as a whole: another start may write it at the same time, or end in the middle. */
function write(file, content) {
  const half = `${file}.${process.pid}.half`;
  try {
    writeFileSync(half, content, { flag: 'wx', mode: 0o644 });
    renameSync(half, file);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

/** The code that was kept of a bundle with this source, or undefined if there is none that can be trusted. */
function keptCode(filename, source) {
  for (const folderOf of [besideThem, amongOwnFiles])
    try {
      return codeIn(readOurs(codeFile(filename, folderOf(path.dirname(filename)))), source);
    } catch {
      // not there, or not to be trusted
    }
  return undefined;
}

/** One for all bundles: V8 is done with the code of one when the next is read. */
let room = Buffer.alloc(0);

/** Reads a file of a folder that only root or the user can write to. Throws if somebody else could have written it. */
function readOurs(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  if (!isOurs(lstatSync(path.dirname(file)))) throw new Error(file);
  // neither follows a link nor waits for a pipe in its place
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const entry = fstatSync(descriptor);
    if (!entry.isFile() || !isOurs(entry)) throw new Error(file);
    if (room.length < entry.size) room = Buffer.allocUnsafeSlow(entry.size);
    return room.subarray(0, readSync(descriptor, room, 0, entry.size));
  } finally {
    closeSync(descriptor);
  }
}

/** Whether only root or the user can write to it, and it is no link. Windows has neither modes nor numeric owners. */
function isOurs(entry) {
  if (entry.isSymbolicLink()) return false;
  const user = process.geteuid?.();
  return user === undefined || ((entry.uid === user || entry.uid === 0) && (entry.mode & OTHERS_WRITE) === 0);
}

/** The file with the code that this very Node has kept of a bundle. */
export function codeFile(filename, folder = besideThem(path.dirname(filename))) {
  return path.join(folder, `${path.basename(filename)}.${THIS_NODE.trimEnd()}`);
}
