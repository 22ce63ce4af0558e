import { factsOf } from '../../cli/fact-list.js';
import * as shape from '../../cli/shapes.js';
import { formatAmount } from '../../domain/decimal.js';
import type { Withdrawal } from '../../domain/funds.js';
import type { Refusal, RefusalKind } from '../../domain/refusal.js';
import { type Advice, adviceParts, Failure, type Hint, suggest } from '../../errors.js';
import { notSentFailure, refusalFailure } from '../../exchange/exchange.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record } from '../../terminal/table.js';
import { localTime } from '../../terminal/time.js';
import type { UnknownWithdrawal } from '../../trading/settling/withdrawals/settle-withdrawal.js';
import type { EarlierUse } from '../../trading/withdrawals/coin-facts.js';
import type { PreparedWithdrawal } from '../../trading/withdrawals/prepare.js';
import type { WithdrawalResult } from '../../trading/withdrawals/send.js';
import { duplicateFailure } from '../session/duplicate-warnings.js';
import { dryRunShape } from '../writes/dry-run.js';
import { PREVIEW_FIELDS, type Warned } from '../writes/preview-facts.js';
import { askAgain } from '../writes/unknown-writes.js';
import type { WriteContext } from '../writes/write.js';

/** A withdrawal that was checked, ready to be sent. */
export interface CheckedWithdrawal extends Pick<Warned, 'warnings'> {
  readonly prepared: PreparedWithdrawal;
  /** Undefined if the records could not be read. */
  readonly earlier: EarlierUse | undefined;
  /** The warning about an address that no record shows, which is one of the warnings; null if a record does. */
  readonly unfamiliar: string | null;
}

/** The outcome of a withdrawal that was sent. */
export const WITHDRAWN = shape.object({
  outcome: shape.enumOf(['placed', 'unknown'], ''),
  id: shape.nullable(shape.outsideText('of its record')),
  coin: shape.text(''),
  amount: shape.decimal(''),
  fee: shape.decimal('of the network'),
  receives: shape.decimal('what arrives'),
  address: shape.outsideText('without the memo'),
  memo: shape.nullable(shape.outsideText('')),
  internal: shape.boolean('a transfer within the exchange was allowed'),
  duplicates: shape.array(shape.id(''), 'further withdrawals that the network made of the same request'),
});

type Withdrawn = shape.Infer<typeof WITHDRAWN>;

const fact = factsOf<CheckedWithdrawal>();

/** What is known of a withdrawal before it is sent. */
export const WITHDRAWAL_FACTS = {
  amount: fact({
    label: 'withdraw',
    text: ({ prepared }) => amountText(prepared, 'amount'),
    json: {
      amount: [PREVIEW_FIELDS.amount, ({ prepared }) => prepared.sums.amount],
      coin: [shape.text(''), ({ prepared }) => prepared.wanted.coin],
    },
  }),
  chain: fact({
    label: 'chain',
    text: ({ prepared }) => `${prepared.chain.chain} (not sent: the verified address decides)`,
    json: {
      chain: [
        shape.nullable(shape.outsideText('whose fee and address format apply')),
        ({ prepared }) => prepared.chain.chain,
      ],
    },
  }),
  fee: fact({
    label: 'fee',
    text: ({ prepared }) => {
      const side = prepared.place === 'inside' ? 'as part of the amount' : 'on top of the amount';
      return `${amountText(prepared, 'fee')}, ${side} (assumed)`;
    },
    json: { fee: [PREVIEW_FIELDS.fee, ({ prepared }) => prepared.sums.fee] },
  }),
  receives: fact({
    label: 'arrives',
    text: ({ prepared }) => `${amountText(prepared, 'receives')} (assumed)`,
    json: { receives: [shape.decimal('what arrives'), ({ prepared }) => prepared.sums.receives] },
  }),
  address: fact({
    label: 'address',
    text: ({ prepared }) => inFours(prepared.address),
    paint: (text, paint) => paint.strong(text),
    json: { address: [shape.outsideText(''), ({ prepared }) => prepared.address] },
  }),
  memo: fact({
    label: 'memo',
    text: ({ prepared }) => prepared.memo ?? undefined,
    paint: (text, paint) => paint.strong(text),
    json: { memo: [shape.nullable(shape.outsideText('')), ({ prepared }) => prepared.memo] },
  }),
  available: fact({
    label: 'available',
    text: ({ prepared: { available, left, wanted } }) =>
      `${formatAmount(available)} ${wanted.coin}, then ${formatAmount(left)} ${wanted.coin} (assumed)`,
    json: {
      balanceBefore: [shape.nullable(shape.decimal('available now')), ({ prepared }) => prepared.available],
      balanceAfter: [shape.nullable(shape.decimal('available after it')), ({ prepared }) => prepared.left],
    },
  }),
  internal: fact({
    label: 'internal',
    text: ({ prepared }) => (prepared.wanted.internal ? 'yes, if the address is of this exchange' : undefined),
  }),
  used: fact({
    entries: ({ earlier, unfamiliar }) => [usedEntry(earlier, unfamiliar)],
    json: { usedBefore: [shape.nullable(shape.boolean('null is unknown')), ({ earlier }) => usedBefore(earlier)] },
  }),
};

function amountText({ sums, wanted }: PreparedWithdrawal, sum: keyof PreparedWithdrawal['sums']): string {
  return `${formatAmount(sums[sum])} ${wanted.coin}`;
}

export const DRY_WITHDRAWAL = dryRunShape(WITHDRAWAL_FACTS);

/** The withdrawal as a question. */
export function withdrawalQuestion({ wanted, sums, address, memo }: PreparedWithdrawal): string {
  const what = `Withdraw ${formatAmount(sums.amount)} ${wanted.coin} to ${inFours(address)}`;
  return `${what}${memo === null ? '' : ` with memo ${memo}`}?`;
}

/** In groups that are easy to compare with its source. */
function inFours(address: string): string {
  return address.match(/.{1,4}/gu)?.join(' ') ?? address;
}

function usedEntry(earlier: EarlierUse | undefined, unfamiliar: string | null): RecordLine {
  if (earlier?.last === undefined) return ['used before', unfamiliar, (text, paint) => paint.bad(text)];
  const { time, state, status, amount } = earlier.last;
  const text = `yes, last ${localTime(time)}: ${formatAmount(amount)}, ${state === 'other' ? `state ${status}` : state}`;
  return ['used before', text];
}

/** Null is unknown. */
function usedBefore(earlier: EarlierUse | undefined): boolean | null {
  if (earlier === undefined) return null;
  if (earlier.last !== undefined) return true;
  return earlier.isAll && !earlier.isAccountKnown ? false : null;
}

/** A withdrawal that was sent, and the id of its record. */
type SentWithdrawal = PreparedWithdrawal & { readonly id: string };

/** The outcome of a withdrawal. Throws Failure `refused`, `limited` or `unreachable` if nothing was moved. */
export function withdrawalAnswer(
  { output }: WriteContext,
  sent: SentWithdrawal,
  withdrawal: WithdrawalResult,
): Answer<Withdrawn> {
  const { id: clientId, wanted } = sent;
  const { coin } = wanted;
  if (withdrawal.outcome === 'refused') throw refusedWithdrawal(withdrawal.refusal, coin, clientId);
  if (withdrawal.outcome === 'notSent') throw notSentFailure('The withdrawal', withdrawal, clientId);
  if (withdrawal.outcome === 'unknown')
    return { ...answer(sent, withdrawal), failure: unknownFailure(sent, withdrawal) };
  output.note(suggest('Follow it with', 'withdrawals', coin));
  if (withdrawal.duplicates === null)
    output.warn([
      'The network may have repeated the request, and pit could not check.',
      suggest('Check again', 'withdrawals', coin),
    ]);
  const done = answer(sent, withdrawal);
  if ((withdrawal.duplicates ?? []).length === 0) return done;
  return {
    ...done,
    failure: duplicateFailure('The withdrawal was made', clientId, suggest('See them', 'withdrawals', coin)),
  };
}

function answer(
  sent: SentWithdrawal,
  withdrawal: Exclude<WithdrawalResult, { outcome: 'refused' | 'notSent' }>,
): Answer<Withdrawn> {
  const { wanted, sums, address, memo } = sent;
  const { coin, internal } = wanted;
  const { amount, fee, receives } = sums;
  const { outcome, id } = withdrawal;
  const duplicates = outcome === 'placed' ? (withdrawal.duplicates ?? []) : [];
  return {
    data: { outcome, id, coin, amount, fee, receives, address, memo, internal, duplicates },
    show: (screen: Screen) => resultTable(screen, sent, outcome, id),
  };
}

function resultTable(screen: Screen, sent: SentWithdrawal, outcome: string, id: string | null): string {
  const { sums, wanted, address, memo } = sent;
  const isUnknown = outcome === 'unknown';
  return record(screen, [
    ['withdrawal', isUnknown ? 'unknown' : 'submitted', (text, paint) => (isUnknown ? paint.warn : paint.good)(text)],
    ['amount', `${formatAmount(sums.amount)} ${wanted.coin}`],
    ['address', address],
    ...(memo === null ? [] : [['memo', memo] as RecordLine]),
    isUnknown ? ['journal', sent.id] : ['id', id ?? 'none (a transfer within the exchange)'],
  ]);
}

function unknownFailure(
  { id: clientId, wanted }: SentWithdrawal,
  { reason, localExpiry, candidates }: UnknownWithdrawal,
): Failure {
  const advice =
    candidates === undefined
      ? [askAgain('Find out', localExpiry, clientId)]
      : settleWithdrawalAdvice(clientId, wanted.coin, candidates);
  return new Failure('unknown', `It is unknown whether the withdrawal was sent: ${reason}.`, {
    clientId,
    hint: ['Do not send it again before you know.', ...advice],
  });
}

/** How the user settles a withdrawal that pit cannot decide. @param candidates the records that may be it */
export function settleWithdrawalAdvice(
  clientId: string,
  coin: string,
  candidates: readonly Withdrawal[],
): readonly (string | Hint)[] {
  const as = (outcome: string) => ['resolve', clientId, '--as', outcome];
  const [only, ...more] = candidates;
  const made = only === undefined ? 'done' : `placed=${more.length === 0 ? only.id : 'ID'}`;
  return [
    'Check the exchange, then record what you found.',
    suggest('See the withdrawals', 'withdrawals', coin),
    suggest('If it was made', ...as(made)),
    suggest('If it was not', ...as('notSent')),
  ];
}

/** What helps with a refused withdrawal, if it is not what helps with any request. */
const HINTS: Readonly<Partial<Record<RefusalKind, (coin: string) => Advice>>> = {
  invalid: (coin) => [
    suggest('See its chains', 'fees', coin),
    suggest('See its verified addresses', 'address', coin, '--withdraw'),
  ],
  closed: (coin) => ['Withdrawals over this chain are closed for now.', suggest('See which are open', 'fees', coin)],
  noPermission: () => [
    'The key needs the permission money.',
    suggest('See what this key may do', 'account'),
    "Create a key with more permissions on the exchange's website.",
  ],
  badAmount: () => 'The exchange has a minimum and a maximum, shown only on its website. Choose another amount.',
  badAddress: (coin) => [
    "Verify the address on the exchange's website first, with its memo if the chain uses one.",
    suggest('See the verified addresses', 'address', coin, '--withdraw'),
    "The fee must be at least the chain's.",
    suggest('See the fees', 'fees', coin),
  ],
  insufficientFunds: () => suggest('See what is available, and what open orders hold', 'balance'),
};

function refusedWithdrawal(refused: Refusal, coin: string, clientId: string): Failure {
  const { kind, message, hints, refusal, code } = refusalFailure(refused, 'withdrawal');
  const hint = ['Nothing was moved.', ...adviceParts(HINTS[refused.kind]?.(coin) ?? hints)];
  return new Failure(kind, message, { clientId, hint, refusal, code });
}
