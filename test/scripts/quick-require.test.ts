import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUILT, nodeOptions } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const RIGHT = 'the exchange in a box';
/** What another program of the same length prints. */
const WRONG = 'the exchange in a hat';
const WORDS = ['profile', 'list'];
/** The bundle that holds the text. */
const BUNDLE = 'profiles.cjs';

// the layout of a file of kept code: Node, lengths of source and code, source, code, code again
const LENGTH_AT = 40;
const SOURCE_AT = 48;

const NOBODY = 65_534;
const STRANGER = 64_999;
const isRoot = process.geteuid?.() === 0;

const folder = mkdtempSync(path.join(tmpdir(), 'pit-code-'));
const copy = path.join(folder, 'pit');
const home = path.join(folder, 'home');
const dist = path.join(copy, 'dist');
const codeFolder = path.join(dist, '.code');
const codeFile = path.join(codeFolder, `${BUNDLE}.${process.version}-${process.platform}-${process.arch}`);
/** What is kept of the program, and of the other one. */
let kept: { readonly right: Buffer; readonly wrong: Buffer };

/** A copy of the built program, without code. */
function copyProgram(): void {
  rmSync(copy, { recursive: true, force: true });
  const root = path.dirname(path.dirname(BUILT));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(path.join(root, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => !file.includes(`${path.sep}.code`),
    });
  // whatever the umask of the build was
  chmodSync(dist, 0o755);
}

function start(words: readonly string[] = WORDS) {
  return runProgram(words, { home, program: path.join(copy, 'bin', 'pit.js') });
}

function exchangeText(from: string, to: string): void {
  const file = path.join(dist, BUNDLE);
  const source = readFileSync(file, 'utf8');
  expect(source.includes(from)).toBe(true);
  writeFileSync(file, source.replaceAll(from, to));
}

/** Kept code that is sound in itself, but was made of the other program: if it is used, the answer is wrong. */
function forged(): Buffer {
  const content = Buffer.from(kept.wrong);
  const length = content.readUInt32LE(LENGTH_AT);
  kept.right.copy(content, SOURCE_AT, SOURCE_AT, SOURCE_AT + length);
  return content;
}

function codeLength(): number {
  return forged().readUInt32LE(LENGTH_AT + 4);
}

function flipped(at: number): void {
  const content = readFileSync(codeFile);
  content.writeUInt8(content.readUInt8(at) ^ 0x10, at);
  writeFileSync(codeFile, content);
}

function ofAnotherNode(node: string): void {
  const content = readFileSync(codeFile);
  content.write(node.padEnd(LENGTH_AT), 'latin1');
  writeFileSync(codeFile, content);
}

/** Runs the program as a user who may only read it. */
function startAs(uid: number, environment: Readonly<Record<string, string | undefined>> = plainEnvironment(home)) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(copy, 'bin', 'pit.js'), ...WORDS], {
    uid,
    gid: uid,
    env: environment,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

beforeAll(async () => {
  mkdirSync(home);
  // other users start pit as well
  for (const shared of [folder, home]) chmodSync(shared, 0o777);
  copyProgram();
  exchangeText(RIGHT, WRONG);
  expect((await start()).stdout).toContain(WRONG);
  const wrong = readFileSync(codeFile);
  copyProgram();
  expect((await start()).stdout).toContain(RIGHT);
  kept = { right: readFileSync(codeFile), wrong };
});

beforeEach(() => {
  copyProgram();
  mkdirSync(codeFolder);
  writeFileSync(codeFile, forged());
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a start keeps its code, which the next start uses', async () => {
  expect((await start()).stdout).toContain(WRONG);
  rmSync(codeFolder, { recursive: true });
  expect((await start()).stdout).toContain(RIGHT);
  expect(readdirSync(codeFolder).map((name) => name.split('.')[0])).toEqual(
    expect.arrayContaining(['main', 'profiles']),
  );
  expect(readFileSync(codeFile).subarray(0, SOURCE_AT)).toHaveLength(SOURCE_AT);
});

it('a process that ran for long keeps no code of bundles that had some, because V8 drops what has not run lately', async () => {
  const preloaded = path.join(folder, 'old.cjs');
  writeFileSync(preloaded, 'process.uptime = () => 60;');
  const inodeOf = (bundle: string) => statSync(codeFile.replace(BUNDLE, bundle)).ino;
  const startsWith = async (environment: Readonly<Record<string, string>>) => {
    await start();
    const before = inodeOf('main.cjs');
    rmSync(codeFile);
    await runProgram(WORDS, { home, environment, program: path.join(copy, 'bin', 'pit.js') });
    expect(existsSync(codeFile)).toBe(true);
    return inodeOf('main.cjs') === before;
  };
  expect(await startsWith({})).toBe(false);
  expect(await startsWith(nodeOptions('--require', preloaded))).toBe(true);
});

it.each([
  [
    'is of another build',
    () => {
      const [mark = ''] = readFileSync(path.join(dist, BUNDLE), 'latin1').split('\n');
      exchangeText(mark, mark.replaceAll(/[0-9a-f]/g, '0'));
    },
  ],
  ['is removed', () => rmSync(path.join(dist, BUNDLE))],
])('runs no code of two builds: it stops when a bundle that it needs next %s', async (_what, update) => {
  update();
  const { code, stdout, stderr } = await start();
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^pit: An update replaced or removed pit while it ran\.\n→ Start it again\.\n/),
  ]);
});

interface Damage {
  readonly what: string;
  readonly damage: () => void;
  /** Only root can do it. */
  readonly asRoot?: true;
  /** What a start prints; by default what the program beside the code prints. */
  readonly answer?: string;
}

const DAMAGES: readonly Damage[] = [
  { what: 'is empty', damage: () => truncateSync(codeFile) },
  { what: 'is cut in half', damage: () => truncateSync(codeFile, Math.floor(forged().length / 2)) },
  { what: 'lacks its last byte', damage: () => truncateSync(codeFile, forged().length - 1) },
  { what: 'ends within its head', damage: () => truncateSync(codeFile, SOURCE_AT - 2) },
  { what: 'has a byte too many', damage: () => writeFileSync(codeFile, 'x', { flag: 'a' }) },
  { what: 'has a flipped bit in its head', damage: () => flipped(LENGTH_AT) },
  { what: 'has a flipped bit in its source', damage: () => flipped(SOURCE_AT + 100) },
  { what: 'has a flipped bit in its code', damage: () => flipped(forged().length - codeLength() - 5_000) },
  { what: 'has a flipped bit in its second code', damage: () => flipped(forged().length - 5_000) },
  { what: 'is text', damage: () => writeFileSync(codeFile, 'not compiled code\n'.repeat(5_000)) },
  { what: 'is all zeros', damage: () => writeFileSync(codeFile, Buffer.alloc(forged().length)) },
  {
    what: 'claims a longer source than the file holds',
    damage: () => {
      const content = forged();
      content.writeUInt32LE(2 ** 31, LENGTH_AT);
      writeFileSync(codeFile, content);
    },
  },
  { what: 'is of another Node', damage: () => ofAnotherNode(`v20.0.1-${process.platform}-${process.arch}`) },
  { what: 'is of another architecture', damage: () => ofAnotherNode(`${process.version}-${process.platform}-mips`) },
  { what: 'is of another system', damage: () => ofAnotherNode(`${process.version}-beos-${process.arch}`) },
  { what: 'is of another program', damage: () => writeFileSync(codeFile, kept.wrong) },
  {
    what: 'is of the program before it was changed',
    damage: () => {
      writeFileSync(codeFile, kept.right);
      exchangeText(RIGHT, WRONG);
    },
    answer: WRONG,
  },
  { what: 'belongs to somebody else', damage: () => chownSync(codeFile, STRANGER, STRANGER), asRoot: true },
  { what: 'is in a folder of somebody else', damage: () => chownSync(codeFolder, STRANGER, STRANGER), asRoot: true },
  { what: 'can be written by the group', damage: () => chmodSync(codeFile, 0o664) },
  { what: 'can be written by everyone', damage: () => chmodSync(codeFile, 0o646) },
  { what: 'is in a folder that the group can write to', damage: () => chmodSync(codeFolder, 0o775) },
  { what: 'is in a folder that everyone can write to', damage: () => chmodSync(codeFolder, 0o777) },
  {
    what: 'is a link to a file',
    damage: () => {
      renameSync(codeFile, path.join(copy, 'elsewhere'));
      symlinkSync(path.join(copy, 'elsewhere'), codeFile);
    },
  },
  {
    what: 'is in a folder behind a link',
    damage: () => {
      renameSync(codeFolder, path.join(copy, 'elsewhere'));
      symlinkSync(path.join(copy, 'elsewhere'), codeFolder);
    },
  },
  {
    what: 'is a folder',
    damage: () => {
      rmSync(codeFile);
      mkdirSync(codeFile);
    },
  },
  {
    what: 'is a named pipe without a writer',
    damage: () => {
      rmSync(codeFile);
      execFileSync('mkfifo', [codeFile]);
    },
  },
  {
    what: 'is not there, because its folder is a file',
    damage: () => {
      rmSync(codeFolder, { recursive: true });
      writeFileSync(codeFolder, '');
    },
  },
  {
    what: 'was left half-written by a start that was killed',
    damage: () => {
      const content = forged();
      rmSync(codeFile);
      writeFileSync(`${codeFile}.1.half`, content.subarray(0, content.length / 3));
    },
  },
];

it.each(DAMAGES.filter(({ asRoot }) => isRoot || asRoot === undefined))(
  'code is ignored, and pit answers right, if the file $what',
  async ({ damage, answer = RIGHT }) => {
    damage();
    // what the first start leaves must not harm the second one
    for (const _ of ['first', 'second']) {
      const { code, stdout, stderr } = await start();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(answer);
    }
  },
);

it('starts at the same time keep whole files, and all answer right', async () => {
  rmSync(codeFolder, { recursive: true });
  const started = await Promise.all(Array.from({ length: 6 }, () => start()));
  expect(started.map(({ code, stderr }) => ({ code, stderr }))).toEqual(started.map(() => ({ code: 0, stderr: '' })));
  for (const { stdout } of started) expect(stdout).toContain(RIGHT);
  for (const name of readdirSync(codeFolder)) {
    expect(name).not.toContain('half');
    const content = readFileSync(path.join(codeFolder, name));
    const length = content.readUInt32LE(LENGTH_AT + 4);
    expect(content.subarray(-length).equals(content.subarray(-2 * length, -length))).toBe(true);
  }
});

it('a disk without room for the code leaves nothing behind, and pit answers right', () => {
  rmSync(codeFolder, { recursive: true });
  // a limit for the size of files stops a write as a full disk does
  const line = `ulimit -f 16; exec "$0" "$@"`;
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', line, process.execPath, path.join(copy, 'bin', 'pit.js'), ...WORDS],
    { env: plainEnvironment(home), encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(RIGHT);
  expect(readdirSync(codeFolder)).toEqual([]);
});

describe.skipIf(!isRoot)('a user who did not install pit', () => {
  /** What the user has kept of the bundle. */
  function ownCodeFile(): string {
    const code = path.join(home, 'cache', 'code');
    const [installation = '', ...others] = readdirSync(code);
    expect(others).toEqual([]);
    return path.join(code, installation, path.basename(codeFile));
  }

  beforeEach(() => {
    rmSync(codeFolder, { recursive: true });
    rmSync(path.join(home, 'cache'), { recursive: true, force: true });
    expect(startAs(NOBODY)).toMatchObject({ code: 0, stdout: expect.stringContaining(RIGHT), stderr: '' });
  });

  it('keeps its code among their own files, and nothing beside it', () => {
    expect(existsSync(codeFolder)).toBe(false);
    expect(statSync(ownCodeFile())).toMatchObject({ uid: NOBODY });
    expect(statSync(path.dirname(ownCodeFile())).mode & 0o777).toBe(0o700);
  });

  it('uses that code at the next start', () => {
    writeFileSync(ownCodeFile(), forged());
    expect(startAs(NOBODY).stdout).toContain(WRONG);
  });

  it.each([
    ['the file is damaged', () => truncateSync(ownCodeFile(), 1_000)],
    ['the file is of another program', () => writeFileSync(ownCodeFile(), kept.wrong)],
    [
      'others can write to the folder',
      () => {
        writeFileSync(ownCodeFile(), forged());
        chmodSync(path.dirname(ownCodeFile()), 0o777);
      },
    ],
    [
      "the folder is another user's",
      () => {
        writeFileSync(ownCodeFile(), forged());
        for (const file of [path.dirname(ownCodeFile()), ownCodeFile()]) chownSync(file, STRANGER, STRANGER);
      },
    ],
  ])('gets the right answer from the source if %s', (_what, damage) => {
    damage();
    expect(startAs(NOBODY)).toMatchObject({ code: 0, stdout: expect.stringContaining(RIGHT), stderr: '' });
  });

  it('uses the code that root has kept beside it', async () => {
    await start();
    writeFileSync(codeFile, forged());
    expect(startAs(NOBODY).stdout).toContain(WRONG);
  });

  it.each([
    ['HOME', '.cache/pit'],
    ['XDG_CACHE_HOME', 'pit'],
  ])('keeps it where pit keeps what can be made again: in the folder of %s', (name, within) => {
    const { PIT_HOME: _, ...environment } = plainEnvironment(home);
    const own = path.join(home, `of ${name}`);
    mkdirSync(own);
    chownSync(own, NOBODY, NOBODY);
    startAs(NOBODY, { ...environment, HOME: path.join(home, 'nowhere'), [name]: own });
    expect(existsSync(path.join(own, within, 'code'))).toBe(true);
  });

  it('runs it without a folder of their own', () => {
    rmSync(path.join(home, 'cache'), { recursive: true });
    writeFileSync(path.join(home, 'cache'), '');
    expect(startAs(NOBODY)).toMatchObject({ code: 0, stdout: expect.stringContaining(RIGHT), stderr: '' });
    rmSync(path.join(home, 'cache'));
  });
});

it.skipIf(!isRoot)('code that another user has kept is ignored, unless it is root', () => {
  const everything = readdirSync(copy, { recursive: true }).map((name) => path.join(copy, name.toString()));
  // root has made the copy
  expect(startAs(NOBODY).stdout).toContain(WRONG);
  for (const file of [copy, ...everything]) chownSync(file, STRANGER, STRANGER);
  // with what root has kept, the user has kept some of it among their own files
  rmSync(path.join(home, 'cache'), { recursive: true });
  const { code, stdout, stderr } = startAs(NOBODY);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain(RIGHT);
  // not even root writes into a folder of theirs
  rmSync(codeFile);
  expect(startAs(0).stdout).toContain(RIGHT);
  expect(existsSync(codeFile)).toBe(false);
});
