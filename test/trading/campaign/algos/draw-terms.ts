import { Decimal } from '../../../../src/domain/decimal.js';
import type { Market } from '../../../../src/domain/market.js';
import type { Side } from '../../../../src/domain/order.js';
import { MARKETS } from '../../../../src/sandbox/markets/market.js';
import type { AlgoEntryName } from '../../../../src/trading/algos/plan/entries/entry-terms.js';
import type { AlgoTerms, Exits } from '../../../../src/trading/algos/plan/terms.js';
import { DRAWN_ENTRIES, drawEntry } from '../../algos/support/entries.js';
import { between, chosen, type Draw } from '../draw.js';

const EXITS = ['stop', 'stopLimit', 'trail', 'oco', 'ocoTrail'] as const;

/** A kind of algo order that is drawn. */
export interface DrawnKind {
  readonly name: string;
  /** Null without an entry. `any`: of any kind. */
  readonly entry: AlgoEntryName | 'any' | null;
  readonly exits: (typeof EXITS)[number] | 'bracket' | null;
  readonly isConditional: boolean;
}

/** All kinds: exits alone, and each entry alone, with exits, and with a condition. */
export const KINDS: readonly DrawnKind[] = [
  ...EXITS.map((exits) => ({ name: exits, entry: null, exits, isConditional: false })),
  ...DRAWN_ENTRIES.flatMap((entry): DrawnKind[] => [
    { name: entry, entry, exits: null, isConditional: false },
    { name: `bracket of ${entry}`, entry, exits: 'bracket', isConditional: false },
  ]),
  { name: 'when', entry: 'any', exits: null, isConditional: true },
  { name: 'bracket when', entry: 'any', exits: 'bracket', isConditional: true },
];

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
  const hasEntry = kind.entry !== null;
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
  const drawn = {
    stop: parts({ stop: price(exitSide, stop) }),
    stopLimit: parts({ stop: price(exitSide, stop), limit: price(exitSide, stop - 0.004) }),
    trail: parts({ trail: distance }),
    oco: parts({ take: price(exitSide, take), stop: price(exitSide, stop) }),
    ocoTrail: parts({ take: price(exitSide, take), trail: distance }),
    bracket,
  };
  const least = largest(
    Decimal.of(market.minAmount),
    Decimal.of(market.minNotional).dividedBy(price('sell', 0.98), market.amountScale, 'up'),
  );
  const amount = least.times(Decimal.of(between(draw, 3, 25).toFixed(2))).rescaled(market.amountScale, 'up');
  const entry =
    kind.entry &&
    drawEntry(kind.entry === 'any' ? chosen(draw, DRAWN_ENTRIES) : kind.entry, {
      chance: (share) => draw() < share,
      pick: (values) => chosen(draw, values),
      near: price(side, between(draw, 0.998, 1.004)),
      ...{ amount, least },
      bound: price(side, 0.98),
      ...{ everyMs: [5_000, 10_000], slots: [2, 4, 6] },
    });
  const condition = draw() < 0.5 ? `last<${price('sell', 0.999)}` : `last>${price('sell', 1.001)}`;
  return {
    ...{ profile: 'sandbox', owner: 'sandbox', market, account: 'spot', borrow: false, repay: false, side },
    ...{ amount, entry, exits: kind.exits && drawn[kind.exits], when: kind.isConditional ? [condition] : [] },
    slippage: Decimal.of(chosen(draw, ['0.01', '0.02'])),
    trigger: draw() < 0.8 ? 'book' : 'last',
    // alone, it would be a plain order
    forMs: kind.name === 'limit' || (hasEntry && draw() < 0.1) ? Math.round(between(draw, 10_000, 25_000)) : null,
    ...{ exec: null, notify: false },
  };
}

function largest(one: Decimal, other: Decimal): Decimal {
  return one.compare(other) > 0 ? one : other;
}
