import { listing } from '../../cli/answers.js';
import * as shape from '../../cli/shapes.js';
import * as origin from '../../exchange/origins.js';
import type { Answer } from '../../terminal/answer.js';
import { grouped } from '../../terminal/numbers.js';
import type { Paint } from '../../terminal/screen.js';
import type { CancelAttempt, Cancellation } from '../../trading/cancel/cancel.js';

/** What became of a cancellation. */
export const CANCELLED: shape.Fields = {
  outcome: shape.oneOf(['cancelled', 'refused', 'unknown'], 'what became of it'),
  id: shape.orNull(shape.text('of the order')),
  clientId: shape.orNull(shape.text('your own id, where it was cancelled by that')),
  market: shape.text(''),
  price: shape.orNull(shape.decimal('in the quote coin', origin.CANCELLATION.price)),
  amount: shape.orNull(shape.decimal('in the base coin', origin.CANCELLATION.amount)),
  filled: shape.orNull(shape.decimal('before it was cancelled', origin.CANCELLATION.filled)),
  filledValue: shape.orNull(shape.decimal('in the quote coin', origin.CANCELLATION.filledValue)),
  code: shape.orNull(shape.count("the exchange's return code", origin.CANCELLATION.code)),
  message: shape.orNull(shape.text("the exchange's words", origin.CANCELLATION.message)),
};

/** What became of each cancellation. */
export function rows(attempts: readonly CancelAttempt[], empty: string): Answer {
  return listing<Cancellation>({
    rows: attempts.map(({ result }) => rowOf(result)),
    fields: ['outcome', 'id', 'clientId', 'market', 'price', 'amount', 'filled', 'filledValue', 'code', 'message'],
    columns: [
      { title: 'outcome', value: ({ outcome }) => outcome, importance: 9, paint: paintOutcome },
      { title: 'order', value: ({ id, clientId: own }) => id ?? own, importance: 8 },
      { title: 'price', value: ({ price }) => shown(price), align: 'decimal', importance: 5 },
      { title: 'amount', value: ({ amount }) => shown(amount), align: 'decimal', importance: 5 },
      { title: 'filled', value: ({ filled }) => shown(filled), align: 'decimal', importance: 6 },
      { title: 'message', value: ({ message }) => message, importance: 3 },
    ],
    empty,
  });
}

/** In the order of the contract. */
export function rowOf(cancellation: Cancellation): Cancellation {
  const { outcome, id, clientId, market, price, amount, filled, filledValue, code, message } = cancellation;
  return { outcome, id, clientId, market, price, amount, filled, filledValue, code, message };
}

function shown(value: string | null): string | null {
  return value === null ? null : grouped(value);
}

function paintOutcome(text: string, { outcome }: Cancellation, paint: Paint): string {
  if (outcome === 'cancelled') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}
