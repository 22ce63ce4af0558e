import fs from 'node:fs';
import path from 'node:path';
import { Failure, hasErrorCode, suggest, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { cannotWrite, makePrivateFolder } from '../../platform/private-files.js';
import { Archive } from './archive.js';
import { JournalEntry, readEntry } from './entry.js';
import {
  append,
  create,
  encodeLine,
  type FilterField,
  isOlderThan,
  type LineFilter,
  moveIfExists,
  namesIn,
  newerVersion,
  readIfExists,
  sweepDrafts,
  syncFolder,
  VERSION,
} from './files.js';
import {
  eventsIn,
  fileName,
  idOf,
  isUnsettled,
  recordText,
  restoreSettledFile,
  settledFilesIn,
  settledFilesNamed,
  settledFilesOf,
  timeOfSettledFile,
} from './record.js';
import {
  isKind,
  type JournalEvent,
  type MarketSide,
  marketOf,
  type RecordedWrite,
  type Settled,
  thisProcess,
  type Write,
  type WriteKind,
} from './write.js';

/** A draft older than this was left by a process that died. */
const DRAFT_MS = 3_600_000;
/** Another process may still be writing a record that was changed within this time. */
const BEING_WRITTEN_MS = 60_000;

/** Older settled writes of an earlier version need no file: no exchange accepts their requests any more. */
const MIGRATED_MS = 600_000;

/** For how long a write that exists unexpectedly is reported. */
const UNEXPECTED_MS = 86_400_000;

/** The fields of a new record other than the write. */
export interface NewRecord {
  readonly id: string;
  /** Whether the user chose the id, which may then have been used before. */
  readonly isUserChosenId?: boolean;
  /** The `reqTime` that the request will carry, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The best bid that its sells were checked against, if there are sells and a book. */
  readonly bestBid?: string | undefined;
}

/** An unsettled write whose record cannot be read. Its file name shows its id. */
interface Unreadable {
  readonly id: string;
  readonly failure: Failure;
}

/** The writes that are not settled, each kind oldest first. */
export interface Unsettled {
  readonly entries: readonly JournalEntry[];
  /** The ids of damaged records: which writes they are of, and whether those were sent, is unknown. */
  readonly damaged: readonly string[];
  /** Records that cannot be read now, but are perhaps not damaged. */
  readonly unreadable: readonly Unreadable[];
}

/** The result of {@link Journal.writesSince}. */
interface Writes {
  readonly unsettled: readonly JournalEntry[];
  readonly settled: readonly Settled[];
}

/**
 * The journal of one account at one exchange. A write is recorded before it is sent, and stays unsettled until its outcome is
 * known.
 *
 * The record of a write is one file in `open/`, from before it is sent until no request of it can be executed any more. Lines
 * are only added. One file per write lets any number of processes use the journal at once, lets only one process claim an id,
 * and keeps a damaged file from hiding another. The file name says whether the outcome is known, so a command reads only the
 * files that it needs: three unsettled writes among a thousand are found in a millisecond.
 *
 * `settled/` is the archive, with a line for each settled write. `jobs/` holds the records of closed batches: the archive has
 * only their summaries.
 */
export class Journal {
  readonly archive: Archive;

  /**
   * @param root `directories.state`
   * @param folder the folder within that belongs to the account
   */
  constructor(
    private readonly host: Pick<Host, 'now' | 'redaction'>,
    private readonly root: string,
    readonly folder: string,
  ) {
    this.archive = new Archive(this.#path('settled'), this.#path('jobs'), host.now);
  }

  #isMigrated = false;

  /**
   * Records a write that is about to be sent. When this returns, the record survives the end of this process, and that of the
   * machine unless it is a cancellation.
   * @throws Failure `usage` if a write with this id is unsettled or settled, or the record cannot be written: nothing may be sent
   */
  begin<Kind extends WriteKind>(
    write: Extract<Write, { operation: Kind }>,
    { id, reqTime, isUserChosenId = false, bestBid }: NewRecord,
  ): JournalEntry<Kind> {
    const entry = this.unrecordedEntry(write, { id, reqTime, isUserChosenId, bestBid });
    const file = this.fileOf(id);
    this.#makeFolders();
    if (!this.#create(file, write.operation, recordText(entry.write))) throw idInUse(id);
    try {
      // another process may have settled a write of this id between the caller's read and the claim
      const earlier = isUserChosenId ? this.archive.find(id) : undefined;
      if (earlier?.outcome === 'placed') throw idAlreadyUsed(id, earlier.id);
      return entry;
    } catch (thrown) {
      entry.discard();
      throw thrown;
    }
  }

  /**
   * Makes an entry without a file. A write that is safe to repeat needs no file; it is archived once it is settled, if the
   * disk allows.
   */
  unrecordedEntry<Kind extends WriteKind>(
    write: Extract<Write, { operation: Kind }>,
    { id, reqTime, isUserChosenId = false, bestBid }: NewRecord,
  ): JournalEntry<Kind> {
    const named = { id, ...(isUserChosenId ? { isUserChosenId } : {}), ...(bestBid === undefined ? {} : { bestBid }) };
    const facts = { ...named, time: this.host.now(), reqTime, firstOwner: thisProcess() };
    return new JournalEntry(
      this.fileOf(id),
      this.archive,
      this.host,
      { ...write, ...facts } as RecordedWrite<Kind>,
      [],
    );
  }

  /** Whether nothing is open: every outcome is known, and no request can be executed any more. */
  get isIdle(): boolean {
    this.#requireMigrated();
    return namesIn(this.#path('open')).length === 0;
  }

  /** All unsettled writes, from one read of the folder. */
  unsettled(): Unsettled {
    this.#requireMigrated();
    const read = this.#read();
    return {
      entries: read.flatMap(({ entry }) => (entry instanceof JournalEntry ? entry : [])),
      damaged: read.flatMap(({ id, entry }) => (entry === 'damaged' ? id : [])),
      unreadable: read.flatMap(({ id, entry }) => (entry instanceof Failure ? { id, failure: entry } : [])),
    };
  }

  /** The unsettled writes, oldest first, without damaged and unreadable ones. */
  unsettledEntries(): readonly JournalEntry[] {
    return this.unsettled().entries;
  }

  /**
   * The unsettled writes, and the writes that were settled at or after a time, each oldest first. The unsettled ones are read
   * first: a write that is settled in the meantime is then in both lists, and not in neither.
   * @param filter a condition for the settled writes
   */
  writesSince(time: number, filter: LineFilter = {}): Writes {
    const unsettled = this.unsettledEntries();
    return { unsettled, settled: this.archive.since(time, filter) };
  }

  /** The markets of all writes in the journal and its archive, sorted. */
  markets(): string[] {
    return this.#distinctValues('market', marketOf);
  }

  /** The coins of all withdrawals in the journal and its archive, sorted. */
  coins(): string[] {
    return this.#distinctValues('coin', (write) => (isKind(write, 'withdraw') ? write.terms.coin : undefined));
  }

  /** What can still be read of a damaged record. */
  damagedEvents(id: string): readonly JournalEvent[] {
    return eventsIn(readIfExists(this.fileOf(id)) ?? '');
  }

  /**
   * Ends a damaged record after the user has found out about its write: moves it to `damaged/`, where no command reads it.
   * @returns its new path
   * @throws Failure `usage` if another process may be writing the record now, or the disk fails
   */
  settleDamaged(id: string, event: string): string {
    const [file, aside] = [this.fileOf(id), path.join(this.#path('damaged'), fileName(id))];
    if (!isOlderThan(file, this.host.now() - BEING_WRITTEN_MS))
      throw usage(
        `Another process may be writing the record of ${id} now.`,
        suggest('Check again in a minute', 'resolve'),
      );
    makePrivateFolder(this.root, path.join('journal', this.folder, 'damaged'));
    try {
      append(file, encodeLine({ time: this.host.now(), event }));
      fs.renameSync(file, aside);
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
    return aside;
  }

  /**
   * Throws Failure `usage` if any record is damaged or unreadable: the write that is about to be sent may be identical.
   */
  requireReadable(): void {
    for (const { id, entry } of this.#read()) {
      if (!(entry instanceof Failure) && entry !== 'damaged') continue;
      const what = entry === 'damaged' ? `The record ${this.fileOf(id)} is damaged.` : entry.message;
      throw new Failure('usage', `${what} Its write may be identical to this one, so nothing was sent.`, {
        clientId: id,
        hint: suggest('Find out', 'resolve', id),
      });
    }
  }

  /** Forgets everything, for example when the sandbox starts a new exchange. */
  deleteAll(): void {
    fs.rmSync(this.#path(''), { recursive: true, force: true });
  }

  /** The unsettled write with this id. For a settled one, see `archive.find`. */
  findUnsettled(id: string): JournalEntry | undefined {
    return this.#readIfIntact(this.fileOf(id));
  }

  /** Whether a write is still unsettled. Its process may have settled it since it was read. */
  isUnsettled(id: string): boolean {
    return this.findUnsettled(id) !== undefined;
  }

  /** A job with all its orders and their outcomes, unsettled or in the archive. */
  findJob(id: string): JournalEntry<'batch'> | undefined {
    // in this order, as in writesSince
    const entry = this.findUnsettled(id) ?? this.#readSettledJob(id);
    return entry?.isKind('batch') ? entry : undefined;
  }

  /** A settled job that was not resumed. */
  findSettledJob(id: string): JournalEntry<'batch'> | undefined {
    const entry = this.#readSettledJob(id);
    return entry?.isKind('batch') ? entry : undefined;
  }

  /** Reopens a settled job; false if there is none, or another process was first. */
  reopen(id: string): boolean {
    const kept = this.#settledJobFile(id);
    return kept !== undefined && moveIfExists(kept, this.fileOf(id));
  }

  /** The settled writes that one list of the exchange shows and whose requests may still be executed again. */
  settledButUnexpired(list: MarketSide | { readonly coin: string }): JournalEntry[] {
    this.#requireMigrated();
    return settledFilesOf(this.#path('open'), list).flatMap((file) => this.#readIfIntact(file) ?? []);
  }

  /** When the oldest of these writes was recorded, in milliseconds since the Unix epoch; Infinity if there is none. Reads none of them. */
  oldestSettledButUnexpired(list: MarketSide): number {
    this.#requireMigrated();
    return Math.min(Number.POSITIVE_INFINITY, ...settledFilesOf(this.#path('open'), list).map(timeOfSettledFile));
  }

  /**
   * The writes of the last day that counted as refused or not sent and exist after all, until the user has asked for each by
   * its id; oldest first.
   */
  unexpected(): JournalEntry[] {
    this.#requireMigrated();
    const since = this.host.now() - UNEXPECTED_MS;
    return settledFilesIn(this.#path('open'))
      .flatMap((file) => this.#readIfIntact(file) ?? [])
      .filter(({ unexpectedSince }) => unexpectedSince !== undefined && unexpectedSince > since)
      .sort((one, other) => one.write.time - other.write.time);
  }

  #readSettledJob(id: string): JournalEntry | undefined {
    const kept = this.#settledJobFile(id);
    return kept === undefined ? undefined : this.#readIfIntact(kept);
  }

  /** The file of a settled job. */
  #settledJobFile(id: string): string | undefined {
    return settledFilesNamed(this.#path('open'), id).at(-1) ?? this.archive.archivedJobFile(fileName(id));
  }

  #readIfIntact(file: string): JournalEntry | undefined {
    const entry = readEntry(file, this.archive, this.host);
    return entry instanceof JournalEntry ? entry : undefined;
  }

  #distinctValues(name: FilterField, of: (write: RecordedWrite) => string | undefined): string[] {
    // in this order, as in writesSince
    const unsettled = this.unsettledEntries().flatMap(({ write }) => of(write) ?? []);
    return [...new Set([...unsettled, ...this.archive.distinctValues(name, of)])].sort();
  }

  #read(): { readonly id: string; readonly entry: ReadEntry }[] {
    return namesIn(this.#path('open'))
      .filter(isUnsettled)
      .map((name) => path.join(this.#path('open'), name))
      .map((file) => ({ id: idOf(file), entry: readEntry(file, this.archive, this.host) }))
      .sort((left, right) => timeOf(left.entry) - timeOf(right.entry));
  }

  /** A cancellation does not wait for the disk: after a power failure, the order itself shows whether it is cancelled. */
  #create(file: string, operation: WriteKind, text: string): boolean {
    try {
      return create(file, text, operation === 'cancel' ? 'unsynced' : 'durable');
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
  }

  /** Makes the folders durably. Throws Failure if they cannot be used. */
  #makeFolders(): void {
    const isNew = !fs.existsSync(this.#path('open'));
    for (const folder of ['settled', 'jobs', 'open'])
      makePrivateFolder(this.root, path.join('journal', this.folder, folder));
    this.#migrate();
    if (isNew) for (const folder of [this.root, path.join(this.root, 'journal'), this.#path('')]) this.#sync(folder);
    sweepDrafts(this.#path('open'), this.host.now() - DRAFT_MS);
  }

  /** Migrates the journal before the first read. */
  #requireMigrated(): void {
    if (!this.#isMigrated) this.#migrate();
  }

  /**
   * Migrates the journal of an earlier version. Version 0.2.0 removed the record of a write when it was settled, and the
   * version after it moved the record to another folder. Such a version may still run, so every write
   * looks for moved records again.
   * @throws Failure `usage` if a newer version wrote the journal
   */
  #migrate(): void {
    const version = readIfExists(this.#path('version'));
    if (Number(version ?? 0) > VERSION) throw newerVersion();
    const [open, moved] = [this.#path('open'), this.#path('verifying')];
    try {
      const names = namesIn(moved);
      for (const name of names) moveIfExists(path.join(moved, name), path.join(open, name));
      this.#isMigrated = true;
      if (version !== undefined || !fs.existsSync(this.#path('settled'))) return;
      const isFirst = create(this.#path('version'), `${VERSION}\n`, 'durable');
      if (!isFirst || fs.existsSync(moved)) return;
      for (const settled of this.archive.since(this.host.now() - MIGRATED_MS))
        restoreSettledFile(open, settled, this.archive);
    } catch (thrown) {
      // if the disk fails, the old records are not checked for duplicates
      if (!(thrown instanceof Failure) && !hasErrorCode(thrown)) throw thrown;
    }
  }

  #sync(folder: string): void {
    try {
      syncFolder(folder);
    } catch (thrown) {
      throw cannotWrite(folder, thrown);
    }
  }

  #path(folder: string): string {
    return path.join(this.root, 'journal', this.folder, folder);
  }

  /** The file of a write whose outcome is unknown. */
  fileOf(id: string): string {
    return path.join(this.#path('open'), fileName(id));
  }
}

type ReadEntry = ReturnType<typeof readEntry>;

function timeOf(entry: ReadEntry): number {
  return entry instanceof JournalEntry ? entry.write.time : 0;
}

function idInUse(id: string): Failure {
  const hint = ['This order was not sent.', suggest('Find out', 'resolve', id)];
  return usage(`The client id ${id} is in use by an order that is not settled yet.`, hint);
}

function idAlreadyUsed(id: string, order: string | null): Failure {
  const hint = 'Choose another --id. This order was not sent.';
  return usage(`The client id ${id} is taken by ${order === null ? 'an earlier order' : `order ${order}`}.`, hint);
}
