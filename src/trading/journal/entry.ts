import fs from 'node:fs';
import path from 'node:path';
import { Failure, suggest, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { cannotWrite } from '../../platform/private-files.js';
import type { BatchEvent } from '../batches/batch-event.js';
import type { Archive } from './archive.js';
import {
  append,
  appendDurablyAsync,
  appendIfExists,
  encodeLine,
  ignoringDiskErrors,
  moveIfExists,
  readIfExists,
} from './files.js';
import { eventsIn, fileName, readRecord, recordText, settledFile } from './record.js';
import {
  isKind,
  isOnThisMachine,
  isOwnerAlive,
  isSameOwner,
  type JournalEvent,
  listShowing,
  type Owner,
  ownerOf,
  type RecordedWrite,
  type Settled,
  type Settlement,
  thisProcess,
  type Write,
  type WriteKind,
} from './write.js';

/** In characters. */
const LONGEST_EVENT = 300;

/** The fields of an event other than its text. */
type EventDetails = Omit<JournalEvent, 'time' | 'event'>;

/**
 * A write of the journal, from before it is sent until no request of it can be executed any more. Its file holds the recorded
 * write and what happened since.
 *
 *     recorded -> sent -> settled -> closed   (a refused or unsent one: settled -> retained -> closed)
 *         |        |         ^
 *         |        v         |
 *         |     released ----+   (the outcome is unknown and no process works on it: `resolve` claims it)
 *         v
 *     discarded   (it was not sent; the file is deleted)
 *
 * - **recorded, sent**: a live process owns it (`isUnderWay`).
 * - **released**: no process owns it (`owner` is null), or its owner died (`mayBeAbandoned`).
 * - **settled**: the outcome is known and in the archive. The file's new name says which list would show a duplicate, and it
 *   stays for as long as the request may be executed again (`Journal.settledButUnexpired`).
 * - **retained**: the request has expired, and a list that was read later showed everything that it made. A write that
 *   counts as refused or not sent is then kept for one more day, in case its order appears after all (`isRetained`).
 * - **closed**: the file is gone, or in `jobs/` for a batch. Only the archive has it, for 14 days.
 */
export class JournalEntry<Kind extends WriteKind = WriteKind> {
  constructor(
    private readonly file: string,
    private readonly archive: Archive,
    private readonly host: Pick<Host, 'now' | 'redaction'>,
    readonly write: RecordedWrite<Kind>,
    private laterEvents: JournalEvent[],
  ) {}

  /** All events, oldest first. The first is the recording itself. */
  get events(): readonly JournalEvent[] {
    return [{ time: this.write.time, event: 'recorded' }, ...this.laterEvents];
  }

  isKind<Meant extends Kind>(operation: Meant): this is JournalEntry<Meant> {
    return isKind(this.write, operation);
  }

  /** The owning process, alive or dead; null once released. */
  get owner(): Owner | null {
    return ownerOf(this.write, this.laterEvents);
  }

  /**
   * Whether a live process owns it and so will settle it. For a process that cannot be seen from here, its record decides.
   */
  get isUnderWay(): boolean {
    const { owner } = this;
    return owner !== null && isOwnerAlive(owner, isOnThisMachine(owner) ? 0 : this.#silentMs());
  }

  /** Whether this process owns it. */
  get isOwn(): boolean {
    const { owner } = this;
    return owner !== null && isSameOwner(owner, thisProcess());
  }

  /** Whether it may have no live owner: it has none, or its owner cannot be seen from here. */
  get mayBeAbandoned(): boolean {
    const { owner } = this;
    return owner === null || !isOnThisMachine(owner) || !this.isUnderWay;
  }

  /** Whether it may have been sent and no process waits for its response. */
  get isOutcomeUnknown(): boolean {
    return this.mayBeAbandoned || this.wasLost;
  }

  /** Whether its response was lost: none came, or the process that would have read it was replaced by another. */
  get wasLost(): boolean {
    return this.laterEvents.some(({ isUnanswered, newOwner }) => isUnanswered === true || newOwner !== undefined);
  }

  /**
   * Makes this process the owner. Returns false if another process owns it or it is settled.
   * @param bestBid as for a new record
   * @throws Failure `usage` if that cannot be recorded
   */
  claim(bestBid?: string): boolean {
    if (this.isUnderWay || this.#isFileReused()) return false;
    const own = thisProcess();
    const owners = { newOwner: own, replacedOwner: this.owner };
    const line = encodeLine(this.#event('resumed', { ...owners, ...(bestBid === undefined ? {} : { bestBid }) }));
    if (!this.#orCannotWrite(() => appendIfExists(this.file, line))) return false;
    // another process may have claimed it at the same time; the first line in the file counts
    this.laterEvents = eventsIn(readIfExists(this.file) ?? '');
    const { owner } = this;
    return owner !== null && isSameOwner(owner, own) && !this.#isFileReused();
  }

  /** Adds an event to the timeline. If the disk is full, only this line is lost. */
  note(event: string, details: EventDetails = {}): void {
    const line = this.#event(event, details);
    this.laterEvents.push(line);
    try {
      if (!this.#isFileReused()) append(this.file, encodeLine(line));
    } catch {
      // the disk already has what matters: the write may have been sent
    }
  }

  /**
   * Adds durably what was found out about a settled write.
   * @returns false if it has been resumed meanwhile: then nothing was added
   * @throws the system's error if the disk fails
   */
  noteLate(event: string, batchEvent: BatchEvent): boolean {
    const line = this.#event(event, {
      isLate: true,
      batchEvent,
      ...(batchEvent.kind === 'found' ? { unexpected: true } : {}),
    });
    if (!appendIfExists(this.file, encodeLine(line))) return false;
    this.laterEvents.push(line);
    return true;
  }

  /**
   * Adds what has to be on the disk before anything is sent.
   * @throws Failure `usage` if it cannot be written: nothing may be sent
   */
  async noteDurably(event: string, details: EventDetails): Promise<void> {
    const line = this.#event(event, details);
    try {
      await appendDurablyAsync(this.file, encodeLine(line));
    } catch (thrown) {
      throw cannotWrite(this.file, thrown);
    }
    this.laterEvents.push(line);
  }

  /** Gives up for now: the write stays open and its outcome unknown. */
  release(event = 'unknown', details: EventDetails = {}): void {
    this.note(event, { ...details, isReleased: true });
  }

  /**
   * Adds the outcome to the archive and renames the file so that its name says which list would show a duplicate. If the
   * disk fails, the entry stays open, and the next command settles it again. Does nothing if the id now belongs to another
   * record.
   */
  settle(settlement: Settlement, event: string): void {
    if (this.#isFileReused()) return;
    this.note(event, listShowing(this.write) === undefined ? {} : { settled: settlement });
    this.#archiveAndMove({ ...settlement, write: this.write, events: this.#eventsForArchive() });
  }

  /** Settles a job: adds its summary to the archive. The full record stays in the job's own file. */
  archiveSummary(summary: Settled): void {
    this.#archiveAndMove(summary);
  }

  /** The outcome of a settled write, from its own record or from the archive. */
  get settlement(): Settlement | undefined {
    return (
      this.laterEvents.findLast(({ settled }) => settled !== undefined)?.settled ?? this.archive.find(this.write.id)
    );
  }

  /** Whether it counts as refused or not sent and is kept for a day after its request expired. */
  get isRetained(): boolean {
    return this.laterEvents.some(({ isRetained }) => isRetained === true);
  }

  /** Whether it counted as refused or not sent, exists after all, and the user has not asked for it since. */
  get isUnexpected(): boolean {
    return this.laterEvents.findLast(({ unexpected, shown }) => unexpected ?? shown)?.unexpected === true;
  }

  /** When the last of its unexpected orders was found, by this machine's clock in ms since the Unix epoch. */
  get unexpectedSince(): number | undefined {
    return this.isUnexpected ? this.laterEvents.findLast(({ unexpected }) => unexpected)?.time : undefined;
  }

  /** Records that the user has asked for it, and so knows that it exists. */
  markSeen(): void {
    if (this.isUnexpected) this.note('shown', { isLate: true, shown: true });
  }

  /**
   * Records what a list showed of a settled write later.
   * @param duplicates orders or withdrawals that the network made
   * @param order its own order, if it counted as refused or not sent: it is placed after all
   */
  noteFound(duplicates: readonly string[], order: string | null = null): void {
    const { settlement } = this;
    if (settlement === undefined) return;
    const changes = {
      duplicates: [...new Set([...settlement.duplicates, ...duplicates])],
      ...(order === null ? {} : { outcome: 'placed' as const, id: order }),
    };
    const events = [
      ...(order === null ? [] : [`placed after all: ${order}`]),
      ...(duplicates.length === 0 ? [] : [`duplicates: ${duplicates.join(', ')}`]),
    ];
    const unexpected = order === null ? {} : { unexpected: true as const };
    this.note(events.join('; '), { isLate: true, settled: { ...settlement, ...changes }, ...unexpected });
    this.#updateArchive();
  }

  /** Whether more orders of its requests were found after it was settled. */
  get hasLateFindings(): boolean {
    return this.laterEvents.some(({ isLate, settled, batchEvent }) => isLate && (settled ?? batchEvent) !== undefined);
  }

  /** Copies the outcome from this record to the archive. A process may have been killed after it wrote only the record. */
  #updateArchive(): void {
    const { settlement } = this;
    if (settlement === undefined) return;
    const before = this.archive.find(this.write.id);
    // a later write may have the same id
    if (before !== undefined && before.write.time !== this.write.time) return;
    const { outcome, id, duplicates } = settlement;
    const kept = before ?? { ...settlement, write: this.write };
    if (before?.outcome === outcome && before.duplicates.length === duplicates.length) return;
    ignoringDiskErrors(() =>
      this.archive.add({ ...kept, outcome, id, duplicates, events: this.#eventsForArchive() }, before),
    );
  }

  /**
   * Closes a settled write: its request has expired, and a list has shown everything that it made. The record of a job stays for
   * as long as its summary.
   */
  close(): void {
    this.#archiveLateFindings();
    ignoringDiskErrors(() => {
      if (isKind(this.write, 'batch')) this.archive.archiveJobFile(this.file, fileName(this.write.id));
      else fs.rmSync(this.file, { force: true });
    });
  }

  /** Keeps the record of a write that could be closed for one more day, in case its order appears after all. */
  retain(): void {
    this.#archiveLateFindings();
    ignoringDiskErrors(() => this.note('verified', { isLate: true, isRetained: true }));
  }

  #archiveLateFindings(): void {
    if (this.hasLateFindings && !isKind(this.write, 'batch')) this.#updateArchive();
  }

  /**
   * Continues as the next write, under the same id. When this returns, that is on the disk.
   * @param reqTime what the next request will carry, in milliseconds since the Unix epoch
   * @throws Failure `usage` if it cannot be written, or was settled by others: nothing of the next write may be sent
   */
  continueAs<Next extends WriteKind>(next: Extract<Write, { operation: Next }>, reqTime: number): JournalEntry<Next> {
    const { id, time, firstOwner, bestBid } = this.write;
    const facts = { id, time, reqTime, firstOwner, ...(bestBid === undefined ? {} : { bestBid }) };
    const write = { ...next, ...facts } as RecordedWrite<Next>;
    if (!this.#orCannotWrite(() => appendIfExists(this.file, recordText(write))))
      throw usage(`Another process has settled ${id}.`, suggest('See what became of it', 'resolve', id));
    return new JournalEntry(this.file, this.archive, this.host, write, this.laterEvents);
  }

  /** Deletes the record of a write that was never sent. If the disk fails, `resolve` finds that it was never sent. */
  discard(): void {
    ignoringDiskErrors(() => this.#remove());
  }

  /**
   * The time since the last line. Clocks of several machines differ: the times in the record are the writer's, that of the
   * file is the disk's. The later one counts, so that no live process is taken for dead.
   */
  #silentMs(): number {
    const times = [this.write.time, ...this.laterEvents.map(({ time }) => time), changedAt(this.file)];
    return this.host.now() - Math.max(...times);
  }

  #remove(): void {
    if (!this.#isFileReused()) fs.rmSync(this.file, { force: true });
  }

  /** Whether the file is another write's by now: an id that the user chose may be used again once its write is settled. */
  #isFileReused(): boolean {
    const { isUserChosenId, time, firstOwner } = this.write;
    const there = isUserChosenId === true ? readEntry(this.file, this.archive, this.host) : undefined;
    return (
      there instanceof JournalEntry && !(there.write.time === time && isSameOwner(there.write.firstOwner, firstOwner))
    );
  }

  #archiveAndMove(settled: Settled): void {
    ignoringDiskErrors(() => {
      // only a job can be settled twice: it may have been resumed
      this.archive.add(settled, isKind(this.write, 'batch') ? this.archive.find(this.write.id) : undefined);
      const file = settledFile(path.dirname(this.file), this.write);
      if (file === undefined) this.#remove();
      else if (!this.#isFileReused()) moveIfExists(this.file, file);
    });
  }

  #eventsForArchive(): JournalEvent[] {
    return this.events.map(({ settled: _, ...event }) => event);
  }

  /** Makes an event. Its text is masked and cut, because a message of the exchange may be long or repeat secrets. */
  #event(event: string, details: EventDetails): JournalEvent {
    const { redaction } = this.host;
    const text = JSON.stringify(details);
    const masked = redaction.applyToData(text);
    const kept = masked === text ? details : (JSON.parse(masked) as EventDetails);
    return { time: this.host.now(), event: redaction.apply(event).slice(0, LONGEST_EVENT), ...kept };
  }

  #orCannotWrite<Value>(work: () => Value): Value {
    try {
      return work();
    } catch (thrown) {
      throw cannotWrite(this.file, thrown);
    }
  }
}

/** In milliseconds since the Unix epoch; 0 if the file is gone. */
function changedAt(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Reads an entry. Returns `damaged` if the file holds no write, the failure if it cannot be read, and undefined if there is no
 * file.
 */
export function readEntry(
  file: string,
  archive: Archive,
  host: Pick<Host, 'now' | 'redaction'>,
): JournalEntry | Failure | 'damaged' | undefined {
  const record = readRecord(file);
  if (record === undefined || record === 'damaged' || record instanceof Failure) return record;
  return new JournalEntry(file, archive, host, record.write, record.laterEvents);
}

/** Decides, at the last moment, whether a write is sent. Until then it can be cancelled. */
export class SendGate {
  #entry: Pick<JournalEntry, 'note' | 'settle'> | undefined;
  #isSent = false;
  #isCancelled = false;

  /** From now on the journal records when the write is sent or cancelled. */
  attachEntry(entry: Pick<JournalEntry, 'note' | 'settle'>): void {
    this.#entry = entry;
  }

  /** Asked at the moment at which the request would be sent. If it may, also records that it is sent. */
  readonly mayLeave = (): boolean => {
    this.#isSent = !this.#isCancelled;
    if (this.#isSent) this.#entry?.note('sent');
    return this.#isSent;
  };

  /** Cancels the write and records that. Returns false if it may have been sent already. */
  cancel(): boolean {
    if (this.#isSent) return false;
    if (!this.#isCancelled) {
      const settlement = { outcome: 'notSent', id: null, duplicates: [] } as const;
      this.#entry?.settle(settlement, 'not sent: interrupted before it left');
    }
    this.#isCancelled = true;
    return true;
  }
}
