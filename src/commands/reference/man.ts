import { bold, entry, paragraph, roff, verbatim } from './roff.js';
import { flagSyntax, synopsis } from './synopsis.js';
import { type CommandTree, childrenOf, type DescribedCommand, type DescribedFlag } from './tree.js';

/** The environment that pit reads, as its contract has it. */
const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['PIT_PROFILE', 'the profile to use; --profile beats it'],
  ['PIT_BASE_URL', "the market-data host, in place of the profile's"],
  ['PIT_TRADE_URL', "the trade host, in place of the profile's; its keys come from the environment as well"],
  ['PIT_ACCESS_KEY, PIT_SECRET_KEY', 'the keys'],
  ['PIT_HOME', 'one folder for configuration, state and cache'],
  ['NO_COLOR, CLICOLOR_FORCE', 'no colours, or colours also where nobody looks'],
];

/** Every manual page by its file: one for pit, and one for each command of one word with what is below it. */
export function manualPages(tree: CommandTree): ReadonlyMap<string, string> {
  const names = childrenOf(
    '',
    tree.commands.map(({ words }) => words),
  ).filter((name) => name !== 'help');
  const pages = names.map((name): [string, string] => [`man/man1/pit-${name}.1`, commandPage(name, tree)]);
  return new Map([['man/man1/pit.1', mainPage(names, tree)], ...pages]);
}

function mainPage(names: readonly string[], { globals, commands }: CommandTree): string {
  const about = 'a trading terminal on the command line, with an exchange in a box';
  const summaries = new Map(commands.map(({ words, summary }) => [words, summary]));
  return page('pit', about, [
    '.SH SYNOPSIS',
    `${bold('pit')} [\\fIFLAGS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]`,
    '.SH DESCRIPTION',
    ...paragraph(
      'Market data, orders and funds of any exchange that speaks one HTTP interface. Without a profile every command goes to the sandbox, an exchange on this machine that starts by itself.',
    ),
    ...paragraph('A write is sent once. What became of one that got no answer is found out, or said to be unknown.'),
    '.SH COMMANDS',
    ...names.flatMap((name) => entry(`\\fBpit\\-${roff(name)}\\fR(1)`, summaries.get(name) ?? '')),
    '.SH FLAGS',
    ...paragraph('Every command takes these, before or after its name.'),
    ...globals.flatMap(flagEntry),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => entry(bold(name), meaning)),
    '.SH SEE ALSO',
    names.map((name) => `\\fBpit\\-${roff(name)}\\fR(1)`).join(',\n'),
  ]);
}

function commandPage(name: string, { commands }: CommandTree): string {
  const own = commands.filter(({ words }) => words === name || words.startsWith(`${name} `));
  const doing = own.filter(({ runs }) => runs);
  return page(`pit-${name}`, own[0]?.summary ?? '', [
    '.SH SYNOPSIS',
    ...doing.flatMap((command, index) => [...(index === 0 ? [] : ['.br']), synopsisOf(command)]),
    '.SH DESCRIPTION',
    ...doing.flatMap(section),
    '.SH EXAMPLES',
    ...verbatim(doing.flatMap(({ examples }) => examples).map((example) => `pit ${example}`)),
    '.SH SEE ALSO',
    '\\fBpit\\fR(1), which has the flags that every command takes',
  ]);
}

function page(name: string, about: string, body: readonly string[]): string {
  const head = [
    '.\\" Made by `npm run generate` from the commands: not to be changed by hand.',
    `.TH "${roff(name.toUpperCase())}" 1 "" "pit" "pit manual"`,
    '.\\" neither hyphens nor stretched lines in what is to be copied',
    '.nh',
    '.ad l',
  ];
  return [...head, '.SH NAME', `${roff(name)} \\- ${roff(about)}`, ...body, ''].join('\n');
}

function synopsisOf(command: DescribedCommand): string {
  const [pit = '', ...rest] = synopsis(command);
  const words = command.words.split(' ').length;
  const name = [pit, ...rest.slice(0, words)].join(' ');
  return [bold(name), ...rest.slice(words).map(unbroken)].join('\n');
}

/** `[--size N]` in one line. */
function unbroken(part: string): string {
  return roff(part).replaceAll(' ', '\\ ');
}

function section(command: DescribedCommand): string[] {
  const { words, summary, arguments: given, flags } = command;
  return [
    `.SS "${roff(`pit ${words}`)}"`,
    `${roff(summary)}.`,
    ...given.flatMap(({ name, description }) => entry(`\\fI${roff(name)}\\fR`, description)),
    ...flags.flatMap(flagEntry),
  ];
}

function flagEntry(flag: DescribedFlag): string[] {
  const { short, description } = flag;
  const names = [...(short === null ? [] : [short]), flagSyntax(flag)];
  return entry(names.map(bold).join(', '), description);
}
