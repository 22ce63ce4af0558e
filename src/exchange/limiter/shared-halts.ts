import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isAlive } from '../../platform/programs/processes.js';
import { machineDigest } from './file-store.js';
import { type Halt, type HaltRecord, haltRecord, lastingHalt } from './halt-record.js';
import type { Redis } from './redis-store.js';

/*
 * The halts of an account in Redis. Four keys, all below the name of the latch:
 *
 *   /halts    a hash: the id of each halt that is not lifted, and the clock of Redis when it was set, a space, the halt as JSON
 *   /lifted   a sorted set: the ids of halts that were lifted, by the clock of Redis
 *   /proofs   a hash: the same ids, and for each what only a machine with the secret key can make of it. A machine whose file has such a
 *             halt, and that makes the same of it, is not halted by that file: whatever answers in the place of Redis lifts nothing
 *   /leaving  a sorted set: the writes that are leaving, by the time at which they count as lost, by the clock of Redis
 */

const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** The clock, the proof that the halt of the caller's file was lifted, empty without one, and all halts. */
const STATE = `
  local proof = redis.call('HGET', KEYS[1] .. '/proofs', ARGV[1]) or ''
  return {now, proof, redis.call('HVALS', KEYS[1] .. '/halts')}`;

const GET = `${NOW}${STATE}`;

/** In one step, so that a halt either stops the write or sees it leave. */
const ENTER = `${NOW}
  redis.call('ZADD', KEYS[1] .. '/leaving', now + ARGV[3], ARGV[2])
  redis.call('PEXPIRE', KEYS[1] .. '/leaving', ARGV[3])${STATE}`;

const LEAVE = `return redis.call('ZREM', KEYS[1] .. '/leaving', ARGV[1])`;

const LEAVING = `${NOW}
  return redis.call('ZRANGEBYSCORE', KEYS[1] .. '/leaving', now, '+inf')`;

/** The other arguments are ids of halts that have ended. */
const SET = `${NOW}
  for index = 3, #ARGV do redis.call('HDEL', KEYS[1] .. '/halts', ARGV[index]) end
  return redis.call('HSET', KEYS[1] .. '/halts', ARGV[1], now .. ' ' .. ARGV[2])`;

const IDS = `return redis.call('HKEYS', KEYS[1] .. '/halts')`;

/** Lifts halts: the arguments are an id and its proof, by turns. The newest thousand lifted ones are kept. */
const LIFT = `${NOW}
  for index = 1, #ARGV, 2 do
    redis.call('ZADD', KEYS[1] .. '/lifted', now, ARGV[index])
    redis.call('HSET', KEYS[1] .. '/proofs', ARGV[index], ARGV[index + 1])
    redis.call('HDEL', KEYS[1] .. '/halts', ARGV[index])
  end
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. '/lifted', 0, -1001)) do
    redis.call('HDEL', KEYS[1] .. '/proofs', id)
    redis.call('ZREM', KEYS[1] .. '/lifted', id)
  end
  return #ARGV / 2`;

/** No write lasts this long. One that is still leaving then was lost with its process. */
const LOST_MS = 60_000;

/** What Redis says of an account. */
export interface SharedState {
  /** The halts in effect; the one that lasts longest is first. */
  readonly halts: readonly Halt[];
  /** Whether the halt of this machine's file was lifted, here or elsewhere. */
  readonly isFileLifted: boolean;
}

/**
 * The halts of an account that several machines share over Redis. Halts and lifts are told apart by their ids: a lift ends the
 * halts that Redis has at that moment, and no other. Methods reject if Redis cannot be used.
 */
export class SharedHalts {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #now: () => number;
  readonly #secretKey: () => Promise<string>;

  #entered = 0;

  /**
   * @param key names the latch and holds no secret
   * @param now milliseconds since the Unix epoch
   * @param secretKey that of the account. Asked for only to lift, or to check that a halt was lifted: it may be in the keychain
   */
  constructor(redis: Redis, key: string, now: () => number, secretKey: () => Promise<string>) {
    this.#redis = redis;
    this.#key = key;
    this.#now = now;
    this.#secretKey = secretKey;
  }

  /** @param fileId the id of the halt in this machine's file; empty without one */
  async read(fileId: string): Promise<SharedState> {
    return this.#state(await this.#redis.eval(GET, this.#key, [fileId]), fileId);
  }

  /**
   * Counts a write as leaving until the returned function is called, and reads the halts in the same step: the permit of a process
   * that is stopped for a moment, or that counts its limits alone, is not there to be waited for.
   */
  enter(fileId: string): { readonly state: Promise<SharedState>; readonly ended: () => Promise<void> } {
    const name = `${process.pid}.${machineDigest()}.${process.hrtime.bigint()}.${this.#entered++}`;
    const answer = this.#redis.eval(ENTER, this.#key, [fileId, name, String(LOST_MS)]);
    return {
      state: answer.then((found) => this.#state(found, fileId)),
      ended: async () => void (await this.#redis.eval(LEAVE, this.#key, [name]).catch(() => undefined)),
    };
  }

  /** The names of the writes of all machines that are leaving. */
  async leaving(): Promise<readonly string[]> {
    const names = (await this.#redis.eval(LEAVING, this.#key, [])) as string[];
    const here = machineDigest();
    return names.filter((name) => {
      const [pid, machine] = name.split('.');
      return machine !== here || isAlive(Number(pid));
    });
  }

  /** Sets a halt, and forgets those that have ended. */
  async set(record: HaltRecord): Promise<void> {
    const { endedIds } = this.#halts(await this.#redis.eval(GET, this.#key, ['']));
    await this.#redis.eval(SET, this.#key, [record.id, JSON.stringify(record), ...endedIds]);
  }

  /** Lifts all halts that Redis has, and that of this machine's file. Throws Failure `credentials` if the secret key cannot be read. */
  async lift(fileId: string): Promise<void> {
    const found = await this.#redis.eval(IDS, this.#key, []);
    const ids = [...(Array.isArray(found) ? found.map(String) : []), ...(fileId === '' ? [] : [fileId])];
    if (ids.length === 0) return;
    const key = await this.#secretKey();
    const lifted = [...new Set(ids)].flatMap((id) => [id, proofOf(key, id)]);
    await this.#redis.eval(LIFT, this.#key, lifted);
  }

  async #state(answer: unknown, fileId: string): Promise<SharedState> {
    const { halts, proof } = this.#halts(answer);
    return { halts, isFileLifted: proof !== '' && fileId !== '' && isProof(proof, await this.#secretKey(), fileId) };
  }

  #halts(answer: unknown): {
    readonly halts: readonly Halt[];
    readonly endedIds: readonly string[];
    readonly proof: string;
  } {
    const [redisNow, proof, texts] = Array.isArray(answer) ? answer : [];
    if (typeof redisNow !== 'number' || !Array.isArray(texts)) throw new Error('its answer cannot be read');
    const found = texts.map((text) => {
      const { setAt, record } = recordIn(String(text));
      return { record, halt: lastingHalt(record, this.#now(), redisNow - Number(setAt)) };
    });
    const halts = found.flatMap(({ halt }) => halt ?? []).sort((left, right) => endOf(right) - endOf(left));
    const endedIds = found.flatMap(({ record, halt }) => (halt === undefined ? record.id : []));
    return { halts, endedIds, proof: typeof proof === 'string' ? proof : '' };
  }
}

/** What only who has the secret key can make of the id of a halt: that it was lifted. */
function proofOf(secretKey: string, id: string): string {
  return createHmac('sha256', secretKey).update(`pit lifted halt ${id}`).digest('hex');
}

function isProof(given: string, secretKey: string, id: string): boolean {
  const [wanted, found] = [proofOf(secretKey, id), given].map((text) => createHash('sha256').update(text).digest());
  return wanted !== undefined && found !== undefined && timingSafeEqual(wanted, found);
}

/** Throws for a text that is no halt. */
function recordIn(text: string): { readonly setAt: string; readonly record: HaltRecord } {
  const [, setAt = '', json = ''] = /^(\d+) (.*)$/s.exec(text) ?? [];
  try {
    return { setAt, record: haltRecord(JSON.parse(json)) };
  } catch {
    throw new Error('a halt that it holds is damaged');
  }
}

function endOf({ until }: Halt): number {
  return until ?? Number.MAX_SAFE_INTEGER;
}
