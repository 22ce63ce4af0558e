import { expect, it } from 'vitest';
import { listing } from '../../src/cli/answers.js';
import * as shape from '../../src/cli/shapes.js';
import { wholeHeader } from '../../src/cli/whole-header.js';
import type { Live } from '../../src/terminal/answer.js';
import { toCsv } from '../../src/terminal/csv.js';

const ROW = shape.object({
  id: shape.text(''),
  trigger: shape.nullable(shape.object({ time: shape.text(''), price: shape.text('') })),
  fees: shape.array(shape.object({ coin: shape.text('') })),
  raw: shape.mapOf(shape.text(''), 'as the exchange sent it'),
});
const view = wholeHeader({ output: shape.array(ROW) } as never);

function headerOf(rows: readonly object[]): string | undefined {
  const { data, csvHeader } = view(listing({ rows, row: ROW, columns: [], empty: '' }));
  return toCsv(data, csvHeader).split('\n')[0];
}

it('the header of --csv is the same for no rows, for rows without a nested object, and for rows with one', () => {
  const without = { id: '1', trigger: null, fees: [], raw: null };
  const whole = { ...without, trigger: { time: '2026-01-05', price: '98' } };
  const header = 'id,trigger.time,trigger.price,fees,raw';
  for (const rows of [[], [without], [whole], [without, whole]]) expect(headerOf(rows)).toBe(header);
});

it('an answer without rows has the header of the command, and a preview without rows has none', () => {
  const none = { data: [], show: () => '' };
  const definition = { output: shape.array(shape.object({ id: shape.text('') })) } as never;
  expect(wholeHeader(definition)(none)).toMatchObject({ csvHeader: ['id'] });
  expect(wholeHeader(definition, true)(none)).toBe(none);
});

it('what a command does not describe keeps the names that it has', () => {
  const row = { id: '1', trigger: null, fees: [], raw: { code: 1 }, more: { a: 1, b: 2 } };
  expect(headerOf([row])).toBe('id,trigger.time,trigger.price,fees,raw.code,more.a,more.b');
});

it('an object without any name, whose names are data, has a column', () => {
  expect(headerOf([{ id: '1', trigger: null, fees: [], raw: {} }])).toBe('id,trigger.time,trigger.price,fees,raw');
});

it('an answer that is nothing keeps its own header', () => {
  const nothing = { data: null, show: () => '' };
  expect(view(nothing)).toBe(nothing);
});

it('adds the header to each answer of a live view, and leaves a view without answers alone', () => {
  const live: Live = { events: (async function* () {})(), line: () => undefined, picture: null, end: () => undefined };
  const none = { data: [], show: () => '' };
  const shown = view({ ...live, withView: (change) => ({ ...live, line: () => change(none).csvHeader?.join() }) });
  expect(shown.line(undefined)).toBe('id,trigger.time,trigger.price,fees,raw');
  expect(view(live)).toBe(live);
});

it('a name that is a value in one kind of row and an object in another is what the rows show', () => {
  const kinds = shape.object({ id: shape.text(''), opening: shape.nullable(shape.object({ cost: shape.text('') })) });
  const plain = shape.object({ id: shape.text(''), opening: shape.text('') });
  const both = wholeHeader({ output: shape.anyOf(shape.array(kinds), shape.array(plain)) } as never);
  const answer = listing({ rows: [{ id: '1', opening: 'a' }], row: plain, columns: [], empty: '' });
  expect(toCsv(answer.data, both(answer).csvHeader).split('\n')[0]).toBe('id,opening');
});

it('a name with a dot that the rows have beside what it begins with is there once', () => {
  const row = { id: '1', trigger: null, fees: [], raw: null, value: '1', 'value.btc': '2' };
  expect(headerOf([row])).toBe('id,trigger.time,trigger.price,fees,raw,value,value.btc');
});
