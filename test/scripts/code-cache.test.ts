import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUILT } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { runProgram } from '../support/program.js';

const RIGHT = 'the exchange in a box';
/** What another program of the same length prints. */
const WRONG = 'the exchange in a hat';
const WORDS = ['profile', 'list'];

const NOBODY = 65_534;
const isRoot = process.geteuid?.() === 0;

const folder = mkdtempSync(path.join(tmpdir(), 'pit-code-'));
const copy = path.join(folder, 'pit');
const home = path.join(folder, 'home');
const dist = path.join(copy, 'dist');
const cacheFolder = path.join(dist, '.code');
const cacheName = `profile-${process.version}-${process.platform}-${process.arch}`;
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
  const found = readdirSync(dist).find((name) => /^profile-.*\.cjs$/.test(name));
  return path.join(dist, found ?? '');
}

/** The files whose code is cached, with the length of the code. */
function namesIn(content: Buffer): readonly (readonly [name: string, length: number])[] {
  return JSON.parse(content.subarray(0, content.indexOf('\n')).toString());
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
  const content = cached.wrong.subarray(0, cached.wrong.length / 2);
  const head = content.indexOf('\n');
  const renamed = JSON.stringify(namesIn(content)).replace(name, old);
  const ofOther = Buffer.concat([Buffer.from(renamed), content.subarray(head)]);
  writeFileSync(cacheFile, Buffer.concat([ofOther, ofOther]));
  expect((await start()).stdout).toContain(RIGHT);
  const names = namesIn(readFileSync(cacheFile)).map(([file]) => file);
  expect(names).toContain(name);
  expect(names).not.toContain(old);
});

it('a run adds what it compiles to what another run of the command has cached', async () => {
  writeFileSync(cacheFile, cached.right);
  await start(['profile', 'show']);
  const names = (content: Buffer) => namesIn(content).map(([name]) => name);
  expect(names(readFileSync(cacheFile))).toEqual(expect.arrayContaining(names(cached.right)));
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
  ['is cut in half', () => truncateSync(cacheFile, cached.wrong.length / 2)],
  ['lacks its last byte', () => truncateSync(cacheFile, cached.wrong.length - 1)],
  ['has a byte too many', () => writeFileSync(cacheFile, 'x', { flag: 'a' })],
  ['has a flipped bit in the list of its first half', () => flipBit(3)],
  ['has a flipped bit in the list of its second half', () => flipBit(cached.wrong.length / 2 + 3)],
  ['has a flipped bit in the code of its first half', () => flipBit(codeOf(path.basename(fileWithText())))],
  [
    'has a flipped bit in the code of its second half',
    () => flipBit(cached.wrong.length / 2 + codeOf(path.basename(fileWithText()))),
  ],
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

/** A place in the middle of the cached code of a file. */
function codeOf(wanted: string): number {
  let start = cached.wrong.indexOf('\n') + 1;
  for (const [name, length] of namesIn(cached.wrong)) {
    if (name === wanted) return start + Math.floor(length / 2);
    start += length;
  }
  throw new Error(`the cache lacks ${wanted}`);
}

function flipBit(at: number): void {
  const content = readFileSync(cacheFile);
  content.writeUInt8(content.readUInt8(at) ^ 0x10, at);
  writeFileSync(cacheFile, content);
}

it('damaged code of one file is compiled again, while the cached code of the others is used', async () => {
  const names = (content: Buffer) => namesIn(content).map(([name]) => name);
  const other = names(cached.wrong).findLast((name) => name !== path.basename(fileWithText()));
  flipBit(codeOf(other ?? ''));
  expect((await start()).stdout).toContain(WRONG);
  const content = readFileSync(cacheFile);
  expect(content.subarray(0, content.length / 2).equals(content.subarray(content.length / 2))).toBe(true);
  expect(new Set(names(content))).toEqual(new Set(names(cached.wrong)));
});

it.each<[string, () => void]>([
  ['a file that others can write', () => chmodSync(cacheFile, 0o664)],
  ['a folder that others can write', () => chmodSync(cacheFolder, 0o777)],
  ...(isRoot ? [['a file of another user', () => chownSync(cacheFile, NOBODY, NOBODY)] as [string, () => void]] : []),
])('code in %s is not run', async (_what, open) => {
  open();
  expect((await start()).stdout).toContain(RIGHT);
});

it('runs at the same time leave a complete cache, and all answer right', async () => {
  rmSync(cacheFolder, { recursive: true });
  const started = await Promise.all(Array.from({ length: 6 }, () => start()));
  expect(started.map(({ code, stderr }) => ({ code, stderr }))).toEqual(started.map(() => ({ code: 0, stderr: '' })));
  for (const { stdout } of started) expect(stdout).toContain(RIGHT);
  expect(readdirSync(cacheFolder)).toEqual([cacheName]);
  const content = readFileSync(cacheFile);
  expect(content.subarray(0, content.length / 2).equals(content.subarray(content.length / 2))).toBe(true);
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
  const cache = path.join(home, 'cache');

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
    const { PIT_HOME: _, ...environment } = plainEnvironment(home);
    const own = path.join(home, `of ${name}`);
    mkdirSync(own);
    chownSync(own, NOBODY, NOBODY);
    startAs(NOBODY, { ...environment, HOME: path.join(home, 'nowhere'), [name]: own });
    expect(existsSync(path.join(own, within, 'code', cacheName))).toBe(true);
  });

  it('gets a cache that only they can read, whatever the umask, in a home that later commands take', () => {
    const own = path.join(folder, 'made-by-pit');
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
    const { PIT_HOME, ...environment } = plainEnvironment(home);
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
  const [name = ''] = readdirSync(dist).filter((one) => missing.test(one));
  rmSync(path.join(dist, name));
  const { code, stderr } = await start(['depth', 'btc_usdt']);
  expect(code).toBe(1);
  expect(stderr).toBe(`pit: ${path.join(dist, name)} is gone; install pit again.\n`);
});
