import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { unknownWrites } from '../../../src/trading/settling/unknown-writes.js';
import { contents, newJournal } from './support.js';

/** A cancellation without an answer, as pit 0.2 recorded it. */
const RECORD = `
{"write":{"operation":"cancel","terms":{"market":"btc_usdt","order":{"id":"17"}},"id":"pit01ab89ef01ab89ef01ab89ef","time":1540295995557,"reqTime":1540295995557,"firstOwner":{"pid":4194304,"startStamp":null}}}

{"time":1540295995560,"event":"cancellation sent"}

{"time":1540295996560,"event":"no answer: connection reset"}

{"time":1540295997560,"event":"unknown","isReleased":true}
`;

/** The line of a cancellation in the archive of pit 0.2. */
const archived = (order: object, outcome: string, id: string) =>
  `{"at":1540295999000,"day":{"id":"pit1","time":1540295995557,"quote":"usdt","notional":"0"},"settled":{"outcome":"${outcome}","id":"${id}","duplicates":[],"write":{"operation":"cancel","terms":{"market":"eos_usdt","order":${JSON.stringify(order)}},"id":"pit1","time":1540295995557,"reqTime":1540295995557,"firstOwner":{"pid":4194304,"startStamp":null}},"events":[{"time":1540295995557,"event":"recorded"}]}}\n`;

function oldJournal() {
  const made = newJournal();
  const { folder, unsettled, archive } = made;
  for (const name of [unsettled, archive]) fs.mkdirSync(name, { recursive: true, mode: 0o700 });
  fs.writeFileSync(path.join(folder, 'version'), '5\n', { mode: 0o600 });
  fs.writeFileSync(path.join(unsettled, 'pit01ab89ef01ab89ef01ab89ef'), RECORD, { mode: 0o600 });
  const lines = [
    archived({ id: '7' }, 'cancelled', '7'),
    archived({ clientId: 'mine0008' }, 'cancelled', '8'),
    archived({ id: '9' }, 'refused', '9'),
  ];
  fs.writeFileSync(path.join(archive, '2018-10-23.jsonl'), lines.join(''), { mode: 0o600 });
  return made;
}

describe('the journal of pit 0.2, which recorded cancellations', () => {
  it('has no unsettled cancellation any more: its record is dropped, and blocks no order', () => {
    const { journal, begin, unsettled } = oldJournal();
    expect(journal.findUnsettled('pit01ab89ef01ab89ef01ab89ef')).toBeUndefined();
    expect(unknownWrites(journal, journal.unsettled())).toEqual([]);
    journal.requireReadable();
    expect(contents(unsettled)).toEqual({});
    expect(journal.isIdle).toBe(true);
    begin('mine0001').release();
    expect(journal.unsettledEntries().map(({ write }) => write.id)).toEqual(['mine0001']);
  });

  it('drops the record also on a disk that cannot be written: nothing is listed', () => {
    const { journal, unsettled } = oldJournal();
    fs.chmodSync(unsettled, 0o500);
    expect(journal.unsettled()).toEqual({ entries: [], damaged: [], unreadable: [] });
    fs.chmodSync(unsettled, 0o700);
  });

  it('still says which orders were seen cancelled', () => {
    const { journal } = oldJournal();
    const { archive } = journal;
    expect(['7', '8', '9'].map((id) => archive.wasCancelled(id))).toEqual([true, true, false]);
    expect([...archive.cancelledAmong(new Set(['7', '8', '9'])).keys()]).toEqual(['7', '8']);
    expect(journal.markets()).toEqual(['eos_usdt']);
    expect([archive.since(0), archive.find('pit1')]).toEqual([[], undefined]);
  });
});
