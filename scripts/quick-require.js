// The loader in dist/bin.cjs: requires a bundle with the code that V8 made of it at an earlier start, or at the build.
// Compiling is most of what a start costs. V8 trusts that code: one patch of Node runs into the ground on what another has
// made, and so does any Node on damaged code. So it is kept for one exact Node, together with its source and a checksum of
// both, and used only if nobody else could have written it; otherwise the source counts.
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** Of the folder of the bundles. Its name keeps it out of the package. */
const CODE_FOLDER = '.code';

/** Each bundle that is loaded, by its file: its exports, script and source, and whether it had usable code. */
const loaded = new Map();

/** What makes a function of a bundle. */
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/**
 * Requires a bundle of the folder, and with the same means those that it requires itself. When the process ends, the code of
 * bundles that had none is kept for the next start, if the folder is the user's own.
 */
export function quickRequire(folder, name) {
  const [file, member] = name.split('?');
  const { exports } = loaded.get(path.join(folder, file)) ?? load(folder, file);
  return member === undefined ? exports : exports[member];
}

function load(folder, file) {
  const { Script, constants: options } = process.getBuiltinModule('node:vm');
  const filename = path.join(folder, file);
  const source = readFileSync(filename);
  const cachedData = keptCode(filename, source);
  const script = new Script(WRAPPER.join(source.toString()), {
    filename,
    cachedData,
    importModuleDynamically: options.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || script.cachedDataRejected) keepAtExit();
  const module = { exports: {} };
  const plain = process.getBuiltinModule('node:module').createRequire(filename);
  const require = (id) => (/^\.\/[\w-]+\.cjs(\?|$)/.test(id) ? quickRequire(folder, id) : plain(id));
  require.resolve = plain.resolve;
  script.runInThisContext()(module.exports, require, module, filename, folder);
  const bundle = { exports: module.exports, script, source };
  loaded.set(filename, bundle);
  return bundle;
}

let willKeep = false;

function keepAtExit() {
  if (willKeep) return;
  willKeep = true;
  process.once('exit', () => {
    try {
      if (willKeep) keepCode();
    } catch {
      // a folder of somebody else or a full disk: the next start compiles as this one did
    }
  });
}

/** Bits of a mode that let the group or everyone else write. */
const OTHERS_WRITE = 0o022;
const SUM_LENGTH = 8;
const LENGTH_BYTES = 4;
const NODE_LENGTH = 40;

/** Keeps the code that V8 has made of all loaded bundles, for this very Node. Throws if it cannot be written. */
export function keepCode() {
  willKeep = false;
  for (const [filename, { script, source }] of loaded) {
    const file = codeFile(filename);
    const { uid } = statSync(path.dirname(filename));
    if (uid !== (process.geteuid?.() ?? uid)) throw new Error(`${path.dirname(filename)} is somebody else's`);
    accessSync(path.dirname(filename), constants.W_OK);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o755 });
    if (!isOurs(lstatSync(path.dirname(file)))) throw new Error(`others can write to ${path.dirname(file)}`);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(source.length);
    const content = Buffer.concat([Buffer.from(thisNode()), length, source, script.createCachedData()]);
    write(file, Buffer.concat([Buffer.from(checksum(content)), content]));
  }
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
  try {
    const kept = readOurs(codeFile(filename));
    const content = kept.subarray(SUM_LENGTH);
    if (kept.toString('latin1', 0, SUM_LENGTH) !== checksum(content)) return undefined;
    const { node, source: itsSource, code } = partsOf(content);
    return node === thisNode() && source.equals(itsSource) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Undoes `Buffer.concat` in `keepCode`. */
function partsOf(content) {
  const sourceAt = NODE_LENGTH + LENGTH_BYTES;
  const codeAt = sourceAt + content.readUInt32LE(NODE_LENGTH);
  return {
    node: content.toString('latin1', 0, NODE_LENGTH),
    source: content.subarray(sourceAt, codeAt),
    code: content.subarray(codeAt),
  };
}

/** Reads a file of a folder that only root or the user can write to. Throws if somebody else could have written it. */
function readOurs(file) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  if (!isOurs(lstatSync(path.dirname(file)))) throw new Error(file);
  // neither follows a link nor waits for a pipe in its place
  const descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const entry = fstatSync(descriptor);
    if (!entry.isFile() || !isOurs(entry)) throw new Error(file);
    return readFileSync(descriptor);
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

/** What V8's code fits: another patch, system or processor has other code. */
function thisNode() {
  return `${process.version}-${process.platform}-${process.arch}`.padEnd(NODE_LENGTH);
}

function codeFile(filename) {
  return path.join(path.dirname(filename), CODE_FOLDER, `${path.basename(filename)}.${thisNode().trimEnd()}`);
}

function checksum(content) {
  // not imported above: --version needs none of this
  const { crc32 } = process.getBuiltinModule('node:zlib');
  return crc32(content).toString(16).padStart(SUM_LENGTH, '0');
}
