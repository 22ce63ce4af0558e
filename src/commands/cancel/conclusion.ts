import { Failure, type FailureKind, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { CancelAttempt } from '../../trading/cancel/cancel.js';
import { rows } from './rows.js';

/**
 * What became of orders that were named: an answer where something was done or is unknown.
 * Throws Failure where nothing was done.
 */
export function conclude(market: string, attempts: readonly CancelAttempt[]): Answer {
  return withFailure(rows(attempts, 'No orders.'), failureOf(market, attempts));
}

/** Throws the failure of a command that did nothing, which answers nothing either. */
export function withFailure(answer: Answer, failure: Failure | null): Answer {
  if (failure === null) return answer;
  if (failure.kind !== 'unknown' && failure.kind !== 'partial') throw failure;
  return { ...answer, failure };
}

/** All done 0; any unknown 6; none done 3 (5 and 7 where that is why); mixed 9. */
function failureOf(market: string, attempts: readonly CancelAttempt[]): Failure | null {
  const unknown = attempts.filter(({ failure }) => failure === 'unknown');
  if (unknown.length > 0) return unknownFailure(market, attempts.length, unknown);
  const failed = attempts.filter(({ failure }) => failure !== null);
  const [first] = failed;
  if (first === undefined) return null;
  const done = attempts.length - failed.length;
  const kind: FailureKind = done === 0 ? (first.failure ?? 'refused') : 'partial';
  const { message, code, id, clientId: own } = first.result;
  return new Failure(kind, `${countWords(done, attempts.length)}${message === null ? '' : `: ${message}`}.`, {
    hint: suggest('See what became of it', 'order', 'show', market, ...(own === null ? [id ?? ''] : ['--id', own])),
    ...(code === null ? {} : { code }),
    ...(own === null ? {} : { clientId: own }),
  });
}

function countWords(done: number, total: number): string {
  if (total === 1) return 'The order was not cancelled';
  return done === 0
    ? `None of the ${total} orders was cancelled`
    : `${done} of ${total} orders cancelled, the others not`;
}

/** The error object carries the record's id, as that is what settles it. */
export function unknownFailure(market: string, total: number, unknown: readonly CancelAttempt[]): Failure {
  const [first] = unknown;
  const { message = null, id = null, clientId: own = null } = first?.result ?? {};
  const name = own ?? id;
  const what =
    total === 1
      ? `whether ${name} was cancelled`
      : `of ${unknown.length} of ${total} orders whether they were cancelled`;
  const intent = unknown.length === 1 ? first?.intent : undefined;
  const words = `It is not known ${what}${message === null ? '' : `: ${message}`}.`;
  const again =
    own === null
      ? ['cancel', market, ...unknown.map(({ result }) => result.id ?? '')]
      : ['cancel', market, '--id', own];
  return new Failure('unknown', words, {
    hint: [
      suggest('Find out', 'resolve', ...(intent ? [intent] : [])),
      suggest('To cancel again does no harm', ...again),
    ],
    ...(first?.intent ? { clientId: first.intent } : {}),
  });
}
