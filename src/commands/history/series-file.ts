import fs from 'node:fs';
import { Failure, quoted, usage } from '../../errors.js';
import type { Replacement } from '../../platform/files/replacement.js';
import { parseJson } from '../../platform/json.js';
import { toCsv } from '../../terminal/csv.js';
import { toJson } from '../../terminal/json.js';
import {
  beginReplacement,
  cannotWriteOutput,
  type OutputStream,
  openGrowing,
  outputPlace,
} from '../named-files/output.js';

/** A row of a file: plain texts by name, without commas, quotes or line breaks. */
export type SeriesRow = Readonly<Record<string, string>>;

/** Checks the rows of a file one after the other. */
export interface RowCheck {
  /** Called before the first row. */
  begin(): void;
  /** What is wrong with the next row after those before it, as the rest of a sentence; undefined if nothing is. */
  problem(row: SeriesRow): string | undefined;
}

type TextFormat = 'csv' | 'ndjson';
type Format = TextFormat | 'parquet';

/** Where the rows of a download go. */
export interface Series {
  readonly name: string;
  /** Whether the next download continues after the last row. */
  readonly isResumable: boolean;
  readonly first: SeriesRow | undefined;
  readonly last: SeriesRow | undefined;
  /** Throws Failure `usage` if the rows cannot be written. */
  append(rows: readonly SeriesRow[]): Promise<void> | void;
}

/** Thrown for a file whose content no download can continue. */
export class UnusableFile extends Failure {
  constructor(message: string, hint: string) {
    super('usage', message, { hint: [hint, '--force replaces the file.'] });
  }
}

/** The failure for a file with anything but these fields. */
export function otherFile(name: string, fields: readonly string[]): UnusableFile {
  return new UnusableFile(`${name} holds other data.`, `Its rows must have the fields ${fields.join(', ')}.`);
}

/** More than a row takes. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\ufeff';

/** The format of a file by the ending of its name. Throws Failure `usage` if it has none of the three. */
export function formatOf(file: string): Format {
  const ending = /\.(csv|ndjson|parquet)$/i.exec(file)?.[1]?.toLowerCase();
  if (ending !== undefined) return ending as Format;
  throw usage(
    `The format of ${quoted(file)} is not clear.`,
    'The ending of --out decides it: .csv, .ndjson or .parquet.',
  );
}

/**
 * A file of rows in the order of time that only grows at its end: CSV with a header, or a JSON document in each line. A row
 * that was cut when a program was killed is removed when the file is opened.
 */
export class SeriesFile implements Series {
  readonly #descriptor: number;
  readonly #format: TextFormat;
  readonly #fields: readonly string[];

  readonly isResumable = true;
  readonly #pattern: RegExp;
  #size: number;
  #first: SeriesRow | undefined;
  #last: SeriesRow | undefined;
  #replacement: Replacement | undefined;
  /** Where this made a file that did not exist before. */
  #made: string | undefined;

  private constructor(
    readonly name: string,
    descriptor: number,
    format: TextFormat,
    fields: readonly string[],
  ) {
    this.#descriptor = descriptor;
    this.#format = format;
    this.#fields = fields;

    this.#pattern = linePattern(format, fields);
    this.#size = fs.fstatSync(descriptor).size;
  }

  /**
   * Opens a file, or makes it, and reads all its rows once. Throws Failure `usage` if it cannot be written, and
   * {@link UnusableFile} if it holds other data or an invalid row.
   */
  static open(name: string, format: TextFormat, fields: readonly string[], check: RowCheck): SeriesFile {
    const place = outputPlace(name);
    if (place.kind !== 'file') throw usage(`${name} is not a regular file.`, 'Give the name of a file.');
    const isNew = !fs.existsSync(place.file);
    const descriptor = openGrowing(name, place.file, 'public');
    try {
      const file = new SeriesFile(name, descriptor, format, fields);
      if (isNew) file.#made = place.file;
      file.#readAll(check);
      return file;
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }

  /** Begins a file that takes the place of another one with its first rows. Throws Failure `usage` if it cannot be written. */
  static replacing(name: string, target: string, format: TextFormat, fields: readonly string[]): SeriesFile {
    try {
      const replacement = beginReplacement(target, 'public');
      const file = new SeriesFile(name, replacement.descriptor, format, fields);
      file.#replacement = replacement;
      return file;
    } catch (error) {
      throw cannotWriteOutput(name, error);
    }
  }

  get first(): SeriesRow | undefined {
    return this.#first;
  }

  get last(): SeriesRow | undefined {
    return this.#last;
  }

  /**
   * Adds rows at the end, all or none. Throws Failure `usage` if the disk is full or another program has changed the file.
   */
  append(rows: readonly SeriesRow[]): void {
    if (rows.length === 0) return;
    this.#requireUnchanged();
    const bytes = Buffer.from(fileText(this.#format, this.#fields, rows, this.#size === 0));
    try {
      for (let written = 0; written < bytes.length; )
        written += fs.writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#size + written);
      this.#replacement?.commit();
      this.#replacement = undefined;
    } catch (error) {
      fs.ftruncateSync(this.#descriptor, this.#size);
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
    fs.ftruncateSync(this.#descriptor, this.#size);
    const isEmpty = this.#size <= (this.#format === 'csv' ? this.#header() : 0);
    if (isEmpty) this.#first = undefined;
    this.#last = isEmpty ? undefined : this.#parsed(this.#lastLine());
  }

  /** All rows, in blocks of the given number. */
  *blocks(count: number): Generator<readonly SeriesRow[]> {
    let block: SeriesRow[] = [];
    for (const line of this.#lines(this.#format === 'csv' ? this.#header() : 0)) {
      block.push(this.#parsed(line) ?? {});
      if (block.length < count) continue;
      yield block;
      block = [];
    }
    if (block.length > 0) yield block;
  }

  /** Everything is on the disk when this returns. A file that was made and got no row is removed. */
  close(): void {
    this.discard();
    fs.fsyncSync(this.#descriptor);
    fs.closeSync(this.#descriptor);
  }

  /** Removes a file that has not taken the place of the other one, or that was made and got no row. */
  discard(): void {
    this.#replacement?.discard();
    if (this.#made !== undefined && fs.statSync(this.#made, { throwIfNoEntry: false })?.size === 0)
      fs.rmSync(this.#made, { force: true });
    this.#made = undefined;
  }

  #requireUnchanged(): void {
    const { size, nlink } = fs.fstatSync(this.#descriptor);
    // rows in a file that was removed would be lost
    if (size === this.#size && nlink > 0) return;
    throw usage(`Another program changed ${this.name} meanwhile.`, 'Let one command at a time write to a file.');
  }

  #readAll(check: RowCheck): void {
    check.begin();
    const whole = this.#size;
    this.#size = whole - this.#cutLength();
    const header = this.#format === 'csv' ? this.#header() : 0;
    let number = header === 0 ? 0 : 1;
    for (const line of this.#lines(header)) {
      number += 1;
      const row = this.#parsed(line);
      if (row === undefined && this.#first === undefined) throw this.#isOther();
      const problem = row === undefined ? this.#strangeness(line) : check.problem(row);
      if (problem !== undefined)
        throw new UnusableFile(`${this.name}: line ${number} ${problem}.`, 'Correct the line, or give another file.');
      this.#first ??= row;
      this.#last = row;
    }
    // only now is it known to be a file of these rows
    if (this.#size < whole) fs.ftruncateSync(this.#descriptor, this.#size);
  }

  /** The lines from an offset on, without their ends. */
  *#lines(start: number): Generator<string> {
    let rest = Buffer.alloc(0);
    for (let at = start; at < this.#size; ) {
      const chunk = this.#read(at, LONGEST_LINE);
      at += chunk.length;
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(NEWLINE) + 1;
      rest = bytes.subarray(end);
      if (rest.length > LONGEST_LINE) throw this.#isOther();
      yield* bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
    }
  }

  /** The length of a last line that has no end. */
  #cutLength(): number {
    const tail = this.#read(Math.max(0, this.#size - LONGEST_LINE), LONGEST_LINE);
    const cut = tail.subarray(tail.lastIndexOf(NEWLINE) + 1);
    const start = this.#format === 'csv' ? this.#fields.join(',') : `{"${this.#fields[0]}":"`;
    const isFirst = cut.length === this.#size;
    const text = cut.toString('utf8', 0, start.length);
    // no row is that long, and a first line begins as all first lines do
    if (cut.length === LONGEST_LINE || (isFirst && !start.startsWith(text))) throw this.#isOther();
    return cut.length;
  }

  /** The length of the header line; 0 if the file is empty. */
  #header(): number {
    if (this.#size === 0) return 0;
    const bytes = this.#read(0, LONGEST_LINE);
    const line = bytes.toString('utf8', 0, Math.max(0, bytes.indexOf(NEWLINE)));
    if (line !== this.#fields.join(',')) throw this.#isOther();
    return line.length + 1;
  }

  #lastLine(): string {
    const tail = this.#read(Math.max(0, this.#size - LONGEST_LINE), LONGEST_LINE);
    return tail.toString('utf8', tail.lastIndexOf(NEWLINE, -2) + 1, tail.length - 1);
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.min(length, this.#size - start));
    fs.readSync(this.#descriptor, bytes, 0, bytes.length, start);
    return bytes;
  }

  /** The row in a line; undefined if it is none. */
  #parsed(line: string): SeriesRow | undefined {
    const values =
      this.#pattern.exec(line)?.slice(1) ?? (this.#format === 'ndjson' ? this.#jsonValues(line) : undefined);
    return values && Object.fromEntries(this.#fields.map((field, index) => [field, values[index] ?? '']));
  }

  /** The texts of a JSON document that was written in another way, such as with spaces. */
  #jsonValues(line: string): string[] | undefined {
    let document: unknown;
    try {
      document = parseJson(line);
    } catch {
      return undefined;
    }
    const isOurs = Object.keys(document ?? {}).join() === this.#fields.join();
    const values: unknown[] = isOurs ? Object.values(document ?? {}) : [undefined];
    return values.every((value) => typeof value === 'string') ? values : undefined;
  }

  /** What is wrong with a line that is no row, as the rest of a sentence. */
  #strangeness(line: string): string {
    return line.trim() === '' ? 'is empty' : `does not have the fields ${this.#fields.join(', ')}`;
  }

  /** The failure for a file that does not begin as such a file. */
  #isOther(): Failure {
    const [first = ''] = this.#read(0, LONGEST_LINE).toString('utf8').split('\n');
    const isSaved = first.startsWith(BYTE_ORDER_MARK) || first.endsWith('\r');
    if (!isSaved) return otherFile(this.name, this.#fields);
    const what = first.endsWith('\r') ? 'has the line ends of Windows' : 'begins with a byte order mark';
    return new UnusableFile(`${this.name} ${what}.`, 'Save it as plain UTF-8 whose lines end with LF.');
  }
}

/** Rows that are written to stdout, a pipe or a device. */
export class StreamedSeries implements Series {
  readonly #stream: OutputStream;
  readonly #format: TextFormat;
  readonly #fields: readonly string[];

  readonly isResumable = false;
  #first: SeriesRow | undefined;
  #last: SeriesRow | undefined;

  constructor(
    readonly name: string,
    stream: OutputStream,
    format: TextFormat,
    fields: readonly string[],
  ) {
    this.#stream = stream;
    this.#format = format;
    this.#fields = fields;
  }

  get first(): SeriesRow | undefined {
    return this.#first;
  }

  get last(): SeriesRow | undefined {
    return this.#last;
  }

  async append(rows: readonly SeriesRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#stream.write(fileText(this.#format, this.#fields, rows, this.#first === undefined));
    this.#first ??= rows[0];
    this.#last = rows.at(-1);
  }
}

function fileText(format: TextFormat, fields: readonly string[], rows: readonly SeriesRow[], isFirst: boolean): string {
  return format === 'csv' ? toCsv(rows, fields, isFirst) : rows.map((row) => `${toJson(row)}\n`).join('');
}

/** Finds the values in a line as pit writes it, faster than a parser. */
function linePattern(format: TextFormat, fields: readonly string[]): RegExp {
  const values = fields.map((field) => (format === 'csv' ? '([^,]*)' : `"${field}":"([^"\\\\]*)"`)).join(',');
  return new RegExp(format === 'csv' ? `^${values}$` : `^\\{${values}\\}$`);
}
