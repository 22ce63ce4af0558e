import * as v from 'valibot';
import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';

// What the values of a line on the disk are: decimals are texts, and a value of another kind makes the line unreadable.

/** Text as `Decimal`. */
export const decimal = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const value = Decimal.parse(dataset.value);
    if (value !== undefined) return value;
    addIssue();
    return NEVER;
  }),
);

/** A decimal as it is written. */
export const numeric = v.pipe(
  v.string(),
  v.check((text) => Decimal.parse(text) !== undefined),
);

export const integer = v.pipe(v.number(), v.safeInteger());

/** Milliseconds since the Unix epoch that a date can show. */
export const time = v.pipe(
  integer,
  v.check((ms) => !Number.isNaN(new Date(ms).getTime())),
);

/** No market has more decimals. */
const MAX_SCALE = 30;

/** A number of decimals. */
const scale = v.pipe(integer, v.minValue(0), v.maxValue(MAX_SCALE));

/** A market with its rules. */
export const market: v.GenericSchema<unknown, Market> = v.object({
  market: v.string(),
  base: v.string(),
  quote: v.string(),
  priceScale: scale,
  amountScale: scale,
  tickSize: numeric,
  lotSize: numeric,
  minAmount: numeric,
  minNotional: numeric,
});

/** What a line of JSON holds, by the schema; undefined if it is something else, for instance because it was cut off. */
export function decodeLine<Schema extends v.GenericSchema>(
  schema: Schema,
  line: string,
): v.InferOutput<Schema> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { success, output } = v.safeParse(schema, value, { abortEarly: true });
  return success ? output : undefined;
}
