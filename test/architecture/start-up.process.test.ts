import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT, nodeOptions } from '../support/command.js';
import { temporaryHome } from '../support/pit.js';
import { runProgram, serveSandboxProgram } from '../support/program.js';
import { ROOT, textOf } from './sources.js';

/** Packages that take long to load, and that most commands do without. */
const HEAVY = [
  '@inquirer/core',
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  '@redis/client',
  'conf',
  'csv-stringify',
  'got',
  'hyparquet',
  'lmdb',
  'proper-lockfile',
  'ws',
  'zod',
];

const home = temporaryHome();
const folder = mkdtempSync(path.join(tmpdir(), 'pit-loaded-'));
const recorder = path.join(folder, 'recorder.cjs');
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  writeFileSync(
    recorder,
    `const fs = require('node:fs');
     const vm = require('node:vm');
     const { Script } = vm;
     const ran = [];
     vm.Script = class extends Script {
       constructor(source, options) {
         super(source, options);
         ran.push(options.filename);
       }
     };
     process.on('exit', () => {
       const report = { ran, modules: process.moduleLoadList };
       fs.writeFileSync(process.env.LOADED, JSON.stringify(report));
     });`,
  );
  ({ environment } = await serveSandboxProgram(temporaryHome()));
  // reads the list of markets, which later commands find
  await runProgram(['markets'], { home, environment });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files that the built program runs, and the modules of Node that it loads. */
async function run(line: string): Promise<{ readonly ran: readonly string[]; readonly modules: readonly string[] }> {
  const file = path.join(folder, 'loaded.json');
  const added = { ...environment, ...nodeOptions('--require', recorder), LOADED: file };
  const { code, stderr } = await runProgram(line.split(' '), { home, environment: added, program: BUILT });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The heavy packages in the files that the built program runs: what it only reads and holds costs little. */
async function loadedBy(line: string): Promise<string[]> {
  const ran = (await run(line)).ran.map((name) => path.basename(name));
  const packages = JSON.parse(readFileSync(path.resolve('dist/.packages.json'), 'utf8')) as readonly {
    readonly name: string;
    readonly files: readonly string[];
  }[];
  expect(HEAVY.filter((name) => !packages.some((one) => one.name === name))).toEqual([]);
  return HEAVY.filter((name) =>
    packages.some((one) => one.name === name && one.files.some((file) => ran.includes(file))),
  );
}

it.each([
  ['--version', []],
  ['--help', []],
  ['profile list', []],
  ['depth btc_usdt --json', ['got']],
  ['mcp config claude', []],
  ['mcp', ['@modelcontextprotocol/core', '@modelcontextprotocol/server', 'zod']],
  ['order buy btc_usdt 0.01 --at 20000 --override price-band --yes', ['got']],
])('pit %s loads of the heavy packages only %j', async (line, expected) => {
  expect(await loadedBy(line)).toEqual(expected);
});

it('a request over http loads no compression, cryptography or TLS of Node', async () => {
  const { modules } = await run('depth btc_usdt --json');
  expect(modules).toContain('NativeModule http');
  const slow = ['crypto', 'tls', 'zlib'];
  expect(modules).not.toEqual(expect.arrayContaining([expect.stringMatching(`^NativeModule (${slow.join('|')})$`)]));
});

it('a running sandbox needs no file of its build later on, which an update may have replaced', () => {
  const importing = readdirSync(path.join(ROOT, 'src/sandbox'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/sandbox/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => file.endsWith('.ts') && /\bimport\(/.test(textOf(file)));
  expect(importing).toEqual([]);
});
