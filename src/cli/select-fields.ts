import { nearest } from '../config/nearest.js';
import { quoted, usage } from '../errors.js';
import type { Result } from '../terminal/answer.js';
import type { Screen } from '../terminal/screen.js';
import { type Column, record, table } from '../terminal/table.js';
import type { Definition } from './definition.js';
import { fieldColumn } from './field-columns.js';
import { type Leaf, rowFields } from './row-fields.js';

/** Leaves the fields of an answer that `--fields` names. */
type FieldSelection = <Any extends Result>(answer: Any) => Any;

/**
 * Leaves only these fields of a command's answers, in this order and under the names of `--json`. The name of
 * a nested object stands for all of its fields. Throws Failure `usage` that lists the nearest names and all names.
 */
export function selectFields(definition: Definition, names: readonly string[]): FieldSelection {
  const available = rowFields(definition);
  const chosen = [...new Set(names)].flatMap((name) => fieldsNamed(name, available));
  const header = chosen.map(([name]) => name);
  const columns = chosen.map(columnOf);
  const select: FieldSelection = (answer) => {
    if ('events' in answer) {
      if (answer.withView !== undefined) return { ...answer, ...answer.withView(select) };
      throw usage('--fields needs --csv here.', 'JSON has every field; pick from it with jq.');
    }
    if ('rows' in answer) return { ...answer, fields: header, columns };
    const rows = answer.csv ?? (answer.data as object | readonly object[]);
    // an empty list keeps its own text
    if (Array.isArray(rows) && rows.length === 0) return { ...answer, csvHeader: header };
    return { ...answer, csvHeader: header, show: (screen) => show(screen, columns, rows) };
  };
  return select;
}

function fieldsNamed(name: string, available: readonly Leaf[]): readonly Leaf[] {
  const fields = available.filter(([field]) => field === name || field.startsWith(`${name}.`));
  if (fields.length > 0) return fields;
  const all = available.map(([field]) => field);
  if (all.length === 0) throw usage('This command has no fields to choose from.', 'Leave out --fields.');
  // a part of a name, such as average of averagePrice
  const parts = all.filter((field) => field.toLowerCase().includes(name.toLowerCase())).slice(0, 3);
  const close = name.length > 2 && parts.length > 0 ? parts : nearest(name, all);
  const guess = close.length === 0 ? '' : ` Did you mean ${close.join(' or ')}?`;
  throw usage(`There is no field ${quoted(name)}.${guess}`, `Fields: ${all.join(', ')}.`);
}

function show(screen: Screen, columns: readonly Column<object>[], rows: object | readonly object[]): string {
  if (Array.isArray(rows)) return table(screen, columns, rows);
  return record(
    screen,
    columns.map(({ title, value }) => [title, value(rows)]),
  );
}

/** On a narrow screen the field named last goes first. */
function columnOf(leaf: Leaf, index: number, all: readonly Leaf[]): Column<object> {
  return { ...fieldColumn(leaf), importance: all.length - index };
}
