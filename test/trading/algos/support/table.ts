import { expect } from 'vitest';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { RefusalKind } from '../../../../src/domain/refusal.js';
import { type AlgoMarket, STALE_MS } from '../../../../src/trading/algos/plan/algo-market.js';
import type { Child } from '../../../../src/trading/algos/plan/children.js';
import { type Decision, decide } from '../../../../src/trading/algos/plan/decide.js';
import type { AlgoNote } from '../../../../src/trading/algos/plan/decision-input.js';
import { mayPlace } from '../../../../src/trading/algos/plan/may-place.js';
import { nextStep, type Step } from '../../../../src/trading/algos/plan/next-step.js';
import type { AlgoTerms } from '../../../../src/trading/algos/plan/terms.js';
import { seenAfter } from '../../../../src/trading/algos/plan/trigger.js';
import { type AlgoFact, type AlgoFacts, foldFacts, withFact } from '../../../../src/trading/algos/record/facts.js';

/** When the algo orders of the tables begin, with a best bid of 100 and a best ask of 101. */
const START = Date.UTC(2026, 0, 5);

/**
 * Plays a drawn table: on the left what happens, on the right all that the algo order does about it, one step after the other.
 *
 *     100 / 101     |
 *     98 / 98.5     | triggered at 98; #1 stop 1 at 97.02 ioc
 *     #1 fills 1    | done: Everything has filled
 */
export function expectTable(terms: AlgoTerms, drawn: string): void {
  const rows = drawn
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const player = new Player(terms);
  const played = rows.map(([event = '']) => [event, player.play(event)]);
  expect(draw(played)).toBe(draw(rows));
}

function draw(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([event = '']) => event.length));
  return rows.map(([event = '', outcome = '']) => `${event.padEnd(width)} | ${outcome}`.trimEnd()).join('\n');
}

/** More steps than any event takes. */
const MOST_STEPS = 30;

class Player {
  #facts: AlgoFacts;
  #children: Child[] = [];
  #market: AlgoMarket;
  /** What happens to the next child, instead of resting. */
  #next: 'lost' | RefusalKind | null = null;
  #cancellations: 'confirmed' | 'lost' | 'refused' = 'confirmed';
  readonly #said = new Set<string>();
  /** When something to protect was first seen. */
  #protectedSince: number | undefined;

  constructor(readonly terms: AlgoTerms) {
    const began = { fact: 'began', time: START, terms, bid: Decimal.of('100'), ask: Decimal.of('101') } as const;
    const facts = foldFacts([began]);
    if (facts === undefined) throw new Error('it did not begin');
    this.#facts = facts;
    this.#market = {
      ...{ now: START, staleAfterMs: STALE_MS, positionAgeMs: null, last: null, seen: null, gap: null, met: null },
      ...{ band: null, available: null, balance: null, fundsChanged: null, limitedUntil: null },
      book: bookOf('100', '101'),
    };
  }

  play(events: string): string {
    const asked = events.split(', ').flatMap((event) => this.#apply(event) ?? []);
    const done: string[] = [];
    for (let steps = 0; ; steps += 1) {
      if (steps > MOST_STEPS) throw new Error(`no end after ${events}: ${done.join('; ')}`);
      this.#seePosition();
      const decision = decide(this.terms, this.#facts, this.#market, this.#children);
      done.push(...this.#notes(decision.notes));
      const step = nextStep(decision, this.#children, this.#market.now);
      if (step.step === 'wait' || step.step === 'end') {
        this.#market = { ...this.#market, gap: null, seen: seenAfter(this.terms, this.#facts, this.#market) };
        return [...done, ...asked.map((question) => this.#answer(question, decision, step))].join('; ');
      }
      done.push(this.#take(step));
    }
  }

  #seePosition(): void {
    const isFilled = this.#children.some(({ role, filled }) => role === 'entry' && filled.sign > 0);
    const { now } = this.#market;
    if (this.terms.entry === null) this.#protectedSince = START;
    else if (isFilled) this.#protectedSince ??= now;
    this.#see({ positionAgeMs: this.#protectedSince === undefined ? null : now - this.#protectedSince });
  }

  #take(step: Exclude<Step, { readonly step: 'wait' | 'end' }>): string {
    if (step.step === 'fact') {
      this.#add(step.fact);
      return factText(step.fact);
    }
    const { now } = this.#market;
    if (step.step === 'cancel') {
      const { number } = step.child;
      const isSame = (child: Child) => child.number === number && child.duplicate === step.child.duplicate;
      const change: Partial<Child> = {
        confirmed: { state: 'closed', end: 'cancelled' } as const,
        lost: { state: 'unknown' } as const,
        refused: { cancelRefused: now },
      }[this.#cancellations];
      this.#children = this.#children.map((child) => (isSame(child) ? { ...child, ...change } : child));
      this.#see({ available: null, balance: null });
      return `cancel #${number}${step.child.duplicate === null ? '' : ' (duplicate)'}`;
    }
    const { number, child } = step;
    if (!mayPlace(this.terms, this.#children, child)) throw new Error(`#${number} must not leave`);
    const rests = { state: 'open', end: null, refusal: null } as const;
    const next = this.#next;
    const outcome: Pick<Child, 'state' | 'end' | 'refusal'> =
      next === null
        ? rests
        : next === 'lost'
          ? { ...rests, state: 'unknown' }
          : { state: 'closed', end: 'rejected', refusal: { kind: next, code: null, message: `(${next})` } };
    this.#next = null;
    const empty = { filled: Decimal.zero, filledValue: Decimal.zero, fees: [], cancelRefused: null, duplicate: null };
    this.#children.push({ number, ...child, ...empty, ...outcome, time: now });
    const { role, type, price, amount } = child;
    return `#${number} ${role} ${amount.trimmed()} at ${price.trimmed()}${type === 'limit' ? '' : ` ${type}`}`;
  }

  #notes(notes: readonly AlgoNote[]): string[] {
    return notes.map(noteText).filter((text) => {
      const isNew = !this.#said.has(text);
      this.#said.add(text);
      return isNew;
    });
  }

  #answer(question: string, { state, reason }: Decision, step: Step): string {
    if (question === 'state?') return reason === null ? state : `${state}: ${reason}`;
    const until = step.step === 'wait' ? step.until : null;
    return until === null ? 'until something happens' : `until ${(until - START) / 1_000} s`;
  }

  /** Changes the world. Returns the event if it is a question about it. */
  #apply(event: string): string | undefined {
    if (event.endsWith('?')) return event;
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = event.split(' ');
    const { now, book } = this.#market;
    if (event === 'no book') this.#see({ book: null });
    else if (second === '/') this.#see({ book: bookOf(first, third) });
    else if (first === 'others')
      this.#see({ book: { ...bookOf(second, fourth), bid: book?.bid ?? null, ask: book?.ask ?? null } });
    else if (first.startsWith('+')) this.#see({ now: now + msOf(first.slice(1)) });
    else if (first === 'age') this.#age(Number(second));
    else if (first === 'traded') this.#trade(Decimal.of(second));
    else if (first === 'gap')
      this.#see({
        gap: {
          from: now - 1,
          to: now,
          ...rangeOf(second),
          trailBest: this.#facts.trailBest?.price ?? null,
          unknown: null,
        },
      });
    else if (first === 'band') this.#see({ band: rangeOf(second) });
    else if (first === 'available') this.#see({ available: Decimal.of(second), balance: Decimal.of(second) });
    else if (first === 'locked')
      this.#see({ balance: (this.#market.available ?? Decimal.zero).plus(Decimal.of(second)) });
    else if (event === 'balance changes') this.#see({ fundsChanged: now });
    else if (first === 'limited') this.#see({ limitedUntil: now + msOf(second) });
    else if (first === 'holds') this.#see({ met: { condition: second, late: third === 'late' } });
    else if (event === 'no condition holds') this.#see({ met: null });
    else if (event === 'halt' || event === 'pause')
      this.#add({ fact: 'paused', time: now, cause: event === 'halt' ? 'halt' : 'user', reason: event, role: null });
    else if (event === 'resume') this.#add({ fact: 'resumed', time: now });
    else if (event === 'cancel') this.#add({ fact: 'cancelled', time: now, reason: 'You cancelled it' });
    else if (event === 'next is lost') this.#next = 'lost';
    else if (event.startsWith('next is rejected')) this.#next = fourth as RefusalKind;
    else if (first === 'cancellations') this.#cancellations = third as 'confirmed';
    else if (first.startsWith('#')) this.#happen(Number(first.slice(1)), second, third, fifth);
    else if (event !== '') throw new Error(`unknown event: ${event}`);
    return undefined;
  }

  #happen(number: number, what: string, amount: string, fee: string): void {
    if (what === 'twice' || what === 'maybe-twice') {
      const [original] = this.#children.filter((child) => child.number === number);
      if (original === undefined) throw new Error(`no #${number}`);
      this.#children.push({ ...original, duplicate: what === 'twice' ? 'proven' : 'unproven' });
      return;
    }
    // the twin that may be the user's lives on
    const isMeant = (child: Child) => child.number === number && child.duplicate !== 'unproven';
    this.#children = this.#children.map((child) => (isMeant(child) ? changed(child, what, amount, fee) : child));
    this.#see({ available: null, balance: null });
  }

  #see(part: Partial<AlgoMarket>): void {
    this.#market = { ...this.#market, ...part };
  }

  #age(ageMs: number): void {
    const { book, last } = this.#market;
    this.#see({ book: book && { ...book, ageMs }, last: last && { ...last, ageMs } });
  }

  #trade(price: Decimal): void {
    this.#see({ last: { price, tradeId: '7', ageMs: 0 } });
    this.#see({ seen: seenAfter(this.terms, this.#facts, this.#market) });
  }

  #add(fact: AlgoFact): void {
    this.#facts = withFact(this.#facts, fact);
    if (fact.fact === 'best') this.#see({ seen: null });
  }
}

function bookOf(bidText: string, askText: string) {
  const [bid, ask] = [bidText, askText].map((text) => (text === '-' ? null : Decimal.of(text))) as [Decimal, Decimal];
  return { bid, ask, othersBid: bid, othersAsk: ask, ageMs: 0 };
}

function rangeOf(text: string): { readonly low: Decimal; readonly high: Decimal } {
  const [low = '', high = ''] = text.split('..');
  return { low: Decimal.of(low), high: Decimal.of(high) };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function msOf(text: string): number {
  const [, number = '', unit = ''] = /^([\d.]+)(\w+)$/.exec(text) ?? [];
  return Number(number) * (UNITS[unit] ?? Number.NaN);
}

function changed(child: Child, what: string, amountText: string, fee: string): Child {
  if (what === 'fills') {
    const amount = Decimal.of(amountText);
    const filled = child.filled.plus(amount);
    const isWhole = filled.compare(child.amount) >= 0;
    return {
      ...child,
      filled,
      filledValue: child.filledValue.plus(amount.times(child.price)),
      fees: fee === '' ? child.fees : [...(child.fees ?? []), { coin: 'btc', amount: Decimal.of(fee) }],
      ...(isWhole ? ({ state: 'closed', end: 'filled' } as const) : {}),
    };
  }
  const changes: Readonly<Record<string, Partial<Child>>> = {
    ends: { state: 'closed', end: 'cancelled' },
    'is-cancelled-by-others': { state: 'closed', end: 'cancelledByOthers' },
    'was-never-sent': { state: 'closed', end: 'notSent' },
    'is-open': { state: 'open' },
    'is-recorded': { state: 'recorded' },
    'is-lost': { state: 'unknown' },
    'shows-no-fee': { fees: null },
  };
  const change = changes[what];
  if (change === undefined) throw new Error(`unknown event of a child: ${what}`);
  return { ...child, ...change };
}

function factText(fact: AlgoFact): string {
  if (fact.fact === 'best') return `best ${fact.price}${fact.tradeId === null ? '' : ` (trade ${fact.tradeId})`}`;
  if (fact.fact === 'ended') return `${fact.outcome}: ${fact.reason}`;
  if (fact.fact === 'paused') return `paused: ${fact.reason}`;
  if (fact.fact !== 'triggered') return fact.fact;
  const how = `${fact.source === 'book' ? '' : ` by ${fact.source}`}${fact.late ? ' late' : ''}`;
  return `${fact.leg === 'entry' ? 'starts' : 'triggered'} at ${fact.price}${how}`;
}

function noteText(note: AlgoNote): string {
  if (note.note === 'missed') return `missed ${note.price} at ${note.level.trimmed()}`;
  if (note.note === 'reachedWhilePaused') return `not sold at ${note.level}`;
  if (note.note === 'cancelledByOthers') return `#${note.child.number} was cancelled by others`;
  if (note.note === 'unknownGap') return note.note;
  return `${note.note} ${note.amount.trimmed()}`;
}
