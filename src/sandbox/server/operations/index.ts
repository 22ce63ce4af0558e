import type { Served } from '../serving.js';
import { getAccountInfo } from './account.js';
import { allTicker, depth, kline, markets, ticker, trades } from './market-data.js';
import { cancelOrder, getOrder, getOrders, order } from './trading.js';

/** The operations that the sandbox serves. One that is described but missing here answers that it is not open. */
export const SERVED: readonly Served[] = [
  markets,
  allTicker,
  ticker,
  depth,
  trades,
  kline,
  getAccountInfo,
  order,
  cancelOrder,
  getOrder,
  getOrders,
];
