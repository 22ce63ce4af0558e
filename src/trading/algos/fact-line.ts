import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { GivenLimits } from '../guards/given-limits.js';
import type { AlgoFact } from './facts.js';
import type { AlgoEntry, AlgoTerms, Exits, TrailDistance } from './terms.js';

// A fact on disk is a line of JSON; its decimals are texts.

/** The fact as a line, without the line break. */
export function encodeFact(fact: AlgoFact): string {
  return JSON.stringify(fact, (_, value: unknown) => (value instanceof Decimal ? value.toString() : value));
}

/** The fact of a line; undefined if it is none that this version understands in full, for instance because it was cut off. */
export function decodeFact(line: string): AlgoFact | undefined {
  try {
    return factOf(new Fields(JSON.parse(line)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnreadableFact) return undefined;
    throw error;
  }
}

class UnreadableFact extends Error {}

/** No market has more decimals. */
const MAX_SCALE = 30;

function factOf(fields: Fields): AlgoFact {
  const time = fields.time('time');
  const fact = fields.oneOf('fact', ['began', 'best', 'triggered', 'paused', 'resumed', 'cancelled', 'ended']);
  switch (fact) {
    case 'began':
      return {
        fact,
        time,
        terms: termsOf(fields.object('terms')),
        bid: fields.optional('bid', Fields.decimal),
        ask: fields.optional('ask', Fields.decimal),
      };
    case 'best':
      return { fact, time, price: fields.decimal('price'), tradeId: fields.optional('tradeId', Fields.text) };
    case 'triggered':
      return {
        fact,
        time,
        leg: fields.oneOf('leg', ['entry', 'exit']),
        price: fields.decimal('price'),
        source: fields.text('source'),
        late: fields.flag('late'),
      };
    case 'paused':
      return {
        fact,
        time,
        cause: fields.oneOf('cause', ['user', 'halt', 'guard', 'rejected', 'account', 'missing']),
        reason: fields.text('reason'),
        role: fields.optional('role', () => fields.oneOf('role', ['entry', 'take', 'stop'])),
      };
    case 'resumed':
      return { fact, time };
    case 'cancelled':
      return { fact, time, reason: fields.text('reason') };
    case 'ended':
      return {
        fact,
        time,
        outcome: fields.oneOf('outcome', ['done', 'partial', 'cancelled', 'failed']),
        reason: fields.text('reason'),
        filled: fields.decimal('filled'),
        remaining: fields.decimal('remaining'),
        position: fields.decimal('position'),
      };
  }
}

function termsOf(fields: Fields): AlgoTerms {
  const agent = fields.absent('agent') ? undefined : limitsOf(fields.object('agent'));
  return {
    id: fields.text('id'),
    profile: fields.text('profile'),
    owner: fields.text('owner'),
    market: marketOf(fields.object('market')),
    account: fields.oneOf('account', ['spot', 'isolated', 'cross']),
    borrow: fields.flag('borrow'),
    repay: fields.flag('repay'),
    side: fields.oneOf('side', ['buy', 'sell']),
    amount: fields.decimal('amount'),
    entry: fields.optional('entry', (value) => entryOf(new Fields(value))),
    when: fields.list('when', Fields.text),
    exits: fields.optional('exits', (value) => exitsOf(new Fields(value))),
    slippage: fields.decimal('slippage'),
    trigger: fields.oneOf('trigger', ['book', 'last']),
    forMs: fields.optional('forMs', Fields.integer),
    exec: fields.optional('exec', Fields.text),
    notify: fields.flag('notify'),
    ...(agent === undefined ? {} : { agent }),
  };
}

function limitsOf(fields: Fields): GivenLimits {
  return {
    ...(fields.absent('markets') ? {} : { markets: fields.list('markets', Fields.text) }),
    ...(fields.absent('maxOrder') ? {} : { maxOrder: fields.text('maxOrder') }),
    ...(fields.absent('maxDay') ? {} : { maxDay: fields.text('maxDay') }),
    ...(fields.absent('maxOpen') ? {} : { maxOpen: fields.integer('maxOpen') }),
    ...(fields.absent('mayBorrow') ? {} : { mayBorrow: fields.flag('mayBorrow') }),
  };
}

function marketOf(fields: Fields): Market {
  // texts, as the exchange writes them: each is a number
  const [tickSize, lotSize, minAmount, minNotional] = [
    fields.decimal('tickSize'),
    fields.decimal('lotSize'),
    fields.decimal('minAmount'),
    fields.decimal('minNotional'),
  ].map(String) as [string, string, string, string];
  return {
    market: fields.text('market'),
    base: fields.text('base'),
    quote: fields.text('quote'),
    priceScale: fields.scale('priceScale'),
    amountScale: fields.scale('amountScale'),
    tickSize,
    lotSize,
    minAmount,
    minNotional,
  };
}

function entryOf(fields: Fields): AlgoEntry {
  const kind = fields.oneOf('kind', ['limit', 'twap', 'chase']);
  if (kind === 'limit')
    return { kind, type: fields.oneOf('type', ['limit', 'postOnly', 'ioc']), price: fields.decimal('price') };
  const bound = fields.optional('bound', Fields.decimal);
  if (kind === 'chase') return { kind, bound };
  const [durationMs, everyMs] = [fields.integer('durationMs'), fields.integer('everyMs')];
  return { kind, durationMs, everyMs, isPassive: fields.flag('isPassive'), bound };
}

function exitsOf(fields: Fields): Exits {
  return {
    take: fields.optional('take', Fields.decimal),
    stop: fields.optional('stop', Fields.decimal),
    limit: fields.optional('limit', Fields.decimal),
    trail: fields.optional('trail', (value) => trailOf(new Fields(value))),
  };
}

function trailOf(fields: Fields): TrailDistance {
  return { unit: fields.oneOf('unit', ['share', 'price', 'ticks']), value: fields.decimal('value') };
}

/** The parts of an object that was read. Each method throws {@link UnreadableFact} for a part that is missing or another kind of value. */
class Fields {
  readonly #parts: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnreadableFact();
    this.#parts = value as Readonly<Record<string, unknown>>;
  }

  static text(this: void, value: unknown): string {
    if (typeof value !== 'string') throw new UnreadableFact();
    return value;
  }

  static decimal(this: void, value: unknown): Decimal {
    const decimal = Decimal.parse(Fields.text(value));
    if (decimal === undefined) throw new UnreadableFact();
    return decimal;
  }

  static integer(this: void, value: unknown): number {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new UnreadableFact();
    return value;
  }

  absent(name: string): boolean {
    return !Object.hasOwn(this.#parts, name);
  }

  text(name: string): string {
    return Fields.text(this.#parts[name]);
  }

  decimal(name: string): Decimal {
    return Fields.decimal(this.#parts[name]);
  }

  integer(name: string): number {
    return Fields.integer(this.#parts[name]);
  }

  /** Milliseconds since the Unix epoch that a date can show. */
  time(name: string): number {
    const time = this.integer(name);
    if (Number.isNaN(new Date(time).getTime())) throw new UnreadableFact();
    return time;
  }

  /** A number of decimals. */
  scale(name: string): number {
    const scale = this.integer(name);
    if (scale < 0 || scale > MAX_SCALE) throw new UnreadableFact();
    return scale;
  }

  flag(name: string): boolean {
    const value = this.#parts[name];
    if (typeof value !== 'boolean') throw new UnreadableFact();
    return value;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    const word = words.find((one) => one === this.#parts[name]);
    if (word === undefined) throw new UnreadableFact();
    return word;
  }

  object(name: string): Fields {
    return new Fields(this.#parts[name]);
  }

  list<Value>(name: string, read: (value: unknown) => Value): Value[] {
    const value = this.#parts[name];
    if (!Array.isArray(value)) throw new UnreadableFact();
    return value.map(read);
  }

  /** Null stands for null; what is missing is unreadable. */
  optional<Value>(name: string, read: (value: unknown) => Value): Value | null {
    const value = this.#parts[name];
    return value === null ? null : read(value);
  }
}
