import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { displayWidth, prepareWidths } from '../../src/terminal/text.js';

/** All characters below the emoji, except those that never reach a screen. */
const CHARACTERS = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cn}]/u.test(character),
);

/** What string-width says of each of them, and is asked once. */
const WIDTHS = new Map(CHARACTERS.map((character) => [character, stringWidth(character)]));

/** Latin, Greek, Cyrillic, drawing characters, kana, Chinese, Korean and the full-width forms of ASCII. */
const COMMON = /[ -~À-ʯΑ-Ͽё-џ─-▟▲▼←-↓…、-〃ぁ-ゖァ-ヺー一-鿿가-힣！-～]/;

describe('the width of text', () => {
  it('knows the width of common data and drawings before anything is loaded', () => {
    const common = CHARACTERS.filter((character) => COMMON.test(character));
    expect(common.filter((character) => displayWidth(character) !== WIDTHS.get(character))).toEqual([]);
    const sum = common.reduce((width, character) => width + (WIDTHS.get(character) ?? Number.NaN), 0);
    expect([displayWidth(common.join('')), stringWidth(common.join(''))]).toEqual([sum, sum]);
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
