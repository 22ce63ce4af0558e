/** A word whose rules its owner checks. */
export function word(text: string): string {
  return text;
}
