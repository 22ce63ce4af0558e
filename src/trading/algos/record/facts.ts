import * as v from 'valibot';
import { Decimal } from '../../../domain/decimal.js';
import { CHILD_ROLES, type ChildRole } from '../plan/children.js';
import { decimal, decodeLine, market, time } from '../plan/line-schemas.js';
import { type AlgoTerms, exitSideOf, hasStop, TERMS } from '../plan/terms.js';

const OUTCOMES = ['done', 'partial', 'cancelled', 'failed'] as const;

/** The states of an algo order in lists and JSON. */
export const ALGO_STATES = [
  ...(['waiting', 'working', 'triggered', 'settling', 'blind', 'paused', 'halted'] as const),
  ...OUTCOMES,
] as const;

export type AlgoState = (typeof ALGO_STATES)[number];

/**
 * What happened to an algo order: a line on disk that is never taken back, written before anything follows from it. Each `time` is when
 * the fact was found, by the exchange's clock, in milliseconds since the Unix epoch.
 */
export const FACT = v.variant('fact', [
  /** `bid` and `ask` are the best prices at the start; null for an empty side. */
  v.object({ fact: v.literal('began'), time, terms: TERMS, bid: v.nullable(decimal), ask: v.nullable(decimal) }),
  /** The best price that a trail has seen. `tradeId` is the newest trade by then if trades trigger it; null if the book does. */
  v.object({ fact: v.literal('best'), time, price: decimal, tradeId: v.nullable(v.string()) }),
  v.object({
    fact: v.literal('triggered'),
    time,
    /** What it waited for: the conditions of its entry, or the stop of its exits. */
    leg: v.picklist(['entry', 'exit']),
    price: decimal,
    /** `book`, `last`, or the condition of an entry. */
    source: v.string(),
    /** Whether it was found after a time in which pit did not see the market. */
    late: v.boolean(),
  }),
  v.object({
    fact: v.literal('paused'),
    time,
    /**
     * `user`: by `pit algo pause`; `halt`: by `pit halt`; `guard`: a guard or limit held a child back; `rejected`: the exchange rejected
     * a child for a reason that does not go away; `account`: other hosts or keys; `missing`: the exchange does not show a child any more.
     */
    cause: v.picklist(['user', 'halt', 'guard', 'rejected', 'account', 'missing']),
    reason: v.string(),
    /**
     * That of the child which was rejected or held back. An entry holds back only itself, a take-profit the entry too: the stop goes on
     * protecting. Null: everything is held back.
     */
    role: v.nullable(v.picklist(CHILD_ROLES)),
  }),
  v.object({ fact: v.literal('resumed'), time }),
  /** The exchange has changed the rules of the market: its orders have to keep these from now on. */
  v.object({ fact: v.literal('rules'), time, market }),
  /** The user ends it: the children are cancelled, and nothing is placed any more. `ended` follows. */
  v.object({ fact: v.literal('cancelled'), time, reason: v.string() }),
  /** All children are closed. */
  v.object({
    fact: v.literal('ended'),
    time,
    outcome: v.picklist(OUTCOMES),
    reason: v.string(),
    /** Of the entry, or of the exits if there is none. */
    filled: decimal,
    /** What did not fill of it. */
    remaining: decimal,
    /** Of the position that the entry built, what no exit has sold or bought back. */
    position: decimal,
  }),
]);

export type AlgoFact = Readonly<v.InferOutput<typeof FACT>>;

export type FactOf<Name extends AlgoFact['fact']> = Extract<AlgoFact, { readonly fact: Name }>;

export type PauseCause = FactOf<'paused'>['cause'];

export type AlgoOutcome = FactOf<'ended'>['outcome'];

/** The fact as a line of JSON, without the line break. Its decimals are texts. */
export function encodeFact(fact: AlgoFact): string {
  return JSON.stringify(fact, (_, value: unknown) => (value instanceof Decimal ? value.toString() : value));
}

/**
 * The fact of a line; undefined if it is none that this version understands in full, for instance because it was cut off.
 * @internal for tests: records are read line by line, of whatever kind each is
 */
export function decodeFact(line: string): AlgoFact | undefined {
  return decodeLine(FACT, line);
}

/** The facts of one algo order, as decisions need them. Null for what has not happened. */
export interface AlgoFacts {
  readonly began: FactOf<'began'>;
  /** The best price of a trail. */
  readonly trailBest: FactOf<'best'> | null;
  /** The conditions of the entry held. The first such fact counts. */
  readonly entryTriggered: FactOf<'triggered'> | null;
  /** The stop was reached. The first such fact counts: it is final. */
  readonly exitTriggered: FactOf<'triggered'> | null;
  /** Null if it was resumed since. */
  readonly paused: FactOf<'paused'> | null;
  /** The last time that it was resumed. */
  readonly resumed: FactOf<'resumed'> | null;
  /** The rules of the market, if they have changed since the start. */
  readonly rules: FactOf<'rules'> | null;
  readonly cancelled: FactOf<'cancelled'> | null;
  readonly ended: FactOf<'ended'> | null;
}

/** What the facts of one algo order come to, in the order in which they were written; undefined if it never began. */
export function foldFacts(facts: readonly AlgoFact[]): AlgoFacts | undefined {
  const [began] = facts.filter((fact) => fact.fact === 'began');
  if (began === undefined) return undefined;
  const start: AlgoFacts = {
    began,
    trailBest: null,
    entryTriggered: null,
    exitTriggered: null,
    paused: null,
    resumed: null,
    rules: null,
    cancelled: null,
    ended: null,
  };
  return facts.reduce(withFact, start);
}

/**
 * What another process has added to the facts: the first that cancels, pauses or resumes it and that was not there before. Undefined if
 * there is none.
 */
export function changedBetween(before: AlgoFacts, facts: AlgoFacts) {
  const changing = [facts.cancelled, facts.paused, facts.resumed].filter((fact) => fact !== null);
  return changing.find((fact) => fact.time !== before[fact.fact]?.time);
}

/** The facts with one more. */
export function withFact(facts: AlgoFacts, fact: AlgoFact): AlgoFacts {
  switch (fact.fact) {
    case 'began':
      return facts;
    case 'best':
      return facts.trailBest === null || isBetter(fact.price, facts.trailBest.price, facts.began.terms)
        ? { ...facts, trailBest: fact }
        : facts;
    case 'triggered':
      return fact.leg === 'entry'
        ? { ...facts, entryTriggered: facts.entryTriggered ?? fact }
        : { ...facts, exitTriggered: facts.exitTriggered ?? fact };
    case 'paused':
      return { ...facts, paused: fact };
    case 'resumed':
      return { ...facts, paused: null, resumed: fact };
    case 'rules':
      return { ...facts, rules: fact };
    case 'cancelled':
      return { ...facts, cancelled: facts.cancelled ?? fact };
    case 'ended':
      return { ...facts, ended: facts.ended ?? fact };
  }
}

/** Whether a pause holds back the children of a role. */
export function isHeldBack({ paused }: Pick<AlgoFacts, 'paused'>, role: ChildRole): boolean {
  if (paused === null) return false;
  if (paused.role === 'entry') return role === 'entry';
  return paused.role === 'take' ? role !== 'stop' : true;
}

/**
 * Since when its stop is not sent although a process watches, by the exchange's clock; null if it is sent, or was not reached. A pause holds it
 * back, or it is reached and not known to be at the exchange.
 * @param unsentSince what that process said last of a stop that was reached; undefined if it said nothing since the last fact
 */
export function unprotectedSince(facts: AlgoFacts, unsentSince: number | null | undefined): number | null {
  const { began, cancelled, ended, exitTriggered, paused } = facts;
  if (!hasStop(began.terms) || ended !== null || cancelled !== null) return null;
  if (exitTriggered !== null) return unsentSince === undefined ? exitTriggered.time : unsentSince;
  return paused !== null && isHeldBack(facts, 'stop') ? paused.time : null;
}

/** Whether a trail follows this price away from another: up if it sells, down if it buys. */
export function isBetter(price: Decimal, than: Decimal, terms: AlgoTerms): boolean {
  const order = price.compare(than);
  return exitSideOf(terms) === 'sell' ? order > 0 : order < 0;
}
