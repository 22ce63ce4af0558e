import fs from 'node:fs';
import { type Failure, quoted, usage } from '../../errors.js';
import { parseJson } from '../../platform/json.js';
import { cannotWriteOutput } from '../../platform/private-files.js';
import { toCsv } from '../../terminal/csv.js';
import { toJson } from '../../terminal/json.js';

/** A row of a file: plain texts by name, without commas, quotes or line breaks. */
export type Row = Readonly<Record<string, string>>;

type Format = 'csv' | 'ndjson' | 'parquet';

/** More than a row takes. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 0x0a;

/** The format of a file by the ending of its name. Throws Failure `usage` if it has none of the three. */
export function formatOf(file: string): Format {
  const ending = /\.(csv|ndjson|parquet)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending !== undefined) return ending as Format;
  throw usage(`--out is ${quoted(file)}.`, 'Its ending decides the format: .csv, .ndjson or .parquet.');
}

/**
 * A file of rows in the order of time that only grows at its end: CSV with a header, or a JSON document in each line. A row
 * that was cut when a program was killed is removed when the file is opened.
 */
export class SeriesFile {
  #size: number;
  #first: Row | undefined;
  #last: Row | undefined;

  private constructor(
    readonly name: string,
    private readonly descriptor: number,
    private readonly format: 'csv' | 'ndjson',
    private readonly fields: readonly string[],
  ) {
    const whole = fs.fstatSync(descriptor).size;
    this.#size = whole;
    this.#size = whole - this.#cutLength();
    const header = format === 'csv' ? this.#header() : 0;
    this.#first = this.#size > header ? this.#parsed(this.#lineAt(header)) : undefined;
    this.#last = this.#first === undefined ? undefined : this.#parsed(this.#lastLine());
    // only now is it known to be a file of these rows
    if (this.#size < whole) fs.ftruncateSync(descriptor, this.#size);
  }

  /** Opens a file, or makes it. Throws Failure `usage` if it cannot be written or holds something else. */
  static open(name: string, format: 'csv' | 'ndjson', fields: readonly string[]): SeriesFile {
    let descriptor: number;
    try {
      descriptor = fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
    } catch (error) {
      throw cannotWriteOutput(name, error);
    }
    try {
      if (!fs.fstatSync(descriptor).isFile()) throw usage(`${name} is not a regular file.`, 'Give the name of a file.');
      return new SeriesFile(name, descriptor, format, fields);
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }

  get first(): Row | undefined {
    return this.#first;
  }

  get last(): Row | undefined {
    return this.#last;
  }

  /** Adds rows at the end. Throws Failure `usage` if the disk is full or another program has changed the file. */
  append(rows: readonly Row[]): void {
    if (rows.length === 0) return;
    this.#requireUnchanged();
    const text = this.format === 'csv' ? toCsv(rows, this.fields, this.#size === 0) : rows.map(asLine).join('');
    const bytes = Buffer.from(text);
    try {
      for (let written = 0; written < bytes.length; )
        written += fs.writeSync(this.descriptor, bytes, written, bytes.length - written, this.#size + written);
    } catch (error) {
      throw cannotWriteOutput(this.name, error);
    }
    this.#size += bytes.length;
    this.#first ??= rows[0];
    this.#last = rows.at(-1);
  }

  /** Removes the last row, if there is one. Throws Failure `usage` if another program has changed the file. */
  removeLast(): void {
    if (this.#last === undefined) return;
    this.#requireUnchanged();
    this.#size -= Buffer.byteLength(this.#lastLine()) + 1;
    fs.ftruncateSync(this.descriptor, this.#size);
    const isEmpty = this.#size <= (this.format === 'csv' ? this.#header() : 0);
    if (isEmpty) this.#first = undefined;
    this.#last = isEmpty ? undefined : this.#parsed(this.#lastLine());
  }

  /** All rows, in blocks of the given number. */
  *blocks(count: number): Generator<readonly Row[]> {
    let block: Row[] = [];
    let rest = Buffer.alloc(0);
    let at = this.format === 'csv' ? this.#header() : 0;
    while (at < this.#size) {
      const chunk = this.#read(at, LONGEST_LINE);
      at += chunk.length;
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      for (const line of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) {
        block.push(this.#parsed(line));
        if (block.length < count) continue;
        yield block;
        block = [];
      }
    }
    if (block.length > 0) yield block;
  }

  /** Everything is on the disk when this returns. */
  close(): void {
    fs.fsyncSync(this.descriptor);
    fs.closeSync(this.descriptor);
  }

  #requireUnchanged(): void {
    if (fs.fstatSync(this.descriptor).size === this.#size) return;
    throw usage(`Another program changed ${this.name} meanwhile.`, 'Let one command at a time write to a file.');
  }

  /** The length of a last line that has no end. */
  #cutLength(): number {
    const tail = this.#read(Math.max(0, this.#size - LONGEST_LINE), LONGEST_LINE);
    const cut = tail.subarray(tail.lastIndexOf(NEWLINE) + 1);
    const start = this.format === 'csv' ? this.fields.join(',') : `{"${this.fields[0]}":"`;
    const isFirst = cut.length === this.#size;
    const text = cut.toString('utf8', 0, start.length);
    // no row is that long, and a first line begins as all first lines do
    if (cut.length === LONGEST_LINE || (isFirst && !start.startsWith(text))) throw this.#isOther();
    return cut.length;
  }

  /** The length of the header line; 0 if the file is empty. */
  #header(): number {
    if (this.#size === 0) return 0;
    const line = this.#lineAt(0);
    if (line !== this.fields.join(',')) throw this.#isOther();
    return line.length + 1;
  }

  #lineAt(start: number): string {
    const bytes = this.#read(start, LONGEST_LINE);
    return bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(NEWLINE)));
  }

  #lastLine(): string {
    const tail = this.#read(Math.max(0, this.#size - LONGEST_LINE), LONGEST_LINE);
    return tail.toString('utf8', tail.lastIndexOf(NEWLINE, -2) + 1, tail.length - 1);
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.min(length, this.#size - start));
    fs.readSync(this.descriptor, bytes, 0, bytes.length, start);
    return bytes;
  }

  #parsed(line: string): Row {
    const values = this.format === 'csv' ? line.split(',') : this.#jsonValues(line);
    if (values.length !== this.fields.length) throw this.#isOther();
    return Object.fromEntries(this.fields.map((field, index) => [field, values[index] ?? '']));
  }

  #jsonValues(line: string): string[] {
    let document: unknown;
    try {
      document = parseJson(line);
    } catch {
      throw this.#isOther();
    }
    const isOurs = Object.keys(document ?? {}).join() === this.fields.join();
    const values: unknown[] = isOurs ? Object.values(document ?? {}) : [];
    return values.every((value) => typeof value === 'string') ? values : [];
  }

  #isOther(): Failure {
    return usage(`${this.name} holds something else.`, `Its rows would have to be: ${this.fields.join(', ')}.`);
  }
}

function asLine(row: Row): string {
  return `${toJson(row)}\n`;
}
