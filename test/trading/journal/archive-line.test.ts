import { expect, it } from 'vitest';
import { archiveLineIn, isOfCancelled } from '../../../src/trading/journal/archive-line.js';
import type { RecordedWrite, Settlement } from '../../../src/trading/journal/write.js';
import { TERMS } from '../support/terms.js';
import { settledOf } from './support.js';

const CANCELLED = { at: 5, cancelled: { market: 'btc_usdt', id: '7' } };
const line = (value: object) => archiveLineIn(JSON.stringify(value));

it('a line of the archive is a settled write or a cancelled order', () => {
  expect(line(CANCELLED)).toEqual(CANCELLED);
  const settled = settledOf('mine0001');
  expect(line({ at: 5, settled })).toEqual({ at: 5, settled });
});

it.each([
  {},
  { ...CANCELLED, at: undefined },
  { ...CANCELLED, at: '5' },
  { at: 5, cancelled: { market: 'btc_usdt' } },
  { at: 5, cancelled: { market: 'btc_usdt', id: 7 } },
  { at: 5, cancelled: { id: '7' } },
  { at: 5, cancelled: null },
  { at: 5, settled: { outcome: 'cancelled', id: '7', write: { operation: 'replace', terms: { market: 'btc_usdt' } } } },
  { at: 5, settled: { outcome: 'cancelled', id: '7' } },
])('a line of the archive that is neither counts for nothing: %j', (value) => {
  expect(line(value)).toBeUndefined();
});

it('an empty or cut off line of the archive counts for nothing', () => {
  expect([archiveLineIn(''), archiveLineIn('{"at":5,"cancelled":{"market":')]).toEqual([undefined, undefined]);
});

it('a line says that an order was cancelled if pit saw it, or has replaced it', () => {
  const of = (write: object, outcome: Settlement['outcome']) => {
    const settled = settledOf('mine0001');
    return { at: 5, settled: { ...settled, outcome, id: '9', write: { ...settled.write, ...write } as RecordedWrite } };
  };
  const terms = { market: 'btc_usdt', order: { id: '7' }, wanted: TERMS };
  const byClientId = { ...terms, order: { clientId: '7' } };
  const lines = [
    CANCELLED,
    of({ replaces: terms }, 'placed'),
    of({ operation: 'replace', terms }, 'cancelled'),
    of({ replaces: byClientId }, 'placed'),
    of({ operation: 'replace', terms }, 'refused'),
    of({}, 'placed'),
  ];
  expect(lines.map((one) => isOfCancelled(one, '7'))).toEqual([true, true, true, false, false, false]);
  expect(lines.map((one) => isOfCancelled(one, '9'))).toEqual([false, false, true, false, false, false]);
});
