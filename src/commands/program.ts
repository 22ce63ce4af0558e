import { Command, Argument as CommanderArgument, CommanderError, Option } from 'commander';
import { Budget } from '../client/budget.js';
import { nearest } from '../config/names.js';
import { usage } from '../errors.js';
import type { Host } from '../host.js';
import { Output } from '../terminal/output.js';
import { Prompts } from '../terminal/prompts.js';
import { version } from '../version.js';
import type { Context, Globals } from './context.js';
import type { Argument, Definition, Flag } from './definition.js';
import { addGlobalFlags, type GlobalFlags, readGlobals } from './globals.js';
import { commands, groups } from './index.js';
import { Session } from './session.js';

/**
 * Parses the command line and runs the command that it names. Throws Failure `usage` for a wrong command line, and
 * whatever the command throws.
 */
export async function run(host: Host): Promise<void> {
  const shown: string[] = [];
  const program = frame((text) => shown.push(text));
  const { globals, others } = parted(program.options, host.arguments);
  await addCommands(program, others[0], host);
  try {
    if (others.length === 0 && globals.length === 0) program.help();
    await program.parseAsync([...globals, ...others], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usage(...complaintOf(error, path(program, others)));
    await new Output(host, 'table').answer({ data: null, show: () => shown.join('').trimEnd() });
  }
}

function frame(show: (text: string) => void): Command {
  const program = new Command('pit')
    .description('A trading terminal on the command line, with an exchange in a box')
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: show, writeErr: () => {} })
    .exitOverride()
    .version(version, '-V, --version', 'Print the version');
  addGlobalFlags(program);
  return program;
}

/**
 * The global flags with their values, and the other words. A global flag may stand anywhere, and any other belongs to the
 * command before it: `order` and `order show` both have an `--id`.
 */
function parted(options: readonly Option[], words: readonly string[]) {
  const [globals, others]: [string[], string[]] = [[], []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return { globals, others: [...others, ...words.slice(index)] };
    const option = options.find(({ short, long }) => [short, long].includes(word.split('=')[0]));
    (option === undefined ? others : globals).push(word);
    if (option?.required !== true || word.includes('=')) continue;
    index += 1;
    const value = words[index];
    if (value === undefined) throw usage(`option '${option.flags}' argument missing`);
    globals.push(value);
  }
  return { globals, others };
}

async function addCommands(program: Command, named: string | undefined, host: Host): Promise<void> {
  for (const [words, load] of wanted(named)) {
    const { default: definition } = await load();
    attach(program, words, definition, host);
  }
  program
    .command('help')
    .description('Show help for a command')
    .argument('[command...]')
    .action((names: readonly string[]) => names.reduce(child, program).help());
}

/** A command's own file and those of its subcommands; help and unknown words need them all. */
function wanted(named: string | undefined) {
  const all = Object.entries(commands);
  const own = all.filter(([words]) => words.split(' ')[0] === named);
  return own.length === 0 ? all : own;
}

function child(parent: Command, name: string): Command {
  const found = parent.commands.find((command) => command.name() === name);
  if (found !== undefined) return found;
  const close = nearest(
    name,
    parent.commands.map((command) => command.name()),
  );
  const hint = close.length === 0 ? 'pit --help lists the commands.' : `Did you mean ${close.join(' or ')}?`;
  throw usage(`unknown command '${name}'`, hint);
}

function attach(program: Command, words: string, definition: Definition, host: Host): void {
  const names = words.split(' ');
  const parent = names.slice(0, -1).reduce((above, _name, index) => group(above, names.slice(0, index + 1)), program);
  const command = subcommand(parent, names.at(-1) ?? '');
  command.description(definition.summary).allowExcessArguments(false);
  const argumentNames = Object.keys(definition.arguments ?? {});
  for (const [key, argument] of Object.entries(definition.arguments ?? {}))
    command.addArgument(commanderArgument(key, argument));
  const flags = Object.entries(definition.flags ?? {}).map(([key, flag]) => ({ key, option: commanderOption(flag) }));
  for (const { option } of flags) command.addOption(option);
  command.addHelpText('after', `\nExamples:\n${definition.examples.map((example) => `  pit ${example}`).join('\n')}`);
  command.action(async () => {
    const given = command.opts();
    const input = Object.fromEntries([
      ...argumentNames.map((key, index) => [key, command.processedArgs[index]]),
      ...flags.map(({ key, option }) => [
        key,
        given[option.attributeName()] ?? (option.isBoolean() ? false : undefined),
      ]),
    ]);
    const context = contextOf(host, readGlobals(command.optsWithGlobals<GlobalFlags>()));
    const answer = await definition.run(context, input);
    if (answer !== undefined) await context.output.answer(answer);
  });
}

function subcommand(parent: Command, name: string): Command {
  return (
    parent.commands.find((command) => command.name() === name) ?? parent.command(name).copyInheritedSettings(parent)
  );
}

/** A word that only groups others is a wrong command line by itself; an order's word is a command as well. */
function group(parent: Command, names: readonly string[]): Command {
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

function commanderOption({ syntax, description, read }: Flag): Option {
  const option = new Option(syntax, description);
  return read === undefined ? option : option.argParser((text) => read(text));
}

function contextOf(host: Host, globals: Globals): Context {
  const budget = new Budget(globals.timeoutMs, host.now);
  const colour = globals.color ? undefined : false;
  const output = new Output(host, globals.format, { colour });
  const session = new Session(host, globals, budget, output);
  return { host, globals, budget, output, prompts: new Prompts(host, { colour }), session };
}

/** Commander's words without its prefix; its suggestion becomes the hint. */
function complaintOf({ message }: CommanderError, words: readonly string[]): [message: string, hint: string] {
  const [, text = '', suggestion] = /^(?:error: )?([\s\S]*?)(?:\n\((.*)\))?$/.exec(message) ?? [];
  const help = ['pit', ...words, '--help', words.length === 0 ? 'lists the commands.' : 'shows how it is written.'];
  const hint = suggestion ?? help.join(' ');
  return [text === '(outputHelp)' ? 'A command is missing.' : text, hint];
}

/** The words that lead to the command which is named, as far as there is one. */
function path(parent: Command, [name, ...rest]: readonly string[]): string[] {
  const found = parent.commands.find((command) => command.name() === name);
  return found === undefined ? [] : [found.name(), ...path(found, rest)];
}
