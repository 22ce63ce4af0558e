import fs from 'node:fs';
import path from 'node:path';
import { Failure, suggest, usage, withoutPeriod } from '../../../errors.js';
import { lock } from '../../../platform/files/lock.js';
import { makePrivateFolder, requireOwnFolder } from '../../../platform/files/private-files.js';
import type { Host } from '../../../platform/host.js';
import {
  append,
  appendIfExists,
  create,
  encodeLine,
  ignoringDiskErrors,
  moveIfExists,
  namesIn,
  orCannotWrite,
  readBytesIfExists,
  sweepLeftovers,
} from '../../journal/files.js';
import { ALGO_FOLDER } from './algo-folder.js';
import { algoIdOf, RANDOM_CHARACTERS } from './algo-id.js';
import { DiskReserve } from './disk-reserve.js';
import { type BesideFacts, type FactRecord, type KnownRecord, recordIn, unreadRecord } from './fact-record.js';
import { type AlgoFact, type AlgoFacts, encodeFact, type FactOf, isHeldBack } from './facts.js';
import { FirstLines } from './first-lines.js';
import { type StatusNote, StatusNotes } from './status-notes.js';
import { UnseenDuplicates } from './unseen-duplicates.js';
import { claimWatch, isWatching, releaseWatch, requireWatch, type Watcher, watcherIn } from './watchers.js';

/** Ended algo orders are kept, so many of them. */
const MOST_ENDED = 1_000;

/** Separates the end of an ended algo order from its id in the name of its file. */
const SEPARATOR = '~';

/** What a process leaves while it makes a file is older than this only if the process died. */
const LEFTOVER_MS = 3_600_000;

/**
 * The algo orders of one account. Each is a file of lines of JSON, its facts: lines are only added, and each is on the disk before
 * anything follows from it. What is needed beside them is in the journal and at the exchange.
 *
 *     open/ID           began (with a keyed digest: only pit makes an algo order) ──> best, triggered, paused, resumed … ──> ended
 *     open/.ID.status   what the watching process says of it
 *     ended/TIME~ID     put away
 *     .watcher.NUMBER   the claim of the process that watches them, or ends some
 *     .duplicates.ID    the network made an order of it twice, and the user has not seen it
 *     .reserve          room for the order of a stop on a full disk
 */
export class AlgoStore {
  readonly #host: Pick<Host, 'now' | 'randomBytes'>;
  readonly #root: string;

  readonly #folder: string;
  readonly #firstLines: FirstLines;
  /** Room on the disk for what a stop has to record. */
  readonly reserve: DiskReserve;
  readonly unseenDuplicates: UnseenDuplicates;
  /** What the process that watches says of each. */
  readonly notes: StatusNotes;
  /** The records of open algo orders as they were read last: the process that watches reads them before each order that it sends. */
  readonly #known = new Map<string, KnownRecord>();

  /**
   * @param root `directories.state`
   * @param account the name of its journal
   */
  constructor(host: Pick<Host, 'now' | 'randomBytes'>, root: string, account: string) {
    this.#host = host;
    this.#root = root;
    this.#folder = path.join(ALGO_FOLDER, account);
    this.#firstLines = new FirstLines(host, root, this.#folder);
    this.reserve = new DiskReserve(path.join(root, this.#folder), host.randomBytes);
    this.unseenDuplicates = new UnseenDuplicates(path.join(root, this.#folder));
    this.notes = new StatusNotes(this.#of('open'));
  }

  /**
   * Makes an algo order with its first fact. When this returns, it survives a power failure.
   * @param began makes the fact
   * @param given the id that it gets, if it was named before
   * @returns its id
   * @throws Failure `usage` if it cannot be written, or one with this id exists
   */
  create(began: (id: string) => FactOf<'began'>, given?: string): string {
    for (const name of ['open', 'ended']) makePrivateFolder(this.#root, path.join(this.#folder, name));
    sweepLeftovers(this.#of('open'), this.#host.now() - LEFTOVER_MS);
    if (given !== undefined && this.#fileOf(given) !== undefined)
      throw usage(`The algo order ${given} exists already.`, suggest('See it', 'algo', 'show', given));
    let id = given ?? algoIdOf(this.#host.randomBytes(RANDOM_CHARACTERS));
    while (given === undefined && this.#fileOf(id) !== undefined)
      id = algoIdOf(this.#host.randomBytes(RANDOM_CHARACTERS));
    const file = path.join(this.#of('open'), id);
    const line = this.#firstLines.encode(began(id));
    orCannotWrite(file, () => create(file, line, true));
    return id;
  }

  /**
   * Runs `work` while no other process does the same for this account.
   * @throws Failure `usage` if another one does for too long
   */
  async alone<Value>(work: () => Promise<Value>): Promise<Value> {
    makePrivateFolder(this.#root, this.#folder);
    const release = await lock(path.join(this.#root, this.#folder));
    try {
      return await work();
    } finally {
      await release();
    }
  }

  /**
   * Adds a fact. When this returns, it is on the disk. Its line begins with a line feed too, so that it is whole even if the one before it
   * was cut off.
   * @throws Failure `usage` if it is not: nothing may follow from it
   */
  add(id: string, fact: AlgoFact): void {
    const file = path.join(this.#of('open'), id);
    const isThere = orCannotWrite(file, () => appendIfExists(file, `\n${encodeFact(fact)}\n`));
    if (!isThere) throw usage(`There is no open algo order ${id}.`, suggest('List them', 'algo', 'list'));
  }

  /**
   * Adds what is no fact. The line survives the end of this process; durable is what the journal has.
   * @throws Failure `usage` if it cannot be written
   */
  addLine(id: string, line: BesideFacts): void {
    const file = this.#fileOf(id);
    if (file === undefined) throw usage(`There is no algo order ${id}.`, suggest('List them', 'algo', 'list', '--all'));
    orCannotWrite(file, () => {
      const isKnown = (order: string) =>
        this.read(id)?.children.some(({ duplicates }) => duplicates.has(order)) === true;
      if ('duplicateOf' in line && !isKnown(line.order.id)) this.unseenDuplicates.add(id);
      append(file, encodeLine(line));
    });
  }

  /**
   * The record of an algo order; undefined if there is none. One that cannot be read has a problem, and so hides no other. Throws Failure
   * `usage` if the folder cannot be read, and `credentials`.
   */
  read(id: string): FactRecord | undefined {
    this.#requireOwn();
    const before = this.#known.get(id);
    this.#known.delete(id);
    const file = this.#fileOf(id);
    if (file === undefined) return undefined;
    try {
      const bytes = readBytesIfExists(file);
      if (bytes === undefined) return undefined;
      const isPutAway = path.dirname(file) === this.#of('ended');
      const isOwnLine = (line: string) => this.#firstLines.isOwn(line);
      const { record, known } = recordIn(bytes, { id, file, isPutAway }, isOwnLine, before);
      if (known !== undefined && !isPutAway) this.#known.set(id, known);
      return record;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return unreadRecord(id, `its record cannot be read: ${withoutPeriod(error.message)}`);
    }
  }

  /** Changes whenever a record does; undefined if it is not open. Reads nothing of it. */
  sizeOf(id: string): number | undefined {
    return fs.statSync(path.join(this.#of('open'), id), { throwIfNoEntry: false })?.size;
  }

  /** The ids of the algo orders that have not ended. */
  openIds(): string[] {
    this.#requireOwn();
    return namesIn(this.#of('open'));
  }

  /** The ids of those that were put away, newest first. */
  endedIds(): string[] {
    this.#requireOwn();
    return namesIn(this.#of('ended')).map(idOfEnded).reverse();
  }

  /** Puts an algo order away that has ended, and deletes the oldest of too many. Disk errors are left to the next time. */
  putAway(id: string): void {
    ignoringDiskErrors(() => {
      this.notes.remove(id);
      moveIfExists(
        path.join(this.#of('open'), id),
        path.join(this.#of('ended'), `${this.#host.now()}${SEPARATOR}${id}`),
      );
      for (const name of namesIn(this.#of('ended')).slice(0, -MOST_ENDED))
        fs.rmSync(path.join(this.#of('ended'), name));
    });
  }

  /** What the watching process said last; undefined if nobody watches, or if the user has changed the algo order since. */
  currentNoteOf(id: string, facts: AlgoFacts): StatusNote | undefined {
    const isOld = facts.ended !== null || facts.cancelled !== null || isHeldBack(facts, 'stop');
    const note = isOld || !this.isWatched ? undefined : this.notes.of(id);
    return note?.resumed === (facts.resumed?.time ?? null) ? note : undefined;
  }

  /** The living process that has the claim; undefined if there is none. */
  watcher(): Watcher | undefined {
    return watcherIn(this.#watchFolder);
  }

  /** Whether a process watches: one that is living and not stopped, and does not only end some. */
  get isWatched(): boolean {
    return isWatching(this.watcher());
  }

  /** As {@link claimWatch}. */
  claim(onlyEnds = false): Watcher | undefined {
    makePrivateFolder(this.#root, this.#folder);
    return claimWatch(this.#watchFolder, onlyEnds);
  }

  /** As {@link requireWatch}. */
  requireClaim(): void {
    requireWatch(this.#watchFolder);
  }

  /** Gives up to watch. */
  release(): void {
    releaseWatch(this.#watchFolder);
  }

  get #watchFolder(): string {
    return path.join(this.#root, this.#folder);
  }

  /** Where the facts of an algo order are. */
  #fileOf(id: string): string | undefined {
    const open = path.join(this.#of('open'), id);
    if (fs.existsSync(open)) return open;
    const ended = namesIn(this.#of('ended')).find((name) => idOfEnded(name) === id);
    return ended === undefined ? undefined : path.join(this.#of('ended'), ended);
  }

  #of(name: 'open' | 'ended'): string {
    return path.join(this.#root, this.#folder, name);
  }

  /** Throws Failure `credentials` if others can change the records. */
  #requireOwn(): void {
    requireOwnFolder(this.#root, this.#folder);
  }
}

function idOfEnded(name: string): string {
  return name.slice(name.indexOf(SEPARATOR) + 1);
}
