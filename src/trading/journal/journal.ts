import fs from 'node:fs';
import path from 'node:path';
import { Failure, hasErrorCode, suggest, usage } from '../../errors.js';
import { makePrivateFolder, requireOwnFolder, syncFolder } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import type { LineFilter } from './archive.js';
import { Archive } from './archive.js';
import { type EntryContext, eventsIn, JournalEntry, readEntry, recordText } from './entry.js';
import {
  append,
  create,
  encodeLine,
  ignoringDiskErrors,
  moveIfExists,
  namesIn,
  orCannotWrite,
  readIfExists,
  sweepLeftovers,
} from './files.js';
import { type ClosedAs, ListMarks, type Watched } from './list-marks.js';
import { thisProcess } from './owner.js';
import { JournalPaths } from './paths.js';
import {
  type CancelledOrder,
  clientIdOf,
  coinOf,
  isKind,
  type JournalEvent,
  marketOf,
  type RecordedWrite,
  type Settled,
  type ShowingList,
  type Write,
  type WriteKind,
} from './write.js';

/** The version of a journal that this code reads and writes. */
const VERSION = '5';

/** What a process leaves while it makes a file is older than this only if the process died. */
const LEFTOVER_MS = 3_600_000;

/** For how long a write that exists unexpectedly is reported. */
const UNEXPECTED_MS = 86_400_000;

/** The fields of a new record other than the write. */
export interface NewRecord {
  /** Generated for this write alone. */
  readonly id: string;
  /** The client id that the user chose for an order. */
  readonly clientId?: string | undefined;
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
 * known. A cancellation has no record: it may be repeated, and the order itself shows its outcome. The archive keeps which orders pit
 * saw cancelled.
 *
 *     unsettled/ID          recorded ──> accepted | refused | lost
 *                               │                  │
 *     (deleted)             discarded              ▼
 *     archive/DAY.jsonl                         settled (outcome, duplicates)
 *                                                  │
 *     lists/LIST                                   ▼
 *       the mark moves on                       closed
 *
 * - **recorded**: nothing says on the disk whether the request has left.
 * - **recorded to lost**: the process that recorded it owns it (`isUnderWay`) until it releases it or dies. Then the outcome is
 *   unknown (`isOutcomeUnknown`), and one other process can claim it: the one that makes the link `.ID.NUMBER` beside the record
 *   (`JournalEntry.claim`).
 * - **settled**: its line is in the archive, for 14 days, and its record is deleted. A job has only a summary there, so its record moves
 *   to `jobs/`. The request may be executed again: the list of the exchange that would show it has a mark, and the line is after it.
 * - **closed**: the request has expired, and a later list showed everything that it made: the mark is moved beyond the line. An order which
 *   does not exist is watched for a day more, in case it appears after all (`ListMarks`).
 *
 * A record is a file of lines of JSON: the write, then what happened. Lines are only added, to records and to the archive. So any
 * number of processes can use the journal at once, a damaged record hides nothing but itself, and a command reads only what it needs.
 *
 * These are plain files rather than a database because `pit cancel` must work whatever state they are in: LMDB, which pit has for the
 * sandbox, ends the process (SIGBUS, SIGSEGV, SIGABRT) if its file is cut off or a page is damaged, and cannot be read on a read-only disk.
 */
export class Journal {
  readonly #host: Pick<Host, 'now' | 'redaction'>;
  readonly #root: string;

  readonly #paths: JournalPaths;
  readonly #archive: Archive;
  readonly #marks: ListMarks;
  #isOfThisVersion = false;

  /**
   * @param root `directories.state`
   * @param folder the folder within that belongs to the account
   */
  constructor(
    host: Pick<Host, 'now' | 'redaction'>,
    root: string,
    readonly folder: string,
  ) {
    this.#host = host;
    this.#root = root;

    this.#paths = new JournalPaths(path.join(root, 'journal', folder));
    this.#archive = new Archive(this.#paths.of('archive'), this.#paths.of('jobs'), host.now);
    this.#marks = new ListMarks(this.#paths.of('lists'), this.#archive, host.now);
  }

  /** The settled writes. Throws Failure `usage` for a journal of another version. */
  get archive(): Archive {
    this.#requireThisVersion();
    return this.#archive;
  }

  /**
   * Records a write that is about to be sent. When this returns, the record survives the end of this process, and that of the machine.
   * @throws Failure `usage` if an unsettled order, or one that was placed, has this client id, or the record cannot be written:
   *   nothing may be sent
   */
  begin<Kind extends WriteKind>(
    write: Extract<Write, { operation: Kind }>,
    { id, clientId, reqTime, bestBid }: NewRecord,
  ): JournalEntry<Kind> {
    const facts = { id, clientId, bestBid, time: this.#host.now(), reqTime, firstOwner: thisProcess() };
    const recorded = { ...write, ...facts } as RecordedWrite<Kind>;
    const entry = new JournalEntry(this.fileOf(id), this.#context, recorded, []);
    this.#makeFolders();
    try {
      orCannotWrite(this.fileOf(id), () => create(this.fileOf(id), recordText(recorded), true));
      // after the record is made: of two processes with one client id, the second sees the first
      if (clientId !== undefined) this.#requireFree(clientId, id);
      return entry;
    } catch (thrown) {
      entry.discard();
      throw thrown;
    }
  }

  /**
   * Keeps that pit saw an order cancelled, so that a later command knows of it. A cancellation needs no record: if the disk takes no line,
   * nothing but that is lost.
   */
  noteCancelled(order: CancelledOrder): void {
    try {
      this.#makeFolders();
      this.#archive.addCancelled(order);
    } catch (thrown) {
      if (!(thrown instanceof Failure || hasErrorCode(thrown))) throw thrown;
    }
  }

  /** Whether every write is closed and none is watched: every outcome is known, and no request can be executed any more. */
  get isIdle(): boolean {
    this.#requireThisVersion();
    if (namesIn(this.#paths.of('unsettled')).length > 0) return false;
    return this.#marks.lists().every((list) => this.#marks.watched(list).length === 0);
  }

  /** All unsettled writes, from one read of the folder. */
  unsettled(): Unsettled {
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
    return this.#distinct(marketOf, () => this.archive.markets());
  }

  /** The coins of all withdrawals in the journal and its archive, sorted. */
  coins(): string[] {
    return this.#distinct(coinOf, () => this.archive.coins());
  }

  /** What can still be read of a damaged record. */
  damagedEvents(id: string): readonly JournalEvent[] {
    return eventsIn(readIfExists(this.fileOf(id)) ?? '');
  }

  /**
   * Ends a damaged record after the user has found out about its write: moves it to `damaged/`, where no command reads it.
   * @returns its new path
   * @throws Failure `usage` if the disk fails
   */
  settleDamaged(id: string, event: string): string {
    const file = this.fileOf(id);
    const aside = path.join(this.#paths.of('damaged'), id);
    this.#makeFolder('damaged');
    orCannotWrite(file, () => {
      append(file, encodeLine({ time: this.#host.now(), event }));
      fs.renameSync(file, aside);
    });
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

  /** Forgets everything, for example when the sandbox starts a new exchange. Throws Failure `usage` if the disk fails. */
  deleteAll(): void {
    const folder = this.#paths.of('');
    orCannotWrite(folder, () => fs.rmSync(folder, { recursive: true, force: true }));
  }

  /** The unsettled write with this id. For a settled one, see `archive.find`. */
  findUnsettled(id: string): JournalEntry | undefined {
    this.#requireThisVersion();
    return this.#readIfIntact(this.fileOf(id));
  }

  /** The id of the write that a user means: its own id, or the client id that the user chose. An unsettled write comes first. */
  idOf(word: string): string {
    if (fs.existsSync(this.fileOf(word)) || this.archive.find(word) !== undefined) return word;
    const unsettled = this.unsettledEntries().find(({ write }) => write.clientId === word);
    return (unsettled ?? this.archive.findByClientId(word))?.write.id ?? word;
  }

  /** Whether a write is still unsettled. Its process may have settled it since it was read. */
  isUnsettled(id: string): boolean {
    return this.findUnsettled(id) !== undefined;
  }

  /** A job with all its orders and their outcomes, unsettled or settled. */
  findJob(id: string): JournalEntry<'batch'> | undefined {
    // in this order, as in writesSince
    const entry = this.findUnsettled(id);
    return entry?.isKind('batch') ? entry : this.findSettledJob(id);
  }

  /** A settled job that was not resumed. */
  findSettledJob(id: string): JournalEntry<'batch'> | undefined {
    const file = this.archive.jobFile(id);
    const entry = file === undefined ? undefined : this.#readIfIntact(file);
    return entry?.isKind('batch') ? entry : undefined;
  }

  /** Reopens a settled job; false if there is none, or another process was first. */
  reopen(id: string): boolean {
    const kept = this.archive.jobFile(id);
    return kept !== undefined && moveIfExists(kept, this.fileOf(id));
  }

  /** The settled writes that a list of the exchange may still show more of, oldest first. Those that cannot be read are left out. */
  settledEntries(list: ShowingList): JournalEntry[] {
    this.#requireThisVersion();
    return this.#marks.watched(list).flatMap((watched) => this.#settledEntry(watched.settled, watched) ?? []);
  }

  /** The settled writes that are not closed, of the lists of a market or of all lists. */
  unclosedEntries(market?: string): JournalEntry[] {
    this.#requireThisVersion();
    const isMeant = (list: ShowingList) => market === undefined || ('market' in list && list.market === market);
    const lists = this.#marks.lists().filter(isMeant);
    return lists.flatMap((list) => this.settledEntries(list)).filter(({ isClosed }) => !isClosed);
  }

  /** Notes which settled writes of a list are closed. If the disk fails, a later list closes them. */
  close(list: ShowingList, closings: ReadonlyMap<string, ClosedAs>): void {
    this.#marks.close(list, closings);
  }

  /** Whether a list is to be read back to its first open write now: if one is over, and once a minute at most. Notes that it is. */
  isListDue(list: ShowingList, isOver: (write: RecordedWrite) => boolean): boolean {
    this.#requireThisVersion();
    return this.#marks.isDue(list, isOver);
  }

  /**
   * The writes of the last day that counted as refused or not sent and exist after all, until the user has asked for each by
   * its id; oldest first.
   */
  unexpected(): JournalEntry[] {
    const since = this.#host.now() - UNEXPECTED_MS;
    const { archive } = this;
    const late = [
      ...archive.newestFirst({ unexpected: true }, since),
      ...archive.newestFirst({ operation: 'batch' }, since),
    ];
    return late
      .reverse()
      .flatMap((settled) => this.#settledEntry(settled) ?? [])
      .filter(({ unexpectedSince }) => unexpectedSince !== undefined && unexpectedSince > since)
      .sort((one, other) => one.write.time - other.write.time);
  }

  /** The record of an unsettled write. */
  fileOf(id: string): string {
    return this.#paths.unsettled(id);
  }

  get #context(): EntryContext {
    return { host: this.#host, archive: this.#archive, marks: this.#marks };
  }

  /** A settled write. Undefined for a job that was resumed, or whose record cannot be read: the archive has only a summary of it. */
  #settledEntry({ write, events }: Settled, watched?: Watched): JournalEntry | undefined {
    if (write.operation !== 'batch')
      return new JournalEntry<WriteKind>(this.fileOf(write.id), this.#context, write, events.slice(1), watched);
    const file = this.archive.jobFile(write.id);
    const job = file === undefined ? undefined : readEntry(file, this.#context, watched);
    return job instanceof JournalEntry ? job : undefined;
  }

  #readIfIntact(file: string): JournalEntry | undefined {
    const entry = readEntry(file, this.#context);
    return entry instanceof JournalEntry ? entry : undefined;
  }

  #distinct(of: (write: RecordedWrite) => string | undefined, ofSettled: () => readonly string[]): string[] {
    // in this order, as in writesSince
    const unsettled = this.unsettledEntries().flatMap(({ write }) => of(write) ?? []);
    return [...new Set([...unsettled, ...ofSettled()])].sort();
  }

  #read(): { readonly id: string; readonly entry: Exclude<ReturnType<typeof readEntry>, 'dropped'> }[] {
    this.#requireThisVersion();
    const timeOf = (entry: ReturnType<typeof readEntry>) => (entry instanceof JournalEntry ? entry.write.time : 0);
    return namesIn(this.#paths.of('unsettled'))
      .flatMap((id) => {
        const entry = readEntry(this.fileOf(id), this.#context);
        if (entry !== 'dropped') return { id, entry };
        ignoringDiskErrors(() => fs.rmSync(this.fileOf(id)));
        return [];
      })
      .sort((left, right) => timeOf(left.entry) - timeOf(right.entry));
  }

  /** Throws Failure `usage` if another order with this client id is unsettled, or was placed: a lookup could find that one. */
  #requireFree(clientId: string, own: string): void {
    const hasClientId = ({ write }: { readonly write: RecordedWrite }) =>
      isKind(write, 'order') && write.id !== own && clientIdOf(write) === clientId;
    const other = this.unsettledEntries().find(hasClientId);
    if (other !== undefined)
      throw new Failure('usage', `The client id ${clientId} is in use by an order that is not settled yet.`, {
        clientId,
        hint: ['This order was not sent.', suggest('Find out', 'resolve', clientId)],
      });
    const earlier = this.archive.findByClientId(clientId) ?? this.archive.find(clientId);
    if (earlier?.outcome === 'placed')
      throw new Failure(
        'usage',
        `The client id ${clientId} is taken by ${earlier.id === null ? 'an earlier order' : `order ${earlier.id}`}.`,
        { clientId, order: earlier.id, hint: 'Choose another --id. This order was not sent.' },
      );
  }

  /** Makes the folders durably. Throws Failure if they cannot be used, or belong to a journal of another version. */
  #makeFolders(): void {
    const isNew = !fs.existsSync(this.#paths.of('version'));
    this.#makeFolder('');
    this.#requireThisVersion();
    const version = this.#paths.of('version');
    if (isNew) orCannotWrite(version, () => create(version, `${VERSION}\n`, true));
    for (const name of ['archive', 'jobs', 'lists', 'unsettled'] as const) this.#makeFolder(name);
    if (isNew)
      for (const folder of [this.#root, path.join(this.#root, 'journal'), this.#paths.of('')])
        orCannotWrite(folder, () => syncFolder(folder));
    for (const name of ['lists', 'unsettled'] as const)
      sweepLeftovers(this.#paths.of(name), this.#host.now() - LEFTOVER_MS);
  }

  #makeFolder(name: Parameters<JournalPaths['of']>[0]): void {
    makePrivateFolder(this.#root, path.relative(this.#root, this.#paths.of(name)));
  }

  /**
   * Throws Failure `usage` for a journal of another version, which is checked once: nothing changes the version of a journal. Throws
   * Failure `credentials` if others can change or replace it: records that are missing may be elsewhere.
   */
  #requireThisVersion(): void {
    requireOwnFolder(this.#root, path.join('journal', this.folder));
    if (this.#isOfThisVersion) return;
    // in this order: another process may be making the first record, and makes the version before anything else
    if (namesIn(this.#paths.of('')).length === 0) return;
    if (readIfExists(this.#paths.of('version'))?.trim() !== VERSION)
      throw usage(
        `${this.#paths.of('')} is the journal of another version of pit, which this one does not read.`,
        'Settle what is unknown with the pit that wrote it (pit resolve), then move the folder away.',
      );
    this.#isOfThisVersion = true;
  }
}
