import fs from 'node:fs';
import path from 'node:path';
import { Failure, hasErrorCode } from '../../../errors.js';
import { create, HIDDEN, ignoringDiskErrors, readIfExists, valueInLine } from '../../journal/files.js';
import type { AlgoState } from './facts.js';

/** What the process that watches an algo order says of it. It is no fact: no order is sent or cancelled because of it. */
export interface StatusNote {
  readonly state: AlgoState;
  readonly reason: string | null;
  /** Since when, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Since when its stop is reached and not known to be sent; null if it is, or was not reached. Absent: as an earlier version wrote it. */
  readonly unsentSince?: number | null;
  /**
   * When the process that watched saw the market last, by the exchange's clock, if it has ended in order with nothing left to write of that.
   * Absent: it watches, or was killed.
   */
  readonly seen?: number;
  /** The time of the `resumed` fact that it knew last: a note from before the last one is old. */
  readonly resumed: number | null;
}

/** What is said of the open algo orders of an account, beside their records. */
export class StatusNotes {
  readonly #folder: string;

  /** @param folder that of the records of open algo orders */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was said last; undefined for nothing. It counts only while the process that watches is alive. */
  of(id: string): StatusNote | undefined {
    const text = readIfExists(this.#fileOf(id));
    return text === undefined ? undefined : (valueInLine(text) as StatusNote | undefined);
  }

  /** What {@link StatusNote.seen} says; 0 if nothing does, or it cannot be read. */
  seenOf(id: string): number {
    try {
      const { seen } = this.of(id) ?? {};
      return typeof seen === 'number' ? seen : 0;
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown;
      return 0;
    }
  }

  /** Says how an algo order is. If the disk is full, nothing is said: not what was before either. */
  write(id: string, note: StatusNote): void {
    try {
      create(this.#fileOf(id), JSON.stringify(note), false);
    } catch (thrown) {
      if (!hasErrorCode(thrown)) throw thrown;
      ignoringDiskErrors(() => this.remove(id));
    }
  }

  /** Throws the system's error. */
  remove(id: string): void {
    fs.rmSync(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${HIDDEN}${id}${HIDDEN}status`);
  }
}
