import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Failure, suggest } from '../../errors.js';
import { cannotWrite, makePrivateFolder, readPrivate, syncFolder } from '../../platform/files/private-files.js';
import { replaceFile } from '../../platform/files/replacement.js';
import { type Halt, type HaltRecord, haltRecord, lastingHalt, type NewHalt, unreadable } from './halt-record.js';
import { LATCH_FOLDER } from './latch-folder.js';
import type { Redis } from './redis-store.js';
import { SharedHalts, type SharedState } from './shared-halts.js';
import { reasonOf } from './shared-limits.js';

/** A latch is a line of JSON. What is longer was not written by pit. */
const MAX_BYTES = 10_000;

/** Whether a write may leave. */
export interface Admission {
  /** Why it may not; undefined if it may. */
  readonly halt: Halt | undefined;
  /** Call it once the write was answered, or was not sent. It never fails. */
  readonly ended: () => Promise<void>;
}

const FREE: Admission = { halt: undefined, ended: async () => {} };

interface LatchOptions {
  /** The folder of pit's state. */
  readonly root: string;
  /** The name of the account, which is that of its access key. It holds no secret. */
  readonly account: string;
  /** Shares the latch with other machines. Absent: it holds on this machine. */
  readonly redis?: Redis | undefined;
  /** The secret key of the account, which proves to its other machines that a halt was lifted. Asked for only with Redis. */
  readonly secretKey: () => Promise<string>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that all processes of this machine share and that is never set. */
  readonly monotonic: () => number;
}

/** Where a halt was set. */
export interface SetHalt {
  /** Why this machine's file does not have it; null if it does. */
  readonly fileFailure: Failure | null;
  /** Why Redis does not have it, without a full stop; null if it does, or if there is none. */
  readonly unshared: string | null;
}

/** What the file says. */
interface LocalState {
  readonly halt: Halt | undefined;
  /** The id of the halt in the file, even if it has ended; empty if there is none or it cannot be read. */
  readonly id: string;
}

const NO_FILE: LocalState = { halt: undefined, id: '' };

/**
 * The latch of an account: while it is set, no write leaves except cancellations. It is a private file, which every process of a
 * `PIT_HOME` reads, and with Redis also a value there, which other machines read. Both count. If Redis
 * proves that a machine of the account lifted the very halt in the file, the file does not count.
 */
export class Latch {
  readonly #options: LatchOptions;

  readonly #file: string;
  readonly #shared: SharedHalts | undefined;
  #isExempt = false;

  constructor(options: LatchOptions) {
    this.#options = options;

    this.#file = path.join(LATCH_FOLDER, options.account);
    const { redis, now, secretKey } = options;
    this.#shared = redis === undefined ? undefined : new SharedHalts(redis, `pit/${this.#file}`, now, secretKey);
  }

  /** Whether other machines see it. */
  get isShared(): boolean {
    return this.#shared !== undefined;
  }

  /** From now on, writes of this process pass: they are a part of what the halt does. */
  exempt(): void {
    this.#isExempt = true;
  }

  /** Why a write of this process may not leave; undefined if it may. */
  async blocking(): Promise<Halt | undefined> {
    return this.#isExempt ? undefined : this.find();
  }

  /** Asks for a write that is about to leave. With Redis it counts as leaving until it has ended. */
  async admit(): Promise<Admission> {
    if (this.#isExempt) return FREE;
    const local = this.#local();
    if (this.#shared === undefined) return { ...FREE, halt: local.halt };
    const { state, ended } = this.#shared.enter(local.id);
    return { halt: await haltIn(local, state), ended };
  }

  /** The names of the writes of all machines that are leaving. Rejects if Redis cannot be used. */
  async leaving(): Promise<readonly string[]> {
    return (await this.#shared?.leaving()) ?? [];
  }

  /** The halt, or undefined if the latch is not set. A latch that cannot be read counts as set. */
  async find(): Promise<Halt | undefined> {
    const local = this.#local();
    return this.#shared === undefined ? local.halt : haltIn(local, this.#shared.read(local.id));
  }

  /** The halt by the file alone. */
  findLocal(): Halt | undefined {
    return this.#local().halt;
  }

  #local(): LocalState {
    const { root, now } = this.#options;
    const file = path.join(root, this.#file);
    try {
      const text = readPrivate(root, this.#file, MAX_BYTES)?.toString('utf8');
      if (text === undefined) return NO_FILE;
      const value = JSON.parse(text) as { readonly setAt?: unknown };
      const record = haltRecord(value);
      const { setAt } = value;
      if (typeof setAt !== 'number') throw new Error('not a latch');
      return { halt: lastingHalt(record, now(), this.#elapsedSince(setAt)), id: record.id };
    } catch (thrown) {
      const problem = thrown instanceof Failure ? reasonOf(thrown) : `${file} is damaged or cannot be read`;
      return { halt: unreadable(problem), id: '' };
    }
  }

  /** At least, after this machine was started again: its clock then starts at zero. */
  #elapsedSince(setAt: number): number {
    const now = this.#options.monotonic();
    return now < setAt ? now : now - setAt;
  }

  /** Sets the latch, durably, wherever it can be set. Never throws a Failure: what it could not do is in the result. */
  async set({ since, until, reason }: NewHalt): Promise<SetHalt> {
    const now = this.#options.now();
    const lastsMs = until === null ? null : Math.max(0, until - now);
    const record = { id: randomUUID(), since: since ?? now, until, reason, lastsMs };
    const fileFailure = this.#write(record);
    const unshared = await this.#shared?.set(record).then(() => null, reasonOf);
    return { fileFailure, unshared: unshared ?? null };
  }

  #write(record: HaltRecord): Failure | null {
    const { root, monotonic } = this.#options;
    const file = path.join(root, this.#file);
    try {
      makePrivateFolder(root, LATCH_FOLDER);
      replaceFile(file, `${JSON.stringify({ ...record, setAt: monotonic() })}\n`);
      // the name of the file, and that of a new folder
      for (const folder of [path.join(root, LATCH_FOLDER), root]) syncFolder(folder);
      return null;
    } catch (thrown) {
      return thrown instanceof Failure ? thrown : cannotWrite(file, thrown);
    }
  }

  /** Lifts the latch. Throws Failure `unreachable` if Redis cannot be used, `usage` if the file cannot be removed, and `credentials`. */
  async lift(): Promise<void> {
    const file = path.join(this.#options.root, this.#file);
    try {
      await this.#shared?.lift(this.#local().id);
    } catch (thrown) {
      // the secret key, which proves the lift, cannot be read
      if (thrown instanceof Failure) throw thrown;
      const message = `The halt was not lifted: Redis, which shares it, cannot be used (${reasonOf(thrown)}).`;
      throw new Failure('unreachable', message, { hint: suggest('Check the limits', 'doctor') });
    }
    try {
      fs.rmSync(file, { force: true });
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
  }
}

/** The halt by the file and by Redis. */
async function haltIn(local: LocalState, reading: Promise<SharedState>): Promise<Halt | undefined> {
  try {
    const { halts, isFileLifted } = await reading;
    return isFileLifted ? halts[0] : (local.halt ?? halts[0]);
  } catch (thrown) {
    return local.halt ?? unreadable(`Redis, which shares it, cannot be used (${reasonOf(thrown)})`);
  }
}
