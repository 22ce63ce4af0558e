/** Letters, dashes, arrows, lines and blocks that every terminal draws one cell wide. */
const NARROW = ' -~\u00c0-\u02af\u0391-\u03ff\u0401-\u045f\u2010-\u2015\u2026\u2190-\u2193\u2500-\u259f\u25b2\u25bc';
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

/** How many cells a terminal gives to a text without escapes. */
export function displayWidth(text: string): number {
  if (SIMPLE.test(text)) return text.length + (text.match(DOUBLES)?.length ?? 0);
  return (measure ?? estimate)(text);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{M}/u;

/** For text of unknown origin. */
function estimate(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : MARK.test(character) ? 0 : 1;
  return width;
}
