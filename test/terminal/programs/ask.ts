import { Failure, Interrupted } from '../../../src/errors.js';
import { systemHost } from '../../../src/platform/host.js';
import { Prompts } from '../../../src/terminal/asking/prompts.js';
import { questions } from './questions.js';

/** Asks one question of the kind that its argument names, and prints what came of it as JSON. */
try {
  const answer = await questions(new Prompts(systemHost()))[process.argv[2] ?? '']?.();
  process.stdout.write(JSON.stringify({ answer }));
} catch (error) {
  if (!(error instanceof Failure || error instanceof Interrupted)) throw error;
  process.stdout.write(JSON.stringify({ [error.name]: error instanceof Failure ? error.kind : error.signal }));
  process.exitCode = error.exitCode;
}
