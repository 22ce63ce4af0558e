import { kindOf, scriptFrom } from './scripts.js';
import { type CommandTree, childrenOf, type DescribedCommand, type DescribedFlag } from './tree.js';

/** `completions/pit.fish`. @param engine the script around the tree */
export function fishScript({ globals, commands }: CommandTree, engine: string): string {
  const all = new Map(commands.map((command) => [command.words, command]));
  const top = { words: '', subcommands: childrenOf('', [...all.keys()]) };
  const own = commands.filter(({ words }) => words !== 'help');
  const parts: Readonly<Record<string, readonly string[]>> = {
    subs: [top, ...own].flatMap(({ words, subcommands }) =>
      branch(
        words,
        subcommands.map((name) => [name, all.get(`${words} ${name}`.trim())?.summary ?? '']),
      ),
    ),
    flags: own.flatMap(({ words, flags }) => branch(words, flags.flatMap(flagPairs))),
    arguments: own.flatMap((command) => branch(command.words, argumentPairs(command))),
  };
  const tree = [
    '# What can follow each command, a line each: the word, or what it is made of, then a tab and what it is about. A flag',
    '# is --flag=KIND where it takes a value, + where it may be repeated. A KIND is a list of words (after a comma: several in',
    '# one), the name of a list (@market), or - for anything.',
    ...Object.entries(parts).flatMap(([name, branches]) => [
      `function __pit_tree_${name}`,
      '    switch "$argv[1]"',
      ...branches,
      '    end',
      'end',
      '',
    ]),
    'function __pit_tree_globals',
    ...printed(globals.flatMap(flagPairs), '    '),
    'end',
  ];
  return scriptFrom(engine, tree);
}

type Pair = readonly [word: string, about: string];

function branch(words: string, pairs: readonly Pair[]): string[] {
  return pairs.length === 0 ? [] : [`        case '${words}'`, ...printed(pairs, '            ')];
}

function printed(pairs: readonly Pair[], indent: string): string[] {
  const lines = pairs.map(([word, about]) => `${indent}    ${quoted(word)} ${quoted(about)}`);
  return [
    `${indent}printf '%s\\t%s\\n' \\`,
    ...lines.map((line, index) => `${line}${index < lines.length - 1 ? ' \\' : ''}`),
  ];
}

function argumentPairs(command: DescribedCommand): Pair[] {
  return command.arguments.map(({ completes, presence, description }) => [
    `${kindOf(completes)}${presence === 'several' ? '...' : ''}`,
    description,
  ]);
}

function flagPairs({ long, short, value, repeats, completes, description }: DescribedFlag): Pair[] {
  if (value !== null) return [[`${long}${repeats ? '+' : ''}=${kindOf(completes)}`, description]];
  return [long, ...(short === null ? [] : [short])].map((name) => [name, description]);
}

/** In fish's single quotes only the quote and the backslash mean anything. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
