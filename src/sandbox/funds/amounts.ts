import { Decimal } from '../../domain/decimal.js';
import { coinRules } from '../markets/coins.js';
import { Refusal } from '../refusals.js';

const LARGEST = Decimal.of('1e15');

/** Decimal text as units of a coin, zero or more. Throws {@link Refusal} where it is no amount of the coin. */
export function coinUnits(coin: string, text: string): bigint {
  const value = Decimal.parse(text);
  const sensible = value !== undefined && value.sign >= 0 && value.scale <= 100 && value.compare(LARGEST) < 0;
  if (!sensible) throw new Refusal('badAmount', text.slice(0, 40));
  const { unitDecimal } = coinRules(coin);
  if (value.significantScale > unitDecimal) throw new Refusal('coinScale', `${unitDecimal}`);
  return value.rescaled(unitDecimal, 'down').units;
}
