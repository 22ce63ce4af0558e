import { displayWidth } from './width.js';

/**
 * Whole escape sequences, in their 7-bit and 8-bit forms: strings that end (titles, links, clipboard), control
 * sequences (colour, cursor), and short escapes. A string that does not end is not swallowed: only its start goes.
 */
const SEQUENCES = new RegExp(
  [
    '(?:\\x1b[\\]PX^_]|[\\x90\\x98\\x9d-\\x9f])[^\\x07\\x18\\x1a\\x1b\\x80-\\x9f]*(?:\\x07|\\x1b\\\\|\\x9c)',
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]',
    '\\x1b[ -/]*[0-~]',
  ].join('|'),
  'g',
);
const BREAKS = /[\t\n\v\f\r\x85\u2028\u2029]+/g;
const CONTROLS = /\p{Cc}/gu;
/** Direction marks, joiners, zero-width spaces, tags, variation selectors, fillers: whatever changes a line invisibly. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const HALVES = /\p{Cs}/gu;
/** No script stacks more marks on a letter. More would cover the lines above and below. */
const STACKED = /(\p{M}{4})\p{M}+/gu;
const PLAIN = /^[ -~]*$/;
/** In cells. No address, hash or name is longer; longer text would fill the screen. */
const LONGEST = 200;

/** Returns text from outside as one harmless line, without escapes, control characters and invisible formatting. */
export function safe(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(SEQUENCES, '')
    .replace(BREAKS, ' ')
    .replace(CONTROLS, '')
    .replace(UNSEEN, '')
    .replace(HALVES, '\ufffd')
    .replace(STACKED, '$1');
}

/** Cuts a safe text to a number of cells, and marks the cut. */
export function shortened(text: string, most = LONGEST): string {
  if (text.length <= most / 2 || displayWidth(text) <= most) return text;
  let [kept, width] = ['', 0];
  for (const character of text) {
    width += displayWidth(character);
    if (width >= most) break;
    kept += character;
  }
  return `${kept}…`;
}

/**
 * Wraps text between words. A command at its end stays on one line: the first line of a broken order would be another
 * order. The terminal may still break it, but copies it whole.
 */
export function wrapped(text: string, width: number, command?: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of [...text.split(' '), ...(command === undefined ? [] : [command])]) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) > width && line !== '') {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].join('\n');
}
