import type { Context } from '../../cli/context.js';
import { type Advice, suggest } from '../../errors.js';
import type { TradingAccount } from '../../trading/account.js';
import { isOf } from '../../trading/journal/intent.js';
import { tryRead } from '../../trading/try-read.js';
import { type CoinFacts, type EarlierUse, readCoinFacts, readEarlierUse } from '../../trading/withdrawals/facts.js';
import { checkLimits, withdrawLimits } from '../../trading/withdrawals/limits.js';
import { feePlace } from '../../trading/withdrawals/plan.js';
import {
  checkCoin,
  type PreparedWithdrawal,
  prepareWithdrawal,
  type WithdrawRequest,
} from '../../trading/withdrawals/prepare.js';
import { refuseTwin } from '../../trading/withdrawals/send.js';
import { verifyWithdrawals } from '../../trading/withdrawals/verify.js';
import { explainRejection, unknownCoin } from '../funds/rejection.js';

/** A withdrawal that can be sent, with all that is told of it beforehand. */
export interface Checked {
  readonly prepared: PreparedWithdrawal;
  /** Undefined where the records could not be read. */
  readonly earlier: EarlierUse | undefined;
  /** What to say of an address that no record knows; null where one does. */
  readonly unfamiliar: string | null;
  readonly warnings: readonly string[];
}

/** What the exchange says of a coin. Throws Failure `usage` for an unknown one, `credentials` for a key that may not withdraw. */
export async function coinFacts(context: Context, account: TradingAccount, coin: string): Promise<CoinFacts> {
  const facts = await explainRejection(context, { coin, permission: 'asset' }, () =>
    readCoinFacts(account.client, coin),
  );
  if (facts.permitted && facts.entry === undefined) throw unknownCoin(coin, facts.known);
  checkCoin(coin, facts);
  return facts;
}

/** Checks a withdrawal against the exchange, the journal and the user's own limits. Throws Failure that names the mend. */
export async function check(context: Context, account: TradingAccount, request: WithdrawRequest): Promise<Checked> {
  const { settings } = await context.session.connection();
  const { coin } = request;
  const facts = await coinFacts(context, account, coin);
  const prepared = prepareWithdrawal(request, facts, feePlace(settings));
  const { wanted } = prepared;
  refuseTwin(account, wanted);
  await checkLimits(account, withdrawLimits(settings), wanted);
  await tryRead(() => verifyWithdrawals(account, coin));
  const earlier = await readEarlierUse(account.client, coin, prepared);
  const warnings = [...prepared.warnings, ...unknownOnes(account, coin).map((one) => context.output.textOf(one))];
  return { prepared, earlier, unfamiliar: firstUse(earlier), warnings };
}

/** Another amount to the same place is another withdrawal, and may be the same one meant again. */
function unknownOnes({ journal }: TradingAccount, coin: string): Advice[] {
  return journal.open().flatMap(({ intent }) => {
    if (!isOf(intent, 'withdraw') || intent.terms.coin !== coin) return [];
    const { amount, address } = intent.terms;
    const words = `It is not known whether an earlier withdrawal of ${amount} ${coin} to ${address} left.`;
    return [[words, suggest('Find out', 'resolve', intent.id)]];
  });
}

function firstUse(earlier: EarlierUse | undefined): string | null {
  if (earlier === undefined) return 'Whether this address was used before is not known: the records could not be read.';
  if (earlier.last !== undefined) return null;
  if (earlier.isAccountKnown)
    return 'This account was used before, and the records do not show the memo: it may be the FIRST USE of this one. Compare it with its source, every character.';
  const words = earlier.isAll ? 'no withdrawal of this coin went' : 'none of the last withdrawals of this coin went';
  return `FIRST USE: ${words} to this address. Compare it with its source, every character.`;
}
