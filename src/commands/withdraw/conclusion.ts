import type { Context } from '../../cli/context.js';
import { type Advice, Failure, suggest } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { zonedTime } from '../../terminal/time.js';
import type { Unknown } from '../../trading/orders/settle.js';
import type { PreparedWithdrawal } from '../../trading/withdrawals/prepare.js';
import type { Withdrawal } from '../../trading/withdrawals/send.js';
import { notSent } from '../not-sent.js';
import { refusedWithdrawal } from './refused.js';

/** A withdrawal that was sent, and what the journal calls it. */
type SentWithdrawal = PreparedWithdrawal & { readonly id: string };

/** For a signal that comes while the answer is awaited. */
export function interruptedNote(id: string): Advice {
  return [
    'The withdrawal may have left, and its answer was not awaited.',
    suggest('Find out what became of it', 'resolve', id),
  ];
}

/** What became of it, for the user: an answer, or a Failure `refused`, `limited`, `unreachable` or `unknown`. */
export function conclude({ output }: Context, sent: SentWithdrawal, withdrawal: Withdrawal): Answer {
  const { id: clientId, wanted } = sent;
  const { coin } = wanted;
  if (withdrawal.outcome === 'refused') throw refusedWithdrawal(withdrawal.refusal, coin, clientId);
  if (withdrawal.outcome === 'notSent') throw notSent('The withdrawal', withdrawal, clientId);
  if (withdrawal.outcome === 'unknown')
    return { ...answer(sent, withdrawal), failure: unknownFailure(sent, withdrawal) };
  if (output.format === 'table') output.note(suggest('Follow it with', 'withdrawals', coin));
  if (withdrawal.duplicates === null)
    output.note([
      'Whether something on the way repeated it could not be looked up.',
      suggest('To look again', 'withdrawals', coin),
    ]);
  return answer(sent, withdrawal);
}

function answer(sent: SentWithdrawal, withdrawal: Exclude<Withdrawal, { outcome: 'refused' | 'notSent' }>): Answer {
  const { wanted, sums, address, memo } = sent;
  const { coin, internal } = wanted;
  const { amount, fee, receives } = sums;
  const id = withdrawal.outcome === 'placed' ? withdrawal.id : null;
  return {
    data: { outcome: withdrawal.outcome, id, coin, amount, fee, receives, address, memo, internal },
    show: (screen: Screen) => concluded(screen, sent, withdrawal.outcome, id),
  };
}

function concluded(screen: Screen, sent: SentWithdrawal, outcome: string, id: string | null): string {
  const { sums, wanted, address, memo } = sent;
  const isUnknown = outcome === 'unknown';
  return record(screen, [
    ['withdrawal', isUnknown ? 'unknown' : 'submitted', (text, paint) => (isUnknown ? paint.warn : paint.good)(text)],
    ['amount', `${grouped(sums.amount)} ${wanted.coin}`],
    ['address', address],
    ...(memo === null ? [] : [['memo', memo] as Entry]),
    isUnknown ? ['journal', sent.id] : ['id', id ?? 'none: it was moved within the exchange'],
  ]);
}

function unknownFailure({ id: clientId }: SentWithdrawal, { reason, certainFrom }: Unknown): Failure {
  const when = certainFrom === null ? '' : ` From ${zonedTime(certainFrom)} on it can be told for certain.`;
  return new Failure('unknown', `It is not known whether the withdrawal left: ${reason}.${when}`, {
    clientId,
    hint: ['Do not send it again before you know.', suggest('Find out', 'resolve', clientId)],
  });
}
