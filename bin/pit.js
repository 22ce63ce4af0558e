#!/usr/bin/env node
// Runs the program that scripts/build.js has bundled in dist/, with the code that V8 made of it at an earlier run: compiling is
// most of what a start costs. The code of all files that a command loads is kept in one file, because Node's own cache
// (module.enableCompileCache) is missing on Node 20, and keeps what the first command of all has used.
const {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

const DIST = path.join(__dirname, '..', 'dist');
const ENTRY = 'main.cjs';
const requireOther = createRequire(path.join(DIST, ENTRY));

/** The modules that were loaded, by the names of their files. */
const loaded = new Map();
/** What was compiled in this run, by the same names. */
const compiled = new Map();
const codeFile = codeFileOf(process.argv.slice(2));
const kept = codeFile === undefined ? new Map() : keptCode(codeFile);

/** Requires a file of dist/, or another module. */
function requireFrom(id) {
  const name = id.startsWith('./') ? id.slice('./'.length) : undefined;
  if (name === undefined) return requireOther(id);
  if (!loaded.has(name)) load(name);
  return loaded.get(name).exports;
}
requireFrom.resolve = requireOther.resolve;

function load(name) {
  const filename = path.join(DIST, name);
  const script = new Script(sourceOf(filename), { filename, cachedData: kept.get(name) });
  // the name of the first file says nothing about its content
  if (name !== ENTRY && script.cachedDataRejected !== false) compiled.set(name, script);
  const module = { exports: {} };
  loaded.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, DIST);
}

/** The text of a file. Its name holds the hash of its content, so an update leaves no other text under the same name. */
function sourceOf(filename) {
  try {
    return readFileSync(filename, 'latin1');
  } catch (error) {
    if (loaded.size === 0 || error.code !== 'ENOENT') throw error;
    throw Object.assign(new Error(`${filename} is gone`), { code: 'PIT_REPLACED' });
  }
}

/** Where the code is kept that this Node makes for a command; undefined without a command or a folder. */
function codeFileOf(words) {
  const command = words.find((word) => /^[a-z_][a-z_-]*$/.test(word));
  const folder = command === undefined ? undefined : codeFolder();
  return folder && path.join(folder, `${command}-${process.version}-${process.platform}-${process.arch}`);
}

/** Beside the program, or in the user's cache if the program belongs to somebody else, as after `sudo npm install --global`. */
function codeFolder() {
  try {
    accessSync(DIST, constants.W_OK);
    return path.join(DIST, '.code');
  } catch {
    const { PIT_HOME, XDG_CACHE_HOME, HOME } = process.env;
    if (PIT_HOME) return path.resolve(PIT_HOME, 'cache', 'code');
    if (XDG_CACHE_HOME) return path.join(XDG_CACHE_HOME, 'pit', 'code');
    if (!HOME) return undefined;
    return path.join(HOME, ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']), 'pit', 'code');
  }
}

/** The code in a file by the names of the files in dist/; empty if there is none, or the file is damaged. */
function keptCode(file) {
  const code = new Map();
  try {
    const content = readFileSync(file);
    const half = content.length / 2;
    // V8 does not find damage, and crashes
    if (!content.subarray(0, half).equals(content.subarray(half))) return code;
    let start = content.indexOf('\n') + 1;
    for (const [name, length] of JSON.parse(content.subarray(0, start))) {
      code.set(name, content.subarray(start, start + length));
      start += length;
    }
  } catch {
    // not there, or not to be read
  }
  return code;
}

/** Adds to the kept code what was compiled in this run. The file is replaced as a whole: other runs may read or write it. */
function keepCode() {
  for (const name of kept.keys()) if (!existsSync(path.join(DIST, name))) kept.delete(name);
  for (const [name, script] of compiled) kept.set(name, script.createCachedData());
  const lengths = [...kept].map(([name, code]) => [name, code.length]);
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...kept.values()]);
  mkdirSync(path.dirname(codeFile), { recursive: true });
  const half = `${codeFile}.${process.pid}`;
  try {
    writeFileSync(half, Buffer.concat([content, content]), { flag: 'wx' });
    renameSync(half, codeFile);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

/** The exit code of a command line that pit does not understand: its words are no command's. */
const USAGE = 2;

process.once('exit', (code) => {
  if (codeFile === undefined || code === USAGE || compiled.size === 0) return;
  try {
    keepCode();
  } catch {
    // a full disk, or no folder of the user's own: the next run compiles as this one did
  }
});

requireFrom(`./${ENTRY}`).start();
