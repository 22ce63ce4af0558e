import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../../src/trading/journal/journal.js';
import type { RecordedOrderTerms, ReplaceTerms } from '../../../src/trading/journal/write.js';
import { saying } from '../../support/advice.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryState } from '../support/trading.js';

const WANTED: RecordedOrderTerms = {
  market: 'btc_usdt',
  side: 'sell',
  type: 'limit',
  account: 'spot',
  price: '30100',
  amount: '0.5',
  borrow: false,
  repay: false,
};
const TERMS: ReplaceTerms = { market: 'btc_usdt', order: { id: '202202224851151555' }, wanted: WANTED };
const REST = { ...WANTED, amount: '0.3' };
const ID = 'replacement1';

function recorded() {
  const state = temporaryState();
  const journal = new Journal(fakeHost(), state, 'test');
  const entry = journal.begin<'replace'>(
    { operation: 'replace', terms: TERMS },
    { id: ID, reqTime: 5, bestBid: '30000' },
  );
  entry.note('cancellation sent');
  return { state, journal, entry, file: path.join(state, 'journal', 'test', 'unsettled', ID) };
}

describe('the record of a replacement', () => {
  it('extends the record of the order under the same id, with its whole history', () => {
    const { entry, journal } = recorded();
    const next = entry.continueAs<'order'>({ operation: 'order', terms: REST, replaces: TERMS }, 7);
    next.note('accepted');
    const write = { id: ID, operation: 'order', terms: REST, replaces: TERMS, reqTime: 7, bestBid: '30000' };
    expect(next.write).toMatchObject({ ...write, time: entry.write.time, firstOwner: entry.write.firstOwner });
    const read = journal.findUnsettled(ID);
    expect(read?.write).toEqual(next.write);
    expect(read?.events.map(({ event }) => event)).toEqual(['recorded', 'cancellation sent', 'accepted']);
    next.settle({ outcome: 'placed', id: '9', duplicates: [] }, 'placed: 9');
    expect([journal.unsettledEntries(), journal.archive.find(ID)?.events.length]).toEqual([[], 4]);
  });

  it('continues from its last complete step if it is cut off at any length', () => {
    const { entry, journal, file } = recorded();
    const first = readFileSync(file).length;
    entry.continueAs<'order'>({ operation: 'order', terms: REST, replaces: TERMS }, 7);
    const whole = readFileSync(file);
    // a line's last line feed adds nothing to it
    const [begun] = [readFileSync(file, 'utf8').indexOf('}}\n') + 2];
    for (let length = 0; length <= whole.length; length += 1) {
      writeFileSync(file, whole.subarray(0, length));
      const operation = journal.findUnsettled(ID)?.write.operation;
      if (length < begun) expect({ length, damaged: journal.unsettled().damaged }).toEqual({ length, damaged: [ID] });
      else
        expect({ length, operation }).toEqual({ length, operation: length < whole.length - 1 ? 'replace' : 'order' });
    }
    expect(first).toBeLessThan(whole.length);
  });

  it('does not continue once another process has settled it', () => {
    const { entry, journal } = recorded();
    journal.findUnsettled(ID)?.settle({ outcome: 'notSent', id: null, duplicates: [] }, 'not sent');
    expect(() => entry.continueAs<'order'>({ operation: 'order', terms: REST, replaces: TERMS }, 7)).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: `Another process has settled ${ID}.`,
        hints: saying(`See what became of it: pit resolve ${ID}`),
      }),
    );
  });

  it('reports a step that cannot be written, and keeps the step before', () => {
    const { entry, file } = recorded();
    rmSync(file);
    mkdirSync(file);
    expect(() => entry.continueAs<'order'>({ operation: 'order', terms: REST, replaces: TERMS }, 7)).toThrow(
      expect.objectContaining({ kind: 'usage', message: expect.stringContaining(file) }),
    );
    expect(entry.write.operation).toBe('replace');
  });
});
