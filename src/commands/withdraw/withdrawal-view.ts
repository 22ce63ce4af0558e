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
import { dryRunShape, PREVIEW_FIELDS, type PreviewJson } from '../writes/dry-run.js';
import { askAgain } from '../writes/unknown-writes.js';
import { exchangeText, type WriteContext } from '../writes/write.js';

/** A withdrawal that was checked, ready to be sent. */
export interface CheckedWithdrawal {
  readonly prepared: PreparedWithdrawal;
  /** Undefined if the records could not be read. */
  readonly earlier: EarlierUse | undefined;
  /** The warning about an address that no record shows, which is one of the warnings; null if a record does. */
  readonly unfamiliar: string | null;
  readonly warnings: readonly { readonly text: string }[];
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

export const DRY_WITHDRAWAL = dryRunShape({
  ...PREVIEW_FIELDS,
  coin: shape.text(''),
  chain: shape.nullable(shape.outsideText('whose fee and address format apply')),
  receives: shape.decimal('what arrives'),
  address: shape.outsideText(''),
  memo: shape.nullable(shape.outsideText('')),
  balanceBefore: shape.nullable(shape.decimal('available now')),
  balanceAfter: shape.nullable(shape.decimal('available after it')),
  usedBefore: shape.nullable(shape.boolean('null is unknown')),
});

/** What a withdrawal will do and where it goes, as a table that is shown before the question. */
export async function previewTable(
  context: WriteContext,
  { prepared, earlier, unfamiliar, warnings }: CheckedWithdrawal,
): Promise<(screen: Screen) => string> {
  const where = await exchangeText(context);
  return (screen) =>
    record(screen, [
      ...moneyEntries(prepared),
      ['address', inFours(prepared.address), (text, paint) => paint.strong(text)],
      ...(prepared.memo === null ? [] : [memoEntry(prepared.memo)]),
      usedEntry(earlier, unfamiliar),
      ['exchange', where],
      ...warnings
        .filter(({ text }) => text !== unfamiliar)
        .map((warning): RecordLine => ['warning', warning.text, (text, paint) => paint.warn(text)]),
    ]);
}

function moneyEntries({ wanted, chain, sums, place, available, left }: PreparedWithdrawal): RecordLine[] {
  const { coin, internal } = wanted;
  const amount = (text: string) => `${formatAmount(text)} ${coin}`;
  const side = place === 'inside' ? 'as part of the amount' : 'on top of the amount';
  return [
    ['withdraw', amount(sums.amount)],
    ['chain', `${chain.chain} (not sent: the verified address decides)`],
    ['fee', `${amount(sums.fee)}, ${side} (assumed)`],
    ['arrives', `${amount(sums.receives)} (assumed)`],
    ['available', `${amount(available)}, then ${amount(left)} (assumed)`],
    ...(internal ? [['internal', 'yes, if the address is of this exchange'] as RecordLine] : []),
  ];
}

function memoEntry(memo: string): RecordLine {
  return ['memo', memo, (text, paint) => paint.strong(text)];
}

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

interface WithdrawPreviewData extends PreviewJson {
  readonly coin: string;
  readonly chain: string;
  readonly receives: string;
  readonly address: string;
  readonly memo: string | null;
  readonly balanceBefore: string;
  readonly balanceAfter: string;
  /** Null is unknown. */
  readonly usedBefore: boolean | null;
}

export function previewData({ prepared, earlier, warnings: found }: CheckedWithdrawal): WithdrawPreviewData {
  const { wanted, chain, sums, address, memo, available, left } = prepared;
  const isNever = earlier?.last === undefined && earlier?.isAll === true && !earlier.isAccountKnown;
  const warnings = found.map(({ text }) => text);
  return {
    price: null,
    amount: sums.amount,
    notional: null,
    fee: sums.fee,
    warnings,
    coin: wanted.coin,
    chain: chain.chain,
    receives: sums.receives,
    address,
    memo,
    balanceBefore: available,
    balanceAfter: left,
    usedBefore: isNever ? false : earlier?.last === undefined ? null : true,
  };
}

/** A withdrawal that was sent, and the id of its record. */
type SentWithdrawal = PreparedWithdrawal & { readonly id: string };

/** The outcome of a withdrawal. Throws Failure `refused`, `limited` or `unreachable` if nothing was moved. */
export function withdrawalAnswer({ output }: WriteContext, sent: SentWithdrawal, withdrawal: WithdrawalResult): Answer {
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
): Answer {
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
