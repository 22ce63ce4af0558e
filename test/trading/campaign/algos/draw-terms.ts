import { Decimal } from '../../../../src/domain/decimal.js';
import type { Market } from '../../../../src/domain/market.js';
import type { Side } from '../../../../src/domain/order.js';
import { MARKETS } from '../../../../src/sandbox/markets/market.js';
import type { AlgoEntry, AlgoTerms, Exits } from '../../../../src/trading/algos/plan/terms.js';
import { between, chosen, type Draw } from '../draw.js';

/** All kinds, brackets by their entry. */
export const KINDS = [
  ...['stop', 'stopLimit', 'trail', 'oco', 'ocoTrail', 'bracketLimit', 'bracketChase', 'bracketTwap', 'bracketWhen'],
  ...['twap', 'passiveTwap', 'chase', 'when', 'limitFor'],
] as const;

export type DrawnKind = (typeof KINDS)[number];

/** The best prices at the start. */
export interface StartPrices {
  readonly bid: string;
  readonly ask: string;
}

/** The rules of a market, as the program knows them. */
export function marketOf(name: string): Market {
  const rules = MARKETS.get(name);
  if (rules === undefined) throw new Error(`no market ${name}`);
  const { base, quote, priceScale, amountScale, minAmount, minNotional } = rules;
  const unit = (scale: number) => Decimal.fromUnits(1n, scale).toString();
  const sizes = { tickSize: unit(priceScale), lotSize: unit(amountScale), minAmount, minNotional };
  return { market: name, base, quote, priceScale, amountScale, ...sizes };
}

/** The terms of an algo order of a kind, as a user could have typed them at these prices. Times are those of the exchange's clock. */
export function drawTerms(
  draw: Draw,
  kind: DrawnKind,
  market: Market,
  { bid, ask }: StartPrices,
): Omit<AlgoTerms, 'id'> {
  const side: Side = draw() < 0.6 ? 'sell' : 'buy';
  const hasEntry = !['stop', 'stopLimit', 'trail', 'oco', 'ocoTrail'].includes(kind);
  const exitSide: Side = hasEntry ? (side === 'buy' ? 'sell' : 'buy') : side;
  const price = (of: Side, share: number) => {
    const away = Decimal.of((of === 'sell' ? share : 2 - share).toFixed(5));
    return Decimal.of(of === 'sell' ? bid : ask)
      .times(away)
      .rescaled(market.priceScale, of === 'sell' ? 'down' : 'up');
  };
  const stop = between(draw, 0.97, 0.996);
  const take = between(draw, 1.004, 1.03);
  const trail = { unit: 'share', value: Decimal.of(between(draw, 0.004, 0.03).toFixed(4)) } as const;
  const ticks = Decimal.of(bid).times(Decimal.of('0.01')).dividedBy(Decimal.of(market.tickSize), 0, 'up');
  const distance = draw() < 0.7 ? trail : ({ unit: 'ticks', value: ticks } as const);
  const parts = (given: Partial<Exits>): Exits => ({ take: null, stop: null, limit: null, trail: null, ...given });
  const bracket = parts({
    ...(draw() < 0.7 ? { take: price(exitSide, take) } : {}),
    ...(draw() < 0.7 ? { stop: price(exitSide, stop) } : { trail: distance }),
  });
  const exits: Exits | null = {
    stop: parts({ stop: price(exitSide, stop) }),
    stopLimit: parts({ stop: price(exitSide, stop), limit: price(exitSide, stop - 0.004) }),
    trail: parts({ trail: distance }),
    oco: parts({ take: price(exitSide, take), stop: price(exitSide, stop) }),
    ocoTrail: parts({ take: price(exitSide, take), trail: distance }),
    ...{ bracketLimit: bracket, bracketChase: bracket, bracketTwap: bracket, bracketWhen: bracket },
    ...{ twap: null, passiveTwap: null, chase: null, when: null, limitFor: null },
  }[kind];
  const near = price(side, between(draw, 0.998, 1.004));
  const limit: AlgoEntry = { kind: 'limit', type: chosen(draw, ['limit', 'limit', 'postOnly'] as const), price: near };
  const slices = (isPassive: boolean): AlgoEntry => {
    const everyMs = chosen(draw, [5_000, 10_000]);
    return { kind: 'twap', durationMs: everyMs * chosen(draw, [2, 4, 6]), everyMs, isPassive, bound: null };
  };
  const chase: AlgoEntry = { kind: 'chase', bound: draw() < 0.5 ? null : price(side, 0.98) };
  const entry: AlgoEntry | null = {
    ...{ stop: null, stopLimit: null, trail: null, oco: null, ocoTrail: null },
    ...{ bracketLimit: limit, bracketChase: chase, bracketTwap: slices(draw() < 0.3), bracketWhen: limit },
    ...{ twap: slices(false), passiveTwap: slices(true), chase, when: chosen(draw, [limit, chase]), limitFor: limit },
  }[kind];
  const condition = draw() < 0.5 ? `last<${price('sell', 0.999)}` : `last>${price('sell', 1.001)}`;
  const least = largest(
    Decimal.of(market.minAmount),
    Decimal.of(market.minNotional).dividedBy(Decimal.of(bid), market.amountScale, 'up'),
  );
  return {
    ...{ profile: 'sandbox', owner: 'sandbox', market, account: 'spot', borrow: false, repay: false, side },
    amount: least.times(Decimal.of(between(draw, 3, 25).toFixed(2))).rescaled(market.amountScale, 'up'),
    ...{ entry, exits, when: kind === 'when' || kind === 'bracketWhen' ? [condition] : [] },
    slippage: Decimal.of(chosen(draw, ['0.01', '0.02'])),
    trigger: draw() < 0.8 ? 'book' : 'last',
    forMs: kind === 'limitFor' || (hasEntry && draw() < 0.1) ? Math.round(between(draw, 10_000, 25_000)) : null,
    ...{ exec: null, notify: false },
  };
}

function largest(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) > 0 ? one : other;
}
