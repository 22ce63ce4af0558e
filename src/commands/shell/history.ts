import fs from 'node:fs';
import path from 'node:path';
import { FILE_MODE, isPrivateFile, makePrivateFolder, readPrivate } from '../../platform/files/private-files.js';
import { replaceFile } from '../../platform/files/replacement.js';
import type { Redaction } from '../../platform/redaction.js';

const FILE = path.join('shell', 'history');

/** How many lines are kept, and how many characters of a line; longer ones are not kept. */
const MOST_LINES = 1_000;
const LONGEST_LINE = 1_000;
/** Far more than that. */
const MOST_BYTES = 8 * 2 ** 20;

/** What a key looks like: a UUID, or many digits and letters of base 16 in a row. */
const KEY_LIKE =
  /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![0-9a-z])(?!0x)[0-9a-f]{40,}(?![0-9a-z])/i;
/** A password in a URL. */
const PASSWORD_IN_URL = /[a-z]:\/\/[^\s/@]*:[^\s@]*@/i;

/**
 * The lines that were typed, for all shells of this `PIT_HOME`. A line that may hold a secret is never kept, nor one that begins
 * with a space. Nothing here ever fails a command.
 */
export class ShellHistory {
  readonly #state: string;
  readonly #redaction: Pick<Redaction, 'apply'>;

  /** Newest last. */
  #lines: string[] = [];

  /** @param state `directories.state` */
  constructor(state: string, redaction: Pick<Redaction, 'apply'>) {
    this.#state = state;
    this.#redaction = redaction;

    try {
      this.#lines = this.#kept(readPrivate(state, FILE, MOST_BYTES)?.toString('utf8').split('\n') ?? []);
    } catch {
      // it begins again
    }
    if (this.#lines.length > MOST_LINES) this.#shorten();
  }

  /** Newest first, as line editors want them. */
  get newestFirst(): string[] {
    return [...this.#lines].reverse();
  }

  /** Keeps a line, unless it repeats the last one. */
  add(line: string): void {
    const [kept] = this.#kept([line]);
    if (kept === undefined || kept === this.#lines.at(-1)) return;
    this.#lines.push(kept);
    try {
      makePrivateFolder(this.#state, path.dirname(FILE));
      isPrivateFile(this.#state, FILE);
      fs.appendFileSync(this.#file, `${kept}\n`, { mode: FILE_MODE });
    } catch {
      // this shell has it still
    }
  }

  get #file(): string {
    return path.join(this.#state, FILE);
  }

  /** The lines that may be kept. A secret may have become known since a line was written. */
  #kept(lines: readonly string[]): string[] {
    return lines.filter(
      (line) =>
        line.trim() !== '' &&
        !line.startsWith(' ') &&
        line.length <= LONGEST_LINE &&
        !KEY_LIKE.test(line) &&
        !PASSWORD_IN_URL.test(line) &&
        this.#redaction.apply(line) === line,
    );
  }

  #shorten(): void {
    this.#lines = this.#lines.slice(-MOST_LINES);
    try {
      replaceFile(this.#file, this.#lines.map((line) => `${line}\n`).join(''));
    } catch {
      // the next shell shortens it
    }
  }
}
