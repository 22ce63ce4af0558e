import type { Globals } from '../../../cli/globals.js';
import { amountText } from '../../../trading/expressions/amount-expression.js';
import { priceText } from '../../../trading/expressions/price-expression.js';
import type { OrderRequest } from '../request.js';

/** The words that order the same at once, as they were given, so that relative ones stay relative. */
export function orderWords(request: OrderRequest, { dryRun, yes }: Pick<Globals, 'dryRun' | 'yes'>): string[] {
  const { side, market, amount, at, type, account, borrow, repay, overridden } = request;
  return [
    ...['order', side, market, amountText(amount), '--at', priceText(at)],
    ...(type === 'postOnly' ? ['--post-only'] : type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : ['--account', account]),
    ...(borrow ? ['--borrow'] : []),
    ...(repay ? ['--repay'] : []),
    ...overridden.flatMap((guard) => ['--override', guard]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(yes ? ['--yes'] : []),
  ];
}
