import {
  type CommandTable,
  type CompletionSource,
  type Definition,
  type Flag,
  GLOBAL_FLAGS,
  timeoutFlag,
} from '../../cli/definition.js';
import { argumentName, rulesOf } from '../../cli/flag-rules.js';
import { rowFields } from '../../cli/row-fields.js';
import type { Rule } from '../../cli/rule.js';
import { type Operation, operations } from '../../exchange/description.js';
import { groups } from './command-words.js';

export interface DescribedArgument {
  /** In capitals, as help shows it. */
  readonly name: string;
  readonly presence: 'required' | 'optional' | 'several';
  readonly description: string;
  readonly completes: CompletionSource | null;
}

export interface DescribedFlag {
  readonly long: string;
  readonly short: string | null;
  /** The name of its value in capitals; null for a switch. */
  readonly value: string | null;
  readonly description: string;
  readonly repeats: boolean;
  readonly completes: CompletionSource | null;
}

/** A command, or a group of commands, with everything known about it without running it. */
export interface DescribedCommand {
  /** Without `pit`. */
  readonly path: string;
  readonly summary: string;
  /** False for a group. */
  readonly runs: boolean;
  /** Whether it can change something, so that it has a dry run. */
  readonly changes: boolean;
  readonly arguments: readonly DescribedArgument[];
  readonly flags: readonly DescribedFlag[];
  /** What excludes or needs what, the flags of all commands included. */
  readonly rules: readonly Rule[];
  /** `--timeout`, if it does something else than for all commands. */
  readonly timeout: DescribedFlag | null;
  readonly examples: readonly string[];
  readonly subcommands: readonly string[];
  /** What `--fields` takes. */
  readonly fields: readonly string[];
}

/** All commands in the order of help, each group before its members. */
export interface CommandTree {
  readonly globals: readonly DescribedFlag[];
  readonly commands: readonly DescribedCommand[];
  /** The names of the parameters by the operations that `api` calls. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
}

const COMMANDER_FLAGS: readonly Flag[] = [
  { syntax: '-V, --version', description: 'print the version' },
  { syntax: '-h, --help', description: 'show help for a command' },
];

/** Loads and describes every command; runs none. */
export async function describeTree(commands: CommandTable): Promise<CommandTree> {
  const loaded = new Map<string, Definition>();
  for (const [path, load] of Object.entries(commands)) loaded.set(path, (await load()).default);
  const all = [...new Set([...loaded.keys()].flatMap(withGroups))];
  const described = all.map((path) => describe(path, loaded.get(path), childrenOf(path, all)));
  return {
    globals: [...GLOBAL_FLAGS, ...COMMANDER_FLAGS].map(describeFlag),
    commands: [...described.map((command) => withSchemaNames(command, all)), helpOf(all)],
    operations: parametersByOperation(),
  };
}

/** `schema` takes the name of any command. */
function withSchemaNames(command: DescribedCommand, all: readonly string[]): DescribedCommand {
  if (command.path !== 'schema') return command;
  const names = [...new Set(all.flatMap((one) => one.split(' '))), 'error'];
  const completes = { of: 'words', words: names } as const;
  return { ...command, arguments: command.arguments.map((argument) => ({ ...argument, completes })) };
}

/** Without `withdraw`, which `api` refuses. */
function parametersByOperation(): Record<string, string[]> {
  const named = Object.entries(operations).filter(([name]) => name !== 'withdraw');
  return Object.fromEntries(
    named.map(([name, { parameters }]: [string, Operation]) => [name, Object.keys(parameters)]),
  );
}

/** The names of the subcommands directly below a command; the top-level commands for ''. */
export function childrenOf(path: string, all: readonly string[]): string[] {
  const lead = path === '' ? '' : `${path} `;
  return all
    .filter((one) => one.startsWith(lead))
    .map((one) => one.slice(lead.length))
    .filter((rest) => rest !== '' && !rest.includes(' '));
}

function withGroups(path: string): string[] {
  const names = path.split(' ');
  return names.map((_name, index) => names.slice(0, index + 1).join(' '));
}

function describe(path: string, definition: Definition | undefined, subcommands: string[]): DescribedCommand {
  const timeout = definition && timeoutFlag(definition);
  return {
    path,
    subcommands,
    summary: definition?.summary ?? groups[path] ?? '',
    runs: definition !== undefined,
    changes: definition?.dryRunOutput !== undefined,
    arguments: Object.entries(definition?.arguments ?? {}).map(([name, { presence, description, parse }]) => {
      return {
        name: argumentName(name, { presence }),
        presence,
        description,
        completes: parse.completes ?? null,
      };
    }),
    flags: Object.values(definition?.flags ?? {}).map(describeFlag),
    rules: definition === undefined ? [] : rulesOf(path, definition),
    timeout: timeout === undefined ? null : describeFlag(timeout),
    examples: definition?.examples ?? [],
    fields: definition === undefined ? [] : rowFields(definition).map(([name]) => name),
  };
}

function helpOf(all: readonly string[]): DescribedCommand {
  const names = childrenOf('', all);
  const command = { of: 'words', words: names } as const;
  return {
    path: 'help',
    summary: 'Show help for a command',
    runs: true,
    changes: false,
    flags: [],
    rules: [],
    timeout: null,
    subcommands: [],
    fields: [],
    examples: ['help order show'],
    arguments: [{ name: 'COMMAND', presence: 'several', description: 'the words of a command', completes: command }],
  };
}

function describeFlag({ syntax, description, parse, repeats }: Flag): DescribedFlag {
  const [, short = null, long = '', value = null] = /^(?:(-\w), )?(--[a-z-]+)(?: <(.+)>)?$/.exec(syntax) ?? [];
  if (long === '') throw new Error(`cannot parse the flag syntax ${syntax}`);
  const completes = parse?.completes ?? null;
  return {
    long,
    short,
    value: value === null ? null : value.toUpperCase().replaceAll('-', '_'),
    description,
    repeats: repeats ?? false,
    completes,
  };
}
