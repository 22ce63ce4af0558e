import { flag, optional, toggle } from '../../cli/definition.js';
import { shownOf } from '../../cli/fact-list.js';
import { type Advice, Failure, suggest, tryRead } from '../../errors.js';
import { SendGate } from '../../trading/journal/entry.js';
import { isKind } from '../../trading/journal/write.js';
import { newClientId } from '../../trading/orders/terms.js';
import { closeCoin } from '../../trading/settling/withdrawals/reconcile-withdrawals.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { feePlace, parseWithdrawAmount } from '../../trading/withdrawals/amounts.js';
import { type EarlierUse, readEarlierUse } from '../../trading/withdrawals/coin-facts.js';
import { checkLimits, withdrawLimits } from '../../trading/withdrawals/limits.js';
import { type PreparedWithdrawal, prepareWithdrawal, type WithdrawalDraft } from '../../trading/withdrawals/prepare.js';
import { refuseIdenticalWithdrawal, sendWithdrawal } from '../../trading/withdrawals/send.js';
import { coinName, positiveDecimal, wholeNumber, word } from '../inputs/parsers.js';
import { type Context, define } from '../session/command.js';
import { dryRequest } from '../writes/dry-run.js';
import { previewJson } from '../writes/preview-facts.js';
import { mayBeDone, openWrite, runWrite, type WriteContext } from '../writes/write.js';
import { type PasswordSource, passwordSource, readFundPassword } from './fund-password.js';
import { checkGiven, coinFacts, completeWithdrawal, firstMissing, isConfirmed } from './given.js';
import {
  type CheckedWithdrawal,
  DRY_WITHDRAWAL,
  WITHDRAWAL_FACTS,
  WITHDRAWN,
  withdrawalAnswer,
  withdrawalQuestion,
} from './withdrawal-view.js';

export default define({
  summary: 'Withdraw a coin to a verified address',
  arguments: {
    coin: optional('the coin', coinName),
    amount: optional('in the coin (0.5), or a share of the balance (50%)', parseWithdrawAmount),
  },
  flags: {
    to: flag('--to <address>', 'the address, which must be verified with the exchange', word),
    memo: flag('--memo <text>', 'the memo, on chains that use one', word),
    chain: flag('--chain <name>', 'the chain whose fee and address format apply; it is not sent', word),
    fee: flag('--fee <amount>', "the network fee (default: the exchange's)", positiveDecimal('--fee')),
    internal: toggle('--internal', 'allow a transfer within the exchange'),
    confirmAddress: flag('--confirm-address <address>', 'confirm in a script: the whole address again', word),
    safePwdStdin: toggle('--safe-pwd-stdin', 'read the fund password from stdin'),
    safePwdFd: flag(
      '--safe-pwd-fd <n>',
      'read the fund password from a file descriptor',
      wholeNumber('--safe-pwd-fd', 3, 1023),
      { excludes: ['--safe-pwd-stdin'] },
    ),
  },
  examples: [
    'withdraw',
    'withdraw btc 0.01 --to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT',
    'withdraw xrp 50% --to rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH --memo 1234 --dry-run',
    'withdraw btc 0.01 --to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT --confirm-address 1BoatSLRHtKNngkdXEeobR76b53LETtpyT --safe-pwd-stdin < password.txt',
  ],
  output: WITHDRAWN,
  dryRunOutput: DRY_WITHDRAWAL,
  async run(context, { coin, amount, to, memo, chain, fee, internal, confirmAddress, safePwdStdin, safePwdFd }) {
    const given = { coin, amount, to, memo, chain, fee, internal };
    const source = passwordSource(context, { stdin: safePwdStdin, fd: safePwdFd });
    checkGiven(given, confirmAddress);
    const request = completeWithdrawal(given);
    if (request === undefined && !context.prompts.available) throw firstMissing(given);
    requireConfirmation(context, { confirmed: confirmAddress !== undefined, source });
    const write = await openWrite(context, context.globals.dryRun || context.prompts.available);
    const how = { confirmAddress, source };
    if (request !== undefined) return withdraw(context, write, request, how);
    const { askRequest } = await import('./guided.js');
    return withdraw(context, write, await askRequest(context, write.trading, given), how);
  },
});

/**
 * Refuses a withdrawal, before any request, without a terminal to confirm it at and give the fund password. `--yes` does neither.
 * Throws Failure `declined`.
 */
function requireConfirmation(
  { globals, prompts }: Pick<Context, 'globals' | 'prompts'>,
  { confirmed, source }: { readonly confirmed: boolean; readonly source: PasswordSource },
): void {
  if (globals.dryRun || prompts.available) return;
  if (!confirmed)
    throw new Failure('declined', `A withdrawal needs confirmation, and ${prompts.whyUnavailable}.`, {
      hint: 'In a script, give the whole address again with --confirm-address; --yes does not confirm it. --dry-run shows what it would do.',
    });
  if (source.kind !== 'prompt') return;
  throw new Failure('declined', `The fund password is missing, and ${prompts.whyUnavailable}.`, {
    hint: 'Give it on stdin with --safe-pwd-stdin, or on a file descriptor with --safe-pwd-fd N.',
  });
}

/** How a withdrawal is confirmed, and where the fund password comes from. */
interface Confirmation {
  /** The whole address again, given by a script. */
  readonly confirmAddress: string | undefined;
  readonly source: PasswordSource;
}

/** Previews a withdrawal, has it confirmed, and sends it; for `--dry-run` only the preview. */
function withdraw(
  command: Context,
  context: WriteContext,
  request: WithdrawalDraft,
  { confirmAddress: repeatedAddress, source }: Confirmation,
) {
  const { trading, host, session } = context;
  const gate = new SendGate();
  const id = newClientId(host);
  return runWrite(context, {
    plan: () => checkWithdrawal(command, context, request),
    preview: (checked) => shownOf(WITHDRAWAL_FACTS, checked),
    dryRun: (checked) => {
      const request = { kind: 'withdrawal', withdrawal: checked.prepared.wanted } as const;
      return dryRequest(context, request, previewJson(WITHDRAWAL_FACTS, checked));
    },
    ask: ({ prepared }) => confirmAddress(context, prepared, request, repeatedAddress),
    run: async ({ prepared }) => {
      const limits = async () => withdrawLimits(await session.currentSettings());
      const password = await readFundPassword(command, source, withdrawalQuestion(prepared));
      const sent = await sendWithdrawal(trading, prepared.wanted, { id, limits, password, gate });
      return withdrawalAnswer(context, { ...prepared, id }, sent);
    },
    left: () =>
      gate.cancel() ? null : mayBeDone('The withdrawal may have been sent; pit did not wait for the answer.', id),
  });
}

/** Checks a withdrawal against the exchange, the journal and the user's own limits. Throws Failure that names the fix. */
async function checkWithdrawal(
  command: Context,
  { trading, session, output }: WriteContext,
  request: WithdrawalDraft,
): Promise<CheckedWithdrawal> {
  const settings = await session.currentSettings();
  const { coin } = request;
  const facts = await coinFacts(command, trading, coin);
  const prepared = prepareWithdrawal(request, facts, feePlace(settings));
  const { wanted } = prepared;
  refuseIdenticalWithdrawal(trading, wanted);
  await checkLimits(trading, withdrawLimits(settings), wanted);
  await tryRead(() => closeCoin(trading, coin));
  const earlier = await readEarlierUse(trading.client, coin, prepared);
  const unfamiliar = firstUseText(earlier);
  const others = [
    ...prepared.warnings,
    ...unknownWithdrawalWarnings(trading, coin).map((advice) => output.textOf(advice)),
  ];
  const first = unfamiliar === null ? [] : [{ text: unfamiliar, isFact: true }];
  return { prepared, earlier, unfamiliar, warnings: [...first, ...others.map((text) => ({ text }))] };
}

/** An earlier withdrawal with an unknown outcome, even of another amount, may be the same one. */
function unknownWithdrawalWarnings({ journal }: TradingContext, coin: string): Advice[] {
  return journal.unsettledEntries().flatMap(({ write }) => {
    if (!isKind(write, 'withdraw') || write.terms.coin !== coin) return [];
    const { amount, address } = write.terms;
    const text = `It is unknown whether an earlier withdrawal of ${amount} ${coin} to ${address} was sent.`;
    return [[text, suggest('Find out', 'resolve', write.id)]];
  });
}

function firstUseText(earlier: EarlierUse | undefined): string | null {
  if (earlier === undefined)
    return 'It is unknown whether this address was used before: the records could not be read.';
  if (earlier.last !== undefined) return null;
  if (earlier.isAccountKnown)
    return 'This account was used before, but the records do not show memos: it may be the FIRST USE of this memo. Compare every character with its source.';
  const none = earlier.isAll ? 'no withdrawal of this coin went' : 'none of the latest withdrawals of this coin went';
  return `FIRST USE: ${none} to this address. Compare every character with its source.`;
}

/** The last characters of the address that are typed to confirm it. */
const TYPED = 6;

/**
 * Has the address confirmed: a script gives it twice; a person types its end, which requires reading it. Throws Failure
 * `usage` if the two differ, `declined` if anything else was typed.
 */
async function confirmAddress(
  { consent }: WriteContext,
  prepared: PreparedWithdrawal,
  { to }: WithdrawalDraft,
  given: string | undefined,
): Promise<void> {
  const { address, memo } = prepared;
  if (given !== undefined) {
    if (given === to || isConfirmed(address, memo ?? undefined, given)) return;
    throw new Failure(
      'usage',
      'The address of --confirm-address differs from the one that was typed; nothing was sent.',
      {
        hint: 'Give the whole address again, copied from its source.',
      },
    );
  }
  const typing = `Type the last ${TYPED} characters of the address, without spaces, to send it:`;
  const question = `${withdrawalQuestion(prepared)} ${typing}`;
  const end = address.slice(-TYPED);
  if (await consent.ask({ text: question, word: end })) return;
  throw new Failure('declined', 'The end of the address was not typed; nothing was sent.', {
    hint: 'Upper and lower case count.',
  });
}
