import { Failure } from '../errors.js';
import type { RowStream } from './answer.js';
import type { RowWriter } from './row-writers.js';

/**
 * Writes rows as they come, no faster than they are taken: `write` settles when a text has left.
 *
 * Throws what the rows' source threw where not one had come, so that nothing was written; after that the answer is
 * ended properly and a Failure `partial` says why it is not whole. Throws what `write` throws.
 */
export async function writeRows(
  { rows, what }: RowStream,
  writer: RowWriter,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let count = 0;
  for await (const some of withFailure(rows)) {
    if (some instanceof Failure) {
      if (count === 0) throw some;
      await write(await writer.end());
      throw partly(some, count, what);
    }
    count += some.length;
    if (some.length > 0) await write(await writer.next(some));
  }
  await write(await writer.end());
}

/** The rows and, as the last element, the failure that ended them: what `write` throws must not be taken for theirs. */
async function* withFailure<Row>(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[] | Failure> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield error;
  }
}

function partly({ message, hints, code, cause }: Failure, count: number, what: string): Failure {
  const shown = `Only ${count} ${what} could be had, the newest: ${message}`;
  const details = {
    hint: hints.length > 0 ? hints : 'A narrower range may fare better.',
    cause,
    ...(code === null ? {} : { code }),
  };
  return new Failure('partial', shown, details);
}
