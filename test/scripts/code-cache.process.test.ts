import { spawn, spawnSync } from 'node:child_process';
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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { runProgram } from '../support/program.js';
import { whileSwapped } from '../support/swapped.js';

const RIGHT = 'the exchange in a box';
/** What another program of the same length prints. */
const WRONG = 'the exchange in a hat';
const WORDS = ['profile', 'list'];

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

const folder = mkdtempSync(path.join(tmpdir(), 'pit-code-'));
const copy = path.join(folder, 'pit');
const home = path.join(folder, 'home');
/** That of the other user. */
const theirs = path.join(folder, 'theirs');
const dist = path.join(copy, 'dist');
const cacheFolder = path.join(dist, '.code');
const cacheName = `code-${process.version}-${process.platform}-${process.arch}`;
const cacheFile = path.join(cacheFolder, cacheName);
/** The caches of the program, and of the other one. */
let cached: { readonly right: Buffer; readonly wrong: Buffer };

/** A copy of the built program, without a cache. */
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

/** The file of the program that holds the text which the command prints. */
function fileWithText(): string {
  return path.join(dist, bundled(/^profile-/));
}

/** The file of the newest build with such a name: those of the build before stay for programs that run. */
function bundled(wanted: RegExp): string {
  const names = ['main.cjs'];
  for (const name of names)
    for (const [found] of readFileSync(path.join(dist, name), 'latin1').matchAll(/[\w-]+\.cjs/g))
      if (!names.includes(found) && existsSync(path.join(dist, found))) names.push(found);
  return names.find((name) => wanted.test(name)) ?? '';
}

interface Index {
  readonly commands: readonly string[];
  readonly codes: readonly (readonly [name: string, length: number])[];
}

function indexOf(content: Buffer): Index {
  return JSON.parse(content.subarray(0, content.indexOf('\n')).toString());
}

function namesIn(content: Buffer): string[] {
  return indexOf(content).codes.map(([name]) => name);
}

/** Runs the program as a user who may only read it. */
function startAs(uid: number, environment: Readonly<Record<string, string | undefined>> = plainEnvironment(theirs)) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(copy, 'bin', 'pit.js'), ...WORDS], {
    uid,
    gid: uid,
    env: environment,
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

beforeAll(async () => {
  for (const one of [home, theirs]) mkdirSync(one);
  // other users start pit as well
  chmodSync(folder, 0o755);
  if (isRoot) chownSync(theirs, NOBODY, NOBODY);
  copyProgram();
  const source = readFileSync(fileWithText(), 'latin1');
  expect(source).toContain(RIGHT);
  writeFileSync(fileWithText(), source.replaceAll(RIGHT, WRONG), 'latin1');
  expect((await start()).stdout).toContain(WRONG);
  const wrong = readFileSync(cacheFile);
  copyProgram();
  expect((await start()).stdout).toContain(RIGHT);
  cached = { right: readFileSync(cacheFile), wrong };
});

// the code of another program under the right name shows whether the cache is used: then the answer is wrong
beforeEach(() => {
  copyProgram();
  // of a run that found the folder beside the program open to others
  rmSync(path.join(home, 'cache'), { recursive: true, force: true });
  mkdirSync(cacheFolder);
  writeFileSync(cacheFile, cached.wrong);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('a run caches its code, which the next run of the same command uses', async () => {
  expect((await start()).stdout).toContain(WRONG);
  rmSync(cacheFolder, { recursive: true });
  expect((await start()).stdout).toContain(RIGHT);
  expect(readdirSync(cacheFolder)).toEqual([cacheName]);
});

it('the cached code of another build is not used, and is removed', async () => {
  const name = path.basename(fileWithText());
  const old = 'profile-anotherb.cjs';
  const head = cached.wrong.indexOf('\n');
  const renamed = cached.wrong.subarray(0, head).toString().replace(name, old);
  const content = Buffer.concat([Buffer.from(renamed), cached.wrong.subarray(head, cached.wrong.length / 2)]);
  writeFileSync(cacheFile, Buffer.concat([content, content]));
  expect((await start()).stdout).toContain(RIGHT);
  const names = namesIn(readFileSync(cacheFile));
  expect(names).toContain(name);
  expect(names).not.toContain(old);
});

it('a run adds what it compiles to what another run of the command has cached', async () => {
  writeFileSync(cacheFile, cached.right);
  await start(['profile', 'show']);
  expect(namesIn(readFileSync(cacheFile))).toEqual(expect.arrayContaining(namesIn(cached.right)));
});

it('the code of each file is there twice, whatever number of commands use it', async () => {
  rmSync(cacheFolder, { recursive: true });
  for (const words of [WORDS, ['schema', 'depth'], ['sandbox', 'status'], ['markets', '--help']]) await start(words);
  expect(readdirSync(cacheFolder)).toEqual([cacheName]);
  const content = readFileSync(cacheFile);
  const { commands, codes } = indexOf(content);
  expect(commands).toEqual(['profile', 'schema', 'sandbox', 'markets']);
  expect(new Set(namesIn(content)).size).toBe(codes.length);
  const length = codes.reduce((sum, [, of]) => sum + of, content.indexOf('\n') + 1);
  expect(content.length).toBe(2 * length);
  expect(content.subarray(0, length).equals(content.subarray(length))).toBe(true);
});

it('the code of other versions goes, the oldest first, once all together are larger than 24 MB', async () => {
  rmSync(cacheFile);
  for (const [name, age] of [
    ['profile-v18.0.0-linux-x64', 3],
    ['code-v22.0.0-linux-x64', 2],
    ['code-v24.0.0-linux-x64', 1],
  ] as const) {
    writeFileSync(path.join(cacheFolder, name), Buffer.alloc(10_000_000));
    utimesSync(path.join(cacheFolder, name), 1_700_000_000 - age, 1_700_000_000 - age);
  }
  await start();
  expect(readdirSync(cacheFolder).sort()).toEqual(
    [cacheName, 'code-v22.0.0-linux-x64', 'code-v24.0.0-linux-x64'].sort(),
  );
});

it('a mistyped command caches no code, and neither do the version and help', async () => {
  rmSync(cacheFolder, { recursive: true });
  for (const words of [['prifole', 'list'], ['--version'], ['--help']]) await start(words);
  expect(existsSync(cacheFolder)).toBe(false);
});

it('runs no code of two builds: it stops when a file that it needs next is gone', async () => {
  rmSync(fileWithText());
  const { code, stdout, stderr } = await start();
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    expect.stringMatching(/^pit: An update replaced or removed pit while it ran\.\n→ Start it again\.\n/),
  ]);
});

it('names the files that a build makes by their content, so that two builds share none that differ', () => {
  const names = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  expect(names.filter((name) => !/-[\w-]{8}\.cjs$/.test(name))).toEqual(['main.cjs']);
});

it.each<[string, () => void]>([
  ['is empty', () => truncateSync(cacheFile)],
  ['is cut in half', () => truncateSync(cacheFile, cached.wrong.length >> 1)],
  ['lacks its last byte', () => truncateSync(cacheFile, cached.wrong.length - 1)],
  ['has a byte too many', () => writeFileSync(cacheFile, 'x', { flag: 'a' })],
  ['has a flipped bit in its list', () => flipBit(3)],
  ['has a flipped bit in the copy of its list', () => flipBit(cached.wrong.length / 2 + 3)],
  ['has a flipped bit in the code that would be run', () => flipBit(middleOfCode())],
  ['has a flipped bit in the copy of that code', () => flipBit(cached.wrong.length / 2 + middleOfCode())],
  ['is text', () => writeFileSync(cacheFile, 'not compiled code\n'.repeat(5_000))],
  ['is all zeros', () => writeFileSync(cacheFile, Buffer.alloc(cached.wrong.length))],
  [
    'is a folder',
    () => {
      rmSync(cacheFile);
      mkdirSync(cacheFile);
    },
  ],
  [
    'cannot be made, because its folder is a file',
    () => {
      rmSync(cacheFolder, { recursive: true });
      writeFileSync(cacheFolder, '');
    },
  ],
])('the cache is ignored, and pit answers right, if its file %s', async (_what, damage) => {
  damage();
  // what the first run leaves must not harm the second one
  for (const _ of ['first', 'second']) {
    const { code, stdout, stderr } = await start();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(RIGHT);
  }
});

/** Where the code of the file with the text is in the cache. */
function middleOfCode(): number {
  const { codes } = indexOf(cached.wrong);
  const position = codes.findIndex(([name]) => name === path.basename(fileWithText()));
  const before = codes.slice(0, position).reduce((sum, [, length]) => sum + length, cached.wrong.indexOf('\n') + 1);
  return before + Math.floor((codes[position]?.[1] ?? 0) / 2);
}

function flipBit(at: number): void {
  const content = readFileSync(cacheFile);
  content.writeUInt8(content.readUInt8(at) ^ 0x10, at);
  writeFileSync(cacheFile, content);
}

const OF_ANOTHER_USER: [string, () => void][] = [
  ['a file of another user', () => chownSync(cacheFile, NOBODY, NOBODY)],
  [
    'a folder below a sticky one of another user',
    () => {
      chownSync(copy, NOBODY, NOBODY);
      chmodSync(copy, 0o1777);
    },
  ],
];

it.each<[string, () => void]>([
  ['a file that others can write', () => chmodSync(cacheFile, 0o666)],
  ['a folder that others can write', () => chmodSync(cacheFolder, 0o777)],
  ['a folder below one that others can write', () => chmodSync(dist, 0o777)],
  ['a folder two levels below one that others can write', () => chmodSync(copy, 0o777)],
  [
    'a file that is a link',
    () => {
      renameSync(cacheFile, path.join(folder, 'elsewhere'));
      symlinkSync(path.join(folder, 'elsewhere'), cacheFile);
    },
  ],
  ...(isRoot ? OF_ANOTHER_USER : []),
])('code in %s is not run', async (_what, open) => {
  open();
  expect((await start()).stdout).toContain(RIGHT);
});

describe.skipIf(!isRoot)('while a third user swaps the folder above a home 500 times', () => {
  const THIRD = 47_111;
  const ROUNDS = 500;
  /** The program, but for one file that holds a text, whose code is cached. */
  const small = path.join(folder, 'small');
  const textFile = path.join(small, 'dist', 'text-00000000.cjs');
  const shared = path.join(folder, 'shared');
  const [mine, other] = [path.join(shared, 'mine'), path.join(shared, 'other')];
  /** Loads the program in rounds, and prints what it got, each text once. */
  const LOAD = `
const [program, rounds] = process.argv.splice(1, 2, 'pit');
process.setMaxListeners(0);
const texts = new Set();
for (let round = 0; round < rounds; round += 1) {
  require(program);
  delete require.cache[program];
  texts.add(globalThis.text);
}
if (rounds > 1) process.removeAllListeners('exit');
process.stdout.write(JSON.stringify([...texts]));`;

  /** The texts of so many starts as a user. One start alone writes the cache. */
  async function texts(above: string, rounds: number): Promise<readonly string[]> {
    // or V8 would take what it compiled in an earlier round
    const words = [
      '--no-compilation-cache',
      '-e',
      LOAD,
      path.join(small, 'bin', 'pit.js'),
      String(rounds),
      'profile',
      'list',
    ];
    const child = spawn(process.execPath, words, {
      uid: NOBODY,
      gid: NOBODY,
      env: plainEnvironment(path.join(above, 'home')),
    });
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    child.stderr.pipe(process.stderr);
    await new Promise((resolve) => child.once('close', resolve));
    return JSON.parse(printed);
  }

  function writeText(text: string): void {
    writeFileSync(textFile, `(function () { globalThis.text = '${text}'; })`);
  }

  beforeAll(async () => {
    mkdirSync(path.dirname(textFile), { recursive: true });
    for (const name of ['bin', 'package.json'])
      cpSync(path.join(copy, name), path.join(small, name), { recursive: true });
    const main = "(function (exports, require) { exports.start = () => require('./text-00000000.cjs'); })";
    writeFileSync(path.join(small, 'dist', 'main.cjs'), main);
    mkdirSync(shared);
    for (const [above, text] of [
      [mine, RIGHT],
      [other, WRONG],
    ] as const) {
      mkdirSync(above);
      chownSync(above, NOBODY, NOBODY);
      writeText(text);
      expect(await texts(above, 1)).toEqual([text]);
    }
    writeText(RIGHT);
    // the cache is used: nothing else holds this text any more
    expect(await texts(other, 2)).toEqual([WRONG]);
  });

  it.each(['777', '775'])('no code of another home is run, in a folder of mode %s', async (mode) => {
    chownSync(shared, 0, THIRD);
    chmodSync(shared, Number.parseInt(mode, 8));
    expect(await whileSwapped([mine, other], THIRD, () => texts(mine, ROUNDS))).toEqual([RIGHT]);
  });

  it('no code of another home is run in a folder like /tmp, where the third user can move nothing', async () => {
    chmodSync(shared, 0o1777);
    expect(await whileSwapped([mine, other], THIRD, () => texts(mine, ROUNDS))).toEqual([RIGHT]);
  });
});

it('runs at the same time leave a complete cache, and all answer right', async () => {
  rmSync(cacheFolder, { recursive: true });
  const started = await Promise.all(Array.from({ length: 6 }, () => start()));
  expect(started.map(({ code, stderr }) => ({ code, stderr }))).toEqual(started.map(() => ({ code: 0, stderr: '' })));
  for (const { stdout } of started) expect(stdout).toContain(RIGHT);
  expect(readdirSync(cacheFolder)).toEqual([cacheName]);
  expect((await start()).stdout).toContain(RIGHT);
});

it('a disk without room for the cache leaves nothing behind, and pit answers right', () => {
  rmSync(cacheFolder, { recursive: true });
  // a limit for the size of files stops a write as a full disk does
  const line = `ulimit -f 16; exec "$0" "$@"`;
  const { status, stdout, stderr } = spawnSync(
    'sh',
    ['-c', line, process.execPath, path.join(copy, 'bin', 'pit.js'), ...WORDS],
    { env: plainEnvironment(home), encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain(RIGHT);
  expect(readdirSync(cacheFolder)).toEqual([]);
});

describe.skipIf(!isRoot)('a user who may not write to the installation', () => {
  const cache = path.join(theirs, 'cache');

  beforeEach(() => {
    rmSync(cache, { recursive: true, force: true });
  });

  it('has the code in their own cache, and uses it at the next run', () => {
    rmSync(cacheFolder, { recursive: true });
    expect(startAs(NOBODY)).toMatchObject({ code: 0, stdout: expect.stringContaining(RIGHT), stderr: '' });
    expect(existsSync(cacheFolder)).toBe(false);
    const own = path.join(cache, 'code', cacheName);
    expect(statSync(own)).toMatchObject({ uid: NOBODY });
    writeFileSync(own, cached.wrong);
    expect(startAs(NOBODY).stdout).toContain(WRONG);
  });

  it.each([
    ['HOME', '.cache/pit'],
    ['XDG_CACHE_HOME', 'pit'],
  ])('has it in the cache folder of pit, which %s sets', (name, within) => {
    const { PIT_HOME: _, ...environment } = plainEnvironment(theirs);
    const own = path.join(theirs, `of ${name}`);
    mkdirSync(own);
    chownSync(own, NOBODY, NOBODY);
    startAs(NOBODY, { ...environment, HOME: path.join(theirs, 'nowhere'), [name]: own });
    expect(existsSync(path.join(own, within, 'code', cacheName))).toBe(true);
  });

  it('gets a cache that only they can read, whatever the umask, in a home that later commands take', () => {
    const own = path.join(theirs, 'made-by-pit');
    const before = process.umask(0);
    try {
      expect(startAs(NOBODY, plainEnvironment(own)).stdout).toContain(RIGHT);
    } finally {
      process.umask(before);
    }
    const modes = ['', 'cache', 'cache/code', `cache/code/${cacheName}`].map(
      (name) => statSync(path.join(own, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  it.skipIf(process.platform !== 'linux')('ends even if the cache would have to be in /proc', () => {
    const { PIT_HOME, ...environment } = plainEnvironment(theirs);
    for (const place of [{ XDG_CACHE_HOME: '/proc' }, { XDG_CACHE_HOME: 'relative' }])
      expect(startAs(NOBODY, { ...environment, HOME: folder, ...place })).toMatchObject({ code: 0 });
    expect(existsSync('relative')).toBe(false);
  });

  it('runs pit without a folder of their own', () => {
    writeFileSync(cache, '');
    expect(startAs(NOBODY)).toMatchObject({ code: 0, stdout: expect.stringContaining(RIGHT), stderr: '' });
  });
});

it.each([
  ['the first file', /^main\.cjs$/],
  ['what the first file loads', /^entry-/],
])('says in one sentence what to do if %s of the bundle is missing', async (_what, missing) => {
  const name = bundled(missing);
  rmSync(path.join(dist, name));
  const { code, stderr } = await start(['depth', 'btc_usdt']);
  expect(code).toBe(1);
  expect(stderr).toBe(`pit: ${path.join(dist, name)} is gone; install pit again.\n`);
});
