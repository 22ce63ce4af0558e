import { ownWords } from './cli/command-line.js';
import { commandLine } from './cli/hints.js';
import { run } from './cli/program.js';
import { asFailure, CommandEnded, Interrupted } from './errors.js';
import { type Host, systemHost } from './platform/host.js';
import { Output, ReaderGone } from './terminal/output.js';

/** Runs the command line of a host, by default the system's, and returns the exit code. The only place that catches. */
export async function pit(host: Host = ownProcess()): Promise<number> {
  try {
    await run(host);
    return 0;
  } catch (thrown) {
    return report(thrown, host);
  }
}

function ownProcess(): Host {
  const host = systemHost();
  // what is thrown beside the command would be printed by the runtime itself, past the redaction
  process.once('uncaughtException', (thrown) => process.exit(report(thrown, host)));
  return host;
}

/** Tells the user what went wrong and gives the exit code for it. */
function report(thrown: unknown, host: Host): number {
  if (thrown instanceof ReaderGone) return 0;
  if (thrown instanceof Interrupted || thrown instanceof CommandEnded) return thrown.exitCode;
  const words = ownWords(host.arguments);
  const failure = asFailure(thrown);
  // the command line may be what is wrong, so its flags are looked for as plain words
  const colour = words.includes('--no-color') ? { colour: false } : {};
  const output = new Output(host, words.includes('--json') ? 'json' : 'table', {
    ...colour,
    commandLine: commandLine(host.arguments),
  });
  if (words.includes('--verbose') && failure.cause instanceof Error) output.trace(failure.cause);
  output.error(failure);
  return failure.exitCode;
}
