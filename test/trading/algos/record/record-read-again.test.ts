import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import { childId } from '../../../../src/trading/algos/record/child-name.js';
import { type KnownRecord, recordIn } from '../../../../src/trading/algos/record/fact-record.js';
import { encodeFact } from '../../../../src/trading/algos/record/facts.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import { temporaryHome } from '../../../support/pit.js';
import { sell } from '../support/terms.js';

// The process that watches reads a record again and again, and decodes only what was added. It must read what one reads that has never
// read it before, whatever has become of the file.

const ID = 'abcdefg';
const OTHER = 'hjkmnpq';
const TERMS = { ...sell('1', { stop: '90' }), id: ID };
const BEGAN = { fact: 'began', time: 1, terms: TERMS, bid: Decimal.of('100'), ask: null } as const;
const CHILD = childId({ parent: ID, role: 'stop', number: 1 });

const PAUSED = encodeFact({ fact: 'paused', time: 5, cause: 'user', reason: 'tea', role: null });
const RESUMED = encodeFact({ fact: 'resumed', time: 6 });
const SENT = JSON.stringify({ child: CHILD, type: 'limit', price: '110', amount: '1', time: 7 });
const SAID = JSON.stringify({ said: 'Es läuft.', time: 8 });
const OF_OTHER = SENT.replace(CHILD, childId({ parent: OTHER, role: 'stop', number: 1 }));

function best(price: string): string {
  return encodeFact({ fact: 'best', time: 4, price: Decimal.of(price), tradeId: null });
}

/** A store that has read the record of an algo order with a line of each kind. */
function storeThatHasRead() {
  const root = temporaryHome();
  const host = { now: () => 1_000, randomBytes: (count: number) => new Uint8Array(count).fill(7) };
  const store = new AlgoStore(host, root, 'account');
  store.create(() => BEGAN, ID);
  const file = path.join(root, 'algos', 'account', 'open', ID);
  const add = (...lines: string[]) => appendFileSync(file, lines.map((line) => `\n${line}\n`).join(''));
  add(best('101'), SENT, SAID);
  expect(store.read(ID)?.problem).toBeNull();
  const readByOther = () => new AlgoStore(host, root, 'account').read(ID);
  return { store, file, add, readByOther };
}

type Fixture = ReturnType<typeof storeThatHasRead>;

const PAUSES = { problem: null, torn: 0, facts: { paused: { reason: 'tea' } } };
const DAMAGED = { facts: undefined, problem: expect.stringContaining('is damaged') };

describe('a record of an algo order that is read again', () => {
  test.each<[what: string, change: (fixture: Fixture) => void, read: object | undefined]>([
    ['to which nothing was added', () => {}, { problem: null, facts: { trailBest: { time: 4 }, paused: null } }],
    ['to which a fact was added', ({ add }) => add(PAUSED), PAUSES],
    ['to which two were added', ({ add }) => add(PAUSED, RESUMED), { facts: { paused: null, resumed: { time: 6 } } }],
    ['to which a line was added that is no fact', ({ add }) => add(SAID), { problem: null, said: [{}, { time: 8 }] }],
    ['whose last line was cut off', ({ file }) => appendFileSync(file, '\n{"fact":"pau'), { torn: 1, problem: null }],
    ['whose last line lacks its line feed', ({ file }) => appendFileSync(file, `\n${PAUSED}`), PAUSES],
    ['to which a damaged line was added', ({ add }) => add('{"fact":"paused","time":"x"}'), DAMAGED],
    ['to which a line of another algo order was added', ({ add }) => add(OF_OTHER), DAMAGED],
    [
      'in which a byte has changed while a line was added',
      ({ file, add }) => {
        writeFileSync(file, readFileSync(file, 'utf8').replace('"best"', '"bost"'));
        add(PAUSED);
      },
      DAMAGED,
    ],
    [
      'that has lost its end',
      ({ file }) => truncateSync(file, readFileSync(file).indexOf('\n', 1) + 1),
      { problem: null, children: [], said: [], facts: { trailBest: null } },
    ],
    [
      'that another file has replaced',
      ({ file }) => {
        writeFileSync(`${file}.new`, readFileSync(file, 'utf8').replace('"amount":"1"', '"amount":"9"'));
        renameSync(`${file}.new`, file);
      },
      { facts: undefined, problem: expect.stringContaining('pit did not write its terms') },
    ],
    ['that is gone', ({ file }) => rmSync(file), undefined],
    [
      'that was put away',
      ({ add, store }) => {
        add(PAUSED);
        store.putAway(ID);
      },
      { ...PAUSES, isPutAway: true },
    ],
  ])('%s is read as by another process', (_, change, read) => {
    const fixture = storeThatHasRead();
    change(fixture);
    const again = fixture.store.read(ID);
    expect(again).toEqual(fixture.readByOther());
    if (read === undefined) expect(again).toBeUndefined();
    else expect(again).toMatchObject(read);
  });

  test('has a line that was written while it was read, once that is whole', () => {
    const { store, file, readByOther } = storeThatHasRead();
    appendFileSync(file, `\n${PAUSED.slice(0, 20)}`);
    expect(store.read(ID)).toMatchObject({ torn: 1, facts: { paused: null } });
    appendFileSync(file, `${PAUSED.slice(20)}\n`);
    expect(store.read(ID)).toMatchObject(PAUSES);
    expect(store.read(ID)).toEqual(readByOther());
  });

  test('counts again when it is no longer damaged', () => {
    const { store, file, add } = storeThatHasRead();
    const sound = readFileSync(file);
    add('{"fact":"paused","time":"x"}');
    expect(store.read(ID)).toMatchObject(DAMAGED);
    add(PAUSED);
    expect(store.read(ID)).toMatchObject(DAMAGED);
    writeFileSync(file, sound);
    expect(store.read(ID)).toMatchObject({ problem: null, facts: { paused: null } });
  });
});

const PLACE = { id: ID, file: 'file', isPutAway: false };
const FIRST = encodeFact(BEGAN);

function read(bytes: Buffer, known?: KnownRecord) {
  return recordIn(bytes, PLACE, (line) => line === FIRST, known);
}

test('lines that are known are not decoded again', () => {
  const bytes = Buffer.from(`\n${FIRST}\n\n${best('101')}\n`);
  const { known } = read(bytes);
  if (known === undefined) throw new Error('nothing is known');
  const marked = { ...known, lines: { ...known.lines, torn: 70 } };
  expect(read(Buffer.concat([bytes, Buffer.from(`\n${PAUSED}\n`)]), marked).record).toMatchObject({
    ...PAUSES,
    torn: 70,
  });
});

test('a record is read the same whatever was read of it before: any cuts, in any order, with any byte changed', () => {
  const line = fc.constantFrom(
    best('101'),
    best('102'),
    best('99'),
    PAUSED,
    RESUMED,
    SENT,
    SAID,
    OF_OTHER,
    '{"fact":"x"}',
  );
  const damage = fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })) },
  );
  const cut = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(600) });
  const reading = fc.record({ lines: fc.nat(10), cut, damage });
  const beginning = fc.constantFrom('', `\n${PAUSED}\n`);
  let resumed = 0;
  fc.assert(
    fc.property(beginning, fc.array(line), fc.array(reading, { minLength: 2 }), (start, lines, readings) => {
      let known: KnownRecord | undefined;
      for (const { lines: count, cut, damage } of readings) {
        const added = lines.slice(0, count).map((one) => `\n${one}\n`);
        const text = Buffer.from(`${start}\n${FIRST}\n${added.join('')}`);
        const bytes = text.subarray(0, Math.max(0, text.length - cut));
        if (damage !== null && bytes.length > 0) {
          const at = damage[0] % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ damage[1];
        }
        const again = read(bytes, known);
        expect(again.record).toEqual(read(bytes).record);
        if (known !== undefined && again.known !== undefined) resumed += 1;
        known = again.known;
      }
    }),
    { numRuns: 250 },
  );
  expect(resumed).toBeGreaterThan(50);
});
