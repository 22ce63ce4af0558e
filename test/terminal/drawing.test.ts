import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Drawing } from '../../src/terminal/drawing.js';
import { Kept } from './screens.js';

const BEGIN = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[H\u001b[2J';
const END = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';

const at = (line: number, text: string) => `\u001b[${line};1H${text}\u001b[K`;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function drawn(height = 24) {
  const terminal = new Kept(80);
  const shown = { text: 'age 0\nbid 1\nask 2' };
  const drawing = new Drawing(terminal, () => ({ screen: { height }, text: shown.text }));
  /** What was written since the last time. */
  const written = () => {
    const { text } = terminal;
    terminal.text = '';
    return text;
  };
  return { terminal, shown, drawing, written };
}

describe('a drawing', () => {
  it('begins on another screen with the whole text', () => {
    const { written } = drawn();
    expect(written()).toBe(BEGIN + at(1, 'age 0') + at(2, 'bid 1') + at(3, 'ask 2') + HOME);
  });

  it('draws only the lines that changed, and erases those that are gone', () => {
    const { shown, drawing, written } = drawn();
    written();
    shown.text = 'age 0\nbid 7';
    drawing.change();
    vi.advanceTimersByTime(100);
    expect(written()).toBe(at(2, 'bid 7') + at(3, '') + HOME);
  });

  it('draws many changes at most ten times a second', () => {
    const { shown, drawing, written } = drawn();
    written();
    for (let count = 1; count <= 1_000; count += 1) {
      shown.text = `age ${count}\nbid 1\nask 2`;
      drawing.change();
      vi.advanceTimersByTime(1);
    }
    expect(written().split(HOME).length - 1).toBe(10);
  });

  it('is brought up to date every second without a change, and writes nothing if nothing differs', () => {
    const { shown, written } = drawn();
    written();
    vi.advanceTimersByTime(1_000);
    expect(written()).toBe('');
    shown.text = 'age 2\nbid 1\nask 2';
    vi.advanceTimersByTime(900);
    expect(written()).toBe('');
    vi.advanceTimersByTime(100);
    expect(written()).toBe(at(1, 'age 2') + HOME);
  });

  it('is drawn whole again when the window has another size', () => {
    const { terminal, written } = drawn();
    written();
    terminal.emit('resize');
    expect(written()).toBe(`\u001b[2J${at(1, 'age 0')}${at(2, 'bid 1')}${at(3, 'ask 2')}${HOME}`);
  });

  it('says how many lines a low terminal has no room for', () => {
    const { written } = drawn(2);
    expect(written()).toBe(BEGIN + at(1, 'age 0') + at(2, '… 2 more lines: a taller terminal shows them') + HOME);
  });

  it('leaves the terminal as it was, once, and draws no more', () => {
    const { terminal, drawing, written } = drawn();
    written();
    drawing.end();
    drawing.end();
    drawing.change();
    terminal.emit('resize');
    vi.advanceTimersByTime(5_000);
    expect(written()).toBe(END);
  });
});
