export { RENAMED_COINS, readCoin } from './coin.js';
export { readMarket, splitMarket } from './market.js';
export type { AccountType, OrderType, Side } from './order.js';
