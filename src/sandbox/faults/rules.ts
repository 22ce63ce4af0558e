import { RandomStream } from '../simulator/random.js';

/** What a fault does to a request, in the words of `pit sandbox fault add`. */
export const FAULT_KINDS = {
  'drop-before': 'the connection ends, and nothing was done',
  'drop-after': 'it is done, and the connection ends without an answer',
  delay: 'it is done at once and answered late, after --delay',
  late: 'it is done only after --delay, when nobody may be waiting any more',
  truncate: 'it is done, and the connection ends within the answer',
  'error-before': 'a page of HTML with status 502, and nothing was done',
  'error-after': 'it is done, and answered by a page of HTML with status 502',
  'html-before': 'a page of HTML with status 200, and nothing was done',
  'html-after': 'it is done, and answered by a page of HTML with status 200',
  twice: 'it is done twice, as a proxy does that repeats it, and the second answer is given',
  redirect: 'status 302 to the same address, and nothing was done',
  'rate-limit': 'refused as too frequent, and nothing was done',
  skew: 'the clock that reqTime is held against is off by --skew',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

/** How often each kind carries out what was asked. */
export const EXECUTIONS: Readonly<Record<FaultKind, 0 | 1 | 2>> = {
  'drop-before': 0,
  'drop-after': 1,
  delay: 1,
  late: 1,
  truncate: 1,
  'error-before': 0,
  'error-after': 1,
  'html-before': 0,
  'html-after': 1,
  twice: 2,
  redirect: 0,
  'rate-limit': 0,
  skew: 1,
};

export function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}

/** A fault that is to happen: to which requests, and to how many of them. */
export interface FaultSpec {
  readonly kind: FaultKind;
  /** Of one operation; null is any. */
  readonly operation: string | null;
  /** From 0 to 1, drawn anew for each request. */
  readonly probability: number | null;
  /** The next so many, and then no more. */
  readonly count: number | null;
  /** Every so manieth. */
  readonly every: number | null;
  /** ms */
  readonly delay: number;
  /** ms, to either side */
  readonly skew: number;
}

export interface FaultRule extends FaultSpec {
  readonly id: number;
  /** The requests that it looked at, and those it was applied to. */
  readonly seen: number;
  readonly applied: number;
}

class Rule {
  seen = 0;
  applied = 0;
  private readonly dice: RandomStream;

  constructor(
    readonly id: number,
    readonly spec: FaultSpec,
    seed: number,
  ) {
    this.dice = new RandomStream(seed, 11, id);
  }

  get shown(): FaultRule {
    return { id: this.id, ...this.spec, seen: this.seen, applied: this.applied };
  }

  /** Whether the fault happens to a request of this operation, which then counts. */
  strikes(operation: string): boolean {
    const { probability, count, every } = this.spec;
    if (this.spec.operation !== null && this.spec.operation !== operation) return false;
    if (count !== null && this.applied >= count) return false;
    this.seen += 1;
    if (every !== null && this.seen % every !== 0) return false;
    if (probability !== null && this.dice.next() >= probability) return false;
    this.applied += 1;
    return true;
  }
}

/** The faults that are switched on. With the same seed and the same requests the same ones are struck. */
export class FaultRules {
  private rules: Rule[] = [];
  private added = 0;

  constructor(private readonly seed: number) {}

  get none(): boolean {
    return this.rules.length === 0;
  }

  /** Oldest first. */
  list(): FaultRule[] {
    return this.rules.map(({ shown }) => shown);
  }

  /** Rules that can still strike. */
  get active(): number {
    return this.rules.filter(({ spec: { count }, applied }) => count === null || applied < count).length;
  }

  add(spec: FaultSpec): FaultRule {
    this.added += 1;
    const rule = new Rule(this.added, spec, this.seed);
    this.rules.push(rule);
    return rule.shown;
  }

  /** Takes back one rule, or all; how many there were. */
  clear(id?: number): number {
    const before = this.rules.length;
    this.rules = id === undefined ? [] : this.rules.filter((rule) => rule.id !== id);
    return before - this.rules.length;
  }

  /** The first rule, by age, that strikes a request of this operation. */
  strike(operation: string): FaultRule | undefined {
    return this.rules.find((rule) => rule.strikes(operation))?.shown;
  }
}
