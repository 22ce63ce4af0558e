import { formatPrice, grouped } from '../../../domain/decimal.js';
import { changedRulesText } from '../../orders/changed-rules.js';
import { NOT_PROTECTED } from '../plan/decide.js';
import { hasStop } from '../plan/terms.js';
import type { SaidLine } from './fact-record.js';
import { type AlgoFact, type AlgoFacts, type FactOf, isHeldBack } from './facts.js';

/** What a process that watches tells of an algo order, for programs. */
export const TOLD_EVENTS = [
  ...(['triggered', 'placed', 'filled', 'childCancelled', 'rejected', 'unprotected', 'blind', 'seen', 'note'] as const),
  ...(['paused', 'resumed', 'cancelled', 'ended'] as const),
] as const;

/** What the history of an algo order shows, for programs. */
export const KEPT_EVENTS = [
  ...(['began', 'conditionMet', 'triggered', 'paused', 'resumed', 'cancelled', 'ended', 'note'] as const),
] as const;

type ToldEvent = (typeof TOLD_EVENTS)[number];
type KeptEvent = (typeof KEPT_EVENTS)[number];

/** What people read of a fact: when it happens, and as which event of the history. Absent: nothing. */
interface Sentences<Fact extends AlgoFact> {
  readonly told?: Fact['fact'] extends ToldEvent ? (fact: Fact, facts: AlgoFacts) => string : never;
  readonly kept?: (fact: Fact, facts: AlgoFacts) => readonly [event: KeptEvent, text: string];
}

const SENTENCES: { readonly [Name in AlgoFact['fact']]: Sentences<FactOf<Name>> } = {
  began: { kept: () => ['began', 'It began.'] },
  best: {},
  triggered: {
    told: ({ price, source, late }) =>
      `Triggered at ${grouped(price.toString())} (${source})${late ? ', found late' : ''}.`,
    kept: ({ leg, price, source }, { began }) => {
      const at = `at ${formatPrice(price, began.terms.market)} (${source}).`;
      return leg === 'entry'
        ? ['conditionMet', `Its condition was met ${at}`]
        : ['triggered', `Its stop was reached ${at}`];
    },
  },
  paused: {
    told: ({ reason }, facts) => `It is paused: ${reason}.${protectionText(facts)}`,
    kept: ({ reason }) => ['paused', `It was paused: ${reason}.`],
  },
  resumed: { told: () => 'It continues.', kept: () => ['resumed', 'It was resumed.'] },
  // who adds the fact tells more
  rules: { kept: ({ market }, { began }) => ['note', changedRulesText(began.terms.market, market)] },
  cancelled: {
    told: ({ reason }) => `It is being cancelled: ${reason}.`,
    kept: ({ reason }) => ['cancelled', `It was cancelled: ${reason}.`],
  },
  ended: {
    told: ({ outcome, reason }) => `It has ended (${outcome}): ${reason}.`,
    kept: ({ outcome, reason }) => ['ended', `It ended as ${outcome}: ${reason}.`],
  },
};

function protectionText(facts: AlgoFacts): string {
  if (!hasStop(facts.began.terms)) return '';
  return isHeldBack(facts, 'stop') ? ` ${NOT_PROTECTED}: no stop is sent meanwhile.` : ' The stop goes on.';
}

type ToldFact = FactOf<AlgoFact['fact'] & ToldEvent>;

/** The event that reports a fact when it happens; undefined if none does. @param facts those that hold then, this one included */
export function toldOf(
  fact: AlgoFact,
  facts: AlgoFacts,
): { readonly event: ToldEvent; readonly text: string } | undefined {
  // each fact is asked for its own sentence, which only one with the name of an event has
  const { told } = SENTENCES[fact.fact] as Sentences<ToldFact>;
  const { fact: event } = fact as ToldFact;
  return told && { event, text: told(fact as ToldFact, facts) };
}

/**
 * The history of an algo order, oldest first: of several pauses and resumptions, the last. Times are by the exchange's clock, in
 * milliseconds since the Unix epoch.
 * @param said what the user was told beside facts
 */
export function keptEvents(facts: AlgoFacts, said: readonly SaidLine[]) {
  const { began, rules, entryTriggered, exitTriggered, paused, resumed, cancelled, ended } = facts;
  const eventOf = (fact: AlgoFact | null) => {
    const kept = fact && (SENTENCES[fact.fact] as Sentences<AlgoFact>).kept?.(fact, facts);
    return fact && kept ? { time: fact.time, event: kept[0], text: kept[1] } : [];
  };
  return [
    ...[began].flatMap(eventOf),
    ...said.map((line) => ({ time: line.time, event: 'note' as const, text: line.said })),
    ...[rules, entryTriggered, exitTriggered, paused, resumed, cancelled, ended].flatMap(eventOf),
  ].sort((one, other) => one.time - other.time);
}
