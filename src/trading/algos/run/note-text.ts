import { type Decimal, formatAmount, grouped } from '../../../domain/decimal.js';
import { localTimeText } from '../../../errors.js';
import { sentence } from '../plan/decide.js';
import type { AlgoNote } from '../plan/decision-input.js';
import { shortText } from '../plan/exits.js';
import type { AlgoTerms } from '../plan/terms.js';

/** What a note is about whose numbers change although nothing new has happened. */
export function subjectOf(note: AlgoNote): string | null {
  // each fill leaves fewer coins
  return note.note === 'short' ? 'short' : null;
}

/** A note as a sentence. */
export function noteText(note: AlgoNote, terms: AlgoTerms): string {
  const { market } = terms;
  const price = (value: Decimal) => grouped(value.trimmed().toString());
  const amount = (value: Decimal) => `${formatAmount(value.trimmed().toString())} ${market.base}`;
  switch (note.note) {
    case 'missed':
      return `The stop at ${price(note.level)} was reached (${price(note.price)}) while pit did not see the market, and left again: nothing was sold or bought.`;
    case 'unknownGap':
      return `pit did not see the market from ${localTimeText(note.from)} to ${localTimeText(note.to)}, and neither trades nor candles show it: a price that reached the stop, or a better one of a trail, may be missing.`;
    case 'reachedWhilePaused':
      return `The stop at ${price(note.level)} is reached, and the algo order is paused: NOT PROTECTED.`;
    case 'cancelledByOthers': {
      const { role, number, price: at, cancelRefused } = note.child;
      const order = `${role} order ${number} at ${price(at)}`;
      const what =
        cancelRefused === null
          ? `The ${order} was cancelled elsewhere.`
          : `The ${order} was final before it could be cancelled: it was cancelled elsewhere, or the network repeated the request.`;
      return `${what} It is not placed again.`;
    }
    case 'unprotected':
      return `${amount(note.amount)} has no exit: it is below the minimum of an order.`;
    case 'gone':
      return `${amount(note.amount)} of the position is gone from the account: the exits shrink.`;
    case 'short':
      return `${sentence(shortText(terms, note.coins, note.amount))}.`;
    case 'excess':
      return `THE NETWORK MADE AN ORDER TWICE: ${amount(note.amount)} more than asked has filled or may fill.`;
  }
}
