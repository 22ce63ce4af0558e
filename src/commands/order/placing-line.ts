import type { OrderTerms } from '../../trading/journal/intent.js';

/** What is left of a replacement and no command places. */
export function leftWords({ amount, market }: Pick<OrderTerms, 'amount' | 'market'>): string {
  if (amount === '0') return 'Nothing was left to place.';
  return `What is left, ${amount}, is less than ${market} takes, and cannot be placed by itself.`;
}

/** The words of the command that places an order on these terms. */
export function placingLine({ side, market, amount, price, type, account, borrow, repay }: OrderTerms): string[] {
  return [
    ...['order', side, market, amount, '--at', price],
    ...(type === 'postOnly' ? ['--post-only'] : []),
    ...(type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : ['--account', account]),
    ...(borrow ? ['--borrow'] : []),
    ...(repay ? ['--repay'] : []),
  ];
}
