import { isAlive } from '../../platform/processes.js';
import { machineDigest } from './file-store.js';
import { type Halt, type HaltRecord, haltRecord, lastingHalt } from './halt-record.js';
import type { Redis } from './redis-store.js';

/*
 * The halts of an account in Redis. Three keys, all below the name of the latch:
 *
 *   /halts    a hash: the id of each halt that is not lifted, and the clock of Redis when it was set, a space, the halt as JSON
 *   /lifted   a sorted set: the ids of halts that were lifted. A machine whose file has one of them is not halted by that file
 *   /leaving  a sorted set: the writes that are leaving, by the time at which they count as lost, by the clock of Redis
 */

const NOW = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

/** The clock, whether the halt of the caller's file was lifted, and all halts. */
const STATE = `
  local lifted = redis.call('ZSCORE', KEYS[1] .. '/lifted', ARGV[1]) and 1 or 0
  return {now, lifted, redis.call('HVALS', KEYS[1] .. '/halts')}`;

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

/** Lifts the halts that Redis has, and that of the caller's file. The newest thousand lifted ones are kept. */
const LIFT = `${NOW}
  local ids = redis.call('HKEYS', KEYS[1] .. '/halts')
  if ARGV[1] ~= '' then table.insert(ids, ARGV[1]) end
  for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1] .. '/lifted', now, id) end
  redis.call('ZREMRANGEBYRANK', KEYS[1] .. '/lifted', 0, -1001)
  redis.call('DEL', KEYS[1] .. '/halts')
  return #ids`;

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

  #entered = 0;

  /**
   * @param key names the latch and holds no secret
   * @param now milliseconds since the Unix epoch
   */
  constructor(redis: Redis, key: string, now: () => number) {
    this.#redis = redis;
    this.#key = key;
    this.#now = now;
  }

  /** @param fileId the id of the halt in this machine's file; empty without one */
  async read(fileId: string): Promise<SharedState> {
    return this.#state(await this.#redis.eval(GET, this.#key, [fileId])).state;
  }

  /**
   * Counts a write as leaving until the returned function is called, and reads the halts in the same step: the permit of a process
   * that is stopped for a moment, or that counts its limits alone, is not there to be waited for.
   */
  enter(fileId: string): { readonly state: Promise<SharedState>; readonly ended: () => Promise<void> } {
    const name = `${process.pid}.${machineDigest()}.${process.hrtime.bigint()}.${this.#entered++}`;
    const answer = this.#redis.eval(ENTER, this.#key, [fileId, name, String(LOST_MS)]);
    return {
      state: answer.then((found) => this.#state(found).state),
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
    const { endedIds } = this.#state(await this.#redis.eval(GET, this.#key, ['']));
    await this.#redis.eval(SET, this.#key, [record.id, JSON.stringify(record), ...endedIds]);
  }

  /** Lifts all halts that Redis has, and that of this machine's file. */
  async lift(fileId: string): Promise<void> {
    await this.#redis.eval(LIFT, this.#key, [fileId]);
  }

  #state(answer: unknown): { readonly state: SharedState; readonly endedIds: readonly string[] } {
    const [redisNow, lifted, texts] = Array.isArray(answer) ? answer : [];
    if (typeof redisNow !== 'number' || !Array.isArray(texts)) throw new Error('its answer cannot be read');
    const found = texts.map((text) => {
      const { setAt, record } = recordIn(String(text));
      return { record, halt: lastingHalt(record, this.#now(), redisNow - Number(setAt)) };
    });
    const halts = found.flatMap(({ halt }) => halt ?? []).sort((left, right) => endOf(right) - endOf(left));
    const endedIds = found.flatMap(({ record, halt }) => (halt === undefined ? record.id : []));
    return { state: { halts, isFileLifted: lifted === 1 }, endedIds };
  }
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
