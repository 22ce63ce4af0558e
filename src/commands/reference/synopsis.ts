import type { Completes } from '../../cli/completes.js';
import type { DescribedArgument, DescribedCommand, DescribedFlag } from './tree.js';

/** More words than that say less than the value's name. */
const MOST_WORDS = 4;

/** How a command is written, a word or a bracket each: `pit`, `depth`, `MARKET`, `[--size N]`. */
export function synopsis({ words, arguments: given, flags }: DescribedCommand): string[] {
  const own = given.filter((argument) => !isOfAnother(argument)).map(argumentSyntax);
  const others = given.filter(isOfAnother).map(({ name }) => `[-- ${name}...]`);
  return ['pit', ...words.split(' '), ...own, ...flags.map((flag) => `[${flagSyntax(flag)}]`), ...others];
}

/** `--size N`, `--side buy|sell`, `--ioc`. */
export function flagSyntax({ long, value, completes, repeats }: DescribedFlag): string {
  if (value === null) return long;
  return `${long} ${wordsOf(completes) ?? value}${repeats ? '...' : ''}`;
}

/** Another program's command line stands at the end. */
function isOfAnother({ completes }: DescribedArgument): boolean {
  return completes?.of === 'program';
}

function argumentSyntax({ name, presence, completes }: DescribedArgument): string {
  const word = wordsOf(completes) ?? name;
  return { required: word, optional: `[${word}]`, several: `[${word}...]` }[presence];
}

function wordsOf(completes: Completes | null): string | undefined {
  if (completes?.of !== 'words' || completes.joined || completes.words.length > MOST_WORDS) return undefined;
  return completes.words.join('|');
}
