import type { AccountType, OrderType, Side } from '../../domain/words.js';
import { suggest, usage } from '../../errors.js';
import type { AmountWord } from '../../trading/expressions/amount-expression.js';
import type { PriceWord } from '../../trading/expressions/price-expression.js';
import type { GuardName } from '../../trading/guards/names.js';

/** What nobody needs to be asked about an order. */
export interface OrderChoices {
  readonly account: AccountType;
  readonly borrow: boolean;
  readonly repay: boolean;
  /** The user's own id for it; undefined where pit makes one. */
  readonly id: string | undefined;
  readonly overridden: readonly GuardName[];
}

/** An order as far as the command line says it. */
export interface GivenOrder extends OrderChoices {
  readonly side: Side | undefined;
  readonly market: string | undefined;
  readonly amount: AmountWord | undefined;
  readonly at: PriceWord | undefined;
  /** Undefined where no flag says it: limit, unless the user is asked. */
  readonly type: OrderType | undefined;
}

/** An order that is said in full, its relative words not resolved yet. */
export interface OrderRequest extends OrderChoices {
  readonly side: Side;
  readonly market: string;
  readonly amount: AmountWord;
  readonly at: PriceWord;
  readonly type: OrderType;
}

/** Refuses what excludes itself. Throws Failure `usage`. */
export function checkGiven({ account, borrow, repay, amount }: GivenOrder): void {
  if (account === 'spot' && (borrow || repay)) {
    throw usage('--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.');
  }
  if (account !== 'spot' && amount?.kind === 'share') {
    throw usage(
      'A share of a margin balance is not known.',
      'No operation shows margin balances: give the amount itself.',
    );
  }
}

/** The type that the flags say; undefined where they say none. Throws Failure `usage`. */
export function typeOf({ postOnly, ioc }: { postOnly: boolean; ioc: boolean }): OrderType | undefined {
  if (postOnly && ioc)
    throw usage('--post-only and --ioc exclude each other.', 'Give one of them, or neither for a limit order.');
  if (postOnly) return 'postOnly';
  return ioc ? 'ioc' : undefined;
}

/** The order in full; undefined where a part is missing. */
export function wholeRequest({ side, market, amount, at, type, ...choices }: GivenOrder): OrderRequest | undefined {
  if (side === undefined || market === undefined || amount === undefined || at === undefined) return undefined;
  return { ...choices, side, market, amount, at, type: type ?? 'limit' };
}

/** What is missing first, as where nobody can be asked. */
export function firstMissing({ side, market, amount }: GivenOrder) {
  const hint = [
    suggest('Write it in full, for instance', 'order', 'buy', 'btc_usdt', '0.01', '--at', 'ask'),
    'On a terminal, pit asks for what is missing.',
  ];
  if (side === undefined) return usage('The side is missing: buy or sell.', hint);
  if (market === undefined) return usage('The market is missing.', hint);
  if (amount === undefined) return usage('The amount is missing.', hint);
  return usage('The price is missing.', 'Give it with --at, for instance --at 31000.5 or --at bid.');
}
