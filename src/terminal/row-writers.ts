import type { RowStream } from './answer.js';
import { BlockTable } from './block-table.js';
import { toJson } from './json.js';
import type { Screen } from './screen.js';
import { prepareWidths } from './width.js';

/** Turns rows into text as they come. An empty text is not written. */
export interface RowWriter {
  /** The text of the next rows, of which there is at least one. */
  next(rows: readonly object[]): Promise<string>;
  /** What is left, and the end of it. */
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
  #isTitled = true;

  constructor(private readonly fields: readonly string[]) {}

  async next(rows: readonly object[]): Promise<string> {
    const { toCsv } = await import('./csv.js');
    const text = toCsv(rows, this.fields, this.#isTitled);
    this.#isTitled = false;
    return text;
  }

  async end(): Promise<string> {
    return this.#isTitled ? this.next([]) : '';
  }
}

/** So many rows decide about the columns together. */
const BLOCK = 100;

/** A table in blocks. */
export class TableRows implements RowWriter {
  readonly #table: BlockTable<object>;
  #waiting: object[] = [];
  #isBegun = false;

  constructor(
    private readonly screen: Screen,
    private readonly stream: Pick<RowStream, 'columns' | 'empty'>,
  ) {
    this.#table = new BlockTable(screen, stream.columns);
  }

  async next(rows: readonly object[]): Promise<string> {
    this.#waiting.push(...rows);
    return this.#waiting.length < BLOCK ? '' : this.#block();
  }

  async end(): Promise<string> {
    const rest = this.#waiting.length === 0 ? '' : await this.#block();
    if (!this.#isBegun) return `${this.screen.paint.faint(this.stream.empty)}\n`;
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
