import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { displayWidth, prepareWidths } from '../../src/terminal/width.js';

/** All there is below the emoji, but for what never reaches a screen. */
const CHARACTERS = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => !/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cn}]/u.test(character),
);

describe('the width of text', () => {
  it('is a cell each for what is taken to be narrow, before anything is loaded', () => {
    const narrow = CHARACTERS.filter((character) =>
      /[ -~\u00c0-\u02af\u0391-\u03ff\u0401-\u045f\u2010-\u2015\u2026\u2190-\u2193\u2500-\u259f\u25b2\u25bc]/.test(
        character,
      ),
    );
    expect(narrow.filter((character) => stringWidth(character) !== 1)).toEqual([]);
    expect(displayWidth(narrow.join(''))).toBe(narrow.length);
  });

  it('is right for Chinese, Japanese and Korean without preparation', () => {
    const texts = ['比特币', 'ビットコイン', '비트코인', '（全角）', 'a比b', 'ก็', '🚀'];
    expect(texts.map(displayWidth)).toEqual([6, 12, 8, 8, 4, 1, 2]);
  });

  it('is what string-width says, once prepared', async () => {
    await prepareWidths('ก็');
    expect(CHARACTERS.filter((character) => displayWidth(character) !== stringWidth(character))).toEqual([]);
    expect(displayWidth('👨‍👩‍👧')).toBe(2);
  });
});
