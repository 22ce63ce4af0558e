import type { Context } from '../../cli/context.js';
import { Failure, suggest, usage } from '../../errors.js';
import type { WithdrawRequest } from '../../trading/withdrawals/prepare.js';
import type { PasswordSource } from './fund-password.js';

/** A withdrawal as far as the command line says it. */
export type GivenWithdrawal = Omit<WithdrawRequest, 'coin' | 'amount' | 'to'> & {
  readonly coin: string | undefined;
  readonly amount: WithdrawRequest['amount'] | undefined;
  readonly to: string | undefined;
};

/** Refuses what contradicts itself. Throws Failure `usage`. */
export function checkGiven({ to, memo, coin, amount }: GivenWithdrawal, confirmAddress: string | undefined): void {
  const unit = amount?.coin;
  if (coin !== undefined && unit !== undefined && unit !== coin)
    throw usage(`The amount is in ${unit}, and the withdrawal of ${coin}.`, `Write it in ${coin}, or as a share.`);
  if (memo === '') throw usage('The memo is empty.', 'Leave --memo out where there is none.');
  if (to === undefined || confirmAddress === undefined || isConfirmed(to, memo, confirmAddress)) return;
  throw usage(
    'The address of --confirm-address is not the one of --to; nothing was sent.',
    'Give the whole address again, copied from where it came.',
  );
}

/** Whether the whole address was given again: alone, or with its memo as the exchange takes it. */
export function isConfirmed(to: string, memo: string | undefined, confirmAddress: string): boolean {
  return confirmAddress === to || (memo !== undefined && confirmAddress === `${to}_${memo}`);
}

/** The withdrawal in full; undefined where a part is missing. */
export function wholeRequest({ coin, amount, to, ...others }: GivenWithdrawal): WithdrawRequest | undefined {
  return coin === undefined || amount === undefined || to === undefined ? undefined : { ...others, coin, amount, to };
}

/** What is missing first, as where nobody can be asked. */
export function firstMissing({ coin, amount }: GivenWithdrawal): Failure {
  const hint = [
    suggest('Write it in full, for instance', 'withdraw', 'btc', '0.01', '--to', 'ADDRESS'),
    'On a terminal, pit asks for what is missing.',
  ];
  if (coin === undefined) return usage('The coin is missing.', hint);
  return usage(amount === undefined ? 'The amount is missing.' : 'The address is missing: --to ADDRESS.', hint);
}

/**
 * Refuses a withdrawal, before any request, where nobody can confirm it or give the fund password. `--yes` does neither.
 * Throws Failure `declined`.
 */
export function requireSomebody(
  { globals, prompts }: Pick<Context, 'globals' | 'prompts'>,
  { confirmed, source }: { readonly confirmed: boolean; readonly source: PasswordSource },
): void {
  if (globals.dryRun || prompts.available) return;
  if (!confirmed)
    throw new Failure('declined', 'A withdrawal needs a confirmation, and there is no terminal to ask on.', {
      hint: `A script gives the whole address again with --confirm-address; --yes does not confirm it. --dry-run shows what it would do.`,
    });
  if (source.kind !== 'prompt') return;
  throw new Failure('declined', 'The fund password is needed, and there is no terminal to ask on.', {
    hint: 'Give it on stdin with --safe-pwd-stdin, or on a file descriptor with --safe-pwd-fd N.',
  });
}
