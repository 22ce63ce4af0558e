import { nearest } from '../config/nearest.js';
import { type Failure, suggest, usage } from '../errors.js';
import { redactionOf } from '../platform/redaction.js';
import { type ScreenStream, screenOf } from '../terminal/screen.js';
import { failureText } from '../terminal/text.js';
import { commandLine } from './hints.js';

/** The usage failure of a name that none of the commands has. */
export function unknownCommand(name: string, commands: readonly string[]): Failure {
  const close = nearest(name, commands);
  const hint = close.length === 0 ? suggest('List the commands', '--help') : `Did you mean ${close.join(' or ')}?`;
  return usage(`unknown command '${name}'`, hint);
}

/** The same failure as it is printed on stderr by `pit NAME`. */
export function unknownCommandText(
  name: string,
  commands: readonly string[],
  stream: ScreenStream,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const screen = screenOf(stream, environment);
  const text = failureText(unknownCommand(name, commands), screen, (argv) => commandLine([name], argv));
  return redactionOf(environment).apply(`${text}\n`);
}
