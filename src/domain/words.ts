export { RENAMED_COINS } from './coin.js';
export { splitMarket } from './market.js';
export type { AccountType, OrderType, Side } from './order.js';
