import { describe, expect, it } from 'vitest';
import { factsOf, fieldsOf, shownOf, valuesOf } from '../../src/cli/fact-list.js';
import { fieldColumn } from '../../src/cli/field-columns.js';
import { rowFields, valueFields } from '../../src/cli/row-fields.js';
import * as shape from '../../src/cli/shapes.js';
import { pipe } from '../terminal/screens.js';

describe('a shape', () => {
  it('has a description only if there are words', () => {
    expect(shape.text('')).toEqual({ type: 'string' });
    expect(shape.text('of a stranger')).toEqual({ type: 'string', description: 'of a stranger' });
  });

  it('of an object requires each of its fields', () => {
    expect(shape.object({ id: shape.text(''), side: shape.text('') }).required).toEqual(['id', 'side']);
  });

  it('that may be null allows null beside what it allowed, also as a word or as one of several kinds', () => {
    expect(shape.nullable(shape.text(''))).toEqual({ type: ['string', 'null'] });
    expect(shape.nullable(shape.nullable(shape.text('')))).toEqual({ type: ['string', 'null'] });
    expect(shape.nullable(shape.enumOf(['buy'], 'side'))).toMatchObject({
      type: ['string', 'null'],
      enum: ['buy', null],
    });
    const kinds = shape.nullable(shape.anyOf(shape.text(''), shape.integer('')));
    expect(kinds).toEqual({ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] });
    expect(shape.nullableFields({ id: shape.text('') })).toEqual({ id: { type: ['string', 'null'] } });
    expect(() => shape.nullable(shape.anything)).toThrow('already allows null');
  });

  it('is of a number for decimals and counts, null or not, but not for ids and times', () => {
    const all = {
      ...{ decimal: shape.decimal, integer: shape.integer, number: shape.number },
      id: shape.id,
      time: shape.time,
    };
    const numeric = Object.entries(all).filter(([, kind]) => shape.isNumeric(shape.nullable<unknown>(kind(''))));
    expect(numeric.map(([name]) => name)).toEqual(['decimal', 'integer', 'number']);
    expect([shape.isTime(shape.time('')), shape.isTime(shape.decimal(''))]).toEqual([true, false]);
  });

  it('is changed with all that it holds', () => {
    const plain = { description: 'old' };
    const whole = {
      ...plain,
      properties: { list: { items: plain }, map: { additionalProperties: plain }, kinds: { anyOf: [plain, plain] } },
    };
    expect(
      shape.mapShape(whole, ({ description, ...rest }) => ({ ...rest, ...(description && { title: 'new' }) })),
    ).toEqual({
      title: 'new',
      properties: {
        list: { items: { title: 'new' } },
        map: { additionalProperties: { title: 'new' } },
        kinds: { anyOf: [{ title: 'new' }, { title: 'new' }] },
      },
    });
  });
});

describe('the plain fields of a shape', () => {
  const fee = shape.object({ coin: shape.text('') });
  const row = shape.object({ id: shape.id(''), fees: shape.array(fee), fee: shape.nullable(fee) });
  const other = shape.object({ id: shape.text(''), fee: shape.text(''), size: shape.text('') });
  const output = shape.anyOf(shape.array(row), other);

  it('are named with dots and with brackets for the elements of a list, each once as its first form has it', () => {
    const fields = valueFields(shape.anyOf(row, other));
    expect(fields.map(([name]) => name)).toEqual(['id', 'fees[].coin', 'fee.coin', 'fee', 'size']);
    expect(fields[0]?.[1]).toEqual(shape.id(''));
    expect(valueFields(shape.anything)).toEqual([]);
  });

  it('are columns of CSV, a list in one, and those of the rows of the command if it has its own', () => {
    expect(rowFields({ output }).map(([name]) => name)).toEqual(['id', 'fees', 'fee.coin', 'fee', 'size']);
    expect(rowFields({ output, row: other }).map(([name]) => name)).toEqual(['id', 'fee', 'size']);
    expect(rowFields({ output: shape.text('') })).toEqual([]);
  });
});

describe('a column of a nested field', () => {
  const shown = (described: shape.Shape, value: unknown) =>
    fieldColumn<object>(['last.value', described]).value({ last: value });

  it('shows the value inside, and a dash if there is none', () => {
    expect(shown(shape.text(''), { value: 'a' })).toBe('a');
    for (const missing of [null, undefined, 'value', { other: 1 }, { value: null }])
      expect(shown(shape.text(''), missing)).toBeNull();
  });

  it('shows times as local times, digits in groups, and lists as they are in JSON', () => {
    expect(shown(shape.time(''), { value: '2026-01-05T10:20:30.000Z' })).toMatch(/^2026-01-05 10:20:30/);
    expect(shown(shape.integer(''), { value: 1234567 })).toBe('1,234,567');
    expect(shown(shape.array(shape.text('')), { value: ['a', 'b'] })).toBe('["a","b"]');
  });
});

describe('facts', () => {
  interface Line {
    readonly from: string;
    readonly to: string | null | undefined;
  }
  const fact = factsOf<Line>();
  const faint = (text: string) => text;
  const facts = {
    from: fact({
      label: 'from',
      text: ({ from }) => from,
      paint: faint,
      json: { from: [shape.text(''), ({ from }) => from] },
    }),
    to: fact({ label: 'to', text: ({ to }) => to }),
    points: fact({
      entries: ({ from }) => [
        ['point', from],
        ['another', from],
      ],
    }),
    heading: fact({ above: ({ from }) => `From ${from}`, json: { length: [shape.integer(''), () => 2] } }),
    remark: fact({ above: () => '' }),
    ending: fact({ above: () => 'The end' }),
    hidden: fact({ json: { hidden: [shape.boolean(''), () => true] } }),
  };

  it('are lines and what is above them for people: null as missing, undefined and empty parts left out', () => {
    const screen = pipe();
    const shown = shownOf(facts, { from: 'a', to: null });
    expect(shown.lines(screen)).toEqual([
      ['from', 'a', faint],
      ['to', null, undefined],
      ['point', 'a'],
      ['another', 'a'],
    ]);
    expect(shown.above(screen)).toBe('From a\nThe end');
    expect(
      shownOf(facts, { from: 'a', to: undefined })
        .lines(screen)
        .map(([label]) => label),
    ).toEqual([...['from', 'point', 'another']]);
  });

  it('are the values for programs, and their shapes', () => {
    expect(valuesOf<Line, typeof facts>(facts, { from: 'a', to: null })).toEqual({
      from: 'a',
      length: 2,
      hidden: true,
    });
    expect(fieldsOf(facts)).toEqual({ from: shape.text(''), length: shape.integer(''), hidden: shape.boolean('') });
  });
});
