import { glyphs } from '../text.js';

/** A cell of the terminal. */
export interface Cell {
  /** One character with its marks; empty in the right half of a wide character. */
  readonly text: string;
  /** The parameters of the escape sequence that sets its colours: `1;32`; empty for none. */
  readonly style: string;
}

export const BLANK: Cell = { text: ' ', style: '' };

/** The escape sequences of colours. Any other escape or control character is dropped: nothing in a text moves the cursor. */
const PIECES = /\u001b\[([\d;]*)m|[^\u0000-\u001f\u007f-\u009f]+|./gs;

/** The cells of a painted line, exactly `width` of them. What has no room is left out. */
export function cellsOf(line: string, width: number): Cell[] {
  const cells: Cell[] = [];
  const style = new Style();
  for (const [piece, parameters] of line.matchAll(PIECES)) {
    if (parameters !== undefined) style.apply(parameters);
    else if (piece >= ' ' && !/^[\u007f-\u009f]/.test(piece)) append(cells, piece, style.toString(), width);
  }
  while (cells.length < width) cells.push(BLANK);
  return cells;
}

function append(cells: Cell[], text: string, style: string, width: number): void {
  for (const glyph of glyphs(text)) {
    if (cells.length + glyph.width > width) return;
    cells.push({ text: glyph.text, style });
    if (glyph.width === 2) cells.push({ text: '', style });
  }
}

type Attribute = 'bold' | 'dim' | 'italic' | 'underline' | 'inverse' | 'foreground' | 'background';

const ON: Readonly<Record<number, Attribute>> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 7: 'inverse' };
const OFF: Readonly<Record<number, readonly Attribute[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  39: ['foreground'],
  49: ['background'],
};

/** What the colour sequences of a line have set so far. */
class Style {
  readonly #set = new Map<Attribute, string>();
  #text: string | undefined = '';

  apply(parameters: string): void {
    this.#text = undefined;
    const codes = parameters.split(';').map(Number);
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      const attribute = ON[code] ?? colourOf(code);
      if (code === 0) this.#set.clear();
      else if (attribute === undefined) for (const ended of OFF[code] ?? []) this.#set.delete(ended);
      else {
        // 38;5;n and 38;2;r;g;b
        const more = code === 38 || code === 48 ? (codes[index + 1] === 5 ? 2 : 4) : 0;
        this.#set.set(attribute, codes.slice(index, index + more + 1).join(';'));
        index += more;
      }
    }
  }

  toString(): string {
    this.#text ??= [...this.#set.values()].join(';');
    return this.#text;
  }
}

function colourOf(code: number): Attribute | undefined {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 'foreground';
  return (code >= 40 && code <= 48) || (code >= 100 && code <= 107) ? 'background' : undefined;
}
