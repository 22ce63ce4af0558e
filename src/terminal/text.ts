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
/** Direction marks, joiners, zero-width spaces, tags, variation selectors, fillers: all that changes a line unseen. */
const UNSEEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const HALVES = /\p{Cs}/gu;
/** No script stacks more marks on a letter; more of them would cover the lines above and below. */
const STACKED = /(\p{M}{4})\p{M}+/gu;
const PLAIN = /^[ -~]*$/;
/** No address, hash or name has so many cells; what has more would fill the screen. */
const LONGEST = 200;

/** Text from outside as one line that only ever prints: escapes, controls and invisible formatting are gone. */
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

/** A safe text of no more than so many cells, which says that it was cut. */
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
 * Breaks text between words so that no line is wider than the screen, unless a word is. A command behind it is never
 * broken: the first line of an order without its flags is another order. What is wider the terminal breaks, and copies whole.
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
