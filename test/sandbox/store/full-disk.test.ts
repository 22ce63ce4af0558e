import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { StoreFile } from '../../../src/sandbox/store/database.js';
import { Store } from '../../../src/sandbox/store/store.js';
import { bundleProgram } from '../../support/bundled-program.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const FILLING = `
  import { getSystemErrorName } from 'node:util';
  import { StoreFile } from '../../../src/sandbox/store/database.js';
  const file = new StoreFile(process.argv[2]);
  const say = async (what, rows) => {
    const written = file.write(Array.from({ length: rows }, (_, row) => [what + row, 'x'.repeat(1000)]));
    const outcome = await written.then(() => 'written', ({ code }) => 'refused: ' + getSystemErrorName(-code));
    process.stdout.write(what + ' ' + outcome + '\\n');
    await new Promise((resolve) => setTimeout(resolve, 50)); // an unhandled rejection would have ended the process by now
  };
  await say('few', 10);
  await say('many', 1000);
  await say('few more', 10);
  await file.close();
`;

const text = { encode: (value: string) => value, decode: (row: unknown) => String(row) };

function fullDisk() {
  const full = Object.assign(new Error('No space left on device'), { code: 28 });
  return vi.spyOn(StoreFile.prototype, 'write').mockRejectedValue(full);
}

it('changes that a full disk did not take are never written later', async () => {
  const directory = temporaryDirectory();
  const store = Store.open(directory);
  const table = store.table('table', text);
  table.put('a', 'first');
  await store.durable();
  table.put('a', 'second');
  const full = fullDisk();
  await expect(store.durable()).rejects.toThrow("the exchange's data cannot be written: the disk is full");
  full.mockRestore();
  table.put('b', 'third');
  await expect(store.durable()).rejects.toThrow('the disk is full');
  expect([store.isFailing, table.get('a'), table.get('b')]).toEqual([true, 'second', 'third']);
  await expect(store.close()).rejects.toThrow('the disk is full');
  const later = Store.open(directory);
  const again = later.table('table', text);
  expect([again.get('a'), again.get('b')]).toEqual(['first', undefined]);
  await later.close();
});

it('a store that failed to write can be closed and reopened', async () => {
  const directory = temporaryDirectory();
  const store = Store.open(directory);
  store.table('table', text).put('a', 'first');
  const full = fullDisk();
  await expect(store.close()).rejects.toThrow('the disk is full');
  full.mockRestore();
  await Store.open(directory).close();
});

it('a full disk rejects writes with its reason, without ending the process', async () => {
  const directory = temporaryDirectory();
  const program = join(directory, 'fill.mjs');
  await bundleProgram(join(import.meta.dirname, 'filling.js'), program, FILLING);
  // the system refuses what goes beyond a limit as it refuses what goes beyond a disk
  const limited = ['-c', 'ulimit -f 400; exec "$0" "$@"', process.execPath, program, join(directory, 'store.mdb')];
  const { stdout, status } = spawnSync('sh', limited, { encoding: 'utf8' });
  // a partial write has its own name
  expect(stdout).toMatch(/^few written\nmany refused: (EFBIG|EIO)\nfew more written\n$/);
  expect(status).toBe(0);
});
