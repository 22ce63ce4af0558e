import { Decimal } from '../../../../src/domain/decimal.js';
import type { Side } from '../../../../src/domain/order.js';
import type { AlgoEntry } from '../../../../src/trading/algos/plan/entries/entry-terms.js';
import type { AlgoTerms, Exits, TrailDistance } from '../../../../src/trading/algos/plan/terms.js';
import { MARKET } from '../../support/market.js';

/** The parts of an algo order as they are typed. */
export interface Typed {
  readonly take?: string;
  readonly stop?: string;
  readonly limit?: string;
  /** `2%`, `300`, `50ticks` */
  readonly trail?: string;
  readonly entry?: AlgoEntry;
  readonly when?: readonly string[];
  readonly slippage?: string;
  readonly trigger?: 'book' | 'last';
  readonly forMs?: number;
}

/** An algo order in btc_usdt: two decimals for prices, four for amounts, at least 0.001 btc and 5 usdt. */
export function algo(side: Side, amount: string, typed: Typed): AlgoTerms {
  const { entry = null, when = [], slippage = '0.01', trigger = 'book', forMs = null } = typed;
  return {
    ...{ id: 'algo1', profile: 'main', owner: 'account', market: MARKET, account: 'spot', borrow: false, repay: false },
    ...{
      side,
      amount: Decimal.of(amount),
      entry,
      when,
      exits: exitsOf(typed),
      slippage: Decimal.of(slippage),
      trigger,
    },
    ...{ forMs, exec: null, notify: false },
  };
}

export const sell = (amount: string, typed: Typed) => algo('sell', amount, typed);
export const buy = (amount: string, typed: Typed) => algo('buy', amount, typed);

function exitsOf({ take, stop, limit: at, trail }: Typed): Exits | null {
  if (take === undefined && stop === undefined && trail === undefined) return null;
  return { take: optional(take), stop: optional(stop), limit: optional(at), trail: trailOf(trail) };
}

function trailOf(text: string | undefined): TrailDistance | null {
  if (text === undefined) return null;
  if (text.endsWith('%')) return { unit: 'share', value: Decimal.of(text.slice(0, -1)).times(Decimal.of('0.01')) };
  if (text.endsWith('ticks')) return { unit: 'ticks', value: Decimal.of(text.slice(0, -'ticks'.length)) };
  return { unit: 'price', value: Decimal.of(text) };
}

function optional(text: string | undefined): Decimal | null {
  return text === undefined ? null : Decimal.of(text);
}
