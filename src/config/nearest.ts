import { distance } from 'fastest-levenshtein';
import { Failure, type FailureKind } from '../errors.js';

const SHOWN_LENGTH = 40;

/** Up to three candidates that a mistyped word may have meant, the likeliest first. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const typed = word.slice(0, SHOWN_LENGTH);
  const [near, far] = [4, 2].map((part) => Math.max(1, Math.floor(typed.length / part)));
  // few people mistype the first letter: `nope` means neither `open` nor `zone`
  const reachOf = (candidate: string) => (candidate[0] === typed[0] ? far : near) ?? 1;
  return candidates
    .map((candidate) => ({ candidate, steps: isSwapped(typed, candidate) ? 1 : distance(typed, candidate) }))
    .filter(({ candidate, steps }) => steps <= reachOf(candidate))
    .sort((a, b) => a.steps - b.steps)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** Two letters in the wrong order are one slip of a hand, though two changes: `bct` is `btc`. */
function isSwapped(typed: string, candidate: string): boolean {
  const at = [...typed].findIndex((letter, index) => letter !== candidate[index]);
  const swapped = `${typed.slice(0, at)}${typed[at + 1] ?? ''}${typed[at] ?? ''}${typed.slice(at + 2)}`;
  return at !== -1 && swapped === candidate;
}

/** The failure for an unknown word: names the nearest known ones, and all if they are few. */
export function unknownWord(
  what: string,
  word: string,
  names: readonly string[],
  kind: FailureKind = 'usage',
): Failure {
  const near = nearest(word, names);
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(' or ')}?`;
  const details = names.length > 20 ? {} : { hint: `Known: ${names.join(', ')}.` };
  return new Failure(kind, `There is no ${what} ${shown(word)}.${guess}`, details);
}

/** A text from the command line, quoted, short, and without anything that could move a cursor. */
export function shown(text: string): string {
  const short = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  return `"${short.replace(/[^\x20-\x7e…]/g, '?')}"`;
}
