import { grouped } from '../domain/decimal.js';
import type { Column } from '../terminal/table.js';
import { localTime, timeTitle } from '../terminal/time.js';
import type { Leaf } from './row-fields.js';
import { isNumeric, isTime, type Shape } from './shapes.js';

/**
 * Returns the function that makes a column of a field of these rows, as {@link fieldColumn} does.
 *
 * @param row the shape of the rows
 */
export function fieldColumns<Row extends object>(row: Shape<Row>) {
  const fields = row.properties ?? {};
  /** @param own how this column differs from what its field says */
  return (name: keyof Row & string, own: Partial<Column<Row>> = {}): Column<Row> => {
    const shape = fields[name];
    if (shape === undefined) throw new TypeError(`the rows have no field ${name}`);
    return fieldColumn<Row>([name, shape], own);
  };
}

/** A column under the name of its field: times are local, digits are in groups, and decimal points are aligned. */
export function fieldColumn<Row extends object>([name, shape]: Leaf, own: Partial<Column<Row>> = {}): Column<Row> {
  const path = name.split('.');
  const shown = shownAs(shape);
  return {
    // JSON and CSV never ask for it, and the name of the zone costs milliseconds
    get title() {
      return isTime(shape) ? timeTitle(name) : name;
    },
    value: (row) => {
      const value = path.reduce<unknown>(within, row);
      return value === null || value === undefined ? null : shown(value);
    },
    align: isNumeric(shape) ? 'decimal' : 'left',
    ...own,
  };
}

function within(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function shownAs(shape: Shape): (value: unknown) => string {
  if (isTime(shape)) return (value) => localTime(Date.parse(String(value)));
  if (isNumeric(shape)) return (value) => grouped(String(value));
  return (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
}
