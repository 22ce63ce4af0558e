import { describe, expect, test } from 'vitest';
import { listing } from '../../src/cli/answers.js';
import { fieldColumns } from '../../src/cli/field-columns.js';
import * as shape from '../../src/cli/shapes.js';
import { toCsv } from '../../src/terminal/csv.js';
import { pipe } from '../terminal/screens.js';

const ROW = shape.object({
  id: shape.id(''),
  price: shape.nullable(shape.decimal('')),
  last: shape.nullable(shape.object({ id: shape.id(''), tags: shape.array(shape.text('')) })),
});

const row = { id: '12', price: '1234.50', last: { id: '7', tags: ['a', 'b'] } };
const rows = [row];

describe('a listing', () => {
  test('without rows has the CSV header that its rows would have', () => {
    const header = toCsv(listing({ rows, row: ROW, columns: [], empty: '' }).data).split('\n')[0];
    const { csvHeader = [] } = listing({ rows: [], row: ROW, columns: [], empty: '' });
    expect(csvHeader.join()).toBe('id,price,last.id,last.tags');
    expect(csvHeader.join()).toBe(header);
  });

  test('without rows says so to people, and with rows is a table', () => {
    const columns = [fieldColumns(ROW)('id')];
    expect(listing({ rows: [], row: ROW, columns, empty: 'No orders.' }).show(pipe())).toBe('No orders.');
    expect(listing({ rows, row: ROW, columns, empty: 'No orders.' }).show(pipe())).toBe('id\n12');
  });

  test('with rows leaves the CSV header to its rows, whose names may depend on data', () => {
    expect(listing({ rows, row: ROW, columns: [], empty: '' }).csvHeader).toBeUndefined();
  });
});

describe('a column of a field', () => {
  const column = fieldColumns(ROW);

  test('has the title, the digits and the alignment that the field says', () => {
    const { title, value, align } = column('price');
    expect([title, align, value({ ...row, price: '1234.50' }), value({ ...row, price: null })]).toEqual([
      'price',
      'decimal',
      '1,234.50',
      null,
    ]);
  });

  test('shows an id without grouping its digits', () => {
    const { value, align } = column('id');
    expect([align, value({ ...row, id: '1234567' })]).toEqual(['left', '1234567']);
  });

  test('takes over what a listing says of its own', () => {
    const own = column('price', { title: 'last', importance: 4, value: () => 'x' });
    expect([own.title, own.importance, own.align, own.value(row)]).toEqual(['last', 4, 'decimal', 'x']);
  });

  test('of a field that the rows do not have is refused when the command is loaded', () => {
    const other = fieldColumns(ROW as shape.Shape as shape.Shape<{ size: string }>);
    expect(() => other('size')).toThrow('the rows have no field size');
  });
});
