import type { Completes } from '../../cli/completes.js';

/** Where the tree stands in a script. */
const PLACE = '#{tree}\n';

/** Words that a shell takes as they are, without quotes. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._+-]*$/;

/** What completes a word, as the scripts write it: `buy|sell`, `,price-band|post-only` for several in one word, `@market`. */
export function kindOf(completes: Completes | null): string {
  if (completes === null) return '-';
  if (completes.of !== 'words') return `@${completes.of}`;
  const odd = completes.words.find((word) => !PLAIN.test(word));
  if (odd !== undefined) throw new Error(`"${odd}" cannot be offered by a shell as it is`);
  return `${completes.joined ? ',' : ''}${completes.words.join('|')}`;
}

/** A script from its engine and the lines of the tree, with a line that says how it is made. */
export function scriptFrom(engine: string, tree: readonly string[]): string {
  if (!engine.includes(PLACE)) throw new Error(`an engine without the line ${PLACE.trim()}`);
  const made = '# Made by `npm run generate` from the commands: not to be changed by hand.';
  return engine.replace(PLACE, () => `${[made, ...tree].join('\n')}\n`);
}
