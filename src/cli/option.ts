import { Option } from 'commander';
import { usage } from '../errors.js';
import type { Flag } from './definition.js';

/** A flag as commander reads it: the one place where one that takes a value is declared. */
export function optionOf({ syntax, description, read, repeats }: Flag): Option {
  const option = new Option(syntax, description);
  if (read === undefined) return option;
  if (repeats) return option.argParser((text, earlier: unknown[] | undefined) => [...(earlier ?? []), read(text)]);
  return option.argParser((text, earlier: unknown) => {
    requireFirst(option, earlier);
    return read(text);
  });
}

/** Whichever of two values counted, the other would be lost without a word: an order that is not cancelled. */
function requireFirst({ long }: Option, earlier: unknown): void {
  if (earlier !== undefined) throw usage(`${long} is given more than once.`, 'It takes one value: give the one meant.');
}
