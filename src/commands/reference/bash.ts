import { kindOf, scriptFrom } from './scripts.js';
import type { CommandTree, DescribedCommand, DescribedFlag } from './tree.js';
import { childrenOf } from './tree.js';

/** `completions/pit.bash`. @param engine the script around the tree */
export function bashScript({ globals, commands }: CommandTree, engine: string): string {
  const top = childrenOf(
    '',
    commands.map(({ words }) => words),
  );
  const tree = [
    '# What can follow each command: its subcommands, its flags (--flag=KIND takes a value, + may be repeated), its arguments.',
    '# A KIND is a list of words (after a comma: several in one), the name of a list (@market), or - for anything.',
    '__pit_command() {',
    '  subs= flags= arguments=',
    '  case $1 in',
    `    '') subs='${top.join(' ')}' ;;`,
    ...commands.filter(({ words }) => words !== 'help').map(branch),
    '  esac',
    '}',
    '',
    `__pit_globals='${globals.flatMap(flagWords).join(' ')}'`,
  ];
  return scriptFrom(engine, tree);
}

function branch(command: DescribedCommand): string {
  const parts = {
    subs: command.subcommands,
    flags: command.flags.flatMap(flagWords),
    arguments: command.arguments.map(
      ({ completes, presence }) => `${kindOf(completes)}${presence === 'several' ? '...' : ''}`,
    ),
  };
  const settings = Object.entries(parts)
    .filter(([, words]) => words.length > 0)
    .map(([name, words]) => `${name}='${words.join(' ')}'`);
  return `    '${command.words}') ${[...settings, ';;'].join(' ')}`;
}

function flagWords({ long, short, value, repeats, completes }: DescribedFlag): string[] {
  if (value === null) return short === null ? [long] : [long, short];
  return [`${long}${repeats ? '+' : ''}=${kindOf(completes)}`];
}
