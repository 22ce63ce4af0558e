import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import type { GivenLimits } from '../../guards/given-limits.js';
import { LineFields as Fields, tryDecode } from '../../journal/line-fields.js';
import { decodeEntry } from '../plan/entries/entry-kinds.js';
import { type AlgoTerms, type Exits, mapExitPrices, type TrailDistance } from '../plan/terms.js';
import type { AlgoFact } from './facts.js';

// A fact on disk is a line of JSON; its decimals are texts.

/** The fact as a line, without the line break. */
export function encodeFact(fact: AlgoFact): string {
  return JSON.stringify(fact, (_, value: unknown) => (value instanceof Decimal ? value.toString() : value));
}

/** The fact of a line; undefined if it is none that this version understands in full, for instance because it was cut off. */
export function decodeFact(line: string): AlgoFact | undefined {
  return tryDecode(line, factOf);
}

/** The fact of a line of JSON. @throws UnreadableLine if it is none that this version understands in full */
export function factOf(fields: Fields): AlgoFact {
  const time = fields.time('time');
  const fact = fields.oneOf('fact', ['began', 'best', 'triggered', 'paused', 'resumed', 'rules', 'cancelled', 'ended']);
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
    case 'rules':
      return { fact, time, market: marketOf(fields.object('market')) };
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
    entry: fields.optional('entry', (value) => decodeEntry(new Fields(value))),
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

function exitsOf(fields: Fields): Exits {
  return {
    ...mapExitPrices((name) => fields.optional(name, Fields.decimal)),
    trail: fields.optional('trail', (value) => trailOf(new Fields(value))),
  };
}

function trailOf(fields: Fields): TrailDistance {
  return { unit: fields.oneOf('unit', ['share', 'price', 'ticks']), value: fields.decimal('value') };
}
