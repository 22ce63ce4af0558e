import fs from 'node:fs';
import path from 'node:path';
import { cannotWrite, codeOf } from '../../config/private.js';
import { Failure } from '../../errors.js';
import type { Host } from '../../host.js';
import { isAlive, startStamp } from '../../processes.js';
import type { Archive } from './archive.js';
import { append, appendDurably, readIfThere } from './files.js';
import type { Intent, JournalEvent, Operation, Settlement, Write } from './intent.js';
import { lineOf, valuesIn } from './lines.js';

/** In characters. */
const LONGEST_EVENT = 300;

/** A write that is not settled: it is under way, or its outcome is not known. Its file holds the intent and what happened since. */
export class Entry<Kind extends Operation = Operation> {
  constructor(
    private readonly file: string,
    private readonly archive: Archive,
    private readonly host: Pick<Host, 'now' | 'redaction'>,
    readonly intent: Intent<Kind>,
    private readonly happened: JournalEvent[],
  ) {}

  /** Oldest first, the recording included. */
  get events(): readonly JournalEvent[] {
    return [{ time: this.intent.time, event: 'recorded' }, ...this.happened];
  }

  /** Whether the process that sends it is still at it, and so will settle it. */
  get isUnderWay(): boolean {
    if (this.happened.some(({ left }) => left === true)) return false;
    const { pid, stamp } = this.intent.process;
    return isAlive(pid) && (stamp === null || startStamp(pid) === stamp);
  }

  /** Adds to the timeline. A full disk loses the line, never the write that it tells of. */
  note(event: string): void {
    this.#add({ time: this.host.now(), event });
  }

  /** Nothing more is tried for now: it stays open, and unknown. */
  leave(): void {
    this.#add({ time: this.host.now(), event: 'unknown', left: true });
  }

  /** The exchange's own words may be long, and may repeat what the request carried. */
  #add({ event, ...rest }: JournalEvent): void {
    const line = { ...rest, event: this.host.redaction.apply(event).slice(0, LONGEST_EVENT) };
    this.happened.push(line);
    try {
      append(this.file, lineOf(line));
    } catch {
      // what counts is on the disk already: that the write may have left
    }
  }

  /**
   * Moves the write to the archive. Where the disk does not take it the entry stays open, and is settled again by the next
   * who looks.
   */
  settle(settlement: Settlement, event: string): void {
    this.note(event);
    try {
      this.archive.add({ ...settlement, intent: this.intent, events: this.events });
      fs.rmSync(this.file, { force: true });
    } catch (thrown) {
      if (codeOf(thrown) === 'unknown error') throw thrown;
    }
  }

  /**
   * Goes on as the next write that it is made of, under the same id. When this returns, that is on the disk.
   * @param reqTime what the next request will carry, in milliseconds since the Unix epoch
   * @throws Failure `usage` where it cannot be written: nothing of the next write may be sent
   */
  goOnAs<Next extends Operation>(write: Extract<Write, { operation: Next }>, reqTime: number): Entry<Next> {
    const { id, time, process } = this.intent;
    const intent = { ...write, id, time, reqTime, process } as Intent<Next>;
    try {
      appendDurably(this.file, recordOf(intent));
    } catch (thrown) {
      throw cannotWrite(this.file, thrown);
    }
    return new Entry(this.file, this.archive, this.host, intent, this.happened);
  }

  /** Takes a record back whose write never left. */
  withdraw(): void {
    fs.rmSync(this.file, { force: true });
  }
}

/** The text of a new entry's file. */
export function recordOf(intent: Intent): string {
  return lineOf({ intent });
}

/** Reads an entry; `damaged` where its intent cannot be read, undefined where it has just been settled. */
export function readEntry(
  file: string,
  archive: Archive,
  host: Pick<Host, 'now' | 'redaction'>,
): Entry | 'damaged' | undefined {
  const content = contentOf(file);
  if (content === undefined) return undefined;
  const lines = valuesIn(content) as ({ intent: Intent } | JournalEvent)[];
  const intent = lines.flatMap((line) => ('intent' in line ? line.intent : [])).at(-1);
  if (intent === undefined) return 'damaged';
  const events = lines.flatMap((line) => ('intent' in line ? [] : line));
  return new Entry(file, archive, host, intent, events);
}

/** A file that cannot be read, as one that somebody else made, is as good as damaged: no other write waits for it. */
function contentOf(file: string): string | undefined {
  try {
    return readIfThere(file);
  } catch (thrown) {
    if (thrown instanceof Failure) return '';
    throw thrown;
  }
}

/** Where an entry lies. Some file systems take `A` for `a`, and the exchange does not. */
export function fileName(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function idOf(file: string): string {
  return path.basename(file).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
