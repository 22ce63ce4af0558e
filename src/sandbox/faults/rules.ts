import { RandomStream } from '../simulator/random.js';

/** The parameters that a fault may require, in ms. */
const PARAMETERS = ['delay', 'skew'] as const;

type Parameter = (typeof PARAMETERS)[number];

/** What a fault does. */
interface Fault {
  /** In the words of `pit sandbox fault add`. */
  readonly does: string;
  /** The parameter that it requires, and others do not take. */
  readonly needs?: Parameter;
}

/** What a client gets of a faulty request; `faults.ts` makes it. */
export type Sent = 'answer' | 'nothing' | 'half' | 'error page' | 'page' | 'redirect';

export interface RequestFaultRules extends Fault {
  /** How often the request is executed. */
  readonly executions: 0 | 1 | 2;
  readonly sends: Sent;
  /** What the parameter is for: a wait before the execution or before the answer, or the clock of the check. */
  readonly shifts?: 'execution' | 'answer' | 'clock';
}

/** Faults of a request. */
export const REQUEST_FAULTS = {
  'drop-before': { does: 'close the connection; the request is not executed', executions: 0, sends: 'nothing' },
  'drop-after': {
    does: 'execute the request and close the connection without an answer',
    executions: 1,
    sends: 'nothing',
  },
  'drop-twice': {
    does: 'execute the request twice, as a repeating proxy does, and close the connection without an answer',
    executions: 2,
    sends: 'nothing',
  },
  delay: {
    does: 'execute the request at once and answer after --delay',
    executions: 1,
    sends: 'answer',
    needs: 'delay',
    shifts: 'answer',
  },
  late: {
    does: "execute the request after --delay by the exchange's clock, when the client may have given up",
    executions: 1,
    sends: 'answer',
    needs: 'delay',
    shifts: 'execution',
  },
  truncate: {
    does: 'execute the request and close the connection within the answer',
    executions: 1,
    sends: 'half',
  },
  'error-before': {
    does: 'answer with an HTML page and status 502; the request is not executed',
    executions: 0,
    sends: 'error page',
  },
  'error-after': {
    does: 'execute the request and answer with an HTML page and status 502',
    executions: 1,
    sends: 'error page',
  },
  'html-before': {
    does: 'answer with an HTML page and status 200; the request is not executed',
    executions: 0,
    sends: 'page',
  },
  'html-after': {
    does: 'execute the request and answer with an HTML page and status 200',
    executions: 1,
    sends: 'page',
  },
  twice: {
    does: 'execute the request twice, as a repeating proxy does, and give the second answer',
    executions: 2,
    sends: 'answer',
  },
  redirect: {
    does: 'redirect (302) to the same address; the request is not executed',
    executions: 0,
    sends: 'redirect',
  },
  'rate-limit': {
    does: 'refuse the request as too frequent; it is not executed',
    executions: 0,
    sends: 'answer',
  },
  skew: {
    does: 'check reqTime against a clock that is off by --skew, and date the answer by it',
    executions: 1,
    sends: 'answer',
    needs: 'skew',
    shifts: 'clock',
  },
} as const satisfies Readonly<Record<string, RequestFaultRules>>;

/** Faults of a frame that a stream sends. `streams/faulty-sender.ts` carries out each of them. */
const STREAM_FAULTS = {
  'stream-drop': { does: 'do not send the frame' },
  'stream-delay': { does: 'send the frame, and what follows it, after --delay', needs: 'delay' },
  'stream-duplicate': { does: 'send the frame twice' },
  'stream-reorder': { does: 'send the frame after the next one' },
  'stream-cut': { does: 'break the connection in the middle of the frame' },
  'stream-stale': { does: 'send nothing from this frame on; the connection stays open' },
  'stream-garbage': { does: 'send text that is no JSON instead of the frame' },
} as const satisfies Readonly<Record<string, Fault>>;

export type RequestFault = keyof typeof REQUEST_FAULTS;
export type StreamFault = keyof typeof STREAM_FAULTS;
export type FaultKind = RequestFault | StreamFault;

export const FAULT_KINDS: Readonly<Record<FaultKind, Fault>> = { ...REQUEST_FAULTS, ...STREAM_FAULTS };

/** The row of a fault of requests. */
export function requestFault(kind: RequestFault): RequestFaultRules {
  return REQUEST_FAULTS[kind];
}

/** The faults that require a parameter. */
export function faultsThatNeed(parameter: Parameter): readonly FaultKind[] {
  return (Object.keys(FAULT_KINDS) as FaultKind[]).filter((kind) => FAULT_KINDS[kind].needs === parameter);
}

/** A parameter that a fault lacks, or does not take; undefined if it has what it requires and nothing else. */
export function wrongParameter({
  kind,
  ...given
}: FaultRequest): { readonly name: Parameter; readonly isNeeded: boolean } | undefined {
  const name = PARAMETERS.find((one) => (given[one] != null) !== (FAULT_KINDS[kind].needs === one));
  return name && { name, isNeeded: FAULT_KINDS[kind].needs === name };
}

export function isStreamFault(kind: FaultKind): kind is StreamFault {
  return Object.hasOwn(STREAM_FAULTS, kind);
}

/** A fault to apply: what, to which requests, and how often. */
export interface FaultSpec {
  readonly kind: FaultKind;
  /** An operation, or the channel of a frame; null for any. */
  readonly operation: string | null;
  /** From 0 to 1, for each request; null for always. */
  readonly probability: number | null;
  /** How many requests it applies to; null for no limit. */
  readonly count: number | null;
  /** Applies to every n-th request only; null for all. */
  readonly every: number | null;
  /** ms */
  readonly delay: number;
  /** ms, positive or negative */
  readonly skew: number;
}

/** The same before it is added: what is absent is null, and only the parameter that its kind requires is given. */
export type FaultRequest = Pick<FaultSpec, 'kind'> & {
  readonly [Name in Exclude<keyof FaultSpec, 'kind'>]?: FaultSpec[Name] | null | undefined;
};

export interface FaultRule extends FaultSpec {
  readonly id: number;
  /** The requests that were checked against it, and those it was applied to. */
  readonly seen: number;
  readonly applied: number;
}

export type RequestRule = FaultRule & { readonly kind: RequestFault };
export type StreamRule = FaultRule & { readonly kind: StreamFault };

class Rule {
  seen = 0;
  applied = 0;
  readonly #dice: RandomStream;

  constructor(
    readonly id: number,
    readonly spec: FaultSpec,
    seed: number,
  ) {
    this.#dice = new RandomStream(seed, 11, id);
  }

  get shown(): FaultRule {
    return { id: this.id, ...this.spec, seen: this.seen, applied: this.applied };
  }

  /** Whether the fault applies to a request of this operation, which then counts. */
  matches(operation: string): boolean {
    const { probability, count, every } = this.spec;
    if (this.spec.operation !== null && this.spec.operation !== operation) return false;
    if (count !== null && this.applied >= count) return false;
    this.seen += 1;
    if (every !== null && this.seen % every !== 0) return false;
    if (probability !== null && this.#dice.next() >= probability) return false;
    this.applied += 1;
    return true;
  }
}

/** The active faults. The same seed and the same requests give the same matches. */
export class FaultRules {
  readonly #seed: number;

  #rules: Rule[] = [];
  #streamRules: Rule[] = [];
  #added = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Whether no rule concerns requests. */
  get none(): boolean {
    return this.#rules.length === 0;
  }

  /** Whether no rule concerns frames. */
  get noneForStreams(): boolean {
    return this.#streamRules.length === 0;
  }

  /** Oldest first. */
  list(): FaultRule[] {
    return [...this.#rules, ...this.#streamRules].sort((one, other) => one.id - other.id).map(({ shown }) => shown);
  }

  /** Rules that can still match. */
  get active(): number {
    return this.list().filter(({ count, applied }) => count === null || applied < count).length;
  }

  /** Throws for a fault with a {@link wrongParameter}. */
  add(request: FaultRequest): FaultRule {
    const wrong = wrongParameter(request);
    if (wrong !== undefined) throw new Error(`${wrong.name} of the fault ${request.kind}`);
    const { kind, operation = null, probability = null, count = null, every = null, delay, skew } = request;
    const spec: FaultSpec = { kind, operation, probability, count, every, delay: delay ?? 0, skew: skew ?? 0 };
    this.#added += 1;
    const rule = new Rule(this.#added, spec, this.#seed);
    (isStreamFault(spec.kind) ? this.#streamRules : this.#rules).push(rule);
    return rule.shown;
  }

  /** Removes one rule, or all. The number of removed rules. */
  clear(id?: number): number {
    const before = this.list().length;
    const kept = (rules: readonly Rule[]) => (id === undefined ? [] : rules.filter((rule) => rule.id !== id));
    [this.#rules, this.#streamRules] = [kept(this.#rules), kept(this.#streamRules)];
    return before - this.list().length;
  }

  /** The oldest rule that matches a request of this operation. */
  match(operation: string): RequestRule | undefined {
    return this.#rules.find((rule) => rule.matches(operation))?.shown as RequestRule | undefined;
  }

  /** The oldest rule that matches a frame of this channel. */
  matchFrame(channel: string, without?: StreamFault): StreamRule | undefined {
    return this.#streamRules.find((rule) => rule.spec.kind !== without && rule.matches(channel))?.shown as
      | StreamRule
      | undefined;
  }
}
