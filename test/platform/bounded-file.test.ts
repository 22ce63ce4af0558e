import { spawn, spawnSync } from 'node:child_process';
import fs, {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { Cache } from '../../src/config/cache.js';
import { CompletionNames } from '../../src/config/completion-names.js';
import { ConfigStore } from '../../src/config/store.js';
import { requireCertificates } from '../../src/exchange/requests/transport.js';
import { openRegular, readBounded, readTextBounded } from '../../src/platform/files/bounded-file.js';
import { FaultLog } from '../../src/sandbox/faults/log.js';
import { readPublished } from '../../src/sandbox/lifecycle/files.js';
import { readState } from '../../src/sandbox/store/state-file.js';
import { readIfExists } from '../../src/trading/journal/files.js';
import { runPit, serveSandbox, temporaryHome } from '../support/pit.js';

const folder = mkdtempSync(path.join(tmpdir(), 'pit-endless-'));
const fifo = path.join(folder, 'fifo');
const writers: { kill(): void }[] = [];
afterEach(() => void vi.restoreAllMocks());
afterAll(() => {
  for (const writer of writers) writer.kill();
  rmSync(folder, { recursive: true, force: true });
});

spawnSync('mkfifo', [fifo]);
const link = path.join(folder, 'link');
symlinkSync('/dev/zero', link);
const silent = path.join(folder, 'silent');
spawnSync('mkfifo', [silent]);

/** Files whose reading would never end. Nothing is ever written to the silent pipe. */
const ENDLESS: readonly (readonly [what: string, file: string])[] = [
  ['/dev/zero', '/dev/zero'],
  ['a symbolic link to /dev/zero', link],
  ['a pipe without a writer', silent],
];

const REFUSED = /not a regular file|is not a plain file/;

/** A private folder that has the endless file at a path. */
function folderWith(relative: string, file: string): string {
  const root = mkdtempSync(path.join(folder, 'root-'));
  mkdirSync(path.dirname(path.join(root, relative)), { recursive: true, mode: 0o700 });
  symlinkSync(file, path.join(root, relative));
  return root;
}

describe.each(ENDLESS)('%s', (_what, file) => {
  it.each<[string, (file: string) => unknown]>([
    ['openRegular', openRegular],
    ['readBounded', (one) => readBounded(one, 1_000)],
    ['readTextBounded', (one) => readTextBounded(one, 1_000)],
    ['an exported sandbox', readState],
    ['a log of faults', (one) => new FaultLog(one)],
    ['certificates', requireCertificates],
    ['a record of the journal', readIfExists],
  ])('rejects the file as %s', (_reader, read) => {
    expect(() => read(file)).toThrow(REFUSED);
  });

  it('counts as missing where a missing file does no harm', () => {
    // pit follows no link to one of its own files
    if (lstatSync(file).isSymbolicLink()) expect(() => readPublished(file)).toThrow(REFUSED);
    else expect(readPublished(file)).toBeUndefined();
    const cached = new Cache(folderWith('answers/key', file), () => 0);
    expect(cached.read('key')).toBeNull();
    expect(new CompletionNames(folderWith('symbols/sandbox/markets', file), 'sandbox').read('markets')).toEqual([]);
  });

  it('rejects the file as a document of the configuration', async () => {
    await expect(new ConfigStore(folderWith('profiles/alice.json', file)).read('profiles/alice.json')).rejects.toThrow(
      'alice.json',
    );
  });
});

describe('through the program', () => {
  const home = temporaryHome();
  const pit = (words: readonly string[], environment = {}) => runPit(words, { home, environment });
  const started = serveSandbox(home);

  it.each(ENDLESS.filter(([, file]) => file !== silent))(
    'the sandbox refuses to import and replay %s',
    async (_what, file) => {
      await started;
      for (const words of [
        ['sandbox', 'import', file, '--yes'],
        ['sandbox', 'replay', 'btc_usdt', file, '--yes'],
      ]) {
        expect(await pit(words)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(REFUSED) });
      }
      expect(await pit(['sandbox', 'status'])).toMatchObject({ code: 0 });
    },
  );

  it.each(ENDLESS)('completion is not installed into %s', async (_what, file) => {
    const root = folderWith('.bashrc', file);
    const ran = await pit(['completion', 'install', 'bash', '--yes'], { HOME: root });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(REFUSED) });
  });

  it.each(['/dev/zero', link, fifo])('keys and batches are read from %s up to a limit', async (file) => {
    await started;
    if (file === fifo)
      writers.push(
        spawn('sh', ['-c', 'while :; do cat /dev/zero > "$0"; done 2> /dev/null', fifo], { stdio: 'ignore' }),
      );
    await pit(['profile', 'add', 'alice', '--base-url', 'http://127.0.0.1:1', '--trade-url', 'http://127.0.0.1:1']);
    expect(await pit(['keys', 'set', '--profile', 'alice', '--file', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is longer than 4 KiB'),
    });
    expect(await pit(['order', 'batch', 'buy', 'btc_usdt', '--file', file, '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is longer than 32 MiB'),
    });
  });
});

describe('a regular file', () => {
  const file = path.join(folder, 'regular');

  it('reads a file whole, up to the limit', () => {
    writeFileSync(file, '0123456789');
    expect(readTextBounded(file, 10)).toBe('0123456789');
    expect(() => readBounded(file, 9)).toThrow('it is longer than 9 bytes');
    writeFileSync(file, 'x'.repeat(200_000));
    expect(readBounded(file, 200_000)).toHaveLength(200_000);
    expect(() => readBounded(file, 199_999)).toThrow('it is longer than 195 KiB');
  });

  it('reads on where the system gives less at once than there is', () => {
    writeFileSync(file, '0123456789');
    const { readSync } = fs;
    vi.spyOn(fs, 'readSync').mockImplementationOnce((descriptor, into) => readSync(descriptor, into, 0, 4, 0));
    expect(readTextBounded(file, 10)).toBe('0123456789');
  });

  it('reads what another process has added since the size was reported', () => {
    writeFileSync(file, '0123456789');
    vi.spyOn(fs, 'fstatSync').mockReturnValueOnce(Object.assign(lstatSync(file), { size: 4 }));
    expect(readTextBounded(file, 10)).toBe('0123456789');
  });

  it('reads a file of /proc, which has no size', () => {
    expect(readTextBounded('/proc/self/status', 1_000_000)).toMatch(/^Name:/);
  });

  it.each<[string, (file: string) => unknown, RegExp]>([
    ['a text', (one) => readTextBounded(one, 64 * 2 ** 20), /longer than 64 MiB/],
    ['an exported sandbox', readState, /larger than 1 GiB/],
    ['certificates', requireCertificates, /longer than 16 MiB/],
  ])('rejects a terabyte without content as %s at once', (_what, read, message) => {
    writeFileSync(file, '');
    truncateSync(file, 2 ** 40);
    expect(() => read(file)).toThrow(message);
  });

  it('rejects a document of the configuration beyond a megabyte', async () => {
    const root = mkdtempSync(path.join(folder, 'root-'));
    writeFileSync(path.join(root, 'active.json'), ' '.repeat(2 ** 20 + 1), { mode: 0o600 });
    await expect(new ConfigStore(root).read('active.json')).rejects.toThrow('longer than 1 MiB');
  });
});

/** Their readers have a bound, for each line in a tape, or read what the build has made. */
const OWN_BOUND = new Set([
  'main.ts',
  'platform/files/bounded-file.ts',
  'platform/input-stream.ts',
  'sandbox/replay/read-tape.ts',
]);

it('no other file of the sources reads a whole file without a bound', () => {
  const root = path.resolve(import.meta.dirname, '../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const unbounded = files.filter((name) =>
    /\b(readFile|readFileSync|createReadStream|readv|openAsBlob)\(/.test(readFileSync(path.join(root, name), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(unbounded.filter((name) => !OWN_BOUND.has(name))).toEqual([]);
});
