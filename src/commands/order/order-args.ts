import type { Globals } from '../../cli/context.js';
import type { AccountType, OrderReference, OrderType, Side } from '../../domain/order.js';
import { type Failure, suggest, usage } from '../../errors.js';
import { type AmountExpression, amountText, type PriceExpression, priceText } from '../../trading/expressions.js';
import type { GuardName } from '../../trading/guards/limits.js';
import type { BatchTerms, RecordedOrderTerms, TypedRequest } from '../../trading/journal/write.js';
import type { ReplaceChanges } from '../../trading/replace/plan.js';
import type { LadderInput } from './batch-input.js';

/** The flags of an order that `pit order` never asks for. */
interface OrderFlags {
  readonly account: AccountType;
  readonly borrow: boolean;
  readonly repay: boolean;
  /** The user's own id for the order; undefined if pit generates one. */
  readonly id: string | undefined;
  readonly overridden: readonly GuardName[];
  /** Whether an order that has this `id` already is the answer. */
  readonly once?: boolean;
  /** What to wait for once it is placed. */
  readonly wait?: OrderWait | undefined;
}

/** An order as given on the command line; a missing part is undefined. */
export interface GivenOrder extends OrderFlags {
  readonly side: Side | undefined;
  readonly market: string | undefined;
  readonly amount: AmountExpression | undefined;
  readonly at: PriceExpression | undefined;
  /** Undefined without a flag. Then it is a limit order, unless the user chooses another type when asked. */
  readonly type: OrderType | undefined;
}

/** A complete order whose expressions are not evaluated yet. */
export interface OrderDraft extends OrderFlags {
  readonly side: Side;
  readonly market: string;
  readonly amount: AmountExpression;
  readonly at: PriceExpression;
  readonly type: OrderType;
  /** The request that is sent in place of what this comes to. */
  readonly typed?: TypedRequest;
}

/** The states that `pit order` waits for: it is open in any case once it is placed. */
export const ORDER_WAITS = ['filled', 'closed'] as const;
export type OrderWait = (typeof ORDER_WAITS)[number];

/** Refuses parts that contradict each other. Throws Failure `usage`. */
export function checkGiven({
  account,
  borrow,
  repay,
  amount,
}: Pick<GivenOrder, 'account' | 'borrow' | 'repay' | 'amount'>): void {
  if (account === 'spot' && (borrow || repay))
    throw usage('--borrow and --repay need a margin account.', 'Add --account isolated or --account cross.');
  if (account !== 'spot' && amount?.kind === 'share')
    throw usage(
      'A percentage needs the balance, and the exchange does not report margin balances.',
      'Give the amount itself.',
    );
}

/** The order, if no part is missing. */
export function completeOrder({ side, market, amount, at, type, ...flags }: GivenOrder): OrderDraft | undefined {
  if (side === undefined || market === undefined || amount === undefined || at === undefined) return undefined;
  return { ...flags, side, market, amount, at, type: type ?? 'limit' };
}

/** The failure of an order with a missing part. */
export function firstMissing({ side, market, amount }: GivenOrder, { dryRun }: Pick<Globals, 'dryRun'>): Failure {
  const asked = 'On a terminal, pit asks for what is missing.';
  if (side === undefined) {
    const example = ['order', 'buy', 'btc_usdt', '0.01', '--at', 'ask', ...(dryRun ? ['--dry-run'] : [])];
    const hint = [suggest('Write it in full, for instance', ...example), asked];
    return usage('The side is missing: buy or sell.', hint);
  }
  if (market === undefined)
    return usage('The market is missing.', [`Write it after ${side}, for instance btc_usdt.`, asked]);
  if (amount === undefined)
    return usage('The amount is missing.', ['Write it after the market, for instance 0.01 or 100usdt.', asked]);
  return usage('The price is missing.', 'Give it with --at, for instance --at 31000.5 or --at bid.');
}

/** The command that places an order on these terms. */
export function orderArgs({ side, market, amount, price, ...flags }: RecordedOrderTerms): string[] {
  return ['order', side, market, amount, '--at', price, ...flagArgs(flags)];
}

/** The command for an order as the user asked for it: relative prices and amounts stay relative. */
export function draftArgs(request: OrderDraft, { dryRun, yes }: Pick<Globals, 'dryRun' | 'yes'>): string[] {
  const { side, market, amount, at, overridden, id, once, wait } = request;
  return [
    ...['order', side, market, amountText(amount), '--at', priceText(at), ...flagArgs(request)],
    ...(once && id !== undefined ? ['--id', id] : []),
    ...overridden.flatMap((guard) => ['--override', guard]),
    ...(once ? ['--once'] : []),
    ...(wait === undefined ? [] : ['--wait', wait]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(yes ? ['--yes'] : []),
  ];
}

function flagArgs({ type, account, ...loans }: Pick<RecordedOrderTerms, 'type' | 'account' | 'borrow' | 'repay'>) {
  return [
    ...(type === 'postOnly' ? ['--post-only'] : type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : ['--account', account]),
    ...loanArgs(loans),
  ];
}

function loanArgs({ borrow, repay }: Pick<RecordedOrderTerms, 'borrow' | 'repay'>) {
  return [...(borrow ? ['--borrow'] : []), ...(repay ? ['--repay'] : [])];
}

/** The command for the orders of a ladder. */
export function ladderArgs(
  { side, market, account }: Pick<BatchTerms, 'side' | 'market' | 'account'>,
  { ladder, amount, weight }: LadderInput,
): string[] {
  const prices = `${priceText(ladder.from)}:${priceText(ladder.to)}:${ladder.count}`;
  const amounts = ['--amount', amountText(amount), '--weight', weight];
  return ['order', 'batch', side, market, '--ladder', prices, ...amounts, '--account', account];
}

/** The command for a replacement. */
export function replaceArgs(
  market: string,
  order: string,
  { at, amount, account, ...loans }: ReplaceChanges,
): string[] {
  return [
    ...['order', 'replace', market, order],
    ...(at === undefined ? [] : ['--at', priceText(at)]),
    ...(amount === undefined ? [] : ['--amount', amountText(amount)]),
    ...(account === undefined ? [] : ['--account', account]),
    ...loanArgs(loans),
  ];
}

/** Says why the rest of a replacement cannot be placed. */
export function tooLittleText({ amount, market }: Pick<RecordedOrderTerms, 'amount' | 'market'>): string {
  if (amount === '0') return 'Nothing was left to place.';
  return `The rest, ${amount}, is below the minimum of ${market} and cannot be placed by itself.`;
}

/** The order that a command line names, by the exchange's id or by the client id: the rules of its command require one. */
export function namedOrder(order: OrderReference | undefined, id: string | undefined): OrderReference {
  if (order !== undefined) return order;
  if (id === undefined) throw new Error('the flags need an order');
  return { clientId: id };
}
