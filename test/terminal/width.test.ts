import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { displayWidth, prepareWidths } from '../../src/terminal/text.js';

/** Blocks of thousands of characters that are all alike: ideographs and syllables. */
const UNIFORM = [
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa48c],
  [0xac00, 0xd7a3],
] as const;
/** How many characters at each end of such a block are measured, and how far apart those between them are. */
const EDGE = 32;
const STEP = 61;
/** How many of them are measured in one text. */
const PART = 256;

/** Whether it is one of the characters of a uniform block that are measured in one text with the others only. */
function isWithinBlock(code: number): boolean {
  const block = UNIFORM.find(([first, last]) => code >= first + EDGE && code <= last - EDGE);
  return block !== undefined && (code - block[0]) % STEP !== 0;
}

const isShown = (character: string) => !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cn}]/u.test(character);

/** The characters below the emoji, except those that never reach a screen. */
const CHARACTERS = Array.from({ length: 0xd800 }, (_, code) => code)
  .filter((code) => !isWithinBlock(code))
  .map((code) => String.fromCharCode(code))
  .filter(isShown);

/** What string-width says of each of them, and is asked once. */
const WIDTHS = new Map(CHARACTERS.map((character) => [character, stringWidth(character)]));

/** Latin, Greek, Cyrillic, drawing characters, the dots of charts, kana, Chinese, Korean and the full-width forms of ASCII. */
const COMMON = /[ -~·⠀-⣿À-ʯΑ-Ͽё-џ─-▟▲▼←-↓…、-〃ぁ-ゖァ-ヺー一-鿿가-힣！-～]/;

describe('the width of text', () => {
  it('knows the width of common data and drawings before anything is loaded', () => {
    const common = CHARACTERS.filter((character) => COMMON.test(character));
    expect(common.filter((character) => displayWidth(character) !== WIDTHS.get(character))).toEqual([]);
    const sum = common.reduce((width, character) => width + (WIDTHS.get(character) ?? Number.NaN), 0);
    expect([displayWidth(common.join('')), stringWidth(common.join(''))]).toEqual([sum, sum]);
  });

  it.each(UNIFORM)('is two cells for each character of the block from %i to %i', (first, last) => {
    // in parts, because the time that string-width takes grows faster than the text
    for (let from = first; from <= last; from += PART) {
      const codes = Array.from({ length: Math.min(PART, last - from + 1) }, (_, index) => from + index);
      const text = codes
        .map((code) => String.fromCharCode(code))
        .filter(isShown)
        .join('');
      expect([displayWidth(text), stringWidth(text)]).toEqual([2 * text.length, 2 * text.length]);
    }
  });

  it('knows the width of Chinese, Japanese and Korean without preparation', () => {
    const texts = ['比特币', 'ビットコイン', '비트코인', '（全角）', 'a比b', 'ก็', '🚀'];
    expect(texts.map(displayWidth)).toEqual([6, 12, 8, 8, 4, 1, 2]);
  });

  it('equals that of string-width once prepared', async () => {
    await prepareWidths('ก็');
    expect(CHARACTERS.filter((character) => displayWidth(character) !== WIDTHS.get(character))).toEqual([]);
    expect(displayWidth('👨‍👩‍👧')).toBe(2);
  });
});
