import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Archive } from '../../../src/trading/journal/archive.js';
import { ArchiveIndex } from '../../../src/trading/journal/archive-index.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import type { Settled } from '../../../src/trading/journal/write.js';
import { TERMS } from '../support/terms.js';
import { newJournal, settledOf } from './support.js';

const FILES = ['2026-11-26.jsonl', '2026-11-27.jsonl', '2026-11-28.jsonl'] as const;
const MARKETS = ['btc_usdt', 'eth_usdt', 'eos_usdt'];

function orderIn(market: string, number: number): Settled {
  const settled = settledOf(`pit${number}`);
  const write = { ...settled.write, terms: { ...TERMS, market } } as Settled['write'];
  return { ...settled, write, id: `${number}`, duplicates: number % 3 === 0 ? [`duplicate${number}`] : [] };
}

/** What other processes do to the archive between two readings. */
const CHANGE = fc.record({
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constant('add' as const) },
    { weight: 1, arbitrary: fc.constant('delete' as const) },
  ),
  file: fc.constantFrom(...FILES),
  market: fc.constantFrom(...MARKETS),
  /** The part of its line that is there when it is read. */
  part: fc.oneof(
    { weight: 3, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
});

it('names the same from what was added since the last time, in memory or kept by another process, as from all lines', () => {
  fc.assert(
    fc.property(fc.array(CHANGE, { maxLength: 25 }), fc.constantFrom(0, 900), (changes, keptAfter) => {
      const { archive: folder } = newJournal();
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      const named = (index: ArchiveIndex) => [index.markets(), index.orders()];
      const open = (after: number) => new ArchiveIndex(folder, after);
      const deleted = new Set<string>();
      const lasting = open(Number.POSITIVE_INFINITY);
      for (const [number, { does, file, market, part }] of changes.entries()) {
        const target = path.join(folder, file);
        if (does === 'delete') {
          fs.rmSync(target, { force: true });
          deleted.add(file);
        } else if (!deleted.has(file)) {
          const line = encodeLine({ at: number, settled: orderIn(market, number) });
          const end = Math.round(line.length * part);
          fs.appendFileSync(target, line.slice(0, end), { mode: 0o600 });
          expect(named(lasting)).toEqual(named(open(keptAfter)));
          fs.appendFileSync(target, line.slice(end));
        }
        const kept = fs.existsSync(path.join(folder, '.index')) ? fs.readFileSync(path.join(folder, '.index')) : null;
        const found = named(open(keptAfter));
        fs.rmSync(path.join(folder, '.index'), { force: true });
        expect([found, named(lasting)]).toEqual([named(open(Number.POSITIVE_INFINITY)), found]);
        if (kept !== null) fs.writeFileSync(path.join(folder, '.index'), kept, { mode: 0o600 });
      }
    }),
    { numRuns: 60 },
  );
});

describe('the archive', () => {
  function archiveOf(count: number) {
    const made = newJournal();
    made.begin('first').settle({ outcome: 'placed', id: '1', duplicates: [] }, 'placed');
    for (let number = 2; number <= count; number += 1) made.journal.archive.add(orderIn('eth_usdt', number));
    return { ...made, again: () => new Archive(made.archive, made.folder, made.host.now) };
  }

  it('reads its lines once for the markets and client ids of all commands together', () => {
    const { again } = archiveOf(200);
    again().markets();
    const read = vi.spyOn(fs, 'readSync');
    expect(again().markets()).toEqual(['btc_usdt', 'eth_usdt']);
    expect(again().clientIds().get('150')).toBe('pit150');
    // lines are read in chunks of so many bytes, and the index whole
    expect(read.mock.calls.filter(([, buffer]) => buffer.byteLength === 65_536)).toEqual([]);
    read.mockRestore();
  });

  it('finds which orders were cancelled, with the time, and that their market is known', () => {
    const { journal, host, again } = archiveOf(100);
    journal.noteCancelled({ market: 'eos_usdt', id: '50' });
    const cancelled = { market: 'eos_usdt', id: '50' };
    expect([...again().cancelledAmong(new Set(['49', '50']))]).toEqual([['50', { at: host.now(), cancelled }]]);
    expect(again().markets()).toContain('eos_usdt');
  });

  it.each([
    ['a folder', (file: string) => fs.mkdirSync(file)],
    ['a link', (file: string) => fs.symlinkSync('/dev/null', file)],
    [
      'without the names of its orders',
      (file: string) => {
        const files = [['2018-10-23.jsonl', { end: 1, markets: ['x'], coins: [], orders: [null] }]];
        fs.writeFileSync(file, JSON.stringify({ format: 1, files }), { mode: 0o600 });
      },
    ],
  ])('reads its lines if the index is %s', (_, damage) => {
    const { archive, again } = archiveOf(100);
    const { size } = again().clientIds();
    fs.rmSync(path.join(archive, '.index'), { force: true });
    damage(path.join(archive, '.index'));
    expect([again().markets(), again().clientIds().size]).toEqual([['btc_usdt', 'eth_usdt'], size]);
  });

  it.each([
    ['empty', ''],
    ['cut off', '{"format":1,"files":[["2026'],
    [
      'of another version',
      '{"format":0,"files":[["2018-10-23.jsonl",{"end":1,"markets":["x"],"coins":[],"orders":[]}]]}',
    ],
    ['of another form', '{"format":1,"files":[["2018-10-23.jsonl",{"end":"1"}]]}'],
  ])('reads its lines again if the index is %s', (_, text) => {
    const { archive, again } = archiveOf(100);
    again().markets();
    fs.writeFileSync(path.join(archive, '.index'), text, { mode: 0o600 });
    expect(again().markets()).toEqual(['btc_usdt', 'eth_usdt']);
  });
});
