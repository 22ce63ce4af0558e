import type { Globals } from '../../cli/context.js';
import { amountText, priceText } from '../../trading/expressions.js';
import type { RecordedOrderTerms } from '../../trading/journal/write.js';
import type { OrderDraft } from './order.js';

/** The command that places an order on these terms. */
export function orderArgs({ side, market, amount, price, ...flags }: RecordedOrderTerms): string[] {
  return ['order', side, market, amount, '--at', price, ...flagArgs(flags)];
}

/** The command for an order as the user asked for it: relative prices and amounts stay relative. */
export function draftArgs(request: OrderDraft, { dryRun, yes }: Pick<Globals, 'dryRun' | 'yes'>): string[] {
  const { side, market, amount, at, overridden } = request;
  return [
    ...['order', side, market, amountText(amount), '--at', priceText(at), ...flagArgs(request)],
    ...overridden.flatMap((guard) => ['--override', guard]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(yes ? ['--yes'] : []),
  ];
}

function flagArgs({ type, account, borrow, repay }: Pick<RecordedOrderTerms, 'type' | 'account' | 'borrow' | 'repay'>) {
  return [
    ...(type === 'postOnly' ? ['--post-only'] : type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : ['--account', account]),
    ...(borrow ? ['--borrow'] : []),
    ...(repay ? ['--repay'] : []),
  ];
}

/** Says why the rest of a replacement cannot be placed. */
export function tooLittleText({ amount, market }: Pick<RecordedOrderTerms, 'amount' | 'market'>): string {
  if (amount === '0') return 'Nothing was left to place.';
  return `The rest, ${amount}, is below the minimum of ${market} and cannot be placed by itself.`;
}
