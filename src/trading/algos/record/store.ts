import fs from 'node:fs';
import path from 'node:path';
import { Failure, hasErrorCode, suggest, usage } from '../../../errors.js';
import { lock } from '../../../platform/files/lock.js';
import { makePrivateFolder, requireOwnFolder } from '../../../platform/files/private-files.js';
import type { Host } from '../../../platform/host.js';
import {
  append,
  appendIfExists,
  create,
  encodeLine,
  HIDDEN,
  ignoringDiskErrors,
  moveIfExists,
  namesIn,
  orCannotWrite,
  readBytesIfExists,
  readIfExists,
  sweepLeftovers,
  valueInLine,
} from '../../journal/files.js';
import { DigestKey, digestOf, isDigestOf } from '../../prepared/digest-key.js';
import { ALGO_FOLDER } from './algo-folder.js';
import { encodeFact } from './fact-line.js';
import { type BesideFacts, type FactRecord, type KnownRecord, recordIn, unreadRecord } from './fact-record.js';
import { type AlgoFact, type AlgoFacts, type AlgoState, type FactOf, isHeldBack } from './facts.js';
import { claimWatch, namesOf, releaseWatch, type Watcher, watcherIn } from './watchers.js';

/** Ended algo orders are kept, so many of them. */
const MOST_ENDED = 1_000;

/** Before the digest at the end of the first line of a record. */
const DIGEST = ',"digest":';
const DIGEST_AT_END = new RegExp(`^(.*)${DIGEST}"([0-9a-f]{64})"}$`);

/** Separates the end of an ended algo order from its id in the name of its file. */
const SEPARATOR = '~';

/** Begins the name of the file that stands for duplicates of an algo order which the user has not seen. */
const UNSEEN = `${HIDDEN}duplicates${HIDDEN}`;

/** The file that keeps room on the disk. The record of an order, its outcome and its archive take less. */
const RESERVE = `${HIDDEN}reserve`;
const RESERVE_BYTES = 131_072;

/** What a process leaves while it makes a file is older than this only if the process died. */
const LEFTOVER_MS = 3_600_000;

/** No letter or digit looks like another one. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const RANDOM_CHARACTERS = 6;

/** The id that some bytes come to. It is short and can be typed. */
export function algoIdOf(bytes: Uint8Array): string {
  const characters = [...bytes.slice(0, RANDOM_CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return `a${characters.join('')}`;
}

/** What the process that watches an algo order says of it. It is no fact: nothing rests on it. */
export interface StatusNote {
  readonly state: AlgoState;
  readonly reason: string | null;
  /** Since when, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Since when its stop is reached and not known to be sent; null if it is, or was not reached. Absent: as an earlier version wrote it. */
  readonly unsentSince?: number | null;
  /** The time of the `resumed` fact that it knew last: a note from before the last one is old. */
  readonly resumed: number | null;
}

/**
 * The algo orders of one account. Each is a file of lines of JSON, its facts: lines are only added, and each is on the disk before
 * anything follows from it. What is needed beside them is in the journal and at the exchange.
 *
 *     open/ID           began (with a keyed digest: only pit makes an algo order) ──> best, triggered, paused, resumed … ──> ended
 *     open/.ID.status   what the watching process says of it
 *     ended/TIME~ID     put away
 *     .watcher.NUMBER   the claim of the process that watches them
 *     .duplicates.ID    the network made an order of it twice, and the user has not seen it
 *     .reserve          room for the order of a stop on a full disk
 */
export class AlgoStore {
  readonly #host: Pick<Host, 'now' | 'randomBytes'>;
  readonly #root: string;

  readonly #folder: string;
  readonly #key: DigestKey;
  /** The records of open algo orders as they were read last: the process that watches reads them before each order that it sends. */
  readonly #known = new Map<string, KnownRecord>();

  /**
   * @param root `directories.state`
   * @param account the name of its journal
   */
  constructor(host: Pick<Host, 'now' | 'randomBytes'>, root: string, account: string) {
    this.#host = host;
    this.#root = root;
    this.#key = new DigestKey(host, root);

    this.#folder = path.join(ALGO_FOLDER, account);
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
    const key = this.#key.readOrMake();
    orCannotWrite(file, () => create(file, this.#beganLine(began(id), key), true));
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
      if ('duplicateOf' in line && !this.#isDuplicateKnown(id, line.order.id)) create(this.#unseenFile(id), '', true);
      append(file, encodeLine(line));
    });
  }

  #isDuplicateKnown(id: string, order: string): boolean {
    return this.read(id)?.children.some(({ duplicates }) => duplicates.has(order)) === true;
  }

  /** The algo orders, ended ones too, with orders that the network made twice and that the user has not seen. */
  withUnseenDuplicates(): string[] {
    return namesOf(path.join(this.#root, this.#folder)).flatMap((name) =>
      name.startsWith(UNSEEN) ? name.slice(UNSEEN.length) : [],
    );
  }

  /** The user has seen the duplicates of an algo order. On a disk that cannot be written, every command goes on to name them. */
  duplicatesSeen(id: string): void {
    ignoringDiskErrors(() => fs.rmSync(this.#unseenFile(id), { force: true }));
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
      const isOwnLine = (line: string) => this.#isOwnLine(line);
      const { record, known } = recordIn(bytes, { id, file, isPutAway }, isOwnLine, before);
      if (known !== undefined && !isPutAway) this.#known.set(id, known);
      return record;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return unreadRecord(id, `its record cannot be read: ${error.message.replace(/\.$/, '')}`);
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
      fs.rmSync(this.#statusFile(id), { force: true });
      moveIfExists(
        path.join(this.#of('open'), id),
        path.join(this.#of('ended'), `${this.#host.now()}${SEPARATOR}${id}`),
      );
      for (const name of namesIn(this.#of('ended')).slice(0, -MOST_ENDED))
        fs.rmSync(path.join(this.#of('ended'), name));
    });
  }

  /** Says how an algo order is. If the disk is full, nothing is said: not what was before either. */
  note(id: string, note: StatusNote): void {
    const file = this.#statusFile(id);
    try {
      create(file, JSON.stringify(note), false);
    } catch (thrown) {
      if (!hasErrorCode(thrown)) throw thrown;
      ignoringDiskErrors(() => fs.rmSync(file, { force: true }));
    }
  }

  /** Keeps room on the disk for what a stop has to record, unless it is kept already or there is none. */
  keepReserve(): void {
    if (fs.existsSync(this.#reserve)) return;
    // bytes of chance: some file systems store others in no room
    ignoringDiskErrors(() => create(this.#reserve, Buffer.from(this.#host.randomBytes(RESERVE_BYTES)), true));
  }

  /** Gives the room back, because the disk is full. Returns false if there was none. */
  freeReserve(): boolean {
    try {
      fs.rmSync(this.#reserve);
      return true;
    } catch (thrown) {
      if (!hasErrorCode(thrown)) throw thrown;
      return false;
    }
  }

  /** What was said last; undefined for nothing. It counts only while the process that watches is alive. */
  noteOf(id: string): StatusNote | undefined {
    const text = readIfExists(this.#statusFile(id));
    return text === undefined ? undefined : (valueInLine(text) as StatusNote | undefined);
  }

  /** What the watching process said last; undefined if nobody watches, or if the user has changed the algo order since. */
  currentNoteOf(id: string, facts: AlgoFacts): StatusNote | undefined {
    const isOld = facts.ended !== null || facts.cancelled !== null || isHeldBack(facts, 'stop');
    const note = isOld || !this.isWatched ? undefined : this.noteOf(id);
    return note?.resumed === (facts.resumed?.time ?? null) ? note : undefined;
  }

  /** The living process that has claimed to watch; undefined if there is none. */
  watcher(): Watcher | undefined {
    return watcherIn(this.#watchFolder);
  }

  /** Whether a process watches: one that is living and not stopped. */
  get isWatched(): boolean {
    return this.watcher()?.isStopped === false;
  }

  /**
   * Makes this process the one that watches.
   * @returns undefined, or the process that watches already
   * @throws Failure `usage` if the disk fails
   */
  claim(): Watcher | undefined {
    makePrivateFolder(this.#root, this.#folder);
    return claimWatch(this.#watchFolder);
  }

  /** Gives up to watch. */
  release(): void {
    releaseWatch(this.#watchFolder);
  }

  get #watchFolder(): string {
    return path.join(this.#root, this.#folder);
  }

  /** The first line of a record, with the digest of its text and of the account. */
  #beganLine(fact: FactOf<'began'>, key: Uint8Array): string {
    const text = encodeFact(fact);
    return `\n${text.slice(0, -1)}${DIGEST}"${digestOf(this.#signed(text), key)}"}\n`;
  }

  /** Whether this pit has written the first line of a record, for this account. */
  #isOwnLine(line: string): boolean {
    const key = this.#key.read();
    const [, text = '', digest = ''] = DIGEST_AT_END.exec(line) ?? [];
    return key !== undefined && isDigestOf(digest, this.#signed(`${text}}`), key);
  }

  /** What the digest is of: the terms have the id of the algo order. */
  #signed(text: string): string {
    return `${this.#folder}\n${text}`;
  }

  #unseenFile(id: string): string {
    return path.join(this.#root, this.#folder, `${UNSEEN}${id}`);
  }

  get #reserve(): string {
    return path.join(this.#root, this.#folder, RESERVE);
  }

  #statusFile(id: string): string {
    return path.join(this.#of('open'), `${HIDDEN}${id}${HIDDEN}status`);
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
