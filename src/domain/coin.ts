import { kindOf } from './kind.js';

/** Coin names that no interface supports since 2021-07-16, with their successors. */
export const RENAMED_COINS: Readonly<Record<string, string>> = { bchabc: 'bch', bchsv: 'bsv', hsr: 'hc', nxwc: 'xwc' };

/** Letters and digits of any script, with dots and dashes between them: `luna-2`, `bnb.s`, `猫币`. Coins of a market are joined by `_`. */
const NAME =
  '[\\p{Ll}\\p{Lo}\\p{Lm}\\p{N}](?:[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}\\p{N}.-]{0,30}[\\p{Ll}\\p{Lo}\\p{Lm}\\p{M}\\p{N}])?';

const ASCII_NAME = '[a-z0-9](?:[a-z0-9.-]{0,30}[a-z0-9])?';

/** A coin in lower case that can be asked for; people write it in any case. */
export const COIN = kindOf(
  NAME,
  'must be a coin like btc',
  (text) => {
    const name = text.toLowerCase();
    return COIN.isExact(name) ? name : undefined;
  },
  ASCII_NAME,
);

const PLAIN = /^[ -~]*$/;

/** The most characters of a name that are shown. */
const LONGEST = 64;

/**
 * A name in an answer, such as that of a coin, as everything above knows it: in lower case and printable. It exists whatever it is, but
 * only one of {@link COIN}'s form can be asked for.
 */
export function nameInAnswer(text: string): string {
  return printableName(text.toLowerCase());
}

/** The same for what is shown in its own case, such as a chain. */
export function printableName(text: string): string {
  const name = PLAIN.test(text) ? text : withoutUnprintable(text);
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST)}…`;
}

/** Replaces controls, formats, blanks other than a space, and line breaks. The pattern is here because compiling it takes long. */
function withoutUnprintable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu, '\ufffd');
}
