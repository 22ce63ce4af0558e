import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Store } from '../../../src/sandbox/store/store.js';
import { Table } from '../../../src/sandbox/store/table.js';
import { bundleProgram } from '../../support/bundled-program.js';
import { temporaryDirectory } from '../support/exchange-fixture.js';

const FILLING = `
  import { Store } from '../../../src/sandbox/store/store.js';
  const store = Store.open(process.argv[2]);
  const table = store.table('t');
  const say = async (what, rows) => {
    for (let row = 0; row < rows; row += 1) table.put(what + row, 'x'.repeat(1000));
    const outcome = await store.durable().then(() => 'written', (error) => error.message);
    process.stdout.write(what + ': ' + outcome + '\\n');
    await new Promise((resolve) => setTimeout(resolve, 50)); // an unhandled rejection would have ended the process by now
  };
  await say('few', 10);
  await say('many', 1000);
  await say('few more', 10);
  await store.abandon();
`;

function fullDisk() {
  const full = Object.assign(new Error('No space left on device'), { code: 28 });
  return vi.spyOn(Table.prototype, 'write').mockImplementation(() => {
    throw full;
  });
}

it('changes that a full disk did not take are never written later', async () => {
  const directory = temporaryDirectory();
  const store = Store.open(directory);
  const table = store.table<string>('table');
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
  const again = later.table<string>('table');
  expect([again.get('a'), again.get('b')]).toEqual(['first', undefined]);
  await later.close();
});

it('a full disk rejects writes with its reason, without ending the process', async () => {
  const directory = temporaryDirectory();
  const program = join(directory, 'fill.mjs');
  await bundleProgram(join(import.meta.dirname, 'filling.js'), program, FILLING);
  // the system refuses what goes beyond a limit as it refuses what goes beyond a disk
  const limited = ['-c', 'ulimit -f 400; exec "$0" "$@"', process.execPath, program, join(directory, 'store')];
  const { stdout, status } = spawnSync('sh', limited, { encoding: 'utf8' });
  const refused = "the exchange's data cannot be written: .*(the size limit|the disk is full or has an error)";
  expect(stdout).toMatch(new RegExp(`^few: written\nmany: ${refused}\nfew more: ${refused}\n$`));
  expect(status).toBe(0);
});
