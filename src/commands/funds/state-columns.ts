import type { Paint } from '../../terminal/palette.js';
import type { Column } from '../../terminal/table.js';

/** A column of states; one that the interface does not name shows its code. */
export function stateColumn<Row extends { readonly state: string; readonly status: number }>(
  importance: number,
): Column<Row> {
  return {
    title: 'state',
    value: ({ state, status }) => (state === 'other' ? `other (${status})` : state),
    paint: (text, { state }, paint) => paintState(text, state, paint),
    importance,
  };
}

function paintState(text: string, state: string, paint: Paint): string {
  if (state === 'success') return paint.good(text);
  if (state === 'failed') return paint.bad(text);
  return state === 'cancelled' ? paint.faint(text) : paint.strong(text);
}

/** A column that says open or closed; closed stands out, null is a dash. */
export function openColumn<Row>(title: string, isOpen: (row: Row) => boolean | null, importance: number): Column<Row> {
  return {
    title,
    value: (row) => {
      const open = isOpen(row);
      return open === null ? null : open ? 'open' : 'closed';
    },
    paint: (text, row, paint) => (isOpen(row) === false ? paint.warn(text) : text),
    importance,
  };
}
