import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketSide } from '../../../src/trading/journal/write.js';
import { TERMS } from '../support/terms.js';
import { newJournal, PLACED } from './support.js';

const BUYS: MarketSide = { market: 'btc_usdt', side: 'buy' };
const SELLS: MarketSide = { market: 'btc_usdt', side: 'sell' };

type Made = ReturnType<typeof newJournal>;

function settle({ journal, host }: Pick<Made, 'journal' | 'host'>, list: MarketSide, id: string): void {
  const terms = { ...TERMS, ...list };
  journal.begin<'order'>({ operation: 'order', terms }, { id, reqTime: host.now() }).settle(PLACED, 'placed');
}

function idsOf({ journal }: Pick<Made, 'journal'>, list = BUYS): string[] {
  return journal.settledEntries(list).map(({ write }) => write.id);
}

function close({ journal }: Pick<Made, 'journal'>, ids: readonly string[], isKept = false): void {
  journal.close(BUYS, new Map(ids.map((id) => [id, isKept ? ('watched' as const) : ('over' as const)])));
}

/** Adds lines of other lists to the archive, so long that a mark does not stay before them. */
function addOthers({ archive }: Pick<Made, 'archive'>): void {
  const [name = ''] = fs.readdirSync(archive).filter((one) => !one.startsWith('.'));
  if (name !== '')
    fs.appendFileSync(path.join(archive, name), `\n{"at":1,"other":"${'x'.repeat(50_000)}"}\n`.repeat(8));
}

const fileOf = ({ lists }: Pick<Made, 'lists'>) => path.join(lists, 'btc_usdt~buy');

describe('the mark of a list', () => {
  it('is before every write that is not closed, whatever else is settled, closed, corrected and read, and after all others', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ does: fc.constant('settle' as const), list: fc.constantFrom(BUYS, SELLS) }) },
      {
        weight: 4,
        arbitrary: fc.record({
          does: fc.constant('close' as const),
          which: fc.array(fc.nat(20), { maxLength: 4 }),
          isKept: fc.boolean(),
        }),
      },
      { weight: 2, arbitrary: fc.record({ does: fc.constant('correct' as const), which: fc.nat(20) }) },
      fc.record({ does: fc.constantFrom('read', 'add others', 'let half a day pass') }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
        const made = newJournal();
        /** The writes of the list that are not closed, or watched although they are. */
        const expected = new Map<string, boolean>();
        let last = 0;
        settle(made, SELLS, 'first1');
        for (const now of steps) {
          if ('list' in now) {
            last += 1;
            settle(made, now.list, `own${last}`);
            if (now.list === BUYS) expected.set(`own${last}`, false);
          } else if (now.does === 'close' && 'isKept' in now) {
            const ids = now.which.map((number) => `own${1 + (number % last)}`).filter((id) => expected.has(id));
            close(made, ids, now.isKept);
            for (const id of ids) if (now.isKept) expected.set(id, true);
            for (const id of ids) if (!now.isKept) expected.delete(id);
          } else if ('which' in now) {
            const id = `own${1 + (now.which % last)}`;
            made.journal
              .settledEntries(BUYS)
              .find(({ write }) => write.id === id)
              ?.noteFound([`${last}`]);
          } else if (now.does === 'read') made.journal.isListDue(BUYS, () => true);
          else if (now.does === 'add others') addOthers(made);
          else void made.host.sleep(12 * 3_600_000);
          const found = made.journal.settledEntries(BUYS).map(({ write, isClosed }) => [write.id, isClosed] as const);
          expect(new Map(found)).toEqual(expected);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('that two processes move at once is before every write that one of them has not closed', () => {
    const made = newJournal();
    settle(made, BUYS, 'own1');
    settle(made, BUYS, 'own2');
    settle(made, BUYS, 'own4');
    close(made, ['own4']);
    expect(idsOf(made)).toEqual(['own1', 'own2']);
    const before = fs.readFileSync(fileOf(made));
    close(made, ['own1']);
    settle(made, BUYS, 'own3');
    // the other process has read the mark before, and replaces it now
    fs.writeFileSync(fileOf(made), before);
    expect(idsOf(made)).toEqual(['own1', 'own2', 'own3']);
    close(made, ['own1', 'own2']);
    expect(idsOf(made)).toEqual(['own3']);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['cut off', '{"readAt":1,"position":{'],
    ['of another form', '{"readAt":1,"position":{"2018-10-23.jsonl":"9"},"exceptions":[]}'],
    ['of other lines', '{"readAt":1,"position":{"2018-10-23.jsonl":1},"exceptions":[{"id":7}]}'],
    ['of a longer archive', '{"readAt":1,"position":{"2018-10-23.jsonl":99999},"exceptions":[]}'],
  ])('that is %s counts as one of an hour ago', async (_, text) => {
    const made = newJournal();
    settle(made, BUYS, 'old1');
    await made.host.sleep(3_600_001);
    settle(made, BUYS, 'own1');
    close(made, ['old1', 'own1']);
    settle(made, BUYS, 'own2');
    expect(idsOf(made)).toEqual(['own2']);
    fs.rmSync(fileOf(made));
    if (text !== undefined) fs.writeFileSync(fileOf(made), text, { mode: 0o600 });
    const isOfLongerArchive = text?.includes('99999') === true;
    expect(idsOf(made)).toEqual([...(isOfLongerArchive ? ['old1'] : []), 'own1', 'own2']);
    expect(made.journal.isListDue(BUYS, () => true)).toBe(true);
  });

  it('is known by its name, and other files beside it are of no list', () => {
    const made = newJournal();
    settle(made, { market: 'a/b~c_usdt', side: 'sell' }, 'own1');
    for (const name of ['%FF~buy', 'a~b~buy', 'btc_usdt~hold', '.btc_usdt~buy.1.new'])
      fs.writeFileSync(path.join(made.lists, name), '');
    expect(made.journal.unclosedEntries().map(({ write }) => write.id)).toEqual(['own1']);
  });

  it('leaves no draft for long of a process that was killed while it moved it', () => {
    const made = newJournal();
    settle(made, BUYS, 'own1');
    const draft = path.join(made.lists, '.btc_usdt~buy.x1y2.new');
    for (const isOld of [false, true]) {
      fs.writeFileSync(draft, '');
      const at = made.host.now() / 1_000 - (isOld ? 3_601 : 3_599);
      fs.utimesSync(draft, at, at);
      settle(made, SELLS, `own${isOld}`);
      expect(fs.existsSync(draft)).toBe(!isOld);
    }
    expect(idsOf(made)).toEqual(['own1']);
  });

  it('is moved although nothing of its list is settled any more, so that the lines of other lists are read once', () => {
    const made = newJournal();
    settle(made, BUYS, 'own1');
    close(made, ['own1']);
    addOthers(made);
    const before = fs.readFileSync(fileOf(made), 'utf8');
    expect(idsOf(made)).toEqual([]);
    const after = fs.readFileSync(fileOf(made), 'utf8');
    expect(after).not.toBe(before);
    expect(idsOf(made)).toEqual([]);
    expect(fs.readFileSync(fileOf(made), 'utf8')).toBe(after);
  });

  it('is not moved if the disk fails, and then a later list closes the write', () => {
    const made = newJournal();
    settle(made, BUYS, 'own1');
    fs.chmodSync(made.lists, 0o500);
    if (process.geteuid?.() === 0) fs.renameSync(made.lists, `${made.lists}2`);
    close(made, ['own1']);
    expect(idsOf(made)).toEqual(['own1']);
    if (process.geteuid?.() === 0) fs.renameSync(`${made.lists}2`, made.lists);
    fs.chmodSync(made.lists, 0o700);
    close(made, ['own1']);
    expect(idsOf(made)).toEqual([]);
  });

  it('has nothing of a write that is being added to the archive, and all of it afterwards', () => {
    const made = newJournal();
    settle(made, BUYS, 'own1');
    const [name = ''] = fs.readdirSync(made.archive);
    const file = path.join(made.archive, name);
    const line = fs.readFileSync(file, 'utf8').replaceAll('own1', 'own2');
    for (let length = 0; length <= line.length; length += 50) {
      fs.appendFileSync(file, line.slice(length, length + 50));
      const isWhole = length + 50 >= line.length;
      close(made, ['own1']);
      expect(idsOf(made)).toEqual(isWhole ? ['own2'] : []);
    }
  });
});
