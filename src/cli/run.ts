import { Command, Argument as CommanderArgument, CommanderError, Option } from 'commander';
import { nearest } from '../config/nearest.js';
import { asFailure, CommandEnded, Failure, Interrupted, quoted, suggest, usage } from '../errors.js';
import type { Host } from '../platform/host.js';
import type { Answer, Result } from '../terminal/answer.js';
import { toJson } from '../terminal/json.js';
import { Output, StdoutClosed } from '../terminal/output.js';
import { version } from '../version.js';
import type { CliContext, CommandContext, Globals } from './context.js';
import {
  type Argument,
  type CommandTable,
  type Definition,
  type Flag,
  GLOBAL_FLAGS,
  type GlobalFlags,
  readGlobals,
  timeoutFlag,
} from './definition.js';
import { argumentName, requireRules, rulesOf, withRules } from './flag-rules.js';
import { argumentsOfPit, commandLine, withActiveProfile } from './hints.js';
import { type Correction, corrected, refuseNegative, usageErrorOf } from './usage-error.js';

/** The commands and their context. */
export interface Program extends Commands {
  /** Builds the context for one command. */
  createContext(base: CliContext): Promise<RunningCommand>;
  /** Gets what a write has answered, once that is printed: the program behind a pipe may still lose it. See {@link reportLost}. */
  onWriteAnswered?(answer: Answer): void;
}

export interface RunningCommand {
  readonly context: CommandContext;
  /** The profile in use. Throws Failure `usage` or `credentials` if there is none that can be used. */
  activeProfile(): Promise<string>;
  readonly deadline: Deadline;
  /** Runs before the command: warns of what concerns every command. Never throws. */
  open(): Promise<void>;
  /** Runs after the command, also after one that failed. Never throws. */
  close(): Promise<void>;
}

/** The end of the time that a command may take. */
interface Deadline {
  /** In milliseconds; Infinity while a person is asked or the command has no time limit. */
  leftMs(): number;
  /** What to report if the command has to be ended. */
  timeoutFailure(): Failure;
}

/**
 * Parses the command line of a host and runs the command that it names. Throws Failure `usage` for a wrong command line,
 * and whatever the command throws.
 */
export async function run(host: Host, { createContext, onWriteAnswered, ...commands }: Program): Promise<void> {
  const helpText: string[] = [];
  let isVersion = false;
  const program = emptyProgram((text) => helpText.push(text));
  const { globals, commandArgs } = splitGlobalFlags(program.options, host.arguments);
  const [commandName] = commandArgs;
  const intended = synonymIn(commands.synonyms, commandArgs);
  if (intended !== undefined)
    throw await corrected(intended.failure, globals, () => commands.correct(intended.args, host));
  // before --help, which commander would answer for a command that does not exist
  const names = firstWords(commands);
  if (commandName !== undefined && !commandName.startsWith('-') && !names.includes(commandName))
    throw unknownCommand(commandName, names);
  const runCommand = commandRunner(host, createContext, onWriteAnswered);
  let hasStarted = false;
  await addCommands(program, commands, commandArgs, (...command) => {
    hasStarted = true;
    return runCommand(...command);
  });
  try {
    if (commandArgs.length === 0 && globals.length === 0) program.help();
    await program.parseAsync([...globals, ...commandArgs], { from: 'user' });
  } catch (error) {
    if (hasStarted) throw error;
    if (!(error instanceof CommanderError))
      throw await corrected(error, globals, () => commands.correct(commandArgs, host));
    isVersion = error.code === 'commander.version';
    if (error.exitCode !== 0) {
      const failure = usageErrorOf(error, program, commandArgs);
      throw await corrected(failure, globals, () => commands.correct(commandArgs, host));
    }
  }
  if (isVersion && globals.includes('--json')) await printVersion(host);
  else if (helpText.length > 0)
    await new Output(host, 'table').answer({ data: null, show: () => helpText.join('').trimEnd() });
}

async function printVersion(host: Host): Promise<void> {
  const { installationOf } = await import('../platform/installation.js');
  const data = { version, ...installationOf(host) };
  await new Output(host, 'json').answer({ data, show: () => version });
}

/** A command and what a line gives it. */
export interface ParsedLine {
  readonly definition: Definition;
  readonly input: Parameters<Definition['run']>[1];
}

/**
 * Parses the words of one of these commands, without running it. They take none of the flags of all commands.
 * Throws Failure `usage` for words that it does not take.
 */
export async function parseLine(commands: CommandTable, words: readonly string[]): Promise<ParsedLine> {
  const program = emptyProgram(() => undefined);
  let parsed: ParsedLine | undefined;
  await addCommands(program, { commands, groups: {}, sections: {} }, words, async (definition, input) => {
    parsed = { definition, input };
  });
  const unread = () => usage(`${quoted(words.join(' '))} is not a command line of pit.`);
  // flags of all commands may stand before the command
  if (words[0]?.startsWith('-') !== false) throw unread();
  await program.parseAsync([...words], { from: 'user' }).catch((error: unknown) => {
    throw error instanceof CommanderError ? usageErrorOf(error, program, words) : error;
  });
  if (parsed === undefined) throw unread();
  return parsed;
}

function commandRunner(
  host: Host,
  createContext: Program['createContext'],
  onWriteAnswered: Program['onWriteAnswered'],
): RunCommand {
  return async (definition, input, globals) => {
    // loaded on demand: it draws tables, which is more code than most commands need
    const fieldView = globals.fields && (await import('./select-fields.js')).selectFields(definition, globals.fields);
    // only a command that changes something describes a dry run
    const isWrite = definition.dryRunOutput !== undefined;
    const isWholeCsv = globals.format === 'csv' && !globals.fields;
    const view = isWholeCsv
      ? (await import('./whole-header.js')).wholeHeader(definition, isWrite && globals.dryRun)
      : fieldView;
    const colour = globals.color ? undefined : false;
    const output = new Output(host, globals.format, {
      colour,
      view,
      commandLine: (argv) => commandLine(host.arguments, argv),
      verbose: globals.verbose,
    });
    const { context, activeProfile, deadline, open, close } = await createContext({ host, globals, output });
    try {
      await untilEnded(host, async () => {
        const answer = await inTime(deadline, async () => {
          if (definition.isQuietAtStart?.(input) !== true) await open();
          return definition.run(context, input);
        });
        if (answer !== undefined) await print(output, rowsInTime(deadline, answer), isWrite, onWriteAnswered);
      });
    } catch (thrown) {
      throw await withActiveProfile(thrown, activeProfile);
    } finally {
      await close();
      output.end();
    }
  };
}

/** Rejects with the signal's reason when a signal ends the command. */
function untilEnded({ endSignal }: Host, work: () => Promise<void>): Promise<void> {
  if (endSignal === undefined) return work();
  // the signal may have come while the command was loaded
  if (endSignal.aborted) return Promise.reject(endSignal.reason);
  return new Promise((resolve, reject) => {
    const end = () => reject(endSignal.reason);
    endSignal.addEventListener('abort', end);
    work()
      .then(resolve, reject)
      .finally(() => endSignal.removeEventListener('abort', end));
  });
}

/** The time between two checks of the deadline, in milliseconds; more while the deadline is far away. */
const TICK_MS = 200;
const LONGEST_TICK_MS = 10_000;
/** Extra checks after the deadline, because requests time out by themselves and the command still has to report that. */
const TICKS_OF_GRACE = 10;

/**
 * Ends work that takes longer than its time, whatever it waits for. Throws what the deadline reports. The grace period
 * counts checks instead of milliseconds, so that a busy machine gets more time.
 */
async function inTime<Value>(deadline: Deadline, work: () => Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    let late = 0;
    const check = () => {
      const leftMs = deadline.leftMs();
      late = leftMs > 0 ? 0 : late + 1;
      if (late > TICKS_OF_GRACE) reject(deadline.timeoutFailure());
      else timer = setTimeout(check, Math.min(LONGEST_TICK_MS, Math.max(TICK_MS, leftMs)));
    };
    check();
  });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    clearTimeout(timer);
  }
}

/** Applies the deadline to each read of rows. Time that the consumer takes does not count. */
function rowsInTime(deadline: Deadline, answer: Result): Result {
  if (!('rows' in answer)) return answer;
  const { rows } = answer;
  async function* each() {
    const source = rows[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await inTime(deadline, () => source.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      // not awaited: a hanging source would keep the command from ending
      void source.return?.().catch(() => undefined);
    }
  }
  return { ...answer, rows: each() };
}

/** Prints an answer. A closed pipe or a full disk must not hide the outcome of a write. */
async function print(
  output: Output,
  answer: Result,
  isWrite: boolean,
  onWriteAnswered: Program['onWriteAnswered'],
): Promise<void> {
  const failure = 'data' in answer ? answer.failure : undefined;
  try {
    await output.answer(answer);
  } catch (error) {
    if (!isWrite || !('data' in answer)) throw failure ?? error;
    warnOfLost(output, answer);
    const hint = 'The command finished; its result is in the warning above. Do not run it again just to see it.';
    throw failure ?? (error instanceof Failure ? error.hinting(hint) : error);
  }
  if (isWrite && 'data' in answer) onWriteAnswered?.(answer);
  if (failure !== undefined) throw failure;
}

function warnOfLost(output: Output, { data }: Answer): void {
  output.warn(`This could not be printed: ${toJson(data)}`);
}

/** Prints on stderr what a write has answered, because the program that it was printed to has failed. */
export function reportLost(answer: Answer, host: Host): void {
  warnOfLost(outputOf(host).output, answer);
}

/** Runs the command line of a host, reports a failure, and returns the exit code. Never throws. */
export async function runAndReport(host: Host, program: Program): Promise<number> {
  try {
    await run(host, program);
    return 0;
  } catch (thrown) {
    return reportFailure(thrown, host);
  }
}

/** Prints the failure of a command, and returns its exit code. */
export function reportFailure(thrown: unknown, host: Host): number {
  if (thrown instanceof StdoutClosed) return 0;
  if (thrown instanceof Interrupted || thrown instanceof CommandEnded) return thrown.exitCode;
  const { output, isVerbose } = outputOf(host);
  const failure = asFailure(thrown);
  if (isVerbose && failure.cause instanceof Error) output.trace(failure.cause);
  output.error(failure);
  return failure.exitCode;
}

/** Prints a warning of Node, such as a deprecation, with --verbose only: it concerns pit, not the user's command. */
export function reportNodeWarning(warning: Error, host: Host): void {
  const { output, isVerbose } = outputOf(host);
  if (isVerbose) output.trace(warning);
}

/** The output for what is reported outside of a command. */
function outputOf(host: Host): { readonly output: Output; readonly isVerbose: boolean } {
  // the command line itself may be wrong, so its flags are searched for as plain text
  const args = argumentsOfPit(host.arguments);
  const isVerbose = args.includes('--verbose');
  const output = new Output(host, args.includes('--json') ? 'json' : 'table', {
    colour: args.includes('--no-color') ? false : undefined,
    commandLine: (argv) => commandLine(host.arguments, argv),
    verbose: isVerbose,
  });
  return { output, isVerbose };
}

/** Runs a command. The keys of `input` are the names of its arguments and flags in the definition. */
type RunCommand = (definition: Definition, input: Parameters<Definition['run']>[1], globals: Globals) => Promise<void>;

/** The commands, and what is known of them before one is loaded. */
interface Commands {
  readonly commands: CommandTable;
  /** The summaries of words that only group commands. */
  readonly groups: Readonly<Record<string, string>>;
  /** What people type instead of a command, with the arguments that they mean. */
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  /**
   * Corrects a line that cannot be parsed.
   *
   * @param args without the flags that every command takes
   * @param market of the prompt, for a line that lacks one
   */
  correct(args: readonly string[], host: Host, market?: string): Promise<Correction | undefined>;
  /** The sections of `--help`, each with the first parts of the names of its commands. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
}

/** In cells. A narrower column of help is not wrapped; the terminal breaks its lines. */
const NARROWEST_COLUMN = 12;

/** The program without its commands. `show` gets the text of help and version. */
function emptyProgram(show: (text: string) => void): Command {
  const program = new Command('pit');
  program
    .description('A trading terminal on the command line, with an exchange in a box')
    .enablePositionalOptions()
    // by default these include the flags of the parent command: `order batch` takes no --at
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (of) => (of === program ? [] : [...program.options]),
      subcommandTerm: (command) => command.name(),
      // a narrow terminal gets narrow columns instead of lines that it breaks
      minWidthToWrap: NARROWEST_COLUMN,
    })
    .configureOutput({ writeOut: show, writeErr: () => {} })
    .exitOverride()
    .version(version, '-V, --version', 'Print the version');
  for (const flag of GLOBAL_FLAGS) program.addOption(optionOf(flag));
  return program;
}

/** Adds the command that the arguments name, or all commands. */
async function addCommands(
  program: Command,
  { commands, groups, sections }: Pick<Commands, 'commands' | 'groups' | 'sections'>,
  args: readonly string[],
  runCommand: RunCommand,
): Promise<void> {
  for (const [path, load] of commandsToLoad(commands, args)) {
    const { default: definition } = await load();
    addCommand(program, groups, path, definition, runCommand);
  }
  for (const command of program.commands) {
    const section = Object.entries(sections).find(([, names]) => names.includes(command.name()));
    if (section !== undefined) command.helpGroup(`${section[0]}:`);
  }
  program
    .command('help')
    .description('Show help for a command, or for exit-codes')
    .argument('[command...]')
    .helpGroup('Help:')
    .action(async (names: readonly string[]) => {
      const { writeOut, getOutHelpWidth } = program.configureOutput();
      const topic = await topicHelp(names, getOutHelpWidth?.());
      if (topic === undefined) names.reduce(requireSubcommand, program).help();
      else writeOut?.(topic);
    });
}

/** Help on a topic that is not a command. */
async function topicHelp(names: readonly string[], width = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  return names.join(' ') === 'exit-codes' ? (await import('./exit-codes.js')).exitCodeHelp(width) : undefined;
}

/** The commands to load: the named one; its whole group for help or a mistyped name; all for any other unknown word. */
function commandsToLoad(commands: Commands['commands'], args: readonly string[]) {
  const all = Object.entries(commands);
  const [first = ''] = args;
  const group = all.filter(([path]) => path.split(' ')[0] === first);
  if (group.length === 0) return all;
  // a command's flags may stand before its subcommand
  const mayHaveFlags = Object.hasOwn(commands, first);
  const named = group.filter(([path]) =>
    path.split(' ').every((name, index) => (mayHaveFlags ? args.includes(name) : args[index] === name)),
  );
  const isHelp = args.includes('--help') || args.includes('-h');
  return named.length === 0 || isHelp ? group : named;
}

/** The first words of all commands, in the order of help. */
function firstWords({ commands }: Commands): string[] {
  return [...new Set([...Object.keys(commands).map((path) => path.split(' ')[0] ?? ''), 'help'])];
}

/** The usage failure of a name that none of the commands has. */
function unknownCommand(name: string, commands: readonly string[]): Failure {
  const close = nearest(name, commands);
  const hint = close.length === 0 ? suggest('List the commands', '--help') : `Did you mean ${close.join(' or ')}?`;
  return usage(`unknown command '${name}'`, hint);
}

/** Returns a subcommand by its name. Throws Failure `usage` with the nearest names. */
function requireSubcommand(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  if (found !== undefined) return found;
  throw unknownCommand(
    name,
    parent.commands.map((command) => command.name()),
  );
}

function addCommand(
  program: Command,
  groups: Commands['groups'],
  path: string,
  definition: Definition,
  runCommand: RunCommand,
): void {
  const names = path.split(' ');
  const parent = names
    .slice(0, -1)
    .reduce((above, _name, index) => groupCommand(above, groups, names.slice(0, index + 1)), program);
  const command = subcommand(parent, names.at(-1) ?? '');
  command.description(definition.summary);
  const args = Object.entries(definition.arguments ?? {}).map(([key, argument]) => {
    return { key, argument, name: argumentName(key, argument), parsed: commanderArgument(key, argument) };
  });
  for (const { parsed } of args) command.addArgument(parsed);
  const flags = Object.entries(definition.flags ?? {}).map(([key, flag]) => {
    return { key, option: optionOf(flag), none: flag.repeats ? [] : undefined };
  });
  for (const { option } of flags) command.addOption(option);
  const nameOf = new Map(args.map(({ parsed, name }) => [parsed, name]));
  describe(command, program.options, path, definition, nameOf);
  command.addHelpText('after', `\nExamples:\n${definition.examples.map((example) => `  pit ${example}`).join('\n')}`);
  command.action(async () => {
    const given = command.opts();
    const argumentValues = args.map(({ key, argument, name }, index) => {
      return { key, name, value: command.processedArgs[index] ?? (argument.presence === 'several' ? [] : undefined) };
    });
    requireRules(
      path,
      definition,
      new Set([
        ...argumentValues.flatMap(({ name, value }) => (value === undefined || value.length === 0 ? [] : [name])),
        ...[command, program].flatMap(givenFlags),
      ]),
    );
    const input = Object.fromEntries([
      ...argumentValues.map(({ key, value }) => [key, value]),
      ...flags.map(({ key, option, none }) => [
        key,
        given[option.attributeName()] ?? (option.isBoolean() ? false : none),
      ]),
    ]);
    await runCommand(definition, input, readGlobals(command.optsWithGlobals<GlobalFlags>()));
  });
}

/** The flags that the command line gives a command. */
function givenFlags(command: Command): string[] {
  return command.options.flatMap((option) =>
    command.getOptionValueSource(option.attributeName()) === 'cli' ? [option.long ?? ''] : [],
  );
}

/**
 * Describes arguments and flags in the help of a command, with its rules; of the flags of all commands, its own `--timeout`, and not those
 * that it does not take.
 */
function describe(
  command: Command,
  flagsOfAll: readonly Option[],
  path: string,
  definition: Definition,
  nameOf: ReadonlyMap<CommanderArgument, string>,
): void {
  // only help needs them
  const withItsRules = (name: string, description: string) => withRules(name, description, rulesOf(path, definition));
  command.configureHelp({
    ...command.configureHelp(),
    argumentDescription: (argument) => withItsRules(nameOf.get(argument) ?? '', argument.description),
    optionDescription: ({ long, description }) => withItsRules(long ?? '', description),
    visibleGlobalOptions: () => {
      const timeout = timeoutFlag(definition);
      const own = timeout && optionOf(timeout);
      return flagsOfAll
        .filter(({ long }) => !definition.excludes?.includes(long ?? ''))
        .map((flag) => (own !== undefined && flag.long === own.long ? own : flag));
    },
  });
}

function subcommand(parent: Command, name: string): Command {
  return (
    parent.commands.find((command) => command.name() === name) ?? parent.command(name).copyInheritedSettings(parent)
  );
}

/** The parent of a subcommand: it only groups others, or is a command too, as `order` is. */
function groupCommand(parent: Command, groups: Commands['groups'], names: readonly string[]): Command {
  const summary = groups[names.join(' ')];
  const command = subcommand(parent, names.at(-1) ?? '');
  return summary === undefined ? command : command.description(summary);
}

function commanderArgument(name: string, { presence, parse, description }: Argument): CommanderArgument {
  const word = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const syntax = { required: `<${word}>`, optional: `[${word}]`, several: `[${word}...]` }[presence];
  const argument = new CommanderArgument(syntax, description);
  if (presence !== 'several')
    return argument.argParser((text) => {
      if (text.startsWith('-')) refuseNegative(text);
      return parse(text);
    });
  return argument.argParser((text, previous: unknown[] | undefined) => [...(previous ?? []), parse(text)]);
}

/** A flag for commander. */
function optionOf({ syntax, description, parse, repeats }: Flag): Option {
  const option = new Option(syntax, description);
  if (parse === undefined) return option;
  if (repeats) return option.argParser((text, earlier: unknown[] | undefined) => [...(earlier ?? []), parse(text)]);
  return option.argParser((text, earlier: unknown) => {
    refuseRepeatedFlag(option, earlier);
    return parse(text);
  });
}

/** Refuses a flag that is given twice: one of its values would be ignored silently, perhaps an order to cancel. */
function refuseRepeatedFlag({ long }: Option, earlier: unknown): void {
  if (earlier !== undefined) throw usage(`${long} is given more than once.`, 'It takes one value.');
}

/**
 * Separates the global flags and their values from the other arguments. A global flag may stand anywhere; any other flag
 * belongs to the command before it: `order` and `order show` both have an `--id`.
 */
function splitGlobalFlags(options: readonly Option[], args: readonly string[]) {
  const [globals, commandArgs]: [string[], string[]] = [[], []];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (word === '--') return { globals, commandArgs: [...commandArgs, ...args.slice(index)] };
    const option = options.find(({ short, long }) => [short, long].includes(word.split('=')[0]));
    (option === undefined ? commandArgs : globals).push(word);
    if (option?.required !== true || word.includes('=')) continue;
    index += 1;
    const value = args[index];
    if (value === undefined) throw usage(`option '${option.flags}' argument missing`);
    globals.push(value);
  }
  return { globals, commandArgs };
}

/** For a synonym of a command: the arguments that it stands for, and the failure that suggests them. */
function synonymIn(synonyms: Commands['synonyms'], args: readonly string[]) {
  for (const length of [2, 1]) {
    const typed = args.slice(0, length).join(' ');
    const synonym = Object.hasOwn(synonyms, typed) ? synonyms[typed] : undefined;
    if (synonym === undefined) continue;
    const meant = [...synonym, ...args.slice(length)];
    return { args: meant, failure: usage(`unknown command '${typed}'`, suggest('Run this', ...meant)) };
  }
  return undefined;
}
