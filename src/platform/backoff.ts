/**
 * The pause before the next attempt, in milliseconds: doubles with each one, up to the longest.
 * @param count how many attempts were made since the pauses began, from 0
 */
export function backoffMs(
  count: number,
  { first, longest }: { readonly first: number; readonly longest: number },
): number {
  return Math.min(first * 2 ** count, longest);
}
