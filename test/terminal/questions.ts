/** What stands there once a question is ready. */
export const AWAITED: Readonly<Record<string, string>> = {
  confirm: '[y/N]',
  hidden: 'Secret key:',
  text: 'Amount:',
  select: 'sell',
  typing: 'Type price-band:',
  live: 'update 1',
  search: 'ltc_usdt',
};
