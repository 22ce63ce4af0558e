import * as v from 'valibot';
import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { GivenLimits } from '../../guards/given-limits.js';
import { ENTRY } from '../plan/entries/entry-kinds.js';
import { decimal, decodeLine, integer, numeric, scale, time } from '../plan/line-schemas.js';
import { type AlgoTerms, type Exits, mapExitPrices } from '../plan/terms.js';
import type { AlgoFact } from './facts.js';

// A fact on disk is a line of JSON; its decimals are texts.

/** The fact as a line, without the line break. */
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

const MARKET = v.object({
  market: v.string(),
  base: v.string(),
  quote: v.string(),
  priceScale: scale,
  amountScale: scale,
  tickSize: numeric,
  lotSize: numeric,
  minAmount: numeric,
  minNotional: numeric,
}) satisfies v.GenericSchema<unknown, Market>;

const EXITS = v.object({
  ...mapExitPrices(() => v.nullable(decimal)),
  trail: v.nullable(v.object({ unit: v.picklist(['share', 'price', 'ticks']), value: decimal })),
}) satisfies v.GenericSchema<unknown, Exits>;

const AGENT = v.object({
  markets: v.exactOptional(v.array(v.string())),
  maxOrder: v.exactOptional(v.string()),
  maxDay: v.exactOptional(v.string()),
  maxOpen: v.exactOptional(integer),
  mayBorrow: v.exactOptional(v.boolean()),
}) satisfies v.GenericSchema<unknown, GivenLimits>;

const TERMS = v.object({
  id: v.string(),
  profile: v.string(),
  owner: v.string(),
  market: MARKET,
  account: v.picklist(['spot', 'isolated', 'cross']),
  borrow: v.boolean(),
  repay: v.boolean(),
  side: v.picklist(['buy', 'sell']),
  amount: decimal,
  entry: v.nullable(ENTRY),
  when: v.array(v.string()),
  exits: v.nullable(EXITS),
  slippage: decimal,
  trigger: v.picklist(['book', 'last']),
  forMs: v.nullable(integer),
  exec: v.nullable(v.string()),
  notify: v.boolean(),
  agent: v.exactOptional(AGENT),
}) satisfies v.GenericSchema<unknown, AlgoTerms>;

/** A fact, as the record of its algo order has it. */
export const FACT = v.variant('fact', [
  v.object({
    fact: v.literal('began'),
    time,
    terms: TERMS,
    bid: v.nullable(decimal),
    ask: v.nullable(decimal),
  }),
  v.object({ fact: v.literal('best'), time, price: decimal, tradeId: v.nullable(v.string()) }),
  v.object({
    fact: v.literal('triggered'),
    time,
    leg: v.picklist(['entry', 'exit']),
    price: decimal,
    source: v.string(),
    late: v.boolean(),
  }),
  v.object({
    fact: v.literal('paused'),
    time,
    cause: v.picklist(['user', 'halt', 'guard', 'rejected', 'account', 'missing']),
    reason: v.string(),
    role: v.nullable(v.picklist(['entry', 'take', 'stop'])),
  }),
  v.object({ fact: v.literal('resumed'), time }),
  v.object({ fact: v.literal('rules'), time, market: MARKET }),
  v.object({ fact: v.literal('cancelled'), time, reason: v.string() }),
  v.object({
    fact: v.literal('ended'),
    time,
    outcome: v.picklist(['done', 'partial', 'cancelled', 'failed']),
    reason: v.string(),
    filled: decimal,
    remaining: decimal,
    position: decimal,
  }),
]) satisfies v.GenericSchema<unknown, AlgoFact>;
