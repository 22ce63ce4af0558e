import { usage } from '../errors.js';
import type { Result } from '../terminal/answer.js';
import type { Format } from '../terminal/output.js';
import type { CommandContext, Globals } from './context.js';
import type { Shape } from './shapes.js';

/** Turns a word of the command line into a value. Throws Failure `usage` that names the input, the rule and the fix. */
export interface Parser<Value> {
  (word: string): Value;
  /** What a shell offers for such a word, if it can offer anything. */
  readonly completes?: CompletionSource;
}

export interface Argument<
  Value = unknown,
  Presence extends 'required' | 'optional' | 'several' = 'required' | 'optional' | 'several',
> {
  readonly presence: Presence;
  readonly description: string;
  readonly parse: Parser<Value>;
}

/**
 * What else a command line with a flag may or must have, by names: `--size` for a flag, also one of all commands, and `market` for an
 * argument. `flag-rules.ts` checks it before the command runs; help, manual pages and completion follow from it.
 */
export interface FlagRules {
  /** What must not be given with it. It holds both ways. */
  readonly excludes?: readonly string[];
  /** What has to be given with it: each of these, or one of an inner list. */
  readonly needs?: readonly (string | readonly string[])[];
}

export interface Flag<Value = unknown> extends FlagRules {
  /** As commander writes it: `--size <n>`, or `--post-only` for a switch. */
  readonly syntax: string;
  readonly description: string;
  /** Absent for a switch. */
  readonly parse?: Parser<Value>;
  /** Whether it may be given several times; then every value counts. */
  readonly repeats?: true;
  /** Whether the command needs it. */
  readonly required?: true;
}

type Arguments = Readonly<Record<string, Argument>>;
type Flags = Readonly<Record<string, Flag>>;

type ArgumentValue<Given> =
  Given extends Argument<infer Value, infer Presence>
    ? Presence extends 'required'
      ? Value
      : Presence extends 'several'
        ? Value[]
        : Value | undefined
    : never;

/** What `run` gets of a flag: undefined, false or an empty list if it was not given. */
export type FlagValue<Given> = Given extends { readonly parse: Parser<infer Value>; readonly repeats: true }
  ? Value[]
  : Given extends { readonly parse: Parser<infer Value>; readonly required: true }
    ? Value
    : Given extends { readonly parse: Parser<infer Value> }
      ? Value | undefined
      : boolean;

type Input<Args extends Arguments, Opts extends Flags> = {
  readonly [Name in keyof Args]: ArgumentValue<Args[Name]>;
} & { readonly [Name in keyof Opts]: FlagValue<Opts[Name]> };

/** A command: its arguments, its flags, and what it does. */
export interface Definition<
  Args extends Arguments = Arguments,
  Opts extends Flags = Flags,
  Context = CommandContext,
  Data = unknown,
  Preview = unknown,
> {
  readonly summary: string;
  readonly arguments?: Args;
  readonly flags?: Opts;
  /** The flags of all commands that it does not take. */
  readonly excludes?: readonly string[];
  /** What has to be given, named as in {@link FlagRules}: each of these, or at least one of an inner list. */
  readonly needs?: readonly (string | readonly string[])[];
  /** Exactly one of these has to be given. */
  readonly oneOf?: readonly string[];
  /** What `--timeout` does, if it is not the time of the whole command. */
  readonly timeout?: string;
  /** Shown by `--help`, without the leading `pit`. */
  readonly examples: readonly string[];
  /** What `--json` prints. Fields may be added, never removed or retyped. */
  readonly output: Shape<Data>;
  /** What `--dry-run --json` prints, if the command changes something. */
  readonly dryRunOutput?: Shape<Preview>;
  /** A row of `--csv`, if it is not an element of `output`. */
  readonly row?: Shape;
  /** Whether nothing is said before it begins, because it is about to change that. Absent: no. */
  isQuietAtStart?(input: Input<Args, Opts>): boolean;
  run(context: Context, input: Input<Args, Opts>): Promise<Result<NoInfer<Data | Preview>> | undefined>;
}

/** Commands by their words, such as `order show`. Each is loaded only when it is needed. */
export type CommandTable = Readonly<Record<string, () => Promise<{ readonly default: Definition }>>>;

/**
 * Returns the function that defines commands of a program, whose `run` sees its own arguments and flags, typed.
 *
 * @template Context what `createContext` of that program makes
 */
export function definer<Context extends CommandContext>() {
  return <const Args extends Arguments, const Opts extends Flags, Data, Preview = never>(
    definition: Definition<Args, Opts, Context, Data, Preview>,
  ): Definition => definition as unknown as Definition;
}

/** An argument that must be given. */
export function required<Value>(description: string, parse: Parser<Value>): Argument<Value, 'required'> {
  return { presence: 'required', description, parse };
}

/** An argument that may be missing; its value is then undefined. */
export function optional<Value>(description: string, parse: Parser<Value>): Argument<Value, 'optional'> {
  return { presence: 'optional', description, parse };
}

/** The last argument, given any number of times; its value is an array. */
export function several<Value>(description: string, parse: Parser<Value>): Argument<Value, 'several'> {
  return { presence: 'several', description, parse };
}

/** A flag with a value, in commander's syntax: `--size <n>`. */
export function flag<Value>(
  syntax: string,
  description: string,
  parse: Parser<Value>,
  rules: FlagRules = {},
): Flag<Value> & { parse: Parser<Value> } {
  return { syntax, description, parse, ...rules };
}

/** The same for one that the command needs: its value is never undefined. */
export function requiredFlag<Value>(syntax: string, description: string, parse: Parser<Value>) {
  return { syntax, description, parse, required: true } as const;
}

/** A flag that may be given several times. */
export function repeated<Value>(syntax: string, description: string, parse: Parser<Value>, rules: FlagRules = {}) {
  return { syntax, description, parse, repeats: true, ...rules } as const;
}

/** A flag without a value. */
export function toggle(
  syntax: string,
  description: string,
  rules: FlagRules = {},
): { syntax: string; description: string } & FlagRules {
  return { syntax, description, ...rules };
}

/** What a shell offers for a word: fixed words, names that pit knows, or what the shell itself knows. */
export type CompletionSource =
  | {
      readonly of: 'words';
      readonly words: readonly string[];
      /** Several may be joined with commas. */
      readonly joined?: true;
    }
  | {
      readonly of: 'channel';
      /** What a channel begins with: with a colon if a market follows. */
      readonly starts: readonly string[];
      /** What may follow the market of a candle channel. */
      readonly candleTypes: readonly string[];
    }
  | {
      readonly of:
        | 'market'
        | 'coin'
        | 'order'
        | 'clientId'
        | 'algo'
        | 'unresolved'
        | 'prepared'
        | 'profile'
        | 'file'
        | 'program';
    };

/** A parser with what completes its words, so that every command that uses it is completed. */
export function withCompletion<Value>(completes: CompletionSource, parse: (word: string) => Value): Parser<Value> {
  return Object.assign((word: string) => parse(word), { completes });
}

export interface GlobalFlags {
  readonly profile?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly fields?: string[];
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly timeout?: number;
  readonly color: boolean;
  readonly verbose?: boolean;
}

const DEFAULT_TIMEOUT_S = 30;
const LONGEST_TIMEOUT_S = 86_400;

/** The flags that every command takes, before or after its name. */
const TIMEOUT = '--timeout <seconds>';

/** `--timeout` as the help of one command describes it; undefined if it is as for all. */
export function timeoutFlag({ timeout }: Pick<Definition, 'timeout'>): Flag | undefined {
  return timeout === undefined ? undefined : { syntax: TIMEOUT, description: timeout };
}

export const GLOBAL_FLAGS: readonly Flag[] = [
  flag(
    '--profile <name>',
    'use this profile',
    withCompletion({ of: 'profile' }, (word) => word),
  ),
  toggle('--json', 'print one JSON document', { excludes: ['--csv'] }),
  toggle('--csv', 'print comma-separated values'),
  flag('--fields <names>', 'show only these fields in tables and --csv: id,price', fields, {
    excludes: ['--json', '--dry-run'],
  }),
  toggle('--yes', 'confirm without asking'),
  toggle('--dry-run', 'check everything but send no write'),
  flag(
    TIMEOUT,
    `stop the command after this time (default: ${DEFAULT_TIMEOUT_S}; batches get what they need, listings ${DEFAULT_TIMEOUT_S} a page)`,
    seconds,
  ),
  toggle('--no-color', 'print without colors'),
  toggle('--verbose', 'show each request on stderr'),
];

function seconds(word: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(word) ? Number(word) : 0;
  if (value > 0 && value <= LONGEST_TIMEOUT_S) return value;
  throw usage(`--timeout must be a number of seconds from 0.001 to ${LONGEST_TIMEOUT_S}, not "${word}".`);
}

function fields(list: string): string[] {
  const names = list.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw usage(`--fields must be a list of names, not "${list}".`, 'Write it as in --fields id,price.');
}

export function readGlobals(flags: GlobalFlags): Globals {
  return {
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    format: formatOf(flags),
    fields: flags.fields,
    yes: flags.yes ?? false,
    dryRun: flags.dryRun ?? false,
    timeoutMs: (flags.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
    isTimeoutGiven: flags.timeout !== undefined,
    color: flags.color,
    verbose: flags.verbose ?? false,
  };
}

function formatOf({ json, csv }: GlobalFlags): Format {
  if (json) return 'json';
  return csv ? 'csv' : 'table';
}
