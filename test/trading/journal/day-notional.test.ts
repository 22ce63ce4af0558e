import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Archive } from '../../../src/trading/journal/archive.js';
import { encodeLine } from '../../../src/trading/journal/files.js';

const MIDNIGHT = Date.parse('2026-11-28');
const DAY = 86_400_000;
const FILES = ['2026-11-27.jsonl', '2026-11-28.jsonl'];
const QUOTES = ['usdt', 'btc', 'usdt', 'eth'];

/** What another process does to the archive between two sums. */
const CHANGE = fc.record({
  file: fc.integer({ min: 0, max: 1 }),
  write: fc.integer({ min: 0, max: 3 }),
  notional: fc.integer({ min: 0, max: 900 }),
  isOfYesterday: fc.boolean(),
  /** The part of its line that is there when it is summed. */
  part: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
  /** Whether its process dies before it has written the rest. */
  dies: fc.boolean(),
});

function freshFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pit-day-'));
  fs.chmodSync(folder, 0o700);
  return folder;
}

function sums(archive: Archive): string[] {
  const sum = (quote: string, ...except: string[]) =>
    archive.notionalOfDay(MIDNIGHT, quote, new Set(except)).trimmed().toString();
  return [...['usdt', 'btc', 'eth'].map((quote) => sum(quote)), sum('usdt', 'write0'), sum('btc', 'write0', 'write1')];
}

it('sums the same from what was added since the last time as from all lines', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 30 }), (changes) => {
      const folder = freshFolder();
      const open = () => new Archive(folder, folder, () => MIDNIGHT);
      const archive = open();
      for (const { file, write, notional, isOfYesterday, part, dies } of changes) {
        const at = MIDNIGHT + (file - 1) * DAY + 3_600_000;
        const time = isOfYesterday ? MIDNIGHT - 1 : MIDNIGHT + 1;
        const day = { id: `write${write}`, time, quote: QUOTES[write], notional: String(notional) };
        const line = encodeLine({ at: Math.max(at, MIDNIGHT - 1_000), day, settled: {} });
        const end = Math.round(line.length * part);
        const target = path.join(folder, FILES[file] as string);
        fs.appendFileSync(target, line.slice(0, end), { mode: 0o600 });
        expect(sums(archive)).toEqual(sums(open()));
        if (!dies) fs.appendFileSync(target, line.slice(end));
        expect(sums(archive)).toEqual(sums(open()));
      }
      fs.rmSync(folder, { recursive: true });
    }),
    { numRuns: 100 },
  );
});

it('reads only what was added since the last sum', () => {
  const folder = freshFolder();
  const archive = new Archive(folder, folder, () => MIDNIGHT);
  const target = path.join(folder, FILES[1] as string);
  const add = (id: string) => {
    const day = { id, time: MIDNIGHT, quote: 'usdt', notional: '1' };
    fs.appendFileSync(target, encodeLine({ at: MIDNIGHT, day, settled: {} }), { mode: 0o600 });
  };
  for (let count = 0; count < 2_000; count += 1) add(`write${count}`);
  expect(sums(archive)[0]).toBe('2000');
  add('one-more');
  const read = vi.spyOn(fs, 'readSync');
  expect(sums(archive)[0]).toBe('2001');
  const bytes = read.mock.results.reduce((total, { value }) => total + Number(value), 0);
  read.mockRestore();
  expect(bytes).toBeLessThan(200);
  fs.rmSync(folder, { recursive: true });
});
