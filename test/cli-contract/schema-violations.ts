import { commands } from '../../src/commands/index.js';
import { schemaOf } from '../../src/commands/reference/schema.js';
import { violationsOf } from './checker.js';

/** The longest words of the line that are a command. */
export function commandOf(line: string): string | undefined {
  const words = line.split(' ').filter((word) => word !== '--json');
  for (let count = words.length; count > 0; count -= 1) {
    const name = words.slice(0, count).join(' ');
    if (Object.hasOwn(commands, name)) return name;
  }
  return undefined;
}

/** What of a command's document is not as `pit schema` says. */
export async function schemaViolations(line: string, document: unknown): Promise<string[]> {
  const name = commandOf(line);
  const load = name === undefined ? undefined : commands[name];
  if (name === undefined || load === undefined) return [`"${line}" names no command`];
  return violationsOf(schemaOf(name, (await load()).default), document);
}
