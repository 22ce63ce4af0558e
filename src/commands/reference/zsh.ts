import { kindOf, scriptFrom } from './scripts.js';
import { type CommandTree, childrenOf, type DescribedCommand, type DescribedFlag } from './tree.js';

/** `completions/_pit`. @param engine the script around the tree */
export function zshScript({ globals, commands }: CommandTree, engine: string): string {
  const all = new Map(commands.map((command) => [command.words, command]));
  const top = childrenOf('', [...all.keys()]);
  const tree = [
    '# What can follow each command: its subcommands, its flags (--flag=KIND takes a value, + may be repeated), its arguments,',
    '# each with what it is. A KIND is a list of words (after a comma: several in one), the name of a list (@market), or -',
    '# for anything.',
    '__pit_command() {',
    '  subs=() flags=() arguments=()',
    '  case $1 in',
    "    '')",
    ...list(
      'subs',
      top.map((name) => entry(name, all.get(name)?.summary)),
    ),
    '      ;;',
    ...commands.filter(({ words }) => words !== 'help').flatMap((command) => branch(command, all)),
    '  esac',
    '}',
    '',
    'typeset -ga __pit_globals=(',
    ...globals.flatMap(flagEntries).map((one) => `  ${one}`),
    ')',
  ];
  return scriptFrom(engine, tree);
}

function branch(command: DescribedCommand, all: ReadonlyMap<string, DescribedCommand>): string[] {
  const { words, subcommands } = command;
  const subs = subcommands.map((name) => entry(name, all.get(`${words} ${name}`)?.summary));
  const given = command.arguments.map(({ completes, presence, description }) =>
    entry(`${kindOf(completes)}${presence === 'several' ? '...' : ''}`, description),
  );
  const lines = [
    ...list('subs', subs),
    ...list('flags', command.flags.flatMap(flagEntries)),
    ...list('arguments', given),
  ];
  return lines.length === 0 ? [] : [`    '${words}')`, ...lines, '      ;;'];
}

function list(name: string, entries: readonly string[]): string[] {
  return entries.length === 0 ? [] : [`      ${name}=(`, ...entries.map((one) => `        ${one}`), '      )'];
}

function flagEntries({ long, short, value, repeats, completes, description }: DescribedFlag): string[] {
  if (value !== null) return [entry(`${long}${repeats ? '+' : ''}=${kindOf(completes)}`, description)];
  return [long, ...(short === null ? [] : [short])].map((name) => entry(name, description));
}

/** In single quotes nothing of it means anything to the shell. */
function entry(name: string, description = ''): string {
  return `'${`${name}:${description}`.replaceAll("'", "'\\''")}'`;
}
