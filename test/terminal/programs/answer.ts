import { Failure } from '../../../src/errors.js';
import { systemHost } from '../../../src/platform/host.js';
import { Output, StdoutClosed } from '../../../src/terminal/output.js';

/** Answers with as many lines as its argument says, as a command does, and treats a reader that left as done. */
const output = new Output(systemHost(), 'table');
const lines = Array.from({ length: Number(process.argv[2]) }, (_, index) => `line ${index}`);

try {
  await output.answer({ data: lines, show: () => lines.join('\n') });
  output.note('all written');
} catch (error) {
  if (error instanceof Failure) {
    output.error(error);
    process.exitCode = error.exitCode;
  } else if (!(error instanceof StdoutClosed)) throw error;
}
