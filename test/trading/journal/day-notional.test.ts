import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { Archive } from '../../../src/trading/journal/archive.js';
import { DaySums } from '../../../src/trading/journal/day-sums.js';
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

it('sums the same from what was added since the last time, in memory or kept by another process, as from all lines', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 30 }), fc.constantFrom(0, 500), (changes, keptAfter) => {
      const folder = freshFolder();
      const open = (after: number) => new Archive(folder, folder, () => MIDNIGHT, new DaySums(folder, after));
      // the sums of a folder that is not there are never kept
      const whole = () => sums(new Archive(folder, folder, () => MIDNIGHT, new DaySums(path.join(folder, 'none'))));
      const archive = open(Number.POSITIVE_INFINITY);
      for (const { file, write, notional, isOfYesterday, part, dies } of changes) {
        const at = MIDNIGHT + (file - 1) * DAY + 3_600_000;
        const time = isOfYesterday ? MIDNIGHT - 1 : MIDNIGHT + 1;
        const day = { id: `write${write}`, time, quote: QUOTES[write], notional: String(notional) };
        const line = encodeLine({ at: Math.max(at, MIDNIGHT - 1_000), day, settled: {} });
        const end = Math.round(line.length * part);
        const target = path.join(folder, FILES[file] as string);
        fs.appendFileSync(target, line.slice(0, end), { mode: 0o600 });
        expect(sums(archive)).toEqual(sums(open(keptAfter)));
        if (!dies) fs.appendFileSync(target, line.slice(end));
        const kept = sums(open(keptAfter));
        expect([sums(archive), kept]).toEqual([kept, whole()]);
      }
      fs.rmSync(folder, { recursive: true });
    }),
    { numRuns: 40 },
  );
});

/** Counts the bytes that are read of archives. */
function bytesReadBy(work: () => void): number {
  const read = vi.spyOn(fs, 'readSync');
  work();
  const lengths = read.mock.calls.map(([, buffer], index) =>
    buffer.byteLength === 65_536 ? Number(read.mock.results[index]?.value) : 0,
  );
  read.mockRestore();
  return lengths.reduce((sum, length) => sum + length, 0);
}

it.each(['the same process', 'another process'])('reads only what was added since the last sum: %s', (who) => {
  const folder = freshFolder();
  const first = new Archive(folder, folder, () => MIDNIGHT);
  const target = path.join(folder, FILES[1] as string);
  const add = (id: string) => {
    const day = { id, time: MIDNIGHT, quote: 'usdt', notional: '1' };
    fs.appendFileSync(target, encodeLine({ at: MIDNIGHT, day, settled: {} }), { mode: 0o600 });
  };
  for (let count = 0; count < 2_000; count += 1) add(`write${count}`);
  expect(sums(first)[0]).toBe('2000');
  add('one-more');
  const archive = who === 'another process' ? new Archive(folder, folder, () => MIDNIGHT) : first;
  const bytes = bytesReadBy(() => expect(sums(archive)[0]).toBe('2001'));
  expect(bytes).toBeLessThan(500);
  fs.rmSync(folder, { recursive: true });
});

/** How long the file of the archive is, in bytes. */
const LENGTH = 500;

/** What was kept of the sums of that file, with other parts. */
function header(parts: object): string {
  const read = [[FILES[1], { size: LENGTH, end: LENGTH }]];
  return `${JSON.stringify({ midnight: MIDNIGHT, read, totals: [['usdt', '7']], length: 23, ...parts })}\nwrite0 usdt 7\nwrite1 b`;
}

it.each([
  ['is empty', ''],
  ['is cut off', '{'],
  ['lacks its parts', '{}'],
  ['has a size that is no number', header({ read: [[FILES[1], { size: String(LENGTH), end: LENGTH }]] })],
  ['has a sum that is no number', header({ totals: [['usdt', 'seven']] })],
  ['has a sum that is no text', header({ totals: [['usdt', 7]] })],
  ['lacks some of its writes', header({ length: 24 })],
  ['is of another day', header({ midnight: MIDNIGHT - DAY })],
  ['is of a longer file', header({ read: [[FILES[1], { size: LENGTH + 1, end: LENGTH }]] })],
])('reads all lines if what was kept of their sums %s', (_, kept) => {
  expect(sumWith(kept)).toBe('5');
});

it('reads no line that was summed already', () => {
  expect(sumWith(header({}))).toBe('7');
});

/** The sum of an archive with one write of 5 usdt, beside which this was kept. */
function sumWith(kept: string): string | undefined {
  const folder = freshFolder();
  const day = { id: 'write0', time: MIDNIGHT, quote: 'usdt', notional: '5' };
  const line = encodeLine({ at: MIDNIGHT, day, settled: {} });
  fs.writeFileSync(path.join(folder, FILES[1] as string), line.padEnd(LENGTH, '\n'), { mode: 0o600 });
  fs.writeFileSync(path.join(folder, '.day-sums'), kept, { mode: 0o600 });
  const [sum] = sums(new Archive(folder, folder, () => MIDNIGHT));
  fs.rmSync(folder, { recursive: true });
  return sum;
}
