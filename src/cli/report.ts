import { asFailure, CommandEnded, Interrupted } from '../errors.js';
import type { Host } from '../platform/host.js';
import { Output, ReaderGone } from '../terminal/output.js';
import { ownWords } from './command-line.js';
import { commandLine } from './hints.js';

/** Prints what ended a command and returns the exit code for it. */
export function report(thrown: unknown, host: Host): number {
  if (thrown instanceof ReaderGone) return 0;
  if (thrown instanceof Interrupted || thrown instanceof CommandEnded) return thrown.exitCode;
  // the command line itself may be wrong, so its flags are searched for as plain words
  const words = ownWords(host.arguments);
  const output = new Output(host, words.includes('--json') ? 'json' : 'table', {
    colour: words.includes('--no-color') ? false : undefined,
    commandLine: commandLine(host.arguments),
  });
  const failure = asFailure(thrown);
  if (words.includes('--verbose') && failure.cause instanceof Error) output.trace(failure.cause);
  output.error(failure);
  return failure.exitCode;
}
