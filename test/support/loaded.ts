import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterFile } from './after-file.js';
import { BUILT, nodeOptions } from './command.js';
import { plainEnvironment } from './pit.js';

/** What a start of the built program loads. */
export interface Loaded {
  readonly code: number | null;
  /** The names of the files of the program, without code that V8 has kept. */
  readonly files: readonly string[];
  /** The bytes of these files. */
  readonly bytes: number;
  /** Node's own modules, public ones by their names, that a start of Node without a program does not load. */
  readonly modules: readonly string[];
  /** How many of Node's own modules are loaded in addition to those of such a start, internal ones included. */
  readonly moduleCount: number;
}

/** Records what is read through `fs`, which the loader of the program and Node's own use, and Node's modules at the end. */
const RECORDER = `
const fs = require('fs');
const read = new Map();
const { openSync, readFileSync } = fs;
fs.openSync = (file, ...options) => {
  const descriptor = openSync(file, ...options);
  if (typeof file === 'string') read.set(file, fs.fstatSync(descriptor).size);
  return descriptor;
};
fs.readFileSync = (file, ...options) => {
  const content = readFileSync(file, ...options);
  if (typeof file === 'string') read.set(file, Buffer.byteLength(content));
  return content;
};
process.on('exit', () => {
  const modules = process.moduleLoadList.filter((name) => name.startsWith('NativeModule '));
  fs.writeFileSync(process.env.LOADED_FILE, JSON.stringify({ read: [...read], modules }));
});
`;

interface Recorded {
  readonly read: readonly (readonly [file: string, bytes: number])[];
  readonly modules: readonly string[];
}

/** Runs the built program, and returns what it loaded. */
export async function loadedBy(
  words: readonly string[],
  home: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-loaded-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const recorder = path.join(folder, 'recorder.cjs');
  const nothing = path.join(folder, 'nothing.cjs');
  writeFileSync(recorder, RECORDER);
  writeFileSync(nothing, '');
  const recorded = async (program: string, args: readonly string[]) => {
    const target = path.join(folder, 'recorded.json');
    const added = { ...environment, ...nodeOptions('--require', recorder), LOADED_FILE: target };
    // a pipe of Node's is a socket, which only a stream can write to
    const child = spawn(process.execPath, [program, ...args], { env: plainEnvironment(home, added), stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code, ...(JSON.parse(readFileSync(target, 'utf8')) as Recorded) };
  };
  const bare = new Set((await recorded(nothing, [])).modules);
  const { code, read, modules } = await recorded(BUILT, words);
  const root = path.dirname(path.dirname(BUILT));
  const own = read.filter(
    ([file]) =>
      file.startsWith(root) && !file.includes(`${path.sep}.code${path.sep}`) && !file.endsWith('package.json'),
  );
  const added = modules.filter((name) => !bare.has(name)).map((name) => name.slice('NativeModule '.length));
  return {
    code,
    files: own.map(([file]) => path.basename(file)).sort(),
    bytes: own.reduce((sum, [, bytes]) => sum + bytes, 0),
    modules: added.filter((name) => builtinModules.includes(name) && !name.startsWith('_')).sort(),
    moduleCount: added.length,
  };
}
