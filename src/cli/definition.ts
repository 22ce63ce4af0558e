import type { Result } from '../terminal/answer.js';
import type { Completes } from './completes.js';
import type { Context } from './context.js';
import type { Shape } from './shapes.js';

/** Turns a word of the command line into a value. Throws Failure `usage` that names the input, the rule and the fix. */
export interface Reader<Value> {
  (word: string): Value;
  /** What a shell offers for such a word, if it can offer anything. */
  readonly completes?: Completes;
}

export interface Argument<
  Value = unknown,
  Presence extends 'required' | 'optional' | 'several' = 'required' | 'optional' | 'several',
> {
  readonly presence: Presence;
  readonly description: string;
  readonly read: Reader<Value>;
}

export interface Flag<Value = unknown> {
  /** As commander writes it: `--size <n>`, or `--post-only` for a switch. */
  readonly syntax: string;
  readonly description: string;
  /** Absent for a switch. */
  readonly read?: Reader<Value>;
  /** Whether it may be given several times; then every value counts. */
  readonly repeats?: true;
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

type FlagValue<Given> = Given extends { readonly read: Reader<infer Value>; readonly repeats: true }
  ? Value[]
  : Given extends { readonly read: Reader<infer Value> }
    ? Value | undefined
    : boolean;

type Input<Args extends Arguments, Opts extends Flags> = {
  readonly [Name in keyof Args]: ArgumentValue<Args[Name]>;
} & { readonly [Name in keyof Opts]: FlagValue<Opts[Name]> };

/** A command: its arguments, its flags, and what it does. */
export interface Definition<Args extends Arguments = Arguments, Opts extends Flags = Flags> {
  readonly summary: string;
  readonly arguments?: Args;
  readonly flags?: Opts;
  /** Shown by `--help`, without the leading `pit`. */
  readonly examples: readonly string[];
  /** What `--json` prints. Fields may be added, never removed or retyped. */
  readonly output: Shape;
  /** What `--dry-run --json` prints, if the command changes something. */
  readonly dry?: Shape;
  /** A row of `--csv`, if it is not an element of `output`. */
  readonly row?: Shape;
  run(context: Context, input: Input<Args, Opts>): Promise<Result | undefined>;
}

/** A definition whose `run` sees its own arguments and flags, typed. */
export function define<const Args extends Arguments, const Opts extends Flags>(
  definition: Definition<Args, Opts>,
): Definition {
  return definition as unknown as Definition;
}

export function required<Value>(description: string, read: Reader<Value>): Argument<Value, 'required'> {
  return { presence: 'required', description, read };
}

export function optional<Value>(description: string, read: Reader<Value>): Argument<Value, 'optional'> {
  return { presence: 'optional', description, read };
}

export function several<Value>(description: string, read: Reader<Value>): Argument<Value, 'several'> {
  return { presence: 'several', description, read };
}

export function flag<Value>(
  syntax: string,
  description: string,
  read: Reader<Value>,
): Flag<Value> & { read: Reader<Value> } {
  return { syntax, description, read };
}

/** A flag that may be given several times. */
export function repeated<Value>(syntax: string, description: string, read: Reader<Value>) {
  return { syntax, description, read, repeats: true } as const;
}

/** A flag without a value. */
export function toggle(syntax: string, description: string): { syntax: string; description: string } {
  return { syntax, description };
}
