import type { Failure, Hint } from '../errors.js';
import type { Screen } from './screen.js';

/**
 * Whole escape sequences, in their 7-bit and 8-bit forms: strings that end (titles, links, clipboard), control
 * sequences (colour, cursor), and short escapes. A string that does not end is not swallowed: only its start goes.
 */
const SEQUENCES = [
  '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
  '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
  '\\x1b[ -/]*[0-~]',
].join('|');
const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]+/g;
const PLAIN = /^[ -~]*$/;
/** In cells. No address, hash or name is longer; longer text would fill the screen. */
const LONGEST = 200;

/** Returns text from outside as one harmless line, without escapes, control characters and invisible formatting. */
export function safe(text: string): string {
  if (PLAIN.test(text)) return text;
  // the patterns are here because compiling them takes a millisecond, and most commands print plain text only
  return (
    text
      .replace(new RegExp(SEQUENCES, 'g'), '')
      .replace(BREAKS, ' ')
      .replace(/\p{Cc}/gu, '')
      // direction marks, joiners, zero-width spaces, tags, variation selectors, fillers: whatever changes a line invisibly
      .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
      .replace(/\p{Cs}/gu, '\ufffd')
      // no script stacks more marks on a letter; more would cover the lines above and below
      .replace(/(\p{M}{4})\p{M}+/gu, '$1')
  );
}

const UNITS_OF_CELL = 10;

/** Cuts a safe text to a number of cells, and marks the cut. */
export function shortened(text: string, max = LONGEST): string {
  // before it is measured, which takes time: a cell holds at most a letter with four marks, of two units each
  const first = text.slice(0, max * UNITS_OF_CELL);
  if (first.length === text.length && (text.length <= max / 2 || displayWidth(text) <= max)) return text;
  let [kept, width] = ['', 0];
  for (const character of first) {
    width += displayWidth(character);
    if (width >= max) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Wraps text between words. A command at its end stays on one line: the first line of a broken order would be another
 * order. The terminal may still break it, but copies it whole.
 */
export function wrapped(text: string, width: number, command?: string): string {
  if (width === Number.POSITIVE_INFINITY) return command === undefined ? text : `${text} ${command}`;
  const lines: string[] = [];
  let [line, used] = ['', 0];
  for (const word of [...text.split(' '), ...(command === undefined ? [] : [command])]) {
    const cells = displayWidth(word);
    if (line === '') {
      [line, used] = [word, cells];
    } else if (used + 1 + cells > width) {
      lines.push(line);
      [line, used] = [word, cells];
    } else {
      line += ` ${word}`;
      used += 1 + cells;
    }
  }
  return [...lines, line].join('\n');
}

/** The lines of a text that has to be visible as a whole: a word that is longer than a line is broken. */
export function wholeLines(text: string, width: number): string[] {
  return wrapped(text, width)
    .split('\n')
    .flatMap((line) => brokenLine(line, width));
}

function brokenLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const lines: string[] = [];
  let [text, used] = ['', 0];
  for (const glyph of glyphs(line)) {
    if (used + glyph.width > width && text !== '') {
      lines.push(text);
      [text, used] = ['', 0];
    }
    text += glyph.text;
    used += glyph.width;
  }
  return [...lines, text];
}

/** In cells: a longer remark would push the answer off the screen. */
const LONGEST_REMARK = 2_000;

/** Writes the words of a hint as a command line. */
export type CommandLine = (argv: readonly string[]) => string;

/** A failure for a person: its message and the next steps, wrapped for the screen. */
export function failureText({ message, hints }: Failure, screen: Screen, commandLine: CommandLine): string {
  return remarkText('pit: ', [message, ...hints], screen, screen.paint.bad, commandLine);
}

/** The first part with its prefix, and every other part on a line of its own with an arrow. */
export function remarkText(
  prefix: string,
  [first = '', ...others]: readonly (string | Hint)[],
  screen: Screen,
  paint: (line: string) => string,
  commandLine: CommandLine,
): string {
  const arrow = screen.symbols ? '→ ' : '-> ';
  return [
    wrappedPart(prefix, first, screen, paint, commandLine),
    ...others.map((part) => wrappedPart(arrow, part, screen, screen.paint.faint, commandLine)),
  ].join('\n');
}

/** Wraps a part between words. A command is never broken or cut. */
function wrappedPart(
  prefix: string,
  part: string | Hint,
  { width }: Screen,
  paint: (line: string) => string,
  commandLine: CommandLine,
): string {
  const text = shortened(safe(typeof part === 'string' ? part : `${part.note}:`), LONGEST_REMARK);
  const command = typeof part === 'string' ? undefined : safe(commandLine(part.argv));
  return wrapped(`${prefix}${text}`, width, command).split('\n').map(paint).join('\n');
}

/** Letters, dots, dashes, arrows, lines, blocks and the dots of charts that every terminal draws one cell wide. */
const NARROW =
  ' -~\u00b7\u00c0-\u02af\u0391-\u03ff\u0401-\u045f\u2010-\u2015\u2026\u2190-\u2193\u2500-\u259f\u25b2\u25bc\u2800-\u28ff';
/** Chinese, Japanese and Korean that every terminal draws two cells wide, and that nothing combines with. */
const DOUBLE = '\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e';

const SIMPLE = new RegExp(`^[${NARROW}${DOUBLE}]*$`);
const DOUBLES = new RegExp(`[${DOUBLE}]`, 'g');

let measure: ((text: string) => number) | undefined;

/**
 * Gets ready to measure text like the sample. Segmenting text costs nearly as much as starting Node,
 * which only data with marks, emoji or rarer scripts has to pay.
 */
export async function prepareWidths(sample: string): Promise<void> {
  if (!SIMPLE.test(sample)) measure ??= (await import('string-width')).default;
}

/** The widths of texts that take time to measure: a table asks for that of a cell ten times. */
const measured = new Map<string, number>();
const MOST_MEASURED = 1_000;

/** How many cells a terminal gives to a text without escapes. */
export function displayWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length + (text.match(DOUBLES)?.length ?? 0);
  if (measure === undefined) return estimate(text);
  const known = measured.get(text);
  if (known !== undefined) return known;
  const width = measure(text);
  if (measured.size === MOST_MEASURED) measured.clear();
  measured.set(text, width);
  return width;
}

/** What a terminal draws in one or two cells: a character with its marks. */
export interface Glyph {
  readonly text: string;
  readonly width: 1 | 2;
}

/** The glyphs of a safe text. */
export function glyphs(text: string): Glyph[] {
  if (PLAIN.test(text)) return Array.from(text, (character) => ({ text: character, width: 1 }));
  const found: Glyph[] = [];
  for (const character of text) {
    const width = displayWidth(character);
    const last = found.at(-1);
    if (width === 0 && last !== undefined) found[found.length - 1] = { ...last, text: last.text + character };
    else if (width > 0) found.push({ text: character, width: width === 1 ? 1 : 2 });
  }
  return found;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** For text of unknown origin. */
function estimate(text: string): number {
  const mark = /\p{M}/u;
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : mark.test(character) ? 0 : 1;
  return width;
}
