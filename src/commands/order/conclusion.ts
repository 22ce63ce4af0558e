import { type Advice, Failure, suggest } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { zonedTime } from '../../terminal/time.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import type { Placement } from '../../trading/orders/place.js';
import type { Unknown } from '../../trading/orders/settle.js';
import { notSent } from '../not-sent.js';
import { accountWords } from './account-words.js';

/** An order that was sent: its terms, and what it is called. */
export interface SentOrder extends OrderTerms {
  readonly clientId: string;
  readonly notional: string;
}

/** For a signal that comes while the answer is awaited. */
export function interruptedNote({ clientId: id }: SentOrder): Advice {
  return [
    'The order may have left, and its answer was not awaited.',
    suggest('Find out what became of it', 'resolve', id),
  ];
}

/** What became of the order, for the user: an answer, or a Failure `refused`, `limited`, `unreachable` or `unknown`. */
export function conclude(order: SentOrder, placement: Placement): Answer {
  const { clientId } = order;
  if (placement.outcome === 'refused') {
    const { message, hints, kind, code } = refusal(placement.refusal, 'order');
    throw new Failure(kind, message, {
      clientId,
      hint: hints,
      ...(code === null ? {} : { code }),
    });
  }
  if (placement.outcome === 'notSent') throw notSent('The order', placement, clientId);
  const isPlaced = placement.outcome === 'placed';
  const extras = isPlaced ? (placement.extras ?? []) : [];
  const { market, side, type, account, price, amount, notional } = order;
  const result = {
    outcome: placement.outcome,
    id: isPlaced ? placement.id : null,
    ...{ clientId, market, side, type, account, price, amount, notional },
    duplicates: extras.flatMap(({ intent, ids }) => (intent === clientId ? ids : [])),
  };
  const answer = { data: result, show: (screen: Screen) => concluded(screen, order, placement) };
  return isPlaced ? answer : { ...answer, failure: unknownFailure(order, placement) };
}

function unknownFailure({ clientId, market }: SentOrder, { reason, unlike, certainFrom }: Unknown): Failure {
  const when = certainFrom === null ? '' : ` From ${zonedTime(certainFrom)} on it can be told for certain.`;
  const show =
    unlike === undefined ? [] : [suggest('See the one that is there', 'order', 'show', market, '--id', clientId)];
  return new Failure('unknown', `It is not known whether the order was placed: ${reason}.${when}`, {
    clientId,
    hint: ['Do not place it again before you know.', suggest('Find out', 'resolve', clientId), ...show],
  });
}

function concluded({ paint }: Screen, order: SentOrder, placement: Placement): string {
  const { side, amount, market, price, clientId } = order;
  const what = `${sideText(side)} ${grouped(amount)} ${market} at ${grouped(price)}`;
  const where = accountWords(order);
  if (placement.outcome !== 'placed') return `${paint.warn('Unknown')}  ${what}  ${where}  client id ${clientId}`;
  return `${paint.good('Placed')}  ${paintSide(what, side, paint)}  ${where}  id ${placement.id}`;
}
