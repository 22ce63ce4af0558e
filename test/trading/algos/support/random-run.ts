import { Decimal } from '../../../../src/domain/decimal.js';
import type { OrderType, Side } from '../../../../src/domain/order.js';
import type { RefusalKind } from '../../../../src/domain/refusal.js';
import { type AlgoMarket, STALE_MS } from '../../../../src/trading/algos/plan/algo-market.js';
import { type Child, type ChildRole, isExit, type NewChild } from '../../../../src/trading/algos/plan/children.js';
import { decide } from '../../../../src/trading/algos/plan/decide.js';
import { mayPlace } from '../../../../src/trading/algos/plan/may-place.js';
import { nextStep, type Step } from '../../../../src/trading/algos/plan/next-step.js';
import { type AlgoTerms, exitSideOf, kindOf } from '../../../../src/trading/algos/plan/terms.js';
import { seenAfter } from '../../../../src/trading/algos/plan/trigger.js';
import {
  type AlgoFact,
  type AlgoFacts,
  decodeFact,
  encodeFact,
  foldFacts,
  isBetter,
  isHeldBack,
} from '../../../../src/trading/algos/record/facts.js';
import { judgeAlgoRun, type LoggedOrder, type MarketPoint } from '../../../support/algo-verdict.js';
import { randomNumbers } from '../../../support/random.js';
import { DRAWN_ENTRIES, drawEntry } from './entries.js';
import { algo, type Typed } from './terms.js';

// One random life of an algo order on an exchange that is modelled here: prices that walk and jump, orders that fill in parts, answers that
// are lost or late, rejections, duplicates, other people who cancel and sell, cuts, pauses and restarts. Prices are whole cents and amounts whole lots
// here, so that the model shares no arithmetic with what it checks.

const START = Date.UTC(2026, 0, 5);
const LOTS = 4;
const CENTS = 2;
/** How many ticks are wild before the market calms down and everything is to come to its end. */
const WILD_TICKS = 40;
const CALM_TICKS = 400;
const MOST_STEPS = 40;
const GRACE_MS = 3_000;

/** An order as the exchange has it. */
interface Truth {
  readonly number: number;
  readonly role: ChildRole;
  readonly side: Side;
  readonly type: OrderType;
  readonly cents: number;
  readonly lots: number;
  readonly placed: number;
  filled: number;
  /** In cents times lots. */
  value: number;
  /** In ten-thousandths of a lot, in the base coin. */
  baseFee: number;
  readonly fills: { readonly time: number; readonly lots: number; readonly baseFee: number }[];
  closed: number | null;
  end: Child['end'];
  cancelledBy: LoggedOrder['cancelledBy'];
  readonly duplicate: Child['duplicate'];
  /** Whether the exchange ever had it. */
  readonly isReal: boolean;
  /** What pit knows: `lost` until the outcome is found. */
  knowledge: 'inFlight' | 'lost' | 'known';
  refusal: RefusalKind | null;
  cancelRefused: number | null;
}

/** Runs one life; throws an error that says what was wrong, with the story. */
export function runRandomly(seed: number): { readonly kind: string; readonly outcome: string } {
  const life = new Life(seed);
  try {
    return life.live();
  } catch (error) {
    throw new Error(
      `seed ${seed}: ${error instanceof Error ? error.message : error}\n${life.story.slice(-60).join('\n')}`,
      {
        cause: error,
      },
    );
  }
}

class Life {
  readonly story: string[] = [];
  readonly #random: () => number;
  readonly #terms: AlgoTerms;
  #lines: string[] = [];
  #facts: AlgoFacts;
  #now = START;
  #bid = 10_000;
  #ask = 10_010;
  #shown: AlgoMarket['book'] = null;
  /** When the book that is shown was made. */
  #shownAt = START;
  /** Whether it is that of an earlier moment. */
  #isLate = false;
  /** When the first fill of the entry was seen. */
  #filledAt: number | undefined;
  #isCrossed = false;
  /** Since when nothing is seen; null if it is. */
  #blindSince: number | null = null;
  #gap: AlgoMarket['gap'] = null;
  #gapLow = 0;
  #gapHigh = 0;
  #seen: AlgoMarket['seen'] = null;
  #last: Decimal | null = null;
  /** The newest trade that is shown. */
  #shownLast: Decimal | null = null;
  #limitedUntil: number | null = null;
  #fundsChanged: number | null = null;
  /** Lots that others have sold of the account. */
  #gone = 0;
  #isCalm = false;
  #rejectedAt = Number.NEGATIVE_INFINITY;
  readonly #orders: Truth[] = [];
  readonly #path: MarketPoint[] = [];
  readonly #unseen: { from: number; to: number }[] = [];
  readonly #held: { from: number; to: number }[] = [];
  readonly #inattentive: { from: number; to: number }[] = [];

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
    this.#terms = this.#drawTerms();
    this.#facts = this.#add({
      ...{ fact: 'began', time: START, terms: this.#terms },
      ...{ bid: price(this.#bid), ask: price(this.#ask) },
    });
    this.#path.push({ time: START, bid: text(this.#bid), ask: text(this.#ask), last: null });
    this.story.push(`${kindOf(this.#terms)} ${encodeFact(this.#facts.began)}`);
  }

  live(): { readonly kind: string; readonly outcome: string } {
    for (let tick = 0; tick < WILD_TICKS && this.#facts.ended === null; tick += 1) this.#tick(() => this.#disturb());
    this.#calmDown();
    for (let tick = 0; tick < CALM_TICKS && this.#facts.ended === null; tick += 1) this.#tick(() => this.#drive(tick));
    const { ended } = this.#facts;
    if (ended === null) throw new Error('it does not end');
    this.#judge();
    return { kind: kindOf(this.#terms), outcome: ended.outcome };
  }

  #tick(change: () => void): void {
    const lasts = this.#isCalm ? 20_000 : this.#pick([100, 250, 1_000, 1_000, 2_000, 5_000, 20_000, 90_000]);
    change();
    this.#match();
    this.#path.push({
      time: this.#now,
      bid: text(this.#bid),
      ask: text(this.#shownAsk()),
      last: this.#last?.toString() ?? null,
    });
    const isClean = this.#act();
    const span = { from: this.#now, to: this.#now + lasts };
    const isUnseen = this.#blindSince !== null || this.#isLate;
    if (isUnseen) this.#unseen.push(span);
    if (!isClean || isUnseen || this.#isCrossed) this.#held.push(span);
    const isLooking = this.#facts.paused === null && this.#facts.cancelled === null && !this.#isClosing();
    if (isUnseen || !isLooking || !this.#knowsFills()) this.#inattentive.push(span);
    this.#now += lasts;
  }

  /** Takes steps until nothing is to be done. Returns whether nothing kept it from acting. */
  #act(): boolean {
    for (let steps = 0; ; steps += 1) {
      if (steps > MOST_STEPS) throw new Error('no end of steps');
      if (this.#chance(0.02)) this.#restart();
      const children = this.#children();
      const decision = decide(this.#terms, this.#facts, this.#market(), children);
      const step = nextStep(decision, children, this.#now);
      if (step.step === 'end') return true;
      if (step.step === 'wait') {
        this.#seen = seenAfter(this.#terms, this.#facts, this.#market());
        this.#gap = null;
        return this.#isClean(children);
      }
      this.#take(step, children);
    }
  }

  /** What an entry has filled that was lost is no position yet. */
  #knowsFills(): boolean {
    return this.#orders.every(({ role, knowledge }) => role !== 'entry' || knowledge === 'known');
  }

  /** Without an entry, nothing is protected any more once the time that was given is over. */
  #isClosing(): boolean {
    const { entry, forMs } = this.#terms;
    return entry === null && forMs !== null && this.#now >= START + forMs;
  }

  #isClean(children: readonly Child[]): boolean {
    return (
      children.every(
        ({ state, duplicate }) => state !== 'unknown' && state !== 'recorded' && duplicate !== 'unproven',
      ) &&
      this.#facts.paused === null &&
      this.#facts.cancelled === null &&
      this.#limitedUntil === null &&
      this.#gone === 0 &&
      this.#now - this.#rejectedAt > 61_000 &&
      children.every(({ cancelRefused }) => cancelRefused === null) &&
      children.every(({ role, end }) => role !== 'stop' || end === null || end === 'filled' || end === 'cancelled')
    );
  }

  #take(step: Exclude<Step, { readonly step: 'wait' | 'end' }>, children: readonly Child[]): void {
    if (step.step === 'fact') this.#check(step.fact);
    if (step.step === 'fact') this.#facts = this.#add(step.fact);
    else if (step.step === 'cancel') this.#cancel(step.child);
    else this.#place(step.number, step.child, children);
  }

  /** What must hold of a fact when it is written. */
  #check(fact: AlgoFact): void {
    const { trailBest: best } = this.#facts;
    if (fact.fact === 'best' && best !== null && !isBetter(fact.price, best.price, this.#terms))
      throw new Error(`the trail went back from ${best.price} to ${fact.price}`);
    if (fact.fact === 'triggered') {
      const book = this.#market().book;
      const isSeen = this.#blindSince === null && book !== null && book.ageMs <= STALE_MS;
      if (!isSeen || this.#isCrossed) throw new Error('triggered by data that are old or crossed');
      if (isHeldBack(this.#facts, fact.leg === 'entry' ? 'entry' : 'stop'))
        throw new Error('triggered while it was paused');
    }
    if (fact.fact === 'ended') {
      const open = this.#orders.filter(
        ({ closed, isReal, duplicate }) => isReal && closed === null && duplicate !== 'unproven',
      );
      if (open.length > 0) throw new Error(`ended with #${open[0]?.number} open`);
      this.story.push(`ended ${fact.outcome}: ${fact.reason}`);
    }
  }

  /** The exchange carries out an order, or not. */
  #place(number: number, child: NewChild, children: readonly Child[]): void {
    if (!mayPlace(this.#terms, children, child)) throw new Error(`#${number} exceeds its limit`);
    const side = isExit(child) ? exitSideOf(this.#terms) : this.#terms.side;
    const [cents, lots] = [Number(child.price.times(Decimal.of('100')).toString()), lotsOf(child.amount)];
    if (!Number.isInteger(cents) || !Number.isInteger(lots)) throw new Error('not whole ticks and lots');
    const refusal = this.#refuse(side, child, lots);
    const isLost = refusal === null && !this.#isCalm && this.#chance(0.06);
    const isReal = refusal === null && !(isLost && this.#chance(0.5));
    const order: Truth = {
      ...{
        number,
        role: child.role,
        side,
        type: child.type,
        cents,
        lots,
        placed: this.#now,
        filled: 0,
        value: 0,
        baseFee: 0,
      },
      ...{
        fills: [],
        closed: isReal ? null : this.#now,
        end: isReal ? null : refusal === null ? 'notSent' : 'rejected',
      },
      ...{ cancelledBy: null, duplicate: null, isReal, refusal, cancelRefused: null },
      knowledge: isLost ? 'lost' : !this.#isCalm && this.#chance(0.04) ? 'inFlight' : 'known',
    };
    this.#orders.push(order);
    this.story.push(
      `${this.#time()} #${number} ${child.role} ${child.amount} at ${child.price} ${child.type} ${refusal ?? order.knowledge}`,
    );
    if (refusal !== null) this.#rejectedAt = this.#now;
    if (!isReal) return;
    if (!this.#isCalm && this.#chance(0.02)) this.#duplicate(order);
    this.#arrive(order);
  }

  #refuse(side: Side, child: NewChild, lots: number): RefusalKind | null {
    if (side === 'sell' && lots * 10_000 > this.#free()) return 'insufficientFunds';
    if (this.#isCalm || !this.#chance(0.05)) return null;
    const kinds: readonly RefusalKind[] = [
      'tooFrequent',
      'busy',
      'locked',
      'insufficientFunds',
      'badPrice',
      'closed',
      'inTrouble',
    ];
    return child.role === 'stop' && this.#chance(0.5) ? 'tooFrequent' : this.#pick(kinds);
  }

  /** What the account has free of the base coin, in ten-thousandths of a lot. */
  #free(): number {
    const own = this.#terms.side === 'sell' || this.#terms.entry === null ? lotsOf(this.#terms.amount) : 0;
    let free = (own - this.#gone) * 10_000;
    for (const order of this.#orders) {
      if (!order.isReal) continue;
      if (order.side === 'buy') free += order.filled * 10_000 - order.baseFee;
      else free -= (order.closed === null ? order.lots : order.filled) * 10_000;
    }
    return free;
  }

  /** What its open orders hold of the base coin. */
  #locked(): Decimal {
    const open = this.#orders.filter(({ isReal, side, closed }) => isReal && side === 'sell' && closed === null);
    return amount(open.reduce((sum, { lots, filled }) => sum + lots - filled, 0));
  }

  #duplicate(order: Truth): void {
    const duplicate = this.#chance(0.7) ? 'proven' : 'unproven';
    const made: Truth = { ...order, fills: [], duplicate, knowledge: 'known' };
    this.#orders.push(made);
    this.story.push(`${this.#time()} #${order.number} was carried out twice (${duplicate})`);
    this.#arrive(made);
  }

  /** The moment at which the exchange takes an order. */
  #arrive(order: Truth): void {
    const crosses = order.side === 'buy' ? order.cents >= this.#ask : order.cents <= this.#bid;
    if (order.type === 'postOnly' && crosses) this.#close(order, 'cancelled');
    else if (crosses) this.#fill(order, order.side === 'buy' ? this.#ask : this.#bid);
    if (order.type === 'ioc' && order.closed === null) this.#close(order, 'cancelled');
  }

  /** Fills an order, wholly or in part. */
  #fill(order: Truth, cents: number): void {
    const left = order.lots - order.filled;
    const lots = this.#isCalm || this.#chance(0.5) ? left : Math.floor(left * this.#random());
    if (lots === 0) return;
    order.filled += lots;
    order.value += lots * cents;
    // a fee of 0.2 %, exactly, so that positions are no whole lots
    const baseFee = order.side === 'buy' ? lots * 20 : 0;
    order.baseFee += baseFee;
    order.fills.push({ time: this.#now, lots, baseFee });
    this.story.push(`${this.#time()} #${order.number} fills ${lots} lots`);
    if (order.filled === order.lots) this.#close(order, 'filled');
  }

  #close(order: Truth, end: Child['end'], by: LoggedOrder['cancelledBy'] = null): void {
    order.closed = this.#now;
    order.end = end;
    order.cancelledBy = by;
  }

  #cancel(child: Child): void {
    const order = this.#orders.find((one) => one.number === child.number && one.duplicate === child.duplicate);
    if (order === undefined || order.duplicate === 'unproven')
      throw new Error(`#${child.number} is not to be cancelled`);
    if (!this.#isCalm && this.#chance(0.05)) {
      order.cancelRefused = this.#now;
      this.story.push(`${this.#time()} cancel #${order.number} refused`);
      return;
    }
    const isLost = !this.#isCalm && this.#chance(0.06);
    if (!(isLost && this.#chance(0.5)) && order.closed === null) this.#close(order, 'cancelled', 'owner');
    if (isLost) order.knowledge = 'lost';
    this.story.push(`${this.#time()} cancel #${order.number}${isLost ? ' lost' : ''}`);
  }

  /** The children as pit knows them. */
  #children(): Child[] {
    return this.#orders.map((order) => {
      const isKnown = order.knowledge === 'known';
      const state =
        order.knowledge === 'inFlight' ? 'recorded' : !isKnown ? 'unknown' : order.closed === null ? 'open' : 'closed';
      const fee = { coin: 'btc', amount: Decimal.fromUnits(BigInt(order.baseFee), LOTS + 4) };
      return {
        ...{
          number: order.number,
          role: order.role,
          type: order.type,
          price: price(order.cents),
          amount: amount(order.lots),
        },
        ...{ state, end: state === 'closed' ? order.end : null, filled: amount(order.filled) },
        filledValue: Decimal.fromUnits(BigInt(order.value), LOTS + CENTS),
        fees: order.baseFee === 0 ? [] : [fee],
        refusal: order.refusal === null ? null : { kind: order.refusal, code: null, message: 'no' },
        ...{ time: order.placed, cancelRefused: order.cancelRefused, duplicate: order.duplicate },
      };
    });
  }

  #market(): AlgoMarket {
    const isSell = exitSideOf(this.#terms) === 'sell';
    const canKnow = this.#orders.every(({ knowledge }) => knowledge === 'known');
    const free = Decimal.fromUnits(BigInt(Math.max(0, this.#free())), LOTS + 4);
    const isRead = isSell && canKnow && (this.#isCalm || this.#chance(0.5));
    return {
      ...{ now: this.#now, staleAfterMs: STALE_MS, positionAgeMs: this.#positionAgeMs() },
      ...{ book: this.#shown, gap: this.#gap, seen: this.#seen },
      last: this.#shownLast === null ? null : { price: this.#shownLast, tradeId: null, ageMs: this.#shown?.ageMs ?? 0 },
      met: this.#isCalm || this.#random() < 0.1 ? { condition: 'last>1', late: false } : null,
      band: this.#terms.id.endsWith('2') ? { low: price(9_000), high: price(11_000) } : null,
      ...{ available: isRead ? free : null, balance: isRead ? free.plus(this.#locked()) : null },
      ...{ fundsChanged: this.#fundsChanged, limitedUntil: this.#limitedUntil },
    };
  }

  /** With the first fill the book is read again, unless that fails. */
  #positionAgeMs(): number | null {
    if (this.#terms.entry === null) return this.#now - START;
    const isFilled = this.#orders.some(({ role, filled }) => role === 'entry' && filled > 0);
    if (!isFilled) return null;
    if (this.#filledAt === undefined) {
      this.#filledAt = this.#now;
      const isRead = this.#blindSince === null && !this.#isLate && this.#shown !== null;
      if (isRead && this.#shown !== null) this.#shown = { ...this.#shown, ageMs: 0 };
    }
    return this.#now - this.#filledAt;
  }

  /** Something happens to the market, the network, the account or the machine. */
  #disturb(): void {
    this.#walk(this.#chance(0.1) ? 300 : 25);
    this.#settle(0.4);
    if (this.#limitedUntil !== null && this.#limitedUntil <= this.#now) this.#limitedUntil = null;
    // a gap has the prices of the market, which a crossed book does not show
    this.#isCrossed = this.#chance(0.05) && this.#blindSince === null && !this.#isLate;
    if (this.#blindSince === null && this.#chance(0.08)) this.#goBlind();
    else if (this.#blindSince !== null && this.#chance(0.4)) this.#seeAgain(this.#blindSince);
    if (this.#chance(0.03)) this.#limitedUntil = this.#now + 5_000;
    if (this.#chance(0.03)) this.#foreignCancel();
    if (this.#chance(0.01) && this.#free() > 0) this.#gone += Math.floor((this.#free() / 10_000) * this.#random());
    if (this.#chance(0.02)) this.#fundsChanged = this.#now;
    if (this.#facts.paused === null && this.#chance(0.03))
      this.#facts = this.#add({
        fact: 'paused',
        time: this.#now,
        cause: this.#pick(['user', 'halt', 'guard']),
        reason: 'so',
        role: this.#pick([null, null, 'entry', 'take'] as const),
      });
    else if (this.#facts.paused !== null && this.#chance(0.3))
      this.#facts = this.#add({ fact: 'resumed', time: this.#now });
    if (this.#chance(0.004)) this.#facts = this.#add({ fact: 'cancelled', time: this.#now, reason: 'so' });
    this.#show();
  }

  /** The market, the network and the account behave; prices go far down, then far up, so that everything can come to its end. */
  #drive(tick: number): void {
    const level = tick % 40 < 20 ? 6_000 : 16_000;
    const step = Math.trunc((level - this.#bid) / 3);
    this.#move(this.#bid + step);
    this.#settle(1);
    // an entry whose coins others have sold waits for them until the user gives up
    if (tick === CALM_TICKS / 2 && this.#gone > 0 && this.#terms.entry !== null && this.#terms.side === 'sell')
      this.#facts = this.#add({ fact: 'cancelled', time: this.#now, reason: 'so' });
    if (this.#facts.paused !== null) this.#facts = this.#add({ fact: 'resumed', time: this.#now });
    this.#show();
  }

  #calmDown(): void {
    this.story.push(`${this.#time()} calm`);
    this.#isCalm = true;
    this.#isCrossed = false;
    this.#limitedUntil = null;
    if (this.#blindSince !== null) this.#seeAgain(this.#blindSince);
    for (const order of this.#orders) {
      const isOpen = order.duplicate === 'unproven' && order.closed === null;
      if (isOpen) this.#close(order, 'cancelled', 'owner');
    }
  }

  #walk(size: number): void {
    this.#move(this.#bid + Math.round((this.#random() - 0.5) * 2 * size));
  }

  #move(bid: number): void {
    this.#bid = Math.max(5_000, bid);
    this.#ask = this.#bid + 1 + Math.floor(this.#random() * 30);
    [this.#gapLow, this.#gapHigh] = [Math.min(this.#gapLow, this.#bid), Math.max(this.#gapHigh, this.#ask)];
    if (this.#blindSince !== null || this.#chance(0.4)) return;
    this.#last = price(this.#chance(0.5) ? this.#bid : this.#ask);
  }

  /** Resting orders fill when the market comes to their price. */
  #match(): void {
    for (const order of this.#orders) {
      if (!order.isReal || order.closed !== null || order.type === 'ioc') continue;
      const isMet = order.side === 'buy' ? this.#ask <= order.cents : this.#bid >= order.cents;
      if (isMet || (!this.#isCalm && this.#chance(0.02) && order.role !== 'take')) this.#fill(order, order.cents);
    }
  }

  /** Outcomes become known. */
  #settle(share: number): void {
    for (const order of this.#orders) if (order.knowledge !== 'known' && this.#chance(share)) order.knowledge = 'known';
  }

  /** A crossed book is no gap: it is shown, and nothing follows it. */
  #shownAsk(): number {
    return this.#isCrossed ? this.#bid - 5 : this.#ask;
  }

  #goBlind(): void {
    this.story.push(`${this.#time()} blind`);
    this.#blindSince = this.#now;
    this.#isCrossed = false;
    if (!this.#isLate) [this.#gapLow, this.#gapHigh] = [this.#bid, this.#ask];
  }

  #seeAgain(from: number): void {
    this.story.push(`${this.#time()} sees again`);
    this.#gap = {
      from,
      to: this.#now,
      low: price(this.#gapLow),
      high: price(this.#gapHigh),
      ...{ trailBest: this.#facts.trailBest?.price ?? null, unknown: null },
    };
    this.#blindSince = null;
  }

  #show(): void {
    if (this.#blindSince !== null) {
      const ageMs = STALE_MS + 1 + (this.#now - this.#blindSince);
      this.#shown = this.#shown === null || this.#chance(0.2) ? null : { ...this.#shown, ageMs };
      return;
    }
    const elapsed = this.#now - this.#shownAt;
    const wasLate = this.#isLate;
    // a late book that no other one has replaced in time is the last before a gap
    if (wasLate && elapsed > STALE_MS) this.#seeAgain(this.#shownAt);
    this.#isLate = !this.#isCalm && !this.#isCrossed && this.#gap === null && elapsed <= STALE_MS && this.#chance(0.2);
    if (this.#isLate && this.#shown !== null) {
      if (!wasLate) [this.#gapLow, this.#gapHigh] = [this.#bid, this.#ask];
      this.#shown = { ...this.#shown, ageMs: elapsed };
      this.story.push(`${this.#time()} the book of ${elapsed} ms ago`);
      return;
    }
    const [bid, ask] = [price(this.#bid), price(this.#shownAsk())];
    const mine = this.#orders.filter(({ closed, isReal }) => isReal && closed === null);
    const isAlone = (side: Side, cents: number) => mine.some((order) => order.side === side && order.cents === cents);
    const othersBid = isAlone('buy', this.#bid) ? price(this.#bid - 10) : bid;
    const othersAsk = isAlone('sell', this.#ask) ? price(this.#ask + 10) : ask;
    const longest = Math.min(STALE_MS, this.#now - (this.#filledAt ?? START));
    const ageMs = this.#isCalm ? 0 : Math.floor(this.#random() * longest);
    this.#shownLast = this.#last;
    [this.#shown, this.#shownAt, this.#isLate] = [{ bid, ask, othersBid, othersAsk, ageMs }, this.#now - ageMs, false];
    this.story.push(`${this.#time()} ${bid} / ${ask}`);
  }

  #foreignCancel(): void {
    const open = this.#orders.filter(
      ({ isReal, closed, duplicate }) => isReal && closed === null && duplicate === null,
    );
    const order = this.#pick(open);
    if (order === undefined) return;
    this.#close(order, 'cancelledByOthers', 'others');
    this.story.push(`${this.#time()} #${order.number} cancelled by others`);
  }

  /** The process dies, and the next one reads what is on disk. */
  #restart(): void {
    const facts = this.#lines.map(decodeFact).filter((fact) => fact !== undefined);
    const folded = foldFacts(facts);
    if (folded === undefined || facts.length !== this.#lines.length) throw new Error('a fact cannot be read');
    this.#facts = folded;
  }

  #add(fact: AlgoFact): AlgoFacts {
    if (fact.fact !== 'began') this.story.push(`${this.#time()} ${encodeFact(fact)}`);
    this.#lines.push(encodeFact(fact));
    if (fact.fact === 'best') this.#seen = null;
    const folded = foldFacts(this.#lines.map(decodeFact).filter((one) => one !== undefined));
    if (folded === undefined) throw new Error('it never began');
    return folded;
  }

  #judge(): void {
    const { entry } = this.#terms;
    const faults = judgeAlgoRun({
      terms: JSON.parse(encodeFact(this.#facts.began)).terms,
      ...{ began: START, started: this.#facts.entryTriggered?.time ?? START, ended: this.#facts.ended?.time ?? null },
      ...{ path: this.#path, unseen: this.#unseen, held: this.#held, graceMs: GRACE_MS },
      ...{ barred: [], staleMs: STALE_MS, toleranceMs: 0 },
      ...{
        triggered: this.#facts.exitTriggered?.time ?? null,
        inattentive: this.#inattentive,
        promptMs: GRACE_MS,
        newPriceScale: null,
      },
      orders: this.#orders
        .filter(({ isReal }) => isReal)
        .map((order) => ({
          ...{
            id: String(order.number),
            side: order.side,
            price: text(order.cents),
            amount: amount(order.lots).toString(),
          },
          ...{ placed: order.placed, closed: order.closed, cancelledBy: order.cancelledBy },
          fills: order.fills.map(({ time, lots, baseFee }) => ({
            ...{ time, amount: amount(lots).toString() },
            baseFee: Decimal.fromUnits(BigInt(baseFee), LOTS + 4).toString(),
          })),
          isDuplicate: order.duplicate !== null,
        })),
    });
    const [first] = faults;
    if (first !== undefined) throw new Error(`${first.fault} at ${first.at} (${entry?.kind ?? 'no entry'})`);
  }

  #drawTerms(): AlgoTerms {
    const side = this.#pick<Side>(['buy', 'sell']);
    const kind = this.#pick([
      ...(['stop', 'stopLimit', 'trail', 'oco', 'oco', 'bracket', 'bracket', 'bracket', 'when'] as const),
      ...DRAWN_ENTRIES,
    ]);
    const trigger = this.#pick(['book', 'book', 'last'] as const);
    const size = this.#pick(['1', '0.5', '0.2', '0.07']);
    const slippage = this.#pick(['0.01', '0.001', '0.05']);
    const alone = DRAWN_ENTRIES.find((name) => name === kind);
    const hasEntry = kind === 'bracket' || kind === 'when' || alone !== undefined;
    const exit = hasEntry ? (side === 'buy' ? 'sell' : 'buy') : side;
    const away = (cents: number) => text(10_000 + (exit === 'sell' ? -cents : cents));
    const exits: Typed = {
      ...(kind === 'stop' || kind === 'stopLimit' ? { stop: away(100) } : {}),
      ...(kind === 'stopLimit' ? { limit: away(110) } : {}),
      ...(kind === 'trail'
        ? { trail: this.#pick(['1%', '150', '80ticks'].map((one) => (one === '150' ? '1.5' : one))) }
        : {}),
      ...(kind === 'oco' || kind === 'bracket' ? this.#drawExits(away) : {}),
    };
    const entry = drawEntry(alone ?? this.#pick(DRAWN_ENTRIES), {
      chance: (share) => this.#chance(share),
      pick: (values) => this.#pick(values),
      near: price(side === 'buy' ? 9_990 : 10_020),
      // the minimum of 5 usdt
      ...{ amount: Decimal.of(size).rescaled(LOTS, 'down'), least: Decimal.of('0.0501') },
      bound: price(side === 'buy' ? 10_050 : 9_950),
      ...{ everyMs: [5_000, 30_000, 60_000], slots: [1, 2, 5, 10, 60, 120] },
    });
    const when = kind === 'when' || (hasEntry && this.#chance(0.2)) ? ['last>1'] : [];
    const forMs = this.#chance(0.15) ? 60_000 : undefined;
    const typed: Typed = {
      ...exits,
      trigger,
      slippage,
      when,
      ...(hasEntry ? { entry } : {}),
      ...(forMs === undefined ? {} : { forMs }),
    };
    return { ...algo(side, size, typed), id: this.#pick(['algo1', 'algo2']) };
  }

  #drawExits(away: (cents: number) => string): Typed {
    const take = away(-120);
    const stop = away(100);
    return this.#pick<Typed>([
      { take, stop },
      { take, stop },
      { take, trail: '1%' },
      { stop },
      { stop, trail: '1%' },
      { take, stop, limit: away(120) },
    ]);
  }

  #time(): string {
    return `+${this.#now - START}`;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<Value>(values: readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }
}

function price(cents: number): Decimal {
  return Decimal.fromUnits(BigInt(cents), CENTS);
}

function text(cents: number): string {
  return price(cents).toString();
}

function amount(lots: number): Decimal {
  return Decimal.fromUnits(BigInt(lots), LOTS);
}

function lotsOf(value: Decimal): number {
  return Number(value.times(Decimal.of('10000')).toString());
}
