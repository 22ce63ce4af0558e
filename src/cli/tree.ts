import { Command, Argument as CommanderArgument, Option } from 'commander';
import { nearest } from '../config/nearest.js';
import { suggest, usage } from '../errors.js';
import { version } from '../version.js';
import type { Argument, Definition, Flag } from './definition.js';
import { GLOBAL_FLAGS, type GlobalFlags, type Globals, readGlobals } from './globals.js';

/** Runs a command with its arguments and flags by the names of its definition. */
export type Act = (definition: Definition, input: Parameters<Definition['run']>[1], globals: Globals) => Promise<void>;

/** The commands by their words. Each is loaded only when it is needed. */
export interface Commands {
  readonly commands: Readonly<Record<string, () => Promise<{ readonly default: Definition }>>>;
  /** What a word that only groups commands is about. */
  readonly groups: Readonly<Record<string, string>>;
  /** The sections of `--help`, with the first words of their commands. */
  readonly sections: Readonly<Record<string, readonly string[]>>;
}

/** The program without its commands. `show` gets the text of help and version. */
export function emptyProgram(show: (text: string) => void): Command {
  const program = new Command('pit');
  const flagsOfAll = () => program.options.filter(({ hidden }) => !hidden);
  program
    .description('A trading terminal on the command line, with an exchange in a box')
    .enablePositionalOptions()
    // by default these include the flags of the parent command: `order batch` takes no --at
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (of) => (of === program ? [] : flagsOfAll()),
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({ writeOut: show, writeErr: () => {} })
    .exitOverride()
    .version(version, '-V, --version', 'Print the version');
  for (const flag of GLOBAL_FLAGS) program.addOption(optionOf(flag));
  return program;
}

/** Adds the named command, or all commands. */
export async function addCommands(
  program: Command,
  { commands, groups, sections }: Commands,
  named: string | undefined,
  act: Act,
): Promise<void> {
  for (const [words, load] of wanted(commands, named)) {
    const { default: definition } = await load();
    attach(program, groups, words, definition, act);
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
      const topic = await topicOf(names, getOutHelpWidth?.());
      if (topic === undefined) names.reduce(child, program).help();
      else writeOut?.(topic);
    });
}

/** Help on a topic that is not a command. */
async function topicOf(names: readonly string[], width = Number.POSITIVE_INFINITY): Promise<string | undefined> {
  return names.join(' ') === 'exit-codes' ? (await import('./exit-codes.js')).exitCodeHelp(width) : undefined;
}

/** The named command and its subcommands; help and unknown words need all commands. */
function wanted(commands: Commands['commands'], named: string | undefined) {
  const all = Object.entries(commands);
  const own = all.filter(([words]) => words.split(' ')[0] === named);
  return own.length === 0 ? all : own;
}

/** Returns a subcommand by its name. Throws Failure `usage` with the nearest names. */
export function child(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  if (found !== undefined) return found;
  const close = nearest(
    name,
    parent.commands.map((command) => command.name()),
  );
  const hint = close.length === 0 ? suggest('List the commands', '--help') : `Did you mean ${close.join(' or ')}?`;
  throw usage(`unknown command '${name}'`, hint);
}

function attach(program: Command, groups: Commands['groups'], words: string, definition: Definition, act: Act): void {
  const names = words.split(' ');
  const parent = names
    .slice(0, -1)
    .reduce((above, _name, index) => group(above, groups, names.slice(0, index + 1)), program);
  const command = subcommand(parent, names.at(-1) ?? '');
  command.description(definition.summary).allowExcessArguments(false);
  const argumentNames = Object.keys(definition.arguments ?? {});
  for (const [key, argument] of Object.entries(definition.arguments ?? {}))
    command.addArgument(commanderArgument(key, argument));
  const flags = Object.entries(definition.flags ?? {}).map(([key, flag]) => {
    return { key, option: optionOf(flag), none: flag.repeats ? [] : undefined };
  });
  for (const { option } of flags) command.addOption(option);
  command.addHelpText('after', `\nExamples:\n${definition.examples.map((example) => `  pit ${example}`).join('\n')}`);
  command.action(async () => {
    const given = command.opts();
    const input = Object.fromEntries([
      ...argumentNames.map((key, index) => [key, command.processedArgs[index]]),
      ...flags.map(({ key, option, none }) => [
        key,
        given[option.attributeName()] ?? (option.isBoolean() ? false : none),
      ]),
    ]);
    await act(definition, input, readGlobals(command.optsWithGlobals<GlobalFlags>()));
  });
}

function subcommand(parent: Command, name: string): Command {
  return (
    parent.commands.find((command) => command.name() === name) ?? parent.command(name).copyInheritedSettings(parent)
  );
}

/** The parent of a subcommand: it only groups others, or is a command too, as `order` is. */
function group(parent: Command, groups: Commands['groups'], names: readonly string[]): Command {
  const summary = groups[names.join(' ')];
  const command = subcommand(parent, names.at(-1) ?? '');
  return summary === undefined ? command : command.description(summary);
}

function commanderArgument(name: string, { presence, description, read }: Argument): CommanderArgument {
  const word = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const syntax = { required: `<${word}>`, optional: `[${word}]`, several: `[${word}...]` }[presence];
  const argument = new CommanderArgument(syntax, description);
  if (presence !== 'several') return argument.argParser((text) => read(text));
  return argument
    .argParser((text, previous: unknown[] | undefined) => [...(previous ?? []), read(text)])
    .default([], 'none');
}

/** A flag for commander. */
function optionOf({ syntax, description, read, repeats }: Flag): Option {
  const option = new Option(syntax, description);
  if (read === undefined) return option;
  if (repeats) return option.argParser((text, earlier: unknown[] | undefined) => [...(earlier ?? []), read(text)]);
  return option.argParser((text, earlier: unknown) => {
    requireFirst(option, earlier);
    return read(text);
  });
}

/** Two values of one flag: one would be lost silently, and with it perhaps a cancellation. */
function requireFirst({ long }: Option, earlier: unknown): void {
  if (earlier !== undefined) throw usage(`${long} is given more than once.`, 'It takes one value.');
}
