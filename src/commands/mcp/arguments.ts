import { choiceOf } from '../../domain/kind.js';
import { quoted, usage } from '../../errors.js';
import type { Given, Parameter, Parameters } from './tool.js';

/** In characters. No name, id or time is longer. */
const LONGEST = 300;
/** Markets that one call may name. */
const MOST_TEXTS = 50;

/**
 * Checks names, types, lengths and choices of the arguments of a call. The command that gets a text checks its content. Throws
 * Failure `usage` that names the parameter.
 */
export function checkArguments(
  tool: string,
  parameters: Parameters,
  sent: Readonly<Record<string, unknown>>,
): Given<Parameters> {
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(parameters, name)) continue;
    const names = Object.keys(parameters).join(', ');
    throw usage(`${tool} has no parameter ${quoted(name)}.`, names === '' ? 'It takes none.' : `It takes ${names}.`);
  }
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
      // many agents send null for what they leave out
      if (value !== undefined && value !== null) return [name, checked(name, parameter, value)];
      if (parameter.isRequired) throw usage(`${tool} needs ${name}.`, `It is ${parameter.description}.`);
      return [name, undefined];
    }),
  );
}

function checked(name: string, { type, choices }: Parameter, value: unknown): string | readonly string[] | boolean {
  if (type === 'switch') {
    if (typeof value === 'boolean') return value;
    throw usage(`${name} must be true or false.`, 'Send it without quotes.');
  }
  if (type !== 'texts') return checkedText(name, value, choices);
  const texts = Array.isArray(value) ? value : [value];
  if (texts.length > MOST_TEXTS)
    throw usage(`${name} has too many elements: ${texts.length}.`, `It takes up to ${MOST_TEXTS}; use several calls.`);
  return texts.map((text) => checkedText(name, text, choices));
}

function checkedText(name: string, value: unknown, choices: readonly string[] | undefined): string {
  if (typeof value !== 'string') throw usage(`${name} must be text or a number.`, 'Send it as a string.');
  if (value.length > LONGEST) throw usage(`${name} is longer than ${LONGEST} characters.`, 'Shorten it.');
  if (value.trim() === '') throw usage(`${name} is empty.`, 'Leave it out if you do not need it.');
  if (choices === undefined) return value;
  const { isExact, rule } = choiceOf(...choices);
  if (isExact(value)) return value;
  throw usage(`${name} ${rule}, not ${quoted(value)}.`);
}
