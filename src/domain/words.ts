
export { splitMarket } from './market.js';
export type { AccountType, OrderType, Side } from './order.js';
