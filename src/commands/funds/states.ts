import type { Paint } from '../../terminal/screen.js';
import type { Column } from '../../terminal/table.js';

/** A column of states in words; the code is told of one that the interface does not name. */
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
