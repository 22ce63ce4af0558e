import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { difference } from '../../../src/terminal/live/difference.js';
import { cellsOf } from '../../../src/terminal/live/painted-cells.js';
import { DrawnScreen } from './drawn-screen.js';

const WIDTH = 20;
const HEIGHT = 4;

const cells = (lines: readonly string[]) =>
  Array.from({ length: HEIGHT }, (_, row) => cellsOf(lines[row] ?? '', WIDTH));

/** What is written to get from one screen to another. */
const between = (before: readonly string[], after: readonly string[]) => difference(cells(before), cells(after));

const textOf = (row: readonly { readonly text: string }[]) => row.map(({ text }) => text).join('');

const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;

describe('the difference of two screens', () => {
  it.each([
    ['nothing for the same lines', ['bid 1', red('ask 2')], ['bid 1', red('ask 2')], ''],
    ['one changed digit', ['bid 100'], ['bid 101'], '\u001b[1;7H1'],
    ['two near changes in one run', ['100 200'], ['101 201'], '\u001b[1;3H1 201'],
    ['two far changes in one line', ['1 2345678 1'], ['2 2345678 2'], '\u001b[1;1H2\u001b[11G2'],
    ['changes in two lines', ['1', '1'], ['2', '2'], '\u001b[1;1H2\u001b[2;1H2'],
    ['a long rest that is gone', ['abc defgh'], ['abc'], '\u001b[1;4H\u001b[K'],
    ['another colour', ['1'], [red('1')], '\u001b[1;1H\u001b[31m1\u001b[m'],
    ['one colour for neighbours', ['ab'], [red('cd')], '\u001b[1;1H\u001b[31mcd\u001b[m'],
    ['a change of colours', ['ab'], [`${red('c')}${bold('d')}`], '\u001b[1;1H\u001b[31mc\u001b[0;1md\u001b[m'],
    ['both halves of a wide character', ['ab'], ['漢'], '\u001b[1;1H漢'],
    ['the place after a wide character again', ['aaa'], ['漢b'], '\u001b[1;1H漢\u001b[3Gb'],
  ])('writes %s', (_what, before, after, expected) => {
    expect(between(before, after)).toBe(expected);
  });

  const glyph = fc.constantFrom('a', 'b', '1', ' ', ' ', '⣿', '│', '漢', 'é', 'e\u0301', '🙂', '─');
  const piece = fc
    .tuple(fc.array(glyph, { maxLength: 8 }), fc.constantFrom('', '31', '1;32', '38;5;28', '7'))
    .map(([text, style]) => (style === '' ? text.join('') : `\u001b[${style}m${text.join('')}\u001b[0m`));
  const line = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
  const screen = fc.array(line, { minLength: HEIGHT, maxLength: HEIGHT });

  it('turns any screen into any other on a terminal, and writes nothing outside the window', () => {
    fc.assert(
      fc.property(fc.array(screen, { minLength: 2, maxLength: 4 }), (screens) => {
        const terminal = new DrawnScreen(WIDTH, HEIGHT);
        let before: readonly string[] = [];
        for (const after of screens) {
          terminal.apply(between(before, after));
          const wanted = cells(after);
          const styles = wanted.map((row, y) => row.map(({ text }, x) => (text === '' ? '' : terminal.styleAt(x, y))));
          expect({ lines: terminal.lines, styles }).toEqual({
            lines: wanted.map((row) => textOf(row).trimEnd()),
            styles: wanted.map((row) => row.map(({ text, style }) => (text === '' ? '' : style))),
          });
          before = after;
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('the cells of a line', () => {
  it('drops whatever could move the cursor', () => {
    const text = 'a\u001b[2Jb\u001b]0;title\u0007c\rd\u009b1me';
    expect(textOf(cellsOf(text, 40))).not.toMatch(/\p{Cc}/u);
  });

  it('understands nested colours', () => {
    const [first, second, third] = cellsOf(`${bold(`a${red('b')}c`)}`, 3);
    expect([first?.style, second?.style, third?.style]).toEqual(['1', '1;31', '1']);
  });

  it('leaves a wide character out that has only half the room', () => {
    expect(cellsOf('ab漢', 3).map(({ text }) => text)).toEqual(['a', 'b', ' ']);
  });
});
