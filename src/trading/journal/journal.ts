import fs from 'node:fs';
import path from 'node:path';
import { Failure, suggest, usage } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { makePrivateFolder, requireOwnFolder, syncFolder } from '../../platform/private-files.js';
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
import { thisProcess } from './owner.js';
import { JournalPaths, type ShowingList, timeOfSettled } from './paths.js';
import {
  clientIdOf,
  isKind,
  type JournalEvent,
  type MarketSide,
  marketOf,
  type RecordedWrite,
  type Settled,
  type Write,
  type WriteKind,
} from './write.js';

/** The version of a journal that this code reads and writes. */
const VERSION = '4';

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
 * known.
 *
 *     unsettled/ID              recorded ──> accepted | refused | lost
 *                                   │                  │
 *     (deleted)                 discarded              ▼
 *     settled/LIST~TIME~ID                          settled (outcome, duplicates)
 *     archive/DAY.jsonl                                │
 *                                                      ▼
 *     (deleted, or jobs/DAY-ID)                     closed
 *
 * - **recorded**: nothing says on the disk whether the request has left.
 * - **recorded to lost**: the process that recorded it owns it (`isUnderWay`) until it releases it or dies. Then the outcome is
 *   unknown (`isOutcomeUnknown`), and one other process can claim it: the one that makes the link `.ID.NUMBER` beside the record (`JournalEntry.claim`).
 * - **settled**: the outcome is in the archive, but the request may be executed again. The name of the record says which list
 *   would show that (`settledEntries`).
 * - **closed**: the request has expired, and a later list showed everything that it made. Only the archive has it, for 14 days. The
 *   record of a batch is kept as long, because the archive has only its summary. That of an order which does not exist stays where
 *   it is for a day, in case the order appears after all.
 *
 * A record is a file of lines of JSON: the write, then what happened. Lines are only added, and a record is moved from state to
 * state whole. So any number of processes can use the journal at once, a damaged record hides nothing but itself, and a command
 * reads only what it needs.
 *
 * These are plain files rather than a database because `pit cancel` must work whatever state they are in: LMDB, which pit has for the
 * sandbox, ends the process (SIGBUS, SIGSEGV, SIGABRT) if its file is cut off or a page is damaged, and cannot be read on a read-only disk.
 */
export class Journal {
  readonly #host: Pick<Host, 'now' | 'redaction'>;
  readonly #root: string;

  readonly #paths: JournalPaths;
  readonly #archive: Archive;
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
  }

  /** The settled writes. Throws Failure `usage` for a journal of another version. */
  get archive(): Archive {
    this.#requireThisVersion();
    return this.#archive;
  }

  /**
   * Records a write that is about to be sent. When this returns, the record survives the end of this process, and that of the
   * machine unless it is a cancellation.
   * @throws Failure `usage` if an unsettled order, or one that was placed, has this client id, or the record cannot be written:
   *   nothing may be sent
   */
  begin<Kind extends WriteKind>(
    write: Extract<Write, { operation: Kind }>,
    { id, clientId, reqTime, bestBid }: NewRecord,
  ): JournalEntry<Kind> {
    const entry = this.unrecordedEntry(write, { id, clientId, reqTime, bestBid });
    this.#makeFolders();
    // a cancellation does not wait for the disk: after a power failure, the order itself shows whether it is cancelled
    const isDurable = write.operation !== 'cancel';
    try {
      orCannotWrite(this.fileOf(id), () => create(this.fileOf(id), recordText(entry.write), isDurable));
      // after the record is made: of two processes with one client id, the second sees the first
      if (clientId !== undefined) this.#requireFree(clientId, id);
      return entry;
    } catch (thrown) {
      entry.discard();
      throw thrown;
    }
  }

  /**
   * Makes an entry without a record. A write that is safe to repeat needs none; it is archived once it is settled, if the disk
   * allows.
   */
  unrecordedEntry<Kind extends WriteKind>(
    write: Extract<Write, { operation: Kind }>,
    { id, clientId, reqTime, bestBid }: NewRecord,
  ): JournalEntry<Kind> {
    const facts = { id, clientId, bestBid, time: this.#host.now(), reqTime, firstOwner: thisProcess() };
    return new JournalEntry(this.fileOf(id), this.#context, { ...write, ...facts } as RecordedWrite<Kind>, []);
  }

  /** Whether every write is closed and its record gone: every outcome is known, and no request can be executed any more. */
  get isIdle(): boolean {
    this.#requireThisVersion();
    return namesIn(this.#paths.of('unsettled')).length === 0 && this.#paths.allSettled().length === 0;
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
    const file = this.#settledJobFile(id);
    const entry = file === undefined ? undefined : this.#readIfIntact(file);
    return entry?.isKind('batch') ? entry : undefined;
  }

  /** Reopens a settled job; false if there is none, or another process was first. */
  reopen(id: string): boolean {
    const kept = this.#settledJobFile(id);
    return kept !== undefined && moveIfExists(kept, this.fileOf(id));
  }

  /** The settled writes with a record that one list of the exchange shows, oldest first: the list may show more of them. */
  settledEntries(list: ShowingList): JournalEntry[] {
    this.#requireThisVersion();
    return this.#paths.settledOf(list).flatMap((file) => this.#readIfIntact(file) ?? []);
  }

  /** The record of a settled order that a list may still show more of; undefined once a list has closed it, or for any other id. */
  findSettledOrder(id: string): JournalEntry<'order'> | undefined {
    const file = this.#paths.settledNamed(id);
    const entry = file === undefined ? undefined : this.#readIfIntact(file);
    return entry?.isKind('order') ? entry : undefined;
  }

  /** When the oldest of these writes was recorded, in milliseconds since the Unix epoch; Infinity if there is none. Reads none of them. */
  oldestSettled(list: MarketSide): number {
    this.#requireThisVersion();
    return Math.min(Number.POSITIVE_INFINITY, ...this.#paths.settledOf(list).map(timeOfSettled));
  }

  /** How long ago a list was last read to close settled writes, in milliseconds; Infinity if that is unknown. */
  sinceClosing(list: MarketSide): number {
    const at = Number(readIfExists(this.#paths.closing(list)) ?? Number.NEGATIVE_INFINITY);
    const since = this.#host.now() - at;
    return since >= 0 ? since : Number.POSITIVE_INFINITY;
  }

  /** Notes that a list was read now to close settled writes. */
  noteClosing(list: MarketSide): void {
    ignoringDiskErrors(() => create(this.#paths.closing(list), `${this.#host.now()}`, false));
  }

  /**
   * The writes of the last day that counted as refused or not sent and exist after all, until the user has asked for each by
   * its id; oldest first.
   */
  unexpected(): JournalEntry[] {
    this.#requireThisVersion();
    const since = this.#host.now() - UNEXPECTED_MS;
    return this.#paths
      .allSettled()
      .flatMap((file) => this.#readIfIntact(file) ?? [])
      .filter(({ unexpectedSince }) => unexpectedSince !== undefined && unexpectedSince > since)
      .sort((one, other) => one.write.time - other.write.time);
  }

  /** The record of an unsettled write. */
  fileOf(id: string): string {
    return this.#paths.unsettled(id);
  }

  get #context(): EntryContext {
    return { host: this.#host, paths: this.#paths, archive: this.#archive };
  }

  /** The record of a settled job. */
  #settledJobFile(id: string): string | undefined {
    return this.#paths.settledNamed(id) ?? this.archive.jobFile(id);
  }

  #readIfIntact(file: string): JournalEntry | undefined {
    const entry = readEntry(file, this.#context);
    return entry instanceof JournalEntry ? entry : undefined;
  }

  #distinctValues(name: 'market' | 'coin', of: (write: RecordedWrite) => string | undefined): string[] {
    // in this order, as in writesSince
    const unsettled = this.unsettledEntries().flatMap(({ write }) => of(write) ?? []);
    return [...new Set([...unsettled, ...this.archive.distinctValues(name, of)])].sort();
  }

  #read(): { readonly id: string; readonly entry: ReturnType<typeof readEntry> }[] {
    this.#requireThisVersion();
    const timeOf = (entry: ReturnType<typeof readEntry>) => (entry instanceof JournalEntry ? entry.write.time : 0);
    return namesIn(this.#paths.of('unsettled'))
      .map((id) => ({ id, entry: readEntry(this.fileOf(id), this.#context) }))
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
    for (const name of ['archive', 'jobs', 'settled', 'unsettled'] as const) this.#makeFolder(name);
    if (isNew)
      for (const folder of [this.#root, path.join(this.#root, 'journal'), this.#paths.of('')])
        orCannotWrite(folder, () => syncFolder(folder));
    sweepLeftovers(this.#paths.of('unsettled'), this.#host.now() - LEFTOVER_MS);
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
