import { Decimal } from '../../domain/decimal.js';
import { RequestRefused } from '../refusals.js';
import { type CoinRules, coinRules, coinsOf, UNIT_DECIMALS } from './coins.js';

/** A market, as in the interface's market configuration. */
export interface MarketRules {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  readonly priceScale: number;
  readonly amountScale: number;
  /** The minimum amount of an order, in the base coin. */
  readonly minAmount: string;
  /** The minimum price × amount of an order, in the quote coin: the interface's minSize. */
  readonly minNotional: string;
}

/** Whether orders in a market of one name are taken by the same rules. */
export function haveSameRules(one: MarketRules, other: MarketRules): boolean {
  const fields = ['priceScale', 'amountScale', 'minAmount', 'minNotional'] as const;
  return fields.every((field) => one[field] === other[field]);
}

/**
 * A market with its conversions between decimal text, ticks (of price), lots (of amount) and units (of a coin). Price × amount
 * is always a whole number of quote units, so no trade rounds its value.
 */
export class SandboxMarket implements MarketRules {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  readonly priceScale: number;
  readonly amountScale: number;
  readonly minAmount: string;
  readonly minNotional: string;
  /** The smallest amounts of its coins, to which fees and values are rounded, in units. */
  readonly baseStep: bigint;
  readonly quoteStep: bigint;
  readonly #unitsPerLot: bigint;
  readonly #unitsPerTickLot: bigint;
  readonly #minLots: bigint;
  readonly #minUnits: bigint;

  /** Throws RangeError for minimums with more decimals than the scales allow. */
  constructor(rules: MarketRules) {
    ({ name: this.name, base: this.base, quote: this.quote } = rules);
    ({ priceScale: this.priceScale, amountScale: this.amountScale } = rules);
    ({ minAmount: this.minAmount, minNotional: this.minNotional } = rules);
    const coins = coinsOf([rules]);
    this.baseStep = stepOf(coins.get(rules.base));
    this.quoteStep = stepOf(coins.get(rules.quote));
    this.#unitsPerLot = power(UNIT_DECIMALS - rules.amountScale);
    this.#unitsPerTickLot = power(UNIT_DECIMALS - rules.priceScale - rules.amountScale);
    this.#minLots = unitsOf(rules.minAmount, rules.amountScale);
    this.#minUnits = unitsOf(rules.minNotional, UNIT_DECIMALS);
  }

  /** What the store keeps of a market that an order refers to. */
  toJSON(): string {
    return this.name;
  }

  /** Reads a price. Throws {@link RequestRefused} unless it is positive and within the price scale. */
  ticks(text: string): bigint {
    const price = Decimal.parse(text);
    if (price === undefined || !isSensible(price)) throw new RequestRefused('badPrice', text.slice(0, 40));
    if (price.significantScale > this.priceScale) throw new RequestRefused('priceScale', `${this.priceScale}`);
    return price.rescaled(this.priceScale, 'down').units;
  }

  /** Reads an amount. Throws {@link RequestRefused} unless it is within the amount scale and at least the minimum. */
  lots(text: string): bigint {
    const amount = Decimal.parse(text);
    if (amount === undefined || !isSensible(amount)) throw new RequestRefused('badAmount', text.slice(0, 40));
    if (amount.significantScale > this.amountScale) throw new RequestRefused('amountScale', `${this.amountScale}`);
    const lots = amount.rescaled(this.amountScale, 'down').units;
    if (lots < this.#minLots) throw new RequestRefused('belowMinAmount', this.minAmount);
    return lots;
  }

  /** Throws {@link RequestRefused} if price × amount is below the market's minimum. */
  checkNotional(ticks: bigint, lots: bigint): void {
    if (this.value(ticks, lots) < this.#minUnits) throw new RequestRefused('belowMinSize', this.minNotional);
  }

  /** Price × amount in units of the quote coin: exact. */
  value(ticks: bigint, lots: bigint): bigint {
    return ticks * lots * this.#unitsPerTickLot;
  }

  /** The value of base coin units at a price, in units of the quote coin: whole steps of it. */
  worth(ticks: bigint, units: bigint, rounding: 'down' | 'up'): bigint {
    const product = units * ticks * this.#unitsPerTickLot;
    const unitsPerStep = this.#unitsPerLot * this.quoteStep;
    const steps = product / unitsPerStep;
    return (rounding === 'up' && steps * unitsPerStep < product ? steps + 1n : steps) * this.quoteStep;
  }

  /** An amount in units of the base coin: exact. */
  units(lots: bigint): bigint {
    return lots * this.#unitsPerLot;
  }

  price(ticks: bigint): string {
    return Decimal.fromUnits(ticks, this.priceScale).toString();
  }

  amount(lots: bigint): string {
    return Decimal.fromUnits(lots, this.amountScale).toString();
  }
}

/** Units of a coin as decimal text with all of the coin's decimals, and with more if a market of a tape made them. */
export function coinText(coin: string, units: bigint): string {
  const amount = Decimal.fromUnits(units, UNIT_DECIMALS);
  const { unitDecimal } = coinRules(coin);
  const isWhole = units % power(UNIT_DECIMALS - unitDecimal) === 0n;
  return amount.rescaled(isWhole ? unitDecimal : amount.significantScale, 'down').toString();
}

/** Decimal text as units of 10^-scale. Throws RangeError if it has more decimals. */
export function unitsOf(text: string, scale: number): bigint {
  const value = Decimal.of(text);
  if (value.significantScale > scale) throw new RangeError(`${text} has more than ${scale} decimals`);
  return value.rescaled(scale, 'down').units;
}

/** Above zero and not so long that it fills memory, as `1e99` would. */
function isSensible(value: Decimal): boolean {
  return value.sign > 0 && value.scale <= 100 && value.compare(LARGEST) < 0;
}

const LARGEST = Decimal.of('1e15');

function stepOf(coin: CoinRules | undefined): bigint {
  return power(UNIT_DECIMALS - (coin?.unitDecimal ?? 0));
}

/** A power of ten. Throws RangeError for a negative exponent. */
function power(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

type Row = [name: string, priceScale: number, amountScale: number, minAmount: string, minNotional: string];

const ROWS: readonly Row[] = [
  ['btc_usdt', 2, 6, '0.0001', '1'],
  ['eth_usdt', 2, 5, '0.001', '1'],
  ['bch_usdt', 2, 4, '0.01', '1'],
  ['ltc_usdt', 2, 4, '0.01', '1'],
  ['eos_usdt', 4, 2, '0.1', '1'],
  ['xrp_usdt', 5, 1, '1', '1'],
  ['eth_btc', 6, 2, '0.01', '0.0001'],
  ['xrp_eth', 8, 0, '1', '0.0005'],
];

/** The markets of the exchange, in listing order. */
export const MARKETS: ReadonlyMap<string, SandboxMarket> = new Map(
  ROWS.map(([name, priceScale, amountScale, minAmount, minNotional]) => {
    const [base = '', quote = ''] = name.split('_');
    return [name, new SandboxMarket({ name, base, quote, priceScale, amountScale, minAmount, minNotional })];
  }),
);

/** Decimal text as units of a coin, zero or more. Throws {@link RequestRefused} if it is not an amount of the coin. */
export function coinUnits({ unitDecimal }: Pick<CoinRules, 'unitDecimal'>, text: string): bigint {
  const value = Decimal.parse(text);
  const sensible = value !== undefined && value.sign >= 0 && value.scale <= 100 && value.compare(LARGEST) < 0;
  if (!sensible) throw new RequestRefused('badAmount', text.slice(0, 40));
  if (value.significantScale > unitDecimal) throw new RequestRefused('coinScale', `${unitDecimal}`);
  return value.rescaled(UNIT_DECIMALS, 'down').units;
}
