import { refusal } from '../../client/failures.js';
import { Failure } from '../../errors.js';
import type { Side } from '../../protocol/words.js';
import type { Answer } from '../../terminal/answer.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import type { OrderIntent, Placement } from '../../trading/place-order.js';

/** For a signal that comes while the answer is awaited. */
export function interruptedNote({ market, clientId: id }: OrderIntent): string {
  return `The order had left and its answer was not awaited. See what became of it: pit order show ${market} --id ${id}`;
}

/** What became of the order, for the user: an answer, or a Failure `refused`, `limited`, `unreachable` or `unknown`. */
export function conclude(intent: OrderIntent, notional: string, placement: Placement): Answer {
  const { clientId: id, market, side, type, account, price, amount } = intent;
  if (placement.outcome === 'refused') {
    const { message, hint, kind, code } = refusal(placement.refusal, 'order');
    throw new Failure(kind, message, {
      clientId: id,
      ...(hint === null ? {} : { hint }),
      ...(code === null ? {} : { code }),
    });
  }
  if (placement.outcome === 'notSent') {
    throw new Failure('unreachable', `The order was not sent: ${placement.reason}.`, {
      clientId: id,
      hint: 'Check the host and the network: pit profile show',
    });
  }
  const isPlaced = placement.outcome === 'placed';
  const result = {
    outcome: placement.outcome,
    id: isPlaced ? placement.id : null,
    ...{ clientId: id, market, side, type, account, price, amount, notional },
    duplicates: [],
  };
  const answer = { data: result, show: (screen: Screen) => concluded(screen, result) };
  if (isPlaced) return answer;
  const failure = new Failure('unknown', `It is not known whether the order was placed: ${placement.reason}.`, {
    clientId: id,
    hint: `Do not send it again before you know: pit order show ${market} --id ${id}`,
  });
  return { ...answer, failure };
}

interface Concluded {
  readonly outcome: 'placed' | 'unknown';
  readonly id: string | null;
  readonly clientId: string;
  readonly market: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

function concluded({ paint }: Screen, { outcome, id, clientId: own, market, side, price, amount }: Concluded): string {
  const what = `${sideText(side)} ${grouped(amount)} ${market} at ${grouped(price)}`;
  if (outcome === 'unknown') return `${paint.warn('Unknown')}  ${what}  client id ${own}`;
  return `${paint.good('Placed')}  ${paintSide(what, side, paint)}  id ${id}`;
}
