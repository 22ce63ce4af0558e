import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareWidths, safe, shortened, wrapped } from '../../src/terminal/text.js';
import { anyText } from '../support/any-text.js';

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

describe('text from outside', () => {
  it.each([
    ['plain words', 'btc_usdt 0.5', 'btc_usdt 0.5'],
    ['Chinese', '比特币', '比特币'],
    ['a colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a cleared screen', 'a\u001b[2J\u001b[Hb', 'ab'],
    ['a title', '\u001b]0;gone\u0007kept', 'kept'],
    ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a title that does not end', '\u001b]0;kept', '0;kept'],
    ['a device string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['8-bit sequences', 'a\u009b31mb\u009d0;t\u009cc', 'abc'],
    ['a reset', '\u001bcx', 'x'],
    ['a charset', '\u001b(0x', 'x'],
    ['a sequence in a sequence', '\u001b\u001b[0m[31mx', '[31mx'],
    ['lines', 'one\r\ntwo\tthree\u2028four\u0085five', 'one two three four five'],
    ['a backspace', 'ab\b\bx\u0000\u007f', 'abx'],
    ['a turned direction', 'abc\u202egnp.exe\u2066x\u2069', 'abcgnp.exex'],
    ['nothing to see', 'a\u200b\u200d\ufeff\u00ad\u180e\u3164\u{e0041}b', 'ab'],
    ['half a character', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_name, text, expected) => {
    expect(safe(text)).toBe(expected);
  });

  it('contains no control character, and does not change when cleaned twice', () => {
    const piece = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0',
      ';',
      'm',
      '\u0007',
      '\\',
      '\u009b',
      '\u202e',
      '\n',
      'x',
      '比',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          anyText(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (text) => {
          expect(safe(text)).not.toMatch(UNPRINTABLE);
          expect(safe(safe(text))).toBe(safe(text));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('wrapped text', () => {
  it('breaks between words', () => {
    expect(wrapped('one two three', 7)).toBe('one two\nthree');
    expect(wrapped('one', 2)).toBe('one');
    expect(wrapped('one two', Number.POSITIVE_INFINITY)).toBe('one two');
  });

  it('keeps a command whole, on its own line if necessary', () => {
    const command = 'pit order buy a_b 1 --at 2';
    expect(wrapped('To place it:', 15, command)).toBe(`To place it:\n${command}`);
    expect(wrapped('To place it:', 80, command)).toBe(`To place it: ${command}`);
  });

  it('changes only spaces to line breaks', () => {
    const word = fc.constantFrom('pit', 'pit:', 'orders', 'x:', 'x,', 'x.', '(x)', '--all');
    const text = fc.array(word).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (whole, width) => {
        expect(wrapped(whole, width).replaceAll('\n', ' ')).toBe(whole);
      }),
    );
  });
});

describe('a long text', () => {
  // measured as a whole, this would take hours
  it('cuts a long text before it is measured', async () => {
    await prepareWidths('\u{1f600}');
    expect(shortened('\u{1f600}'.repeat(2_000_000))).toBe(`${'\u{1f600}'.repeat(99)}…`);
  });

  it('keeps its marks when it is cut', () => {
    expect(shortened('a\u0301\u0302\u0303\u0304'.repeat(300))).toBe(`${'a\u0301\u0302\u0303\u0304'.repeat(199)}…`);
  });

  it('measures no text for a pipe, which has no width', () => {
    const words = '\u{1f600} '.repeat(200_000).trim();
    expect(wrapped(words, Number.POSITIVE_INFINITY, 'pit help')).toBe(`${words} pit help`);
  });
});
