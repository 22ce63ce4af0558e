import { asFailure, Interrupted } from './errors.js';
import type { Host } from './host.js';
import { Output, ReaderGone } from './terminal/output.js';

/** Tells the user what went wrong and gives the exit code for it. */
export function exitCodeOf(thrown: unknown, host: Host): number {
  if (thrown instanceof ReaderGone) return 0;
  if (thrown instanceof Interrupted) return thrown.exitCode;
  const failure = asFailure(thrown);
  const { arguments: words, errors } = host;
  // the command line may be what is wrong, so its flags are looked for as plain words
  const output = new Output(
    host,
    words.includes('--json') ? 'json' : 'table',
    words.includes('--no-color') ? { colour: false } : {},
  );
  if (words.includes('--verbose') && failure.cause instanceof Error) errors.write(`${failure.cause.stack}\n`);
  output.error(failure);
  return failure.exitCode;
}
