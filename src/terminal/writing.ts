import { Failure } from '../errors.js';
import type { TerminalOutput } from '../platform/host.js';

/** The reader of a pipe has had enough, as `head` does: nothing went wrong, and nothing more is to be said. */
export class ReaderGone extends Error {
  override readonly name = 'ReaderGone';
}

/** A stream to write to, one text after the other, whose errors reach the writer. */
export class Channel {
  #broken: Error | undefined;

  constructor(
    private readonly stream: TerminalOutput,
    private readonly name: string,
  ) {
    // A stream tells of an error twice, to the write and as an event, and an event nobody hears ends the process.
    stream.on('error', (error) => {
      this.#broken ??= this.#meaning(error);
    });
  }

  /** Settles when the text has left this process. */
  write(text: string): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((resolve, reject) => {
      this.stream.write(text, (error) => {
        if (error) reject(this.#meaning(error));
        else resolve();
      });
    });
  }

  #meaning(error: Error): Error {
    const code = 'code' in error ? String(error.code) : error.message;
    // Windows calls a closed pipe EOF.
    if (code === 'EPIPE' || code === 'EOF') return new ReaderGone(code);
    return new Failure('internal', `The answer could not be written to ${this.name}: ${code}.`, {
      hint: 'What was asked may be done all the same: look before running it again.',
      cause: error,
    });
  }
}
