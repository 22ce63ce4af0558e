import { suggest, usage } from '../errors.js';
import { type Argument, type Definition, type Flag, GLOBAL_FLAGS } from './definition.js';
import { excludedBy, type Rule } from './rule.js';

type Described = Pick<Definition, 'arguments' | 'flags' | 'excludes' | 'needs' | 'oneOf'>;

/**
 * The rules that the description of a command and of its flags hold, with those of the flags of all commands.
 *
 * @param path the words of the command, without `pit`
 */
export function rulesOf(path: string, { arguments: args = {}, flags = {}, ...command }: Described): Rule[] {
  const shown = (name: string) => {
    const argument = args[name];
    return argument === undefined ? name : argumentName(name, argument);
  };
  const groups = (needs: Definition['needs'] = []) => needs.map((group) => [group].flat().map(shown));
  const all = [...Object.values(flags), ...GLOBAL_FLAGS].map((flag) => [longName(flag), flag] as const);
  const oneOf = command.oneOf?.map(shown) ?? [];
  const excluded = [
    ...(command.excludes ?? []).map((other) => [commandName(path), other] as const),
    ...oneOf.flatMap((name, index) => oneOf.slice(index + 1).map((other) => [name, other] as const)),
    ...all.flatMap(([name, { excludes = [] }]) => excludes.map((other) => [name, shown(other)] as const)),
  ];
  const needed = [
    ...all.flatMap(([name, { needs }]) => groups(needs).map((group) => [name, group] as const)),
    ...all.flatMap(([name, { required }]) => (required ? [[commandName(path), [name]] as const] : [])),
    ...[...groups(command.needs), ...(oneOf.length === 0 ? [] : [oneOf])].map(
      (group) => [commandName(path), group] as const,
    ),
  ];
  return [...excluded.map((excludes) => ({ excludes })), ...needed.map(([of, needs]) => ({ of, needs }))];
}

function commandName(path: string): string {
  return `pit ${path}`;
}

function isCommand(name: string): boolean {
  return name.startsWith('pit ');
}

/** An argument as help and messages name it: ID for `ids`, which takes several. */
export function argumentName(key: string, { presence }: Pick<Argument, 'presence'>): string {
  const name = presence === 'several' ? key.replace(/s$/, '') : key;
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function longName({ syntax }: Flag): string {
  return /--[a-z-]+/.exec(syntax)?.[0] ?? syntax;
}

/** `--size N` for `--size <n>`. */
function shownSyntax({ syntax }: Flag): string {
  return syntax.replace(/<(.+)>/, (_, value: string) => value.toUpperCase().replaceAll('-', '_'));
}

/** The sentence of a rule, the same in every command. */
export function ruleText(rule: Rule): string {
  if ('excludes' in rule) {
    const [one, other] = rule.excludes;
    return isCommand(one) ? `${one} does not take ${other}.` : `${one} and ${other} exclude each other.`;
  }
  return `${rule.of} needs ${anyOf(rule.needs)}.`;
}

/** `A, B or C`. */
function anyOf(names: readonly string[]): string {
  const [last = '', ...before] = names.toReversed();
  return before.length === 0 ? last : `${before.reverse().join(', ')} or ${last}`;
}

/** The first of the rules that a command line with these names breaks. */
export function brokenRule(rules: readonly Rule[], given: ReadonlySet<string>): Rule | undefined {
  return rules.find((rule) =>
    'excludes' in rule
      ? rule.excludes.every((name) => given.has(name))
      : given.has(rule.of) && !rule.needs.some((name) => given.has(name)),
  );
}

/**
 * Throws Failure `usage` for a command line that breaks a rule of its command.
 *
 * @param given the names of the flags and arguments that it has
 */
export function requireRules(path: string, definition: Described, given: ReadonlySet<string>): void {
  const command = commandName(path);
  const rule = brokenRule(rulesOf(path, definition), new Set([command, ...given]));
  if (rule === undefined) return;
  if ('excludes' in rule) {
    const [one, other] = rule.excludes;
    throw usage(ruleText(rule), one === command ? `Leave ${other} out.` : 'Give one of them.');
  }
  const usageOf = rule.of === command ? [suggest('See its usage', ...path.split(' '), '--help')] : [];
  throw usage(ruleText(rule), [`Add ${wanted(rule.needs, definition)}.`, ...usageOf]);
}

/** What to add to a command line; if there is only one choice, with its description. */
function wanted(names: readonly string[], { arguments: args = {}, flags = {} }: Described): string {
  const found = names.map((name) => {
    const argument = Object.entries(args).find((entry) => argumentName(...entry) === name)?.[1];
    const flag = [...Object.values(flags), ...GLOBAL_FLAGS].find((one) => longName(one) === name);
    return { syntax: flag === undefined ? name : shownSyntax(flag), about: (argument ?? flag)?.description };
  });
  const [only, another] = found;
  if (only?.about !== undefined && another === undefined) return `${only.syntax}: ${only.about}`;
  return anyOf(found.map(({ syntax }) => syntax));
}

/**
 * The rules by the keys of flags and arguments instead of their names. Rules that involve anything else are left out.
 *
 * @param keys which of the keys of `arguments` and `flags` keep their rules, under these keys
 */
export function rulesByKey({ arguments: args = {}, flags = {} }: Described, keys: readonly string[]): Rule[] {
  const names = new Map([
    ...Object.entries(args).map(([key, argument]) => [argumentName(key, argument), key] as const),
    ...Object.entries(flags).map(([key, flag]) => [longName(flag), key] as const),
  ]);
  const renamed = (name: string) => {
    const key = names.get(name);
    return key !== undefined && keys.includes(key) ? [key] : [];
  };
  return rulesOf('', { arguments: args, flags }).flatMap((rule): Rule[] => {
    if ('excludes' in rule) {
      const [one, other] = rule.excludes.flatMap(renamed);
      return one === undefined || other === undefined ? [] : [{ excludes: [one, other] }];
    }
    const needs = rule.needs.flatMap(renamed);
    return renamed(rule.of).flatMap((of) => (needs.length < rule.needs.length ? [] : [{ of, needs }]));
  });
}

/** A description of a flag or an argument with what the rules say of it. */
export function withRules(name: string, description: string, rules: readonly Rule[]): string {
  const notes = notesOf(name, rules);
  if (notes.length === 0) return description;
  const text = notes.join('; ');
  return description.endsWith(')') ? `${description.slice(0, -1)}; ${text})` : `${description} (${text})`;
}

function notesOf(name: string, rules: readonly Rule[]): string[] {
  const needs = rules.flatMap((rule) => {
    if ('excludes' in rule) return [];
    if (rule.of === name) return [`needs ${anyOf(rule.needs)}`];
    if (!isCommand(rule.of) || !rule.needs.includes(name)) return [];
    const others = rule.needs.filter((other) => other !== name);
    return [others.length === 0 ? 'required' : `this, ${anyOf(others)} is required`];
  });
  const excluded = excludedBy(new Set([name]), rules);
  return excluded.size === 0 ? needs : [...needs, `not with ${anyOf([...excluded])}`];
}
