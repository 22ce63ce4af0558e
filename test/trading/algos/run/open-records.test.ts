import { describe, expect, it } from 'vitest';
import { usage } from '../../../../src/errors.js';
import { type FactRecord, unreadRecord } from '../../../../src/trading/algos/record/fact-record.js';
import type { AlgoFact } from '../../../../src/trading/algos/record/facts.js';
import { OpenRecords } from '../../../../src/trading/algos/run/open-records.js';
import { ID } from '../support/at-work.js';
import { factsOf, OCO, START, triggered } from '../support/examples.js';

// The records of the algo orders at work, on a disk of the test.

/** A record with these facts. */
const recordOf = (...more: readonly AlgoFact[]): FactRecord => ({
  ...unreadRecord(ID, ''),
  ...{ problem: null, facts: factsOf(OCO, ...more) },
});

/** A record, and what was done with it. Each change makes it longer. */
class Disk {
  readonly warnings: string[] = [];
  readonly away: string[] = [];
  size: number | undefined = 1;
  readonly records: OpenRecords;

  constructor(
    public record: FactRecord | undefined | Error,
    only?: ReadonlySet<string>,
  ) {
    const store = {
      read: () => {
        if (this.record instanceof Error) throw this.record;
        return this.record;
      },
      sizeOf: () => this.size,
      openIds: () => [ID, 'other'],
      putAway: (id: string) => void this.away.push(id),
    };
    this.records = new OpenRecords({ store, warn: (text) => void this.warnings.push(text), only });
  }

  /** What `changed` finds after another process has left the record like this. */
  changedTo(record: FactRecord | undefined | Error) {
    this.records.begin([ID]);
    const known = (this.record as FactRecord).facts ?? factsOf(OCO);
    [this.record, this.size] = [record, 2];
    return this.records.changed(ID, known);
  }
}

const ENDED: AlgoFact = {
  ...{ fact: 'ended', time: START, outcome: 'cancelled', reason: 'You cancelled it' },
  ...{ filled: OCO.amount, remaining: OCO.amount, position: OCO.amount },
};
const PAUSED: AlgoFact = { fact: 'paused', time: START + 1, cause: 'user', reason: 'you paused it', role: null };
const RESUMED: AlgoFact = { fact: 'resumed', time: START + 2 };

describe('an algo order to work on', () => {
  it.each<[string, FactRecord | undefined | Error, outcome: string, warnings: string[]]>([
    ['is begun', recordOf(), 'begun', []],
    [
      'is begun without the line of its record that was cut off, which is reported',
      { ...recordOf(), torn: 1 },
      'begun',
      [`A line of the record of the algo order ${ID} was cut off and is ignored.`],
    ],
    ['is put away if it has ended', recordOf(ENDED), 'put away', []],
    ['is none without a record', undefined, 'nothing', []],
    [
      'is left alone if its record is damaged',
      unreadRecord(ID, 'its record is damaged'),
      'damaged',
      [`NOT PROTECTED: nothing is done for the algo order ${ID}: its record is damaged.`],
    ],
    [
      'is left alone if its record cannot be read',
      usage('The disk is broken.'),
      'damaged',
      [`NOT PROTECTED: the record of the algo order ${ID} cannot be read: The disk is broken.`],
    ],
  ])('%s', (_, record, outcome, warnings) => {
    const { records, away, warnings: warned } = new Disk(record);
    expect([records.begin([ID]).length, away, warned]).toEqual([
      outcome === 'begun' ? 1 : 0,
      outcome === 'put away' ? [ID] : [],
      warnings,
    ]);
    const isDamaged = outcome === 'damaged';
    expect([records.isDamaged(ID), records.ids]).toEqual([isDamaged, isDamaged ? ['other'] : [ID, 'other']]);
  });

  it('is one of those that were asked for', () => {
    expect(new Disk(recordOf(), new Set(['other'])).records.ids).toEqual(['other']);
  });

  it('is not begun after a mistake of pit', () => {
    const mistake = new TypeError('a mistake');
    expect(() => new Disk(mistake).records.begin([ID])).toThrow(mistake);
  });
});

describe('an algo order at work', () => {
  it.each<[string, AlgoFact[], AlgoFact[], boolean]>([
    ['was changed by another process that paused it', [], [PAUSED], true],
    ['was changed by another process that resumed it', [PAUSED], [RESUMED], true],
    ['was changed by another process that cancelled it', [], [{ ...ENDED, fact: 'cancelled' } as AlgoFact], true],
    ['was not changed by what this process has written', [PAUSED, RESUMED], [triggered('98')], false],
  ])('%s', (_, before, after, expected) => {
    const disk = new Disk(recordOf(...before));
    const changed = recordOf(...before, ...after);
    expect(disk.changedTo(changed)).toBe(expected ? changed.facts : undefined);
  });

  it('is read again only if its record has another length', () => {
    const disk = new Disk(recordOf());
    disk.records.begin([ID]);
    disk.record = recordOf(PAUSED);
    expect(disk.records.changed(ID, factsOf(OCO))).toBeUndefined();
    disk.records.forget(ID);
    expect(disk.records.changed(ID, factsOf(OCO))).toBeDefined();
  });

  it('was not changed if its record is gone, and is left alone if that is damaged by now', () => {
    const disk = new Disk(recordOf());
    disk.records.begin([ID]);
    [disk.record, disk.size] = [undefined, undefined];
    expect([disk.records.changed(ID, factsOf(OCO)), disk.records.isDamaged(ID)]).toEqual([undefined, false]);
    const damaged = new Disk(recordOf());
    expect([damaged.changedTo(unreadRecord(ID, 'so')), damaged.records.isDamaged(ID)]).toEqual([undefined, true]);
  });
});
