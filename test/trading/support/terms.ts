import type { RecordedOrderTerms } from '../../../src/trading/journal/write.js';

/** An order to buy 0.01 btc at 30000. */
export const TERMS: RecordedOrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '30000', amount: '0.01', borrow: false, repay: false },
};
