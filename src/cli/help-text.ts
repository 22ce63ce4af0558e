/** Marks the start of a paragraph that ends with its line and is still to be wrapped, with the indent of its start. */
export const PARAGRAPH = '\u0001';
/** Marks the name of each command in the file of help texts. */
const SECTION = '\f';

/** In cells. A narrower column is not wrapped; the terminal breaks its lines. */
export const NARROWEST_COLUMN = 12;
/** The width of help if the output is not a terminal, in cells. */
export const DEFAULT_HELP_WIDTH = 80;

/** The text of the file of help texts. Its keys are the words of the commands; '' is the program itself. */
export function helpFile(templates: ReadonlyMap<string, string>): string {
  return [...templates].map(([words, template]) => `${SECTION}${words}\n${template}\n`).join('') + SECTION;
}

/** The words of the command whose help a command line asks for; undefined if it asks for none. */
export function helpTopic(args: readonly string[]): string | undefined {
  const last = args.at(-1);
  const words = last === '--help' || last === '-h' ? args.slice(0, -1) : args[0] === 'help' ? args.slice(1) : args;
  const asksForHelp = words !== args || args.length === 0;
  return asksForHelp && words.every((word) => /^[a-z][a-z-]*$/.test(word)) ? words.join(' ') : undefined;
}

/** The help of a command for a width, from the file of help texts; undefined if it has none. */
export function builtHelp(file: string, words: string, width: number): string | undefined {
  const title = `${SECTION}${words}\n`;
  const start = file.indexOf(title);
  return start === -1
    ? undefined
    : wrapTemplate(file.slice(start + title.length, file.indexOf(SECTION, start + 1)), width);
}

function wrapTemplate(template: string, width: number): string {
  return template
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const indent = line.indexOf(PARAGRAPH);
  if (indent === -1) return line;
  const paragraph = line.slice(indent + PARAGRAPH.length);
  const room = width - indent;
  const lines = room < NARROWEST_COLUMN ? [paragraph] : wrappedLines(paragraph, room);
  return line.slice(0, indent) + lines.join(`\n${' '.repeat(indent)}`);
}

/** Breaks between words as commander does. */
function wrappedLines(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.match(/\s*\S+/g) ?? []) {
    if (line !== '' && line.length + word.length > width) {
      lines.push(line);
      line = word.trimStart();
    } else line += word;
  }
  return [...lines, line];
}
