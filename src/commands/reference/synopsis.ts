import type { CompletionSource } from '../../cli/definition.js';
import type { Rule } from '../../cli/rule.js';
import type { DescribedArgument, DescribedCommand, DescribedFlag } from './command-tree.js';

/** An argument or a flag of a synopsis. */
interface Part {
  readonly name: string;
  readonly syntax: string;
  readonly isRequired: boolean;
}

/**
 * The synopsis of a command in its parts: `pit`, `depth`, `MARKET`, `[--size N]`. What needs another flag stands with it:
 * `[--over DURATION [--every DURATION]]`; what excludes each other stands together: `[--page N | --all]`, or
 * `(ID | --id CLIENT_ID)` if one of them is required.
 */
export function synopsis({ path, arguments: declared, flags, rules }: DescribedCommand): string[] {
  const command = `pit ${path}`;
  const needed = rules.flatMap((rule) => ('excludes' in rule ? [] : [rule]));
  const isRequired = (name: string) =>
    needed.some(({ of, needs }) => of === command && needs.length === 1 && needs[0] === name);
  const parts: Part[] = [
    ...declared
      .filter((argument) => !isProgram(argument))
      .map((argument) => argumentPart(argument, isRequired(argument.name))),
    ...flags.map((flag) => ({ name: flag.long, syntax: flagSyntax(flag), isRequired: isRequired(flag.long) })),
  ];
  const below = (of: string) =>
    needed.flatMap(({ needs, of: name }) => (needs.length === 1 && needs[0] === of ? [name] : []));
  /** The flag that another one stands below. Of two that need each other, the second stands below the first. */
  const parentOf = ({ name }: Part): Part | undefined =>
    parts.find((other, index) => {
      const isMutual = below(name).includes(other.name);
      return (
        other.name.startsWith('--') &&
        below(other.name).includes(name) &&
        (!isMutual || index < parts.findIndex((part) => part.name === name))
      );
    });
  const nested = (part: Part): string => {
    const own = parts.filter((other) => parentOf(other) === part);
    const texts = own.map((other) => (below(other.name).includes(part.name) ? nested(other) : `[${nested(other)}]`));
    return [part.syntax, ...texts].join(' ');
  };
  const top = parts.filter((part) => parentOf(part) === undefined);
  const groups = alternatives(top, rules);
  const shown = top.flatMap((part) => {
    const group = groups.find((one) => one.includes(part));
    if (group === undefined) return [part.isRequired ? nested(part) : `[${nested(part)}]`];
    if (group[0] !== part) return [];
    const isOneRequired = needed.some(
      ({ of, needs }) =>
        of === command && group.length === needs.length && group.every(({ name }) => needs.includes(name)),
    );
    const text = group.map(nested).join(' | ');
    return [isOneRequired ? `(${text})` : `[${text}]`];
  });
  const programs = declared.filter(isProgram).map(({ name }) => `[-- ${name}...]`);
  return ['pit', ...path.split(' '), ...shown, ...programs];
}

/** The parts that exclude each other, all of a group, and nothing else of the parts. */
function alternatives(parts: readonly Part[], rules: readonly Rule[]): Part[][] {
  const exclude = (one: Part, other: Part) =>
    rules.some((rule) => 'excludes' in rule && rule.excludes.includes(one.name) && rule.excludes.includes(other.name));
  const others = (part: Part) => parts.filter((other) => other !== part && exclude(part, other));
  return parts.flatMap((part) => {
    const group = parts.filter((other) => other === part || others(part).includes(other));
    const isClosed = group.every((one) => others(one).length === group.length - 1);
    const isOptional = group.every(({ isRequired }) => !isRequired);
    return group.length > 1 && group[0] === part && isClosed && isOptional ? [group] : [];
  });
}

/** With more choices than this, the value's name says more. */
const MAX_CHOICES = 4;

/** `--size N`, `--side buy|sell`, `--ioc`. */
export function flagSyntax({ long, value, completes, repeats }: DescribedFlag): string {
  if (value === null) return long;
  return `${long} ${choicesOf(completes) ?? value}${repeats ? '...' : ''}`;
}

/** Another program's command line, which follows `--`. */
function isProgram({ completes }: DescribedArgument): boolean {
  return completes?.of === 'program';
}

function argumentPart({ name, presence, completes }: DescribedArgument, isNeeded: boolean): Part {
  const word = choicesOf(completes) ?? name;
  return {
    name,
    syntax: presence === 'several' ? `${word}...` : word,
    isRequired: presence === 'required' || isNeeded,
  };
}

function choicesOf(completes: CompletionSource | null): string | undefined {
  if (completes?.of !== 'words' || completes.joined || completes.words.length > MAX_CHOICES) return undefined;
  return completes.words.join('|');
}
