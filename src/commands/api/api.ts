import { required, several, toggle, withCompletion } from '../../cli/definition.js';
import { anything } from '../../cli/shapes.js';
import { Failure, quoted, suggest, usage } from '../../errors.js';
import {
  checkedValues,
  isDocumented,
  isOperationName,
  type OperationName,
  operationOf,
  operations,
  RAW_EXAMPLES,
} from '../../exchange/description.js';
import type { Answer } from '../../terminal/answer.js';
import { type Context, define } from '../session/command.js';
import { overriddenBy, overrideFlag } from '../writes/guard-overrides.js';
import { bodyAnswer, notInCsv } from './answer.js';

/** A word of the command line: `name=value`. */
interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Throws Failure `usage` for a word without a name; never quotes a word that may hold a password. */
function readPair(word: string): Pair {
  const at = word.indexOf('=');
  const name = word.slice(0, Math.max(at, 0));
  if (isPassword(name)) throw passwordGiven(name);
  if (at < 1)
    throw usage(`${quoted(word)} is not a parameter.`, 'Parameters are written as name=value: market=btc_usdt');
  return { name, value: word.slice(at + 1) };
}

/** `safePwd`, and other names that a deployment may give its passwords. */
function isPassword(name: string): boolean {
  return /pwd|passw|secret/i.test(name);
}

function passwordGiven(name: string): Failure {
  return usage(
    `${name} cannot be given on the command line, where others can read it.`,
    suggest('The fund password is asked for, or read with --safe-pwd-stdin, by', 'withdraw'),
  );
}

const operationNames = Object.keys(operations);

/** Throws Failure `usage` for a word that cannot be an operation, and for one in the wrong case. */
const readOperation = withCompletion({ of: 'words', words: operationNames }, (word: string): string => {
  const same = operationNames.find((name) => name !== word && name.toLowerCase() === word.toLowerCase());
  if (same !== undefined) throw usage(`There is no operation ${quoted(word)}.`, `Write ${same}.`);
  if (isOperationName(word)) return word;
  throw usage(`${quoted(word)} is not the name of an operation.`, `Known operations: ${operationNames.join(', ')}.`);
});

/**
 * The values of the parameters, checked by the operation's description. Decimal numbers are in plain digits; other values, and
 * all values of an operation that is not described, are as typed.
 * @throws Failure `usage` for one that is given twice, is missing, breaks its rule, or is unknown
 */
function valuesOf(operation: string, pairs: readonly Pair[]): Readonly<Record<string, string>> {
  const values = new Map<string, string>();
  for (const { name, value } of pairs) {
    if (values.has(name)) throw usage(`${name} is given twice.`, 'Give it once.');
    values.set(name, plainOf(operation, name)?.(value) ?? value);
  }
  try {
    return Object.fromEntries(checkedValues(operation, Object.fromEntries(values)));
  } catch (error) {
    throw error instanceof Failure ? usage(`${error.message}.`, parametersOf(operation)) : error;
  }
}

function plainOf(operation: string, parameter: string) {
  const parameters = isDocumented(operation) ? operationOf(operation).parameters : {};
  return Object.hasOwn(parameters, parameter) ? parameters[parameter]?.kind.plain : undefined;
}

/** The operation's parameters as a hint: required ones plain, the others in brackets. */
function parametersOf(operation: string): string {
  if (!isDocumented(operation)) return 'Parameters are written as name=value.';
  const all = Object.entries(operationOf(operation).parameters);
  if (all.length === 0) return `${operation} takes no parameters.`;
  const names = all.map(([name, { required, group }]) => (required || group !== undefined ? name : `[${name}]`));
  return `${operation} takes ${names.join(', ')}.`;
}

export default define({
  summary: 'Call any operation of the interface by its name',
  arguments: {
    method: required('the operation: depth, getOrder, setExpressState …', readOperation),
    parameters: several('its parameters as name=value', readPair),
  },
  flags: {
    raw: toggle('--raw', 'print the body as it was sent instead of a table'),
    override: overrideFlag,
  },
  examples: RAW_EXAMPLES.map((call) => `api ${call}`),
  output: anything,
  // what the command of a write prints, or a single request
  dryRunOutput: anything,
  async run(context, { method, parameters, raw, override }) {
    const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
    if (method === 'withdraw') throw (await import('./writes.js')).onlyByCommand(values);
    const checked = valuesOf(method, parameters);
    if (!isDocumented(method)) {
      const { callUndescribed } = await import('./writes.js');
      return callUndescribed(context, { method, parameters: checked }, { raw, overridden: overriddenBy(override) });
    }
    if (operationOf(method).effect === 'read') {
      const body = await read(context, method, checked);
      if (context.globals.format === 'csv') requireAllInCsv(method, body);
      return bodyAnswer(body, raw);
    }
    const { executeWrite } = await import('./writes.js');
    return writeAnswer(context, method, raw, () => executeWrite(context, method, checked, overriddenBy(override)));
  },
});

/** Throws Failure `usage` if CSV would show only a part of the answer. */
function requireAllInCsv(method: string, body: string): void {
  const missing = notInCsv(body);
  if (missing.length === 0) return;
  const most = missing.slice(0, MAX_NAMED).join(', ');
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  throw usage(
    `CSV has room for one list, and the answer to ${method} also has ${most}${more}.`,
    '--json has all of it.',
  );
}

const MAX_NAMED = 5;

type Values = Readonly<Record<string, string>>;

async function read({ session }: Context, method: OperationName, values: Values): Promise<string> {
  const isSigned = operationOf(method).access === 'signed';
  const client = await (isSigned ? session.exchange.signed() : session.exchange.open());
  return client.readRaw(method, values);
}

/**
 * Executes a write, and answers with the body that the exchange sent for it. If it sent none, or several, the answer is that
 * of the command for this write.
 */
async function writeAnswer(
  { session, globals, output }: Context,
  method: string,
  raw: boolean,
  execute: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const bodies: string[] = [];
  session.exchange.onWriteResponse((name, body) => {
    if (name === method) bodies.push(body);
  });
  const answer = await execute();
  const [body, ...others] = bodies;
  if (body !== undefined && others.length === 0) {
    const failure = answer?.failure;
    return { ...bodyAnswer(body, raw), ...(failure === undefined ? {} : { failure }) };
  }
  if (!globals.dryRun)
    output.warn(`The exchange did not send a single answer to ${method}: this is what pit found out.`);
  return answer;
}
