import { fstatSync, statSync, writeSync } from 'node:fs';
import { builtHelp, DEFAULT_HELP_WIDTH, helpTopic } from './cli/help-text.js';
import { FIRST_WORDS, synonyms } from './commands/names.js';
import { systemErrorCode } from './errors.js';
import { helpFile } from './help-file.js';
import type { ScreenStream } from './terminal/screen.js';
import { version } from './version.js';

/**
 * Runs pit, and sets the exit code of the process. Answers --version, help and unknown commands without loading the rest of
 * the program.
 */
export function start(): void {
  // Node prints what it warns of, such as a deprecation, as text among the JSON of stderr; src/main.ts reports it instead
  process.removeAllListeners('warning');
  const args = process.argv.slice(2);
  if (args[0] === 'keychain-helper' && process.connected) return void runKeychainHelper();
  if (args[0] === '__complete') return void printCompletion(args.slice(1));
  const answer = isVersion(args) ? `${version}\n` : helpFor(args);
  // if stdout cannot be written, the program reports it
  if (answer !== undefined && write(1, answer)) return;
  if (isUnknownCommand(args)) void printUnknown(args[0] ?? '');
  else void runProgram();
}

/** Serves the keychain to the pit process that started this one. */
async function runKeychainHelper(): Promise<void> {
  const { serveKeychain } = await import('./config/keychain-helper.js');
  await serveKeychain();
}

async function printCompletion(words: readonly string[]): Promise<void> {
  const { completion } = await import('./completion.js');
  write(1, await completion(words));
}

async function runProgram(): Promise<void> {
  const { main } = await import('./main.js');
  process.exitCode = await main();
}

function isVersion(args: readonly string[]): boolean {
  return args.length === 1 && (args[0] === '--version' || args[0] === '-V');
}

function helpFor(args: readonly string[]): string | undefined {
  const words = helpTopic(args);
  if (words === undefined) return undefined;
  const { isTTY, columns } = streamOf(1);
  return builtHelp(helpFile(), words, (isTTY ? columns : undefined) ?? DEFAULT_HELP_WIDTH);
}

/** Whether a line without flags begins with a word that is no command and no synonym of one. */
function isUnknownCommand(args: readonly string[]): boolean {
  const [first = '-'] = args;
  return !FIRST_WORDS.includes(first) && !Object.hasOwn(synonyms, first) && args.every((word) => !word.startsWith('-'));
}

async function printUnknown(name: string): Promise<void> {
  const { unknownCommandText } = await import('./cli/unknown-command.js');
  process.exitCode = 2;
  write(2, unknownCommandText(name, FIRST_WORDS, streamOf(2), process.env));
}

/** The stream of a descriptor. It is opened only if it may be a terminal, because opening takes as long as all the rest. */
function streamOf(descriptor: 1 | 2): ScreenStream {
  const file = fstatSync(descriptor);
  const mayBeTerminal =
    file.isCharacterDevice() && !(process.platform !== 'win32' && file.rdev === statSync('/dev/null').rdev);
  return mayBeTerminal ? (descriptor === 1 ? process.stdout : process.stderr) : { isTTY: false };
}

/**
 * Writes directly to the descriptor, and through the stream only if the reader of a pipe is slow. Returns whether that
 * succeeded. A pipe that was closed, as `head` does, counts as success.
 */
function write(descriptor: 1 | 2, text: string): boolean {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EAGAIN') (descriptor === 1 ? process.stdout : process.stderr).on('error', () => {}).write(rest);
    // Windows calls a closed pipe EOF
    else return code === 'EPIPE' || code === 'EOF';
  }
  return true;
}
