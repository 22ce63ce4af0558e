import { usage } from '../../errors.js';

/** A word of a line, without its quotes, and where it begins. */
interface Word {
  readonly text: string;
  readonly start: number;
}

/** What has been typed of a line. */
interface Scan {
  readonly words: readonly Word[];
  /** Whether the last word may go on: no space follows it. */
  readonly isOpen: boolean;
  /** The quote that is not closed, if there is one. */
  readonly quote: string | null;
  /** What stands unquoted after the words and is no part of them: `|`, `>` and what the shell does not have. */
  readonly operator: { readonly text: string; readonly rest: string; readonly isJoined: boolean } | null;
}

/** A line to run: the words of a pit command, and what the user's own shell does with its output. */
export interface ShellLine {
  readonly words: readonly string[];
  readonly outside: string | null;
}

const OPERATOR = /^(?:\|\|?|>>?|&&?|;|<)/;

/**
 * Splits a line into words as a shell does: quotes and backslashes keep spaces and operators. Inside a word, `>` and `<` are a part
 * of it, as in `last>30000`, except after a number, as in `2>`. Nothing else is special: no variable, no pattern and no command is
 * expanded.
 */
export function scan(line: string): Scan {
  const words: Word[] = [];
  let word: { text: string; start: number } | null = null;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const isSpace = quote === null && /\s/.test(character);
    const [operator] = (quote === null && OPERATOR.exec(line.slice(at))) || [];
    const isPart = word !== null && /^[<>]/.test(operator ?? '') && !/^\d+$/.test(word.text);
    if (operator !== undefined && !isPart) {
      const isJoined = word !== null;
      if (word !== null) words.push(word);
      const rest = line.slice(at + operator.length);
      return { words, isOpen: false, quote, operator: { text: operator, rest, isJoined } };
    }
    if (isSpace) {
      if (word !== null) words.push(word);
      word = null;
      continue;
    }
    word ??= { text: '', start: at };
    if (quote === null && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = null;
    else if (character === '\\' && isEscape(quote, line[at + 1])) {
      at += 1;
      word.text += line[at] ?? '';
    } else word.text += character;
  }
  if (word !== null) words.push(word);
  return { words, isOpen: word !== null, quote, operator: null };
}

/** Single quotes keep everything; double quotes all but themselves and the backslash. */
function isEscape(quote: string | null, next: string | undefined): boolean {
  if (quote === "'" || next === undefined) return false;
  return quote === null || next === '"' || next === '\\';
}

/**
 * Reads a line. Drops a leading `pit`, so that a copied command line runs unchanged; a line that begins with `#` has no words.
 * Throws Failure `usage` for an open quote, and for an operator that this shell does not have.
 */
export function readLine(line: string): ShellLine {
  if (line.trimStart().startsWith('#')) return { words: [], outside: null };
  const { words, quote, operator } = scan(line);
  if (quote !== null) throw usage(`The quote ${quote} is not closed.`, `Close it, or write \\${quote}.`);
  const all = words.map(({ text }) => text);
  const own = all[0] === 'pit' ? all.slice(1) : all;
  if (operator === null) return { words: own, outside: null };
  const outside = outsideOf(operator, all.at(-1) ?? '');
  if (own.length === 0) throw usage(`There is no command before ${operator.text}.`, 'Write COMMAND | PROGRAM.');
  return { words: own, outside };
}

function outsideOf({ text, rest, isJoined }: NonNullable<Scan['operator']>, before: string): string {
  const isOutput = text === '|' || text === '>' || text === '>>';
  if (!isOutput)
    throw usage(`${text} does not work in this shell.`, 'Write one command a line, and quote the sign if it is meant.');
  if (isJoined && text !== '|' && /^\d+$/.test(before))
    throw usage(
      `${before}${text} does not work in this shell.`,
      'Only the answer can be sent elsewhere: COMMAND > FILE.',
    );
  if (rest.trim() === '')
    throw usage(`Nothing follows ${text}.`, text === '|' ? 'Name a program: COMMAND | less.' : 'Name a file.');
  return text === '|' ? rest.trim() : `cat ${text}${rest}`;
}
