import { Failure } from '../errors.js';
import type { RowStream } from './answer.js';
import { toJson } from './json.js';
import type { Screen } from './screen.js';
import { BlockTable } from './table.js';
import { prepareWidths } from './text.js';

/**
 * Writes rows as they arrive, no faster than the reader takes them: `write` resolves when a text has left.
 *
 * If the source of the rows throws before the first row, throws the same. Later, ends the answer properly and throws
 * Failure `partial`. Throws what `write` throws.
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

/** The rows and, at the end, the failure that ended them, so that it is not confused with what `write` throws. */
async function* withFailure<Row>(rows: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[] | Failure> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    yield error;
  }
}

function partly({ message, hints, code, cause }: Failure, count: number, what: string): Failure {
  const shown = `Only the newest ${count} ${what} could be read: ${message}`;
  const details = {
    hint: hints.length > 0 ? hints : 'Try a narrower range.',
    cause,
    ...(code === null ? {} : { code }),
  };
  return new Failure('partial', shown, details);
}

/** Turns rows into text as they arrive. An empty text is not written. */
export interface RowWriter {
  /** The text of the next rows, at least one. */
  next(rows: readonly object[]): Promise<string>;
  /** The rest of the text. */
  end(): Promise<string>;
}

/** One array, in pieces. */
export class JsonRows implements RowWriter {
  #start = '[';

  async next(rows: readonly object[]): Promise<string> {
    const text = this.#start + rows.map(toJson).join();
    this.#start = ',';
    return text;
  }

  async end(): Promise<string> {
    return this.#start === '[' ? '[]\n' : ']\n';
  }
}

/** A header and a line for each row. */
export class CsvRows implements RowWriter {
  readonly #fields: readonly string[];

  #isTitled = true;

  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  async next(rows: readonly object[]): Promise<string> {
    const { toCsv } = await import('./csv.js');
    const text = toCsv(rows, this.#fields, this.#isTitled);
    this.#isTitled = false;
    return text;
  }

  async end(): Promise<string> {
    return this.#isTitled ? this.next([]) : '';
  }
}

/** The number of rows that decide the widths of the columns. */
const BLOCK = 100;

/** A table in blocks. */
export class TableRows implements RowWriter {
  readonly #screen: Screen;
  readonly #stream: Pick<RowStream, 'columns' | 'empty'>;

  readonly #table: BlockTable<object>;
  #waiting: object[] = [];
  #isBegun = false;

  constructor(screen: Screen, stream: Pick<RowStream, 'columns' | 'empty'>) {
    this.#screen = screen;
    this.#stream = stream;

    this.#table = new BlockTable(screen, stream.columns);
  }

  async next(rows: readonly object[]): Promise<string> {
    this.#waiting.push(...rows);
    return this.#waiting.length < BLOCK ? '' : this.#block();
  }

  async end(): Promise<string> {
    const rest = this.#waiting.length === 0 ? '' : await this.#block();
    if (!this.#isBegun) return `${this.#screen.paint.faint(this.#stream.empty)}\n`;
    const last = this.#table.end();
    return last === '' ? rest : `${rest}${last}\n`;
  }

  async #block(): Promise<string> {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#isBegun = true;
    await prepareWidths(toJson(rows));
    return `${this.#table.block(rows)}\n`;
  }
}
