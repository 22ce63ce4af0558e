import { type Failure, suggest, usage } from '../../errors.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { type CoinFacts, readCoinFacts } from '../../trading/withdrawals/coin-facts.js';
import { checkCoin, type WithdrawalDraft } from '../../trading/withdrawals/prepare.js';
import { explainRefusal, unknownCoin } from '../funds/refusal.js';
import type { Context } from '../session/command.js';

/** A withdrawal as far as the command line gives it. */
export type GivenWithdrawal = Omit<WithdrawalDraft, 'coin' | 'amount' | 'to'> & {
  readonly coin: string | undefined;
  readonly amount: WithdrawalDraft['amount'] | undefined;
  readonly to: string | undefined;
};

/** Refuses parts that contradict each other. Throws Failure `usage`. */
export function checkGiven({ to, memo, coin, amount }: GivenWithdrawal, confirmAddress: string | undefined): void {
  const unit = amount?.coin;
  if (coin !== undefined && unit !== undefined && unit !== coin)
    throw usage(`The amount is in ${unit}, but the coin is ${coin}.`, `Write it in ${coin}, or as a share.`);
  if (to !== undefined && to.trim() === '')
    throw usage('The address of --to is empty.', 'Give the whole address, copied from its source.');
  if (memo === '') throw usage('The memo is empty.', 'Leave --memo out if there is none.');
  if (to === undefined || confirmAddress === undefined || isConfirmed(to, memo, confirmAddress)) return;
  throw usage(
    'The address of --confirm-address differs from that of --to; nothing was sent.',
    'Give the whole address again, copied from its source.',
  );
}

/** Whether the whole address was given again: alone, or with its memo as the exchange writes it. */
export function isConfirmed(to: string, memo: string | undefined, confirmAddress: string): boolean {
  return confirmAddress === to || (memo !== undefined && confirmAddress === `${to}_${memo}`);
}

/** The withdrawal if none of its parts is missing. */
export function completeWithdrawal({ coin, amount, to, ...others }: GivenWithdrawal): WithdrawalDraft | undefined {
  return coin === undefined || amount === undefined || to === undefined ? undefined : { ...others, coin, amount, to };
}

/** The failure that names the first missing part. */
export function firstMissing({ coin, amount }: GivenWithdrawal): Failure {
  const asked = 'On a terminal, pit asks for what is missing.';
  if (coin === undefined) return usage('The coin is missing.', [suggest('See what you have', 'balance'), asked]);
  if (amount === undefined)
    return usage('The amount is missing.', ['Write it after the coin, for instance 0.01 or 50%.', asked]);
  return usage('The address is missing.', ['Give it with --to ADDRESS.', asked]);
}

/** What the exchange reports about a coin. Throws Failure `usage` for an unknown one, `credentials` for a key that may not withdraw. */
export async function coinFacts(context: Context, trading: TradingContext, coin: string): Promise<CoinFacts> {
  const facts = await explainRefusal(context, { coin, command: 'withdraw' }, () => readCoinFacts(trading.client, coin));
  if (facts.permitted !== false && facts.entry === undefined) throw unknownCoin(coin, facts.known);
  checkCoin(coin, facts);
  return facts;
}
