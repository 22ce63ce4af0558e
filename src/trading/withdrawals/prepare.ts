import { Decimal } from '../../domain/decimal.js';
import { Failure, suggest, usage } from '../../errors.js';
import { type Chain, chooseChain } from './chain-choice.js';
import type { CoinFacts } from './coin-facts.js';
import { checkMemo, type Destination, destinationOf, receiveAddress } from './destination.js';
import { type FeePlace, type Sums, sumsOf, type WithdrawAmount } from './plan.js';
import type { WantedWithdrawal } from './terms.js';

/** A withdrawal as the user said it. */
export interface WithdrawRequest {
  readonly coin: string;
  readonly amount: WithdrawAmount & { readonly coin?: string };
  readonly to: string;
  readonly memo: string | undefined;
  readonly chain: string | undefined;
  readonly fee: string | undefined;
  readonly internal: boolean;
}

/** A withdrawal that can be sent, as far as that can be known beforehand. */
export interface PreparedWithdrawal extends Destination {
  readonly wanted: WantedWithdrawal;
  readonly chain: Chain;
  readonly sums: Sums;
  readonly place: FeePlace;
  /** What is available before and after, decimal texts in the coin. */
  readonly available: string;
  readonly left: string;
  /** What to beware of, as sentences. */
  readonly warnings: readonly string[];
}

/**
 * The checks that do not depend on the amount. Throws Failure `credentials` without the permission, `usage` for a suspended
 * coin.
 */
export function checkCoin(coin: string, { entry, permitted }: CoinFacts): NonNullable<CoinFacts['entry']> {
  if (!permitted)
    throw new Failure('credentials', 'The key may not withdraw: it lacks the permission money.', {
      hint: [suggest('See what this key may do', 'account'), "The exchange's website makes keys that may do more."],
    });
  if (entry === undefined)
    throw usage(`This exchange has no coin ${coin}.`, suggest('See the coins', 'balance', '--all'));
  if (entry.canWithdraw) return entry;
  throw usage(`Withdrawals of ${coin} are switched off.`, suggest('See when they are open again', 'fees', coin));
}

/** Checks everything that can be checked and computes the amounts. Throws Failure `usage` and `credentials` with a fix. */
export function prepareWithdrawal(request: WithdrawRequest, facts: CoinFacts, place: FeePlace): PreparedWithdrawal {
  const { coin, amount, to, memo, internal, fee } = request;
  const entry = checkCoin(coin, facts);
  if (amount.coin !== undefined && amount.coin !== coin)
    throw usage(
      `The amount is in ${amount.coin}, and the withdrawal of ${coin}.`,
      `Write it in ${coin}, or as a share.`,
    );
  const destination = destinationOf(to, memo, facts.chains);
  const { chain, alsoOn } = chooseChain(coin, facts.chains, destination.address, request.chain);
  checkMemo(coin, chain, destination);
  const { available, scale } = entry;
  const sums = sumsOf(amount, { coin, scale, available, chain, fee, place });
  const address = receiveAddress(destination);
  return {
    ...destination,
    ...{ chain, sums, place, available },
    wanted: { coin, amount: sums.amount, fee: sums.fee, address, internal },
    left: Decimal.of(available).minus(Decimal.of(sums.taken)).toString(),
    warnings: warningsOf(facts, chain, alsoOn, address),
  };
}

function warningsOf(
  { chains, verified }: CoinFacts,
  chain: Chain,
  alsoOn: readonly string[],
  address: string,
): string[] {
  const warnings: string[] = [];
  if (alsoOn.length > 0)
    warnings.push(
      `The address is valid on ${alsoOn.join(' and ')} as well: ask the receiver which chain is meant. Coins that come over another one are lost.`,
    );
  if (chains.length > 1)
    warnings.push(
      `The chain picks the fee and the form of the address, and is not sent: the exchange takes the one for which the address was verified.`,
    );
  if (chain.usesMemo === null) warnings.push(`Whether ${chain.chain} needs a memo is not known: ask the receiver.`);
  if (verified === null)
    warnings.push('The exchange tells of no verified address for this coin, and takes verified ones only: it decides.');
  else if (verified !== address)
    warnings.push(
      `The exchange tells of another verified address, ${verified}. It may know more of them, and decides.`,
    );
  return warnings;
}
