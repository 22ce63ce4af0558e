import type { Globals } from '../../../cli/globals.js';
import { amountText } from '../../../trading/expressions/amount-expression.js';
import { priceText } from '../../../trading/expressions/price-expression.js';
import type { OrderRequest } from '../request.js';

/** What to type to order the same at once: the words themselves, so that relative ones stay relative. */
export function commandLine(
  request: OrderRequest,
  { profile, dryRun, yes }: Pick<Globals, 'profile' | 'dryRun' | 'yes'>,
): string {
  const { side, market, amount, at, type, account, borrow, repay, overridden } = request;
  return [
    'pit',
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...['order', side, market, amountText(amount), '--at', priceText(at)],
    ...(type === 'postOnly' ? ['--post-only'] : type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : ['--account', account]),
    ...(borrow ? ['--borrow'] : []),
    ...(repay ? ['--repay'] : []),
    ...overridden.flatMap((guard) => ['--override', guard]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(yes ? ['--yes'] : []),
  ].join(' ');
}
