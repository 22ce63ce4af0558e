import type { Result } from '../terminal/answer.js';
import { fieldNamesIn } from '../terminal/csv.js';
import type { Definition } from './definition.js';
import { rowFields } from './row-fields.js';

/**
 * Gives `--csv` the columns of each nested object, also if all rows have none: the header does not depend on what is listed. What the
 * command does not describe keeps the names that it has. An empty preview has no header: `output` does not describe its rows.
 *
 * @param isPreview whether the command only shows what it would do
 */
export function wholeHeader(definition: Definition, isPreview = false): <Any extends Result>(answer: Any) => Any {
  const described = rowFields(definition).map(([name]) => name);
  const view = <Any extends Result>(answer: Any): Any => {
    if ('events' in answer) return answer.withView === undefined ? answer : { ...answer, ...answer.withView(view) };
    if ('rows' in answer || answer.csvHeader !== undefined) return answer;
    const data = answer.csv ?? answer.data;
    const rows = Array.isArray(data) ? data : [data];
    if (rows.length === 0) return isPreview ? answer : { ...answer, csvHeader: described };
    const isOther = !rows.every((row) => typeof row === 'object' && row !== null && !('dryRun' in row));
    return isOther ? answer : { ...answer, csvHeader: headerOf(rows, described) };
  };
  return view;
}

function headerOf(rows: readonly object[], described: readonly string[]): string[] {
  const names = fieldNamesIn(rows);
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const leaves = keys.flatMap((key) => {
    const inner = within(described, key);
    // a name that is a plain value in one kind of row and an object in another: the rows show which
    const isClear = inner.length > 0 && (inner.length === 1 || !inner.includes(key));
    return isClear ? inner : within(names, key);
  });
  // of an object whose names are data, such as coins, only the rows show them
  const whole = leaves.flatMap((leaf) => {
    const deeper = within(names, leaf);
    return deeper.length === 0 ? leaf : deeper;
  });
  return [...new Set(whole)];
}

function within(names: readonly string[], key: string): string[] {
  return names.filter((name) => name === key || name.startsWith(`${key}.`));
}
