import { completing } from '../../cli/completes.js';
import { nearest } from '../../config/names.js';
import { type Failure, quoted, suggest, usage } from '../../errors.js';
import { failureOf } from '../../exchange/failures.js';
import { isDescribed, operationOf, operations } from '../../exchange/operations/index.js';
import { checkedParameters, isOperationName } from '../../exchange/request.js';

/** A word of the command line: `name=value`. */
interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Throws Failure `usage` for a word without a name; no word is quoted that may hold a password. */
export function readPair(word: string): Pair {
  const at = word.indexOf('=');
  const name = word.slice(0, Math.max(at, 0));
  if (isPassword(name)) throw passwordGiven(name);
  if (at < 1) throw usage(`${quoted(word)} is no parameter.`, 'Parameters are written as name=value: market=btc_usdt');
  return { name, value: word.slice(at + 1) };
}

/** `safePwd`, and whatever a deployment may call its passwords. */
function isPassword(name: string): boolean {
  return /pwd|passw|secret/i.test(name);
}

function passwordGiven(name: string): Failure {
  return usage(
    `${name} is never given on the command line, where others can read it.`,
    suggest('The fund password is asked for, or read with --safe-pwd-stdin, by', 'withdraw'),
  );
}

const known = Object.keys(operations);

/** Throws Failure `usage` for what cannot be an operation, and for one that is written otherwise. */
export const readOperation = completing({ of: 'words', words: known }, (word: string): string => {
  const same = known.find((name) => name !== word && name.toLowerCase() === word.toLowerCase());
  if (same !== undefined) throw usage(`There is no operation ${quoted(word)}.`, `It is written ${same}.`);
  if (isOperationName(word)) return word;
  throw usage(`${quoted(word)} cannot be an operation.`, `Known are ${known.join(', ')}.`);
});

/** Described operations that an unknown one may be a slip of the finger for. */
export function alike(operation: string): readonly string[] {
  return nearest(operation, known).slice(0, 1);
}

/**
 * The values of the parameters, held against the operation's description.
 * @throws Failure `usage` for one that is given twice, is missing, breaks its rule, or is not of the operation
 */
export function valuesOf(operation: string, pairs: readonly Pair[]): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const { name, value } of pairs) {
    if (values.has(name)) throw usage(`${name} is given twice.`, 'Give it once.');
    values.set(name, value);
  }
  try {
    return Object.fromEntries(checkedParameters(operation, Object.fromEntries(values)));
  } catch (error) {
    const failure = failureOf(error, operation);
    throw failure instanceof Error && 'kind' in failure
      ? usage(`${failure.message}.`, parametersOf(operation))
      : failure;
  }
}

/** The operation's parameters as a hint: required ones plain, the others in brackets. */
function parametersOf(operation: string): string {
  if (!isDescribed(operation)) return 'Parameters are written as name=value.';
  const all = Object.entries(operationOf(operation).parameters);
  if (all.length === 0) return `${operation} takes no parameters.`;
  const words = all.map(([name, { required, group }]) => (required || group !== undefined ? name : `[${name}]`));
  return `${operation} takes ${words.join(', ')}.`;
}
