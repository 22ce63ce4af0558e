import fs from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { quoted, usage } from '../../errors.js';
import { parseJson } from '../../platform/json.js';
import { cannotWriteOutput, openGrowing, outputPlace } from '../named-files/output.js';

/** How much of a tape is read at a time to find its end, in bytes. */
const BLOCK = 256 * 1_024;
const NEWLINE = 0x0a;

/** How each part of a compressed tape begins: what `gzipSync` writes, except for the byte that names the system. */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0]);

/** A document of a tape, as far as a recorder has to understand it. */
export interface TapeDocument {
  readonly channel?: unknown;
  readonly received?: unknown;
  readonly gap?: unknown;
  readonly markets?: unknown;
  readonly data?: unknown;
}

/** Whether the name of a tape is one. Throws Failure `usage` with the endings that are. */
export function requireTapeName(name: string): void {
  if (/\.ndjson(\.gz)?$/i.test(name)) return;
  throw usage(
    `The format of ${quoted(name)} is not clear.`,
    'A tape ends in .ndjson, or in .ndjson.gz for a smaller one.',
  );
}

/**
 * A file of documents, one a line, that only grows at its end. What is appended at once is written at once; in a compressed file
 * it is a part of its own (gzip takes files that follow each other as one). So a killed program leaves at most one part cut off.
 */
export class TapeFile {
  readonly #descriptor: number;
  readonly #isCompressed: boolean;
  #size: number;

  private constructor(
    readonly name: string,
    descriptor: number,
  ) {
    this.#descriptor = descriptor;
    this.#isCompressed = /\.gz$/i.test(name);
    this.#size = fs.fstatSync(descriptor).size;
  }

  /** Opens a tape, or makes it. Throws Failure `usage` if it cannot be written, or holds anything else. */
  static open(name: string): TapeFile {
    const place = outputPlace(name);
    if (place.kind !== 'file')
      throw usage(`${name} is not a regular file.`, 'A tape is a file. For a pipe: pit stream … --json');
    // it may have orders and balances, if not now, then later
    const descriptor = openGrowing(name, place.file, 'private');
    try {
      const tape = new TapeFile(name, descriptor);
      tape.#cutTorn();
      return tape;
    } catch (error) {
      fs.closeSync(descriptor);
      throw error;
    }
  }

  /** How many bytes were cut off at the end because a program had been killed while it wrote them. */
  torn = 0;

  /** Whether it had no document when it was opened. */
  isEmpty = false;

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** Adds lines at the end, all or none; they are on the disk when this returns. Throws Failure `usage` if the disk is full. */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (fs.fstatSync(this.#descriptor).size !== this.#size)
      throw usage(`Another program changed ${this.name} meanwhile.`, 'Let one command at a time write to a file.');
    const text = Buffer.from(`${lines.join('\n')}\n`);
    const bytes = this.#isCompressed ? gzipSync(text) : text;
    try {
      for (let written = 0; written < bytes.length; )
        written += fs.writeSync(this.#descriptor, bytes, written, bytes.length - written, this.#size + written);
      fs.fsyncSync(this.#descriptor);
    } catch (error) {
      fs.ftruncateSync(this.#descriptor, this.#size);
      throw cannotWriteOutput(this.name, error);
    }
    this.#size += bytes.length;
  }

  close(): void {
    fs.closeSync(this.#descriptor);
  }

  /** The documents, newest first. A line that is none is left out. */
  *fromEnd(): Generator<TapeDocument> {
    for (const lines of this.#blocksFromEnd())
      for (const line of lines.reverse()) {
        const found = documentIn(line);
        if (found !== undefined) yield found;
      }
  }

  /** A line near the end that is no document, as a damaged file has it; undefined if all are. */
  brokenLine(): string | undefined {
    let read = 0;
    for (const lines of this.#blocksFromEnd()) {
      const broken = lines.findLast((line) => documentIn(line) === undefined);
      if (broken !== undefined) return broken;
      read += lines.reduce((sum, { length }) => sum + length, 0);
      if (read >= BLOCK) return undefined;
    }
    return undefined;
  }

  /** Lines in the order of the file, in blocks from the end to the start. */
  *#blocksFromEnd(): Generator<string[]> {
    if (this.#isCompressed) {
      for (const { start, end } of this.#partsFromEnd()) {
        const text = unzipped(this.#read(start, end - start));
        if (text !== undefined) yield linesOf(text);
      }
      return;
    }
    let rest = Buffer.alloc(0);
    for (let end = this.#size; end > 0; ) {
      const start = Math.max(0, end - BLOCK);
      const bytes = Buffer.concat([this.#read(start, end - start), rest]);
      end = start;
      const first = start === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      rest = bytes.subarray(0, first);
      if (first > 0 || start === 0) yield linesOf(bytes.subarray(first));
    }
  }

  /** Where each part of a compressed file lies, from the end to the start. */
  *#partsFromEnd(): Generator<{ readonly start: number; readonly end: number }> {
    let end = this.#size;
    for (let at = this.#size; at > 0; ) {
      const from = Math.max(0, at - BLOCK);
      // a head may lie across two blocks
      const bytes = this.#read(from, Math.min(this.#size, at + GZIP_HEAD.length - 1) - from);
      for (let found = bytes.lastIndexOf(GZIP_HEAD); found !== -1; ) {
        const start = from + found;
        // these bytes may be within a part by chance: then what follows is no part
        if (unzipped(this.#read(start, end - start)) !== undefined) {
          yield { start, end };
          end = start;
        }
        if (found === 0) break;
        found = bytes.lastIndexOf(GZIP_HEAD, found - 1);
      }
      at = from;
    }
  }

  /** Cuts off a last line or part that is incomplete. Throws Failure `usage` for a file that is no tape, and leaves it as it is. */
  #cutTorn(): void {
    this.isEmpty = this.#size === 0;
    if (this.isEmpty) return;
    const whole = this.#isCompressed ? this.#wholeParts() : this.#wholeLines();
    const [first] = this.#firstLines(whole);
    const isTape = whole > 0 ? first !== undefined && documentIn(first) !== undefined : this.#couldBegin();
    if (!isTape)
      throw usage(`${this.name} holds other data.`, 'Give another file: a tape has a JSON document in each line.');
    this.torn = this.#size - whole;
    if (this.torn > 0) fs.ftruncateSync(this.#descriptor, whole);
    this.#size = whole;
    this.isEmpty = whole === 0;
  }

  /** Whether a file without a whole part may be a tape whose first part was cut off. */
  #couldBegin(): boolean {
    const start = this.#isCompressed ? GZIP_HEAD : Buffer.from('{"');
    const head = this.#read(0, start.length);
    return head.equals(start.subarray(0, head.length));
  }

  #wholeLines(): number {
    for (let end = this.#size; end > 0; ) {
      const start = Math.max(0, end - BLOCK);
      const found = this.#read(start, end - start).lastIndexOf(NEWLINE);
      if (found !== -1) return start + found + 1;
      end = start;
    }
    return 0;
  }

  #wholeParts(): number {
    for (let end = this.#size; end > 0; ) {
      // the last head of all, whether what follows it is whole or not
      const start = this.#lastHead(end);
      if (start === undefined) return 0;
      const bytes = this.#read(start, end - start);
      // the head of the next part may be cut off itself
      const whole = [0, ...cutHeads(bytes)].find(
        (cut) => unzipped(bytes.subarray(0, bytes.length - cut)) !== undefined,
      );
      if (whole !== undefined) return end - whole;
      end = start;
    }
    return 0;
  }

  #lastHead(before: number): number | undefined {
    for (let at = before; at > 0; at -= BLOCK) {
      const from = Math.max(0, at - BLOCK);
      const found = this.#read(from, Math.min(before, at + GZIP_HEAD.length - 1) - from).lastIndexOf(GZIP_HEAD);
      if (found !== -1) return from + found;
    }
    return undefined;
  }

  #firstLines(whole: number): string[] {
    if (!this.#isCompressed) return linesOf(this.#read(0, Math.min(whole, BLOCK)));
    for (let length = BLOCK; ; length *= 2) {
      const bytes = this.#read(0, Math.min(whole, length));
      const next = bytes.indexOf(GZIP_HEAD, 1);
      const text = unzipped(next === -1 ? bytes : bytes.subarray(0, next));
      if (text !== undefined) return linesOf(text);
      if (length >= whole) return [];
    }
  }

  #read(start: number, length: number): Buffer {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, this.#size - start)));
    fs.readSync(this.#descriptor, bytes, 0, bytes.length, start);
    return bytes;
  }
}

function linesOf(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** How long the head of a part is that may stand cut off at the end. */
function cutHeads(bytes: Buffer): number[] {
  const lengths = Array.from({ length: GZIP_HEAD.length - 1 }, (_, index) => index + 1);
  return lengths.filter((length) => bytes.subarray(-length).equals(GZIP_HEAD.subarray(0, length)));
}

function unzipped(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

function documentIn(line: string): TapeDocument | undefined {
  try {
    const parsed = parseJson(line);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject && ('channel' in parsed || 'markets' in parsed) ? (parsed as TapeDocument) : undefined;
  } catch {
    return undefined;
  }
}

/** When a document of a tape arrived, in milliseconds since the Unix epoch; undefined if it does not say. */
export function receivedAt({ received, gap }: TapeDocument): number | undefined {
  const moment = received ?? (typeof gap === 'object' && gap !== null && 'to' in gap ? gap.to : undefined);
  const time = typeof moment === 'string' ? Date.parse(moment) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
