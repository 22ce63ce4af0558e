import fs from 'node:fs';
import path from 'node:path';
import { Failure, localTimeText, suggest } from '../../errors.js';
import { cannotWrite, makePrivateFolder, readPrivate, syncFolder } from '../../platform/private-files.js';
import { isAlive } from '../../platform/processes.js';
import { replaceFile } from '../../platform/replacement.js';
import type { NotSent } from '../refusals.js';
import { machineDigest } from './file-store.js';
import type { Redis } from './redis-store.js';
import { reasonOf } from './shared-limits.js';

/** Why an account is halted. Times are in milliseconds since the Unix epoch. */
export interface Halt {
  /** Null if the latch cannot be read. */
  readonly since: number | null;
  /** When it ends by itself; null if it lasts until it is lifted. */
  readonly until: number | null;
  readonly reason: string | null;
  /** Why the latch cannot be read, which counts as set; null if it was read. */
  readonly problem: string | null;
}

/** The folder of the latches, below the state folder. */
const FOLDER = 'halted';

/** A latch is a line of JSON. What is longer was not written by pit. */
const MAX_BYTES = 10_000;

const GET = `return redis.call('GET', KEYS[1])`;
const SET = `return redis.call('SET', KEYS[1], ARGV[1])`;

// The writes that are leaving are a sorted set by the time at which they count as lost, by the clock of Redis.
const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local leaving = KEYS[1] .. '/leaving'`;

/** In one step, so that a halt either stops the write or sees it leave. */
const ENTER = `${NOW}
  redis.call('ZADD', leaving, now + ARGV[2], ARGV[1])
  redis.call('PEXPIRE', leaving, ARGV[2])
  return redis.call('GET', KEYS[1])`;

const LEAVE = `return redis.call('ZREM', KEYS[1] .. '/leaving', ARGV[1])`;

const LEAVING = `${NOW}
  return redis.call('ZRANGEBYSCORE', leaving, now, '+inf')`;

/** No write lasts this long. One that is still leaving then was lost with its process. */
const LOST_MS = 60_000;

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
  /** The name of the account, as its journal has it. It holds no secret. */
  readonly account: string;
  /** Shares the latch with other machines. Absent: it holds on this machine. */
  readonly redis?: Redis | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/**
 * The latch of an account: while it is set, no write leaves except cancellations. It is a private file, which every process of a
 * `PIT_HOME` reads, and with Redis also a value there, which other machines read. Both count. If Redis says that the latch was
 * lifted after the file was written, the file does not count: another machine lifted it.
 */
export class Latch {
  readonly #file: string;
  readonly #key: string;
  #isExempt = false;
  #entered = 0;

  constructor(private readonly options: LatchOptions) {
    this.#file = path.join(FOLDER, options.account);
    this.#key = `pit/${this.#file}`;
  }

  /** Whether other machines see it. */
  get isShared(): boolean {
    return this.options.redis !== undefined;
  }

  /** From now on, writes of this process pass: they are a part of what the halt does. */
  exempt(): void {
    this.#isExempt = true;
  }

  /** Why a write of this process may not leave; undefined if it may. */
  async blocking(): Promise<Halt | undefined> {
    return this.#isExempt ? undefined : this.find();
  }

  /**
   * Asks for a write that is about to leave. With Redis it counts as leaving until it has ended: the permit of a process that is
   * stopped for a moment, or that counts its limits alone, is not there to be waited for.
   */
  async admit(): Promise<Admission> {
    if (this.#isExempt) return FREE;
    const { redis } = this.options;
    if (redis === undefined) return { ...FREE, halt: this.findLocal() };
    const { pid } = process;
    const name = `${pid}.${machineDigest()}.${process.hrtime.bigint()}.${this.#entered++}`;
    const halt = await this.#findWith(() => redis.eval(ENTER, this.#key, [name, String(LOST_MS)]));
    const ended = async () => void (await redis.eval(LEAVE, this.#key, [name]).catch(() => undefined));
    return { halt, ended };
  }

  /** The names of the writes of all machines that are leaving. Rejects if Redis cannot be used. */
  async leaving(): Promise<readonly string[]> {
    const names = (await this.options.redis?.eval(LEAVING, this.#key, [])) ?? [];
    const here = machineDigest();
    return (names as string[]).filter((name) => {
      const [pid, machine] = name.split('.');
      return machine !== here || isAlive(Number(pid));
    });
  }

  /** The halt, or undefined if the latch is not set. A latch that cannot be read counts as set. */
  async find(): Promise<Halt | undefined> {
    const { redis } = this.options;
    return redis === undefined ? this.findLocal() : this.#findWith(() => redis.eval(GET, this.#key, []));
  }

  /** @param read reads the value in Redis */
  async #findWith(read: () => Promise<unknown>): Promise<Halt | undefined> {
    const local = this.findLocal();
    try {
      const text = await read();
      const shared = typeof text === 'string' ? parsed(text) : undefined;
      if (shared === undefined) return local;
      if (!('lifted' in shared)) return local ?? this.#ifLasting(shared);
      return local !== undefined && local.since !== null && local.since <= shared.lifted ? undefined : local;
    } catch (thrown) {
      return local ?? unreadable(`Redis, which shares it, cannot be used (${reasonOf(thrown)})`);
    }
  }

  /** The halt by the file alone. */
  findLocal(): Halt | undefined {
    const { root } = this.options;
    const file = path.join(root, this.#file);
    try {
      const text = readPrivate(root, this.#file, MAX_BYTES)?.toString('utf8');
      if (text === undefined) return undefined;
      const found = parsed(text);
      return 'lifted' in found ? unreadable(`${file} is damaged`) : this.#ifLasting(found);
    } catch (thrown) {
      return unreadable(thrown instanceof Failure ? reasonOf(thrown) : `${file} is damaged or cannot be read`);
    }
  }

  /**
   * Sets the latch, durably. Returns why other machines do not see it, although they should; null if they do, or if there are none.
   * Throws Failure `usage` or `credentials` if it cannot be written.
   */
  async set({ since, until, reason }: Omit<Halt, 'problem'>): Promise<string | null> {
    const { root, redis } = this.options;
    const text = JSON.stringify({ since, until, reason });
    makePrivateFolder(root, FOLDER);
    const file = path.join(root, this.#file);
    try {
      replaceFile(file, `${text}\n`);
      // the name of the file, and that of a new folder
      for (const folder of [path.join(root, FOLDER), root]) syncFolder(folder);
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
    if (redis === undefined) return null;
    return redis.eval(SET, this.#key, [text]).then(() => null, reasonOf);
  }

  /** Lifts the latch. Throws Failure `unreachable` if Redis cannot be used, and `usage` if the file cannot be removed. */
  async lift(): Promise<void> {
    const { root, redis, now } = this.options;
    const file = path.join(root, this.#file);
    try {
      await redis?.eval(SET, this.#key, [JSON.stringify({ lifted: now() })]);
    } catch (thrown) {
      const message = `The halt was not lifted: Redis, which shares it, cannot be used (${reasonOf(thrown)}).`;
      throw new Failure('unreachable', message, { hint: suggest('Check the limits', 'doctor') });
    }
    try {
      fs.rmSync(file, { force: true });
    } catch (thrown) {
      throw cannotWrite(file, thrown);
    }
  }

  #ifLasting(halt: Halt): Halt | undefined {
    return halt.until !== null && halt.until <= this.options.now() ? undefined : halt;
  }
}

/** Whether a file of a latch may exist: a cheap look, before an account is known. */
export function hasLatches(root: string): boolean {
  return fs.existsSync(path.join(root, FOLDER));
}

/** Throws for anything but a latch. */
function parsed(text: string): Halt | { readonly lifted: number } {
  const { since, until, reason, lifted } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (typeof lifted === 'number') return { lifted };
  const isTime = (value: unknown) => Number.isSafeInteger(value);
  if (!isTime(since) || !(until === null || isTime(until)) || !(reason === null || typeof reason === 'string'))
    throw new Error('not a latch');
  return { since, until, reason, problem: null } as Halt;
}

function unreadable(problem: string): Halt {
  return { since: null, until: null, reason: null, problem };
}

/** `halted since 2026-11-21 13:00:00 (UTC+01:00) until …: flash crash`, as a part of a sentence. */
export function haltText({ since, until, reason, problem }: Halt): string {
  if (since === null) return `halted, because its latch cannot be read: ${problem}`;
  const end = until === null ? '' : ` until ${localTimeText(until)}`;
  return `halted since ${localTimeText(since)}${end}${reason === null ? '' : ` (${reason})`}`;
}

/** What to do about a halt. */
export const LIFT_HALT = suggest('When it is safe to trade again', 'halt', '--lift');

/** A write that the latch stopped. */
export function stoppedBy(halt: Halt): { readonly kind: 'notSent' } & NotSent {
  const reason = `halted blocks it: the account is ${haltText(halt)}`;
  return { kind: 'notSent', reason, failure: 'usage', hint: LIFT_HALT, halted: true };
}
