import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { brokenRule, ruleText, withRules } from '../../cli/flag-rules.js';
import type { Rule } from '../../cli/rule.js';
import { choiceOf } from '../../domain/kind.js';
import { quoted, usage } from '../../errors.js';

/*
 * What a tool may take, as schemas. A call is checked by them, and agents are shown them. The command that gets a text checks its
 * content.
 */

export type ToolParameters = v.ObjectEntries;

/** The arguments of a call: undefined for what is not given. */
export type Given<Taken extends ToolParameters> = v.InferOutput<v.ObjectSchema<Taken, undefined>>;

/** In characters. No name, id or time is longer. */
const LONGEST = 300;
/** Markets that one call may name. */
const MOST_TEXTS = 50;

/** What is wrong with an argument, after its name, and what to do about it. */
const FIXES: Readonly<Record<string, string>> = {
  'must be text or a number': 'Send it as a string.',
  [`is longer than ${LONGEST} characters`]: 'Shorten it.',
  'is empty': 'Leave it out if you do not need it.',
  [`has more than ${MOST_TEXTS} elements`]: 'Use several calls.',
  'must be true or false': 'Send it without quotes.',
};

/** A number arrives as the text that was sent. */
const TEXT = v.pipe(
  v.string('must be text or a number'),
  v.maxLength(LONGEST, `is longer than ${LONGEST} characters`),
  v.check((value) => value.trim() !== '', 'is empty'),
);

export const optional = v.optional;

export function text(description: string) {
  return v.pipe(TEXT, v.description(description));
}

/** One text counts as a list of one. */
export function texts(description: string) {
  return v.pipe(
    v.unknown(),
    v.transform((value): unknown => (Array.isArray(value) ? value : [value])),
    v.array(TEXT),
    v.maxLength(MOST_TEXTS, `has more than ${MOST_TEXTS} elements`),
    v.description(description),
  );
}

/**
 * A whole number, as text. Agents are shown the type alone: numbers are accepted for any text, but a schema with two types is more
 * than some clients can read.
 */
export function integer(description: string) {
  return v.pipe(TEXT, v.description(description), v.metadata({ type: 'integer' }));
}

export function toggle(description: string) {
  return v.pipe(v.boolean('must be true or false'), v.description(description));
}

export function choice<const Words extends readonly string[]>(description: string, ...words: Words) {
  const { rule } = choiceOf(...words);
  const problem = ({ input }: { readonly input: unknown }) =>
    typeof input === 'string' ? `${rule}, not ${quoted(input)}` : 'must be text or a number';
  return v.pipe(v.picklist(words, problem), v.description(description));
}

/** Checks the arguments of a call. Throws Failure `usage` that names the parameter. */
export function checkArguments<Taken extends ToolParameters>(
  tool: string,
  parameters: Taken,
  sent: Readonly<Record<string, unknown>>,
): Given<Taken> {
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(parameters, name)) continue;
    const names = Object.keys(parameters).join(', ');
    throw usage(`${tool} has no parameter ${quoted(name)}.`, names === '' ? 'It takes none.' : `It takes ${names}.`);
  }
  // many agents send null for what they leave out
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  const { success, output, issues } = v.safeParse(v.object(parameters), given, { abortEarly: true });
  if (success) return output;
  const [{ path, message }] = issues;
  const name = String(path?.[0].key);
  const parameter = parameters[name];
  if (parameter !== undefined && !Object.hasOwn(given, name))
    throw usage(`${tool} needs ${name}.`, described(parameter));
  throw usage(`${name} ${message}.`, FIXES[message]);
}

function described(parameter: ToolParameters[string]): string | undefined {
  const description = v.getDescription(parameter);
  return description === undefined || description === '' ? undefined : `It is ${description}.`;
}

/** Without the rules that cost an agent more tokens than they are worth. */
const CONVERSION = { typeMode: 'output', ignoreActions: ['max_length', 'check'] } satisfies ConversionConfig;

/** Throws Failure `usage` for parameters that exclude or lack each other. */
export function checkRules(rules: readonly Rule[], given: Readonly<Record<string, unknown>>): void {
  const isGiven = (value: unknown) =>
    value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  const names = Object.entries(given).flatMap(([name, value]) => (isGiven(value) ? [name] : []));
  const rule = brokenRule(rules, new Set(names));
  if (rule === undefined) return;
  throw usage(ruleText(rule), 'excludes' in rule ? 'Give one of them.' : `Add ${rule.needs.join(' or ')}.`);
}

/** The parameters in JSON Schema. What the rules say of one is in its description: few clients read it elsewhere. */
export function parametersSchema(parameters: ToolParameters, rules: readonly Rule[]): object {
  const { $schema: _, required = [], ...schema } = toJsonSchema(v.object(parameters), CONVERSION);
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    if (typeof property !== 'object') return [name, property] as const;
    const { description: own = '', ...rest } = property;
    // of two that exclude each other, one says it
    const ownRules = rules.filter((rule) => !('excludes' in rule) || rule.excludes[1] === name);
    const description = withRules(name, own, ownRules).trim();
    return [name, description === '' ? rest : { ...rest, description }] as const;
  });
  const shown = { ...schema, properties: Object.fromEntries(properties) };
  return required.length === 0 ? shown : { ...shown, required };
}
