import type { CommandTree } from '../reference/command-tree.js';
import { scan } from '../shell/line.js';
import { type Completion, complete, type Names } from './complete.js';

/**
 * What `pit __complete LINE [REPLACED]` prints for the scripts in `completions/`: a candidate a line, with a tab and what it
 * means if there is anything to say. `:file` alone asks the shell for files, and `:program` for the command line of another
 * program after `--`. A candidate that ends with `=` or `:` continues, so the shell adds no space.
 *
 * LINE is the command line up to the cursor, from the program's name on; nothing in it is expanded. REPLACED is the part of it
 * that the shell will replace, if that is not the whole last word: bash splits words at `=` and `:` too.
 */
export function answer([line = '', replaced]: readonly string[], tree: CommandTree, names: Names): string {
  const { words, isOpen, operator } = scan(line);
  // of the shell's own operators, only those that a file follows are part of the command
  if (operator !== null) return ':file\n';
  const texts = words.map(({ text }) => text);
  const typed = isOpen ? (texts.pop() ?? '') : '';
  const program = texts.findIndex((text) => !ASSIGNMENT.test(text));
  const found = complete(texts.slice(program + 1), typed, tree, names);
  const kept = replaced !== undefined && typed.endsWith(replaced) ? typed.length - replaced.length : 0;
  return answerText(found, kept);
}

/** In front of a command, as in `PIT_PROFILE=live pit orders`. */
const ASSIGNMENT = /^\w+=/;

/** What no shell expands, splits or runs. Names come from an exchange: one with anything else in it is not offered. */
const HARMLESS = /^[\w-][\w.,:=+/-]*$/;

/** @param kept how much of each word the shell keeps as it is */
function answerText(found: Completion, kept: number): string {
  if (found.of !== 'words') return `:${found.of}\n`;
  return found.candidates
    .filter(({ word }) => HARMLESS.test(word))
    .map(({ word, about }) => `${word.slice(kept)}${about === '' ? '' : `\t${about}`}\n`)
    .join('');
}
