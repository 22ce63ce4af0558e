import fs from 'node:fs';
import type { Refusal } from '../../domain/refusal.js';
import { Failure, suggest, usage } from '../../errors.js';
import { cannotWrite } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import type { BatchEvent } from '../batches/batch-event.js';
import type { Archive } from './archive.js';
import { claimNext, giveUpClaim } from './claim.js';
import {
  append,
  appendDurablyAsync,
  appendIfExists,
  encodeLine,
  ignoringDiskErrors,
  orCannotWrite,
  readIfExists,
  valuesIn,
} from './files.js';
import type { ListMarks, Watched } from './list-marks.js';
import { isOwner, isOwnerAlive, isSameOwner, type Owner, thisProcess } from './owner.js';
import {
  isKind,
  isRecordedWrite,
  type JournalEvent,
  listShowing,
  ownerOf,
  type RecordedWrite,
  type Settled,
  type Settlement,
  type Write,
  type WriteKind,
} from './write.js';

/** In characters. */
const LONGEST_EVENT = 300;

/** The fields of an event other than its text. */
type EventDetails = Omit<JournalEvent, 'time' | 'event'>;

/** The journal that an entry belongs to. */
export interface EntryContext {
  readonly host: Pick<Host, 'now' | 'redaction'>;
  readonly archive: Archive;
  readonly marks: ListMarks;
}

/**
 * A write of the journal, from before it is sent until no request of it can be executed any more, with what happened since it
 * was recorded. {@link Journal} draws its states.
 */
export class JournalEntry<Kind extends WriteKind = WriteKind> {
  readonly #file: string;
  readonly #journal: EntryContext;
  readonly #watched: Watched | undefined;
  #laterEvents: JournalEvent[];

  /**
   * @param file its record. A settled write other than a job has none any more
   * @param watched what the archive has of it, once it is settled
   */
  constructor(
    file: string,
    journal: EntryContext,
    readonly write: RecordedWrite<Kind>,
    laterEvents: JournalEvent[],
    watched?: Watched,
  ) {
    this.#file = file;
    this.#journal = journal;
    this.#laterEvents = laterEvents;
    this.#watched = watched;
  }

  /** All events, oldest first. The first is the recording itself. */
  get events(): readonly JournalEvent[] {
    return [{ time: this.write.time, event: 'recorded' }, ...this.#laterEvents];
  }

  isKind<Meant extends Kind>(operation: Meant): this is JournalEntry<Meant> {
    return isKind(this.write, operation);
  }

  /** The owning process, alive or dead; null once released. */
  get owner(): Owner | null {
    return ownerOf(this.write, this.#laterEvents);
  }

  /** Whether a live process owns it and so will settle it. */
  get isUnderWay(): boolean {
    const { owner } = this;
    return owner !== null && isOwnerAlive(owner);
  }

  /** Whether this process owns it. */
  get isOwn(): boolean {
    const { owner } = this;
    return owner !== null && isSameOwner(owner, thisProcess());
  }

  /** Whether it may have been executed, and no process is about to learn that from an answer. */
  get isOutcomeUnknown(): boolean {
    const isTakenOver = claimsIn(this.#laterEvents) > 0;
    const isInDoubt = this.#laterEvents.some(({ couldNotLookUp }) => couldNotLookUp === true);
    return !this.isUnderWay || isTakenOver || this.wasLost || isInDoubt;
  }

  /** Whether no answer says what became of it: none came, the process that awaited it has ended, or it was another's. */
  get wasLost(): boolean {
    const isTakenOver = claimsIn(this.#laterEvents) > 0;
    const isMissing = isTakenOver && this.namedId === undefined && this.refusal === undefined;
    return isMissing || this.#laterEvents.some((event) => event.isUnanswered === true || event.isContradicted === true);
  }

  /** The order or withdrawal that its answer named; undefined if none did, or the exchange has contradicted it. */
  get namedId(): string | undefined {
    const last = this.#laterEvents.findLast((event) => event.namedId !== undefined || event.isContradicted === true);
    return last?.namedId;
  }

  /**
   * With which the exchange rejected its request; undefined if it did not, or that was not recorded. A proxy may have repeated the
   * request: then the first one was executed, and the refusal answers the second.
   */
  get refusal(): Refusal | undefined {
    const { operation } = this.write;
    return this.#laterEvents.findLast(({ refused }) => refused?.operation === operation)?.refused?.refusal;
  }

  /** Notes that the exchange rejected its request: that is known then to any process that settles it later. */
  noteRefusal({ kind, code, message }: Refusal): void {
    const { operation } = this.write;
    const refusal = { kind, code, message: message.slice(0, LONGEST_EVENT) };
    this.note(`refused: ${code} ${message}`, { refused: { operation, refusal } });
  }

  /**
   * Makes this process the owner. Returns false if another process owns it or it is settled.
   * @param resumed what its orders were checked against, if a job is resumed
   * @throws Failure `usage` if that cannot be recorded
   */
  claim(resumed?: Pick<JournalEvent, 'bestBid' | 'overridden'>): boolean {
    if (this.isUnderWay) return false;
    return orCannotWrite(this.#file, () => {
      const claim = claimNext(this.#file, claimsIn(this.#laterEvents) + 1);
      if (!('number' in claim)) return false;
      try {
        return this.#addClaim(resumed);
      } finally {
        ignoringDiskErrors(() => giveUpClaim(this.#file, claim.number));
      }
    });
  }

  /** Adds the line of a claim, with its link made; false if the record is gone, or has had another claim since it was read. */
  #addClaim(resumed: Pick<JournalEvent, 'bestBid' | 'overridden'> | undefined): boolean {
    const now = readRecord(this.#file);
    if (now === undefined || typeof now === 'string') return false;
    if (claimsIn(now.laterEvents) !== claimsIn(this.#laterEvents)) return false;
    const event = resumed === undefined ? 'taken over' : 'resumed';
    const line = this.#event(event, { newOwner: thisProcess(), ...resumed });
    if (!appendIfExists(this.#file, encodeLine(line))) return false;
    this.#laterEvents = [...now.laterEvents, line];
    return true;
  }

  /** Adds an event to the timeline. If the disk is full, only this line is lost. */
  note(event: string, details: EventDetails = {}): void {
    const line = this.#event(event, details);
    this.#laterEvents.push(line);
    try {
      append(this.#file, encodeLine(line));
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
    if (!appendIfExists(this.#file, encodeLine(line))) return false;
    this.#laterEvents.push(line);
    return true;
  }

  /**
   * Adds what has to be on the disk before anything is sent.
   * @throws Failure `usage` if it cannot be written: nothing may be sent
   */
  async noteDurably(event: string, details: EventDetails): Promise<void> {
    const line = this.#event(event, details);
    try {
      await appendDurablyAsync(this.#file, encodeLine(line));
    } catch (thrown) {
      throw cannotWrite(this.#file, thrown);
    }
    this.#laterEvents.push(line);
  }

  /** Gives up for now: the write stays open and its outcome unknown. */
  release(event = 'unknown', details: EventDetails = {}): void {
    this.note(event, { ...details, isReleased: true });
  }

  /**
   * Adds the outcome to the archive and deletes the record; that of a job is kept with the archive. If the disk fails, the entry stays
   * unsettled, and `pit resolve`, or a command that lists its market, settles it again.
   */
  settle(settlement: Settlement, event: string): void {
    this.note(event, { settled: settlement });
    this.archiveSummary({ ...settlement, write: this.write, events: this.#eventsForArchive() });
  }

  /** Settles a job: adds its summary to the archive. The full record stays. */
  archiveSummary(summary: Settled): void {
    const { archive, marks } = this.#journal;
    ignoringDiskErrors(() => {
      const list = listShowing(this.write);
      if (list !== undefined) marks.ensure(list);
      archive.add(summary);
      if (isKind(this.write, 'batch')) archive.keepJob(this.#file, this.write.id);
      else fs.rmSync(this.#file);
    });
  }

  /** The outcome of a settled write, as it was noted here or in the archive. */
  get settlement(): Settlement | undefined {
    const noted = this.#laterEvents.findLast(({ settled }) => settled !== undefined)?.settled;
    return noted ?? settlementOf(this.#watched?.settled ?? this.#journal.archive.find(this.write.id));
  }

  /** Whether it is settled and its requests are over: it is watched only in case its order appears after all. */
  get isClosed(): boolean {
    return this.#watched?.isClosed === true;
  }

  /** Whether it counted as refused or not sent, exists after all, and the user has not asked for it since. */
  get isUnexpected(): boolean {
    return this.unexpectedSince !== undefined;
  }

  /** When the last of its unexpected orders was found, by this machine's clock in ms since the Unix epoch. */
  get unexpectedSince(): number | undefined {
    const last = this.#laterEvents.findLast(({ unexpected, shown }) => unexpected ?? shown);
    return last?.unexpected ? last.time : undefined;
  }

  /** Records that the user has asked for it, and so knows that it exists. */
  markSeen(): void {
    if (!this.isUnexpected) return;
    this.note('shown', { isLate: true, shown: true });
    const { settlement } = this;
    if (settlement !== undefined && !isKind(this.write, 'batch')) this.#archiveAgain(settlement);
  }

  /**
   * Records what a list showed of a settled write other than a job later.
   * @param duplicates orders or withdrawals that the network made
   * @param ownId its own order or withdrawal, if it counted as refused or not sent, and so is placed after all, or as placed
   *   without a known id
   */
  noteFound(duplicates: readonly string[], ownId: string | null = null): void {
    // another process may have recorded some of it
    const before = this.#journal.archive.find(this.write.id);
    const settlement = settlementOf(before) ?? this.settlement;
    if (settlement === undefined) return;
    const more = duplicates.filter((id) => !settlement.duplicates.includes(id));
    if (more.length === 0 && (ownId === null || ownId === settlement.id)) return;
    const lacksId = settlement.outcome === 'placed' && settlement.id === null;
    const isUnexpected = ownId !== null && !lacksId;
    const events = [
      ...(ownId === null ? [] : [`${isUnexpected ? 'placed after all' : 'placed'}: ${ownId}`]),
      ...(duplicates.length === 0 ? [] : [`duplicates: ${duplicates.join(', ')}`]),
    ];
    const settled = {
      ...settlement,
      duplicates: [...settlement.duplicates, ...more],
      ...(ownId === null ? {} : { outcome: 'placed' as const, id: ownId }),
    };
    this.note(events.join('; '), { isLate: true, settled, ...(isUnexpected ? { unexpected: true } : {}) });
    this.#archiveAgain(settled);
  }

  /** Whether more orders of a job were found after it was settled. */
  get hasLateFindings(): boolean {
    return this.#laterEvents.some(({ isLate, batchEvent }) => isLate && batchEvent !== undefined);
  }

  /** Adds another line to the archive, where the last one counts. */
  #archiveAgain(settlement: Settlement): void {
    const settled = { ...settlement, write: this.write, events: this.#eventsForArchive() };
    ignoringDiskErrors(() => this.#journal.archive.add(settled));
  }

  /**
   * Continues as the next write, under the same id. When this returns, that is on the disk.
   * @param reqTime what the next request will carry, in milliseconds since the Unix epoch
   * @throws Failure `usage` if it cannot be written, or was settled by others: nothing of the next write may be sent
   */
  continueAs<Next extends WriteKind>(next: Extract<Write, { operation: Next }>, reqTime: number): JournalEntry<Next> {
    const { id, time, firstOwner, bestBid } = this.write;
    const write = { ...next, id, time, reqTime, firstOwner, bestBid } as RecordedWrite<Next>;
    if (!orCannotWrite(this.#file, () => appendIfExists(this.#file, recordText(write))))
      throw usage(`Another process has settled ${id}.`, suggest('See what became of it', 'resolve', id));
    return new JournalEntry(this.#file, this.#journal, write, this.#laterEvents);
  }

  /**
   * Sends the write. If that throws a Failure, nothing was sent, and the record is deleted; another error may have come after the
   * request left.
   */
  async send<Response>(request: () => Promise<Response>): Promise<Response> {
    try {
      return await request();
    } catch (error) {
      if (error instanceof Failure) this.discard();
      throw error;
    }
  }

  /** Deletes the record of a write that was never sent. If the disk fails, `resolve` finds that it was never sent. */
  discard(): void {
    ignoringDiskErrors(() => fs.rmSync(this.#file));
  }

  #eventsForArchive(): JournalEvent[] {
    return this.events.map(({ settled: _, ...event }) => event);
  }

  /** Makes an event. Its text is masked and cut, because a message of the exchange may be long or repeat secrets. */
  #event(event: string, details: EventDetails): JournalEvent {
    const { now, redaction } = this.#journal.host;
    const masked = JSON.parse(redaction.applyToData(JSON.stringify(details))) as EventDetails;
    return { time: now(), event: redaction.apply(event).slice(0, LONGEST_EVENT), ...masked };
  }
}

function settlementOf(settled: Settled | undefined): Settlement | undefined {
  if (settled === undefined) return undefined;
  const { write: _, events: __, notional: ___, ...settlement } = settled;
  return settlement;
}

/** How often another process has claimed a write. */
function claimsIn(events: readonly JournalEvent[]): number {
  return events.filter(({ newOwner }) => newOwner !== undefined).length;
}

/** The content of a record: the write, and what has happened since, oldest first. */
interface JournalRecord {
  readonly write: RecordedWrite;
  readonly laterEvents: JournalEvent[];
}

/** The text of a new record: a line with the write. Each event adds a line. */
export function recordText(write: RecordedWrite): string {
  return encodeLine({ write });
}

/**
 * Reads a record; `damaged` if it holds no write or does not say who owns it, `dropped` for a cancellation, which pit 0.2 recorded,
 * undefined if there is none. Throws Failure `usage` if it cannot be read.
 */
function readRecord(file: string): JournalRecord | 'damaged' | 'dropped' | undefined {
  const content = readIfExists(file);
  if (content === undefined) return undefined;
  const values = valuesIn(content);
  if (values.some(isCancellation)) return 'dropped';
  const write = values.flatMap((value) => ('write' in value && isRecordedWrite(value.write) ? value.write : [])).at(-1);
  const laterEvents = eventsAmong(values);
  const isOwned = laterEvents.every(({ newOwner }) => newOwner === undefined || isOwner(newOwner));
  return write === undefined || !isOwned ? 'damaged' : { write, laterEvents };
}

function isCancellation(value: { readonly write?: { readonly operation?: unknown } }): boolean {
  return value.write?.operation === 'cancel';
}

/** The events since the write, from the text of a record. */
export function eventsIn(content: string): JournalEvent[] {
  return eventsAmong(valuesIn(content));
}

function eventsAmong(values: readonly object[]): JournalEvent[] {
  return values.flatMap((value) => ('time' in value && 'event' in value ? (value as JournalEvent) : []));
}

/**
 * Reads an entry. Returns `damaged` if the record holds no write or does not say who owns it, `dropped` for that of a cancellation, the
 * failure if it cannot be read, and undefined if there is none.
 */
export function readEntry(
  file: string,
  journal: EntryContext,
  watched?: Watched,
): JournalEntry | Failure | 'damaged' | 'dropped' | undefined {
  try {
    const record = readRecord(file);
    if (record === undefined || typeof record === 'string') return record;
    return new JournalEntry(file, journal, record.write, record.laterEvents, watched);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

/** Decides, at the last moment, whether a write is sent. Until then it can be cancelled. */
export class SendGate {
  readonly #isAllowed: () => boolean;
  #entry: Pick<JournalEntry, 'settle'> | undefined;
  #isSent = false;
  #isCancelled = false;

  /** @param isAllowed asked last, for what another process may have decided by then. It must not throw. */
  constructor(isAllowed: () => boolean = () => true) {
    this.#isAllowed = isAllowed;
  }

  /** From now on the journal records that the write is cancelled. */
  attachEntry(entry: Pick<JournalEntry, 'settle'>): void {
    this.#entry = entry;
  }

  /** Asked at the moment at which the request would be sent. */
  readonly mayLeave = (): boolean => {
    this.#isSent = !this.#isCancelled && this.#isAllowed();
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
