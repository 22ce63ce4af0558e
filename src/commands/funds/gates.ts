import type { Column } from '../../terminal/table.js';

/** Whether coins may pass, in a word. */
function gateWord(isOpen: boolean): string {
  return isOpen ? 'open' : 'closed';
}

/** A column of gates: what is closed stands out, and what is not known is a dash. */
export function gateColumn<Row>(title: string, gate: (row: Row) => boolean | null, importance: number): Column<Row> {
  return {
    title,
    value: (row) => {
      const isOpen = gate(row);
      return isOpen === null ? null : gateWord(isOpen);
    },
    paint: (text, row, paint) => (gate(row) === false ? paint.warn(text) : text),
    importance,
  };
}
