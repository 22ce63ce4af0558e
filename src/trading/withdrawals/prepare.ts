import type { Coin } from '../../domain/account.js';
import { Decimal } from '../../domain/decimal.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure, suggest, usage } from '../../errors.js';
import { amountsOf, type FeePlace, type WithdrawAmount, type WithdrawalAmounts } from './amounts.js';
import type { CoinFacts } from './coin-facts.js';
import { type Chain, checkMemo, chooseChain, type Destination, destinationOf, receiveAddress } from './destination.js';
import type { WantedWithdrawal } from './terms.js';

/** A withdrawal as the user wrote it. */
export interface WithdrawalDraft {
  readonly coin: string;
  readonly amount: WithdrawAmount & { readonly coin?: string };
  readonly to: string;
  readonly memo: string | undefined;
  readonly chain: string | undefined;
  readonly fee: string | undefined;
  readonly internal: boolean;
}

/** A withdrawal that passed every check. */
export interface PreparedWithdrawal extends Destination {
  readonly wanted: WantedWithdrawal;
  readonly chain: Chain;
  readonly sums: WithdrawalAmounts;
  readonly place: FeePlace;
  /** What is available before and after, decimal texts in the coin. */
  readonly available: string;
  readonly left: string;
  /** Warnings, as sentences. */
  readonly warnings: readonly string[];
}

/**
 * The checks that do not depend on the amount. Throws Failure `credentials` without the permission, `usage` for a suspended
 * coin.
 */
export function checkCoin(coin: string, { entry, permitted }: CoinFacts): NonNullable<CoinFacts['entry']> {
  if (permitted === false)
    throw new Failure('credentials', 'This key may not withdraw: it lacks the money permission.', {
      hint: [
        suggest('Show the permissions of this key', 'account'),
        "Create a key with more permissions on the exchange's website.",
      ],
    });
  if (entry === undefined)
    throw usage(`This exchange has no coin ${coin}.`, suggest('List the coins', 'balance', '--all'));
  if (entry.canWithdraw !== false) return entry;
  throw usage(`Withdrawals of ${coin} are suspended.`, suggest('Check whether they have resumed', 'fees', coin));
}

/** Checks everything that can be checked and computes the amounts. Throws Failure `usage` and `credentials` with a fix. */
export function prepareWithdrawal(request: WithdrawalDraft, facts: CoinFacts, place: FeePlace): PreparedWithdrawal {
  const { coin, amount, to, memo, internal, fee } = request;
  const entry = checkCoin(coin, facts);
  if (amount.coin !== undefined && amount.coin !== coin)
    throw usage(
      `The amount is in ${amount.coin}, but the withdrawal is in ${coin}.`,
      `Write it in ${coin}, or as a share.`,
    );
  const destination = destinationOf(to, memo, facts.chains);
  const address = receiveAddress(destination);
  // what the exchange has verified is accepted as it is: an account that needs no memo may be `<account>_`, with an empty one
  const isVerified = address === facts.verified;
  const account = isVerified ? destination.address.replace(/_$/, '') : destination.address;
  const { chain, ...about } = chooseChain(coin, facts.chains, account, request.chain);
  if (!isVerified) checkMemo(coin, chain, destination);
  const { available, scale } = entry;
  const sums = amountsOf(amount, { coin, scale, available, chain, fee, place });
  return {
    ...destination,
    chain,
    sums,
    place,
    available,
    wanted: { coin, amount: sums.amount, fee: sums.fee, address, internal },
    left: Decimal.of(available).minus(Decimal.of(sums.taken)).toString(),
    warnings: [...unknownsOf(facts, entry, chain), ...warningsOf(facts, chain, about, address)],
  };
}

/** What the exchange leaves out that would have been checked, as sentences. */
function unknownsOf({ permitted }: CoinFacts, { coin, canWithdraw, scale }: Coin, chain: Chain): string[] {
  const unknown = [
    ...(permitted === null ? ['whether this key may withdraw'] : []),
    ...(canWithdraw === null ? [`whether withdrawals of ${coin} are open`] : []),
    ...(chain.canWithdraw === null ? [`whether withdrawals over ${quotedName(chain.chain)} are open`] : []),
    ...(scale === null ? [`how many decimals an amount of ${coin} may have`] : []),
  ];
  return unknown.length === 0 ? [] : [`The exchange does not say ${unknown.join(', or ')}, so pit did not check it.`];
}

function warningsOf(
  { chains, verified }: CoinFacts,
  chain: Chain,
  { alsoOn, doubt }: Omit<ReturnType<typeof chooseChain>, 'chain'>,
  address: string,
): string[] {
  const warnings: string[] = [];
  if (doubt !== undefined)
    warnings.push(
      `This does not look like a ${quotedName(chain.chain)} address: ${doubt}. Compare it with the source before you confirm.`,
    );
  if (alsoOn.length > 0)
    warnings.push(
      `The address is also valid on ${alsoOn.map(quotedName).join(' and ')}: ask the recipient for the chain. Coins sent over the wrong chain are lost.`,
    );
  if (chains.length > 1)
    warnings.push(
      'The chain only selects the fee and the address format; pit does not send it. The exchange uses the chain for which the address was verified.',
    );
  if (chain.usesMemo === null)
    warnings.push(`It is unknown whether ${quotedName(chain.chain)} needs a memo: ask the recipient.`);
  if (verified === null)
    warnings.push('The exchange reports no verified address for this coin. It accepts verified addresses only.');
  else if (verified !== address)
    warnings.push(`The exchange reports a different verified address, ${verified}. It may have others.`);
  return warnings;
}
