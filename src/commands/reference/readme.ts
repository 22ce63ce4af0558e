import { synopsis } from './synopsis.js';
import type { CommandTree, DescribedCommand } from './tree.js';

const START = '<!-- The commands, made by `npm run generate` -->\n';
const END = '<!-- The end of the commands -->\n';

/** README with its table of commands as they are. */
export function readmeWith({ commands }: CommandTree, readme: string): string {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`README has no place for the commands: ${START}`);
  const rows = commands.filter(({ runs }) => runs).map(row);
  const table = ['| command | |', '|---|---|', ...rows].join('\n');
  return `${readme.slice(0, start + START.length)}\n${table}\n\n${readme.slice(end)}`;
}

function row(command: DescribedCommand): string {
  return `| \`${inCell(synopsis(command).join(' '))}\` | ${inCell(command.summary)} |`;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|');
}
