import fs from 'node:fs';
import path from 'node:path';
import { Failure, systemErrorCode, usage, withoutPeriod } from '../../errors.js';
import { makePrivateFolder, readPrivate } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { claimOn, makeClaim } from '../journal/claim.js';
import {
  append,
  create,
  encodeLine,
  ignoringDiskErrors,
  namesIn,
  orCannotWrite,
  sweepLeftovers,
  valueInLine,
  valuesIn,
} from '../journal/files.js';
import { DigestKey } from './digest-key.js';
import { PREPARED_FOLDER, PREPARED_MS } from './prepared-folder.js';
import { idOf, type PreparedContent, type PreparedWrite } from './prepared-write.js';

/** A used or expired one is kept for so long, to say what became of it, in milliseconds. */
const KEPT_MS = 86_400_000;

/** A ladder of many orders is far shorter. */
const MAX_BYTES = 16 * 2 ** 20;

/** A write is taken once, so there is one claim. */
const ONLY = 1;

/** A prepared write, and who has taken it. */
export interface Kept {
  readonly prepared: PreparedWrite;
  /** Whether a process has taken it to commit it. */
  readonly isTaken: boolean;
  /** Whether that process may be at work: it is alive, or its claim does not say which it is. */
  readonly isUnderWay: boolean;
  /** The outcome as it was reported; null if it was not. */
  readonly reported: string | null;
  /**
   * Whether somebody certainly knows the outcome, by the last report: the user who confirmed it, or the agent that has asked for it. That an
   * answer was sent does not show that the client was still waiting for it.
   */
  readonly isKnown: boolean;
}

/**
 * The writes that were prepared and wait for their commit, for all profiles of a `PIT_HOME`. Each is a private file:
 *
 *     prepared/ID      the write, in the line that its id is a digest of; then the outcome, once that was reported
 *     prepared/.ID.1   the process that commits it: a link, which only one process can make
 *
 *     prepared-key     the key of the digest ({@link DigestKey})
 *
 * So a write is sent once, whatever processes try, and a file that was changed or made by others is not sent.
 */
export class PreparedStore {
  readonly #host: Pick<Host, 'now' | 'directories' | 'randomBytes'>;

  readonly #folder: string;
  readonly #key: DigestKey;

  constructor(host: Pick<Host, 'now' | 'directories' | 'randomBytes'>) {
    this.#host = host;
    this.#key = new DigestKey(host, host.directories.state);

    this.#folder = path.join(host.directories.state, PREPARED_FOLDER);
  }

  /** Keeps a write for its commit. Throws Failure `usage` or `credentials` if it cannot be written. */
  keep(write: Omit<PreparedWrite, 'id' | 'made' | 'expires'>): PreparedWrite {
    const made = this.#host.now();
    const nonce = Buffer.from(this.#host.randomBytes(16)).toString('hex');
    const content: PreparedContent = { ...write, made, expires: made + PREPARED_MS, nonce };
    const text = JSON.stringify(content);
    makePrivateFolder(this.#host.directories.state, PREPARED_FOLDER);
    const id = idOf(text, write.write.kind, this.#key.readOrMake());
    this.#sweep();
    const file = this.#fileOf(id);
    orCannotWrite(file, () => create(file, `${text}\n`, false));
    return { ...content, id };
  }

  /** Those that may be committed now, oldest first. */
  waiting(): PreparedWrite[] {
    return this.#all()
      .kept.filter(({ prepared, isTaken }) => !isTaken && this.isInTime(prepared))
      .map(({ prepared }) => prepared);
  }

  /** Those that were taken in the last day, oldest first. */
  committed(): Kept[] {
    return this.#all().kept.filter(({ isTaken }) => isTaken);
  }

  /** Which of them were changed or cannot be read and why, a sentence for each: the others are as they were. */
  unread(): string[] {
    return this.#all().unread.map(
      ({ id, message }) =>
        `The prepared write ${id} cannot be committed, and a new one is not compared with it: ${withoutPeriod(message)}.`,
    );
  }

  isInTime({ expires, made }: PreparedWrite): boolean {
    // not before it was made: the clock may have been set back
    return this.#host.now() <= expires && this.#host.now() >= made;
  }

  /**
   * The write with an id; `changed` if its file is not as it was written, `older` if a release of pit before command lines prepared it.
   * Throws Failure if it cannot be read.
   */
  find(id: string): Kept | 'changed' | 'older' | undefined {
    const file = this.#fileOf(id);
    const text = this.#read(id);
    if (text === undefined) return undefined;
    const [first = '', ...rest] = text.split('\n');
    const content = valueInLine(first) as Partial<PreparedContent> | undefined;
    const key = this.#key.read();
    // what has the digest is whole
    if (content?.write === undefined || key === undefined || idOf(first, content.write.kind, key) !== id)
      return 'changed';
    if (!Array.isArray(content.write.argv)) return 'older';
    const prepared = { ...(content as PreparedContent), id };
    const claim = claimOn(file, ONLY);
    const reports = valuesIn(rest.join('\n')) as readonly { readonly reported?: string; readonly known?: boolean }[];
    return {
      prepared,
      isTaken: claim !== undefined,
      isUnderWay: claim?.isHeld === true,
      reported: reports.findLast(({ reported }) => reported !== undefined)?.reported ?? null,
      isKnown: reports.findLast(({ known }) => known !== undefined)?.known === true,
    };
  }

  /** Gives a write to this process for good; false if a process has it already. Throws Failure `usage` if that cannot be recorded. */
  take({ id }: PreparedWrite): boolean {
    const file = this.#fileOf(id);
    return orCannotWrite(file, () => makeClaim(file, ONLY));
  }

  /** Records that the outcome was reported, and whether somebody certainly knows it. If the disk fails, it counts as not reported. */
  report(id: string, outcome: string, known: boolean): void {
    ignoringDiskErrors(() => append(this.#fileOf(id), encodeLine({ reported: outcome, known })));
  }

  /** All that are as they were written, oldest first, and why the others cannot. Throws Failure if that is not the fault of a single file. */
  #all() {
    const ids = namesIn(this.#folder);
    if (ids.length > 0) {
      makePrivateFolder(this.#host.directories.state, PREPARED_FOLDER);
      this.#key.read();
    }
    const kept: Kept[] = [];
    const unread: { readonly id: string; readonly message: string }[] = [];
    for (const id of ids) {
      try {
        const found = this.find(id);
        if (typeof found === 'object') kept.push(found);
        else if (found === 'changed') unread.push({ id, message: 'its file was changed after it was prepared' });
      } catch (thrown) {
        if (!(thrown instanceof Failure)) throw thrown;
        unread.push({ id, message: thrown.message });
      }
    }
    return { kept: kept.sort((one, other) => one.prepared.made - other.prepared.made), unread };
  }

  /** The text of the file of an id; undefined if there is none. Throws Failure if it cannot be read. */
  #read(id: string): string | undefined {
    try {
      const bytes = readPrivate(this.#host.directories.state, path.join(PREPARED_FOLDER, id), MAX_BYTES);
      return bytes?.toString('utf8');
    } catch (thrown) {
      if (thrown instanceof Failure) throw thrown;
      throw usage(`${this.#fileOf(id)} cannot be read (${systemErrorCode(thrown)}).`, 'Remove it, and prepare again.');
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, id);
  }

  #sweep(): void {
    const before = this.#host.now() - KEPT_MS;
    // one that is no file must not keep the others
    for (const id of namesIn(this.#folder))
      ignoringDiskErrors(() => {
        if (fs.lstatSync(this.#fileOf(id)).mtimeMs < before) fs.rmSync(this.#fileOf(id), { force: true });
      });
    sweepLeftovers(this.#folder, before);
  }
}
