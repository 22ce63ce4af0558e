/** Letters, dashes, arrows, lines and blocks that every terminal draws one cell wide. */
const NARROW =
  /^[ -~\u00c0-\u02af\u0391-\u03ff\u0401-\u045f\u2010-\u2015\u2026\u2190-\u2193\u2500-\u259f\u25b2\u25bc]*$/;

let measure: ((text: string) => number) | undefined;

/**
 * Gets ready to measure text like the sample. Segmenting text costs 20 ms of start-up,
 * which only data with wide or composed characters, such as Chinese names, has to pay.
 */
export async function prepareWidths(sample: string): Promise<void> {
  if (!isNarrow(sample)) measure ??= (await import('string-width')).default;
}

function isNarrow(text: string): boolean {
  return NARROW.test(text);
}

/** How many cells a terminal gives to a text without escapes. */
export function displayWidth(text: string): number {
  return isNarrow(text) ? text.length : (measure ?? estimate)(text);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const MARK = /\p{M}/u;

/** Right for Chinese, Japanese and Korean; for text that nobody prepared for. */
function estimate(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : MARK.test(character) ? 0 : 1;
  return width;
}
