import type { OrderTerms } from '../../trading/journal/intent.js';

/** The command line that places an order on these terms, for the user to copy. */
export function placingLine({ side, market, amount, price, type, account, borrow, repay }: OrderTerms): string {
  return [
    `pit order ${side} ${market} ${amount} --at ${price}`,
    ...(type === 'postOnly' ? ['--post-only'] : []),
    ...(type === 'ioc' ? ['--ioc'] : []),
    ...(account === 'spot' ? [] : [`--account ${account}`]),
    ...(borrow ? ['--borrow'] : []),
    ...(repay ? ['--repay'] : []),
  ].join(' ');
}
