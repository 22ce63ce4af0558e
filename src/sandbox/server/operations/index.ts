import type { Served } from '../served-operation.js';
import { getAccountInfo, getSpotBills } from './account.js';
import {
  getChargeRecord,
  getFeeInfo,
  getPayinAddress,
  getUserAddress,
  getWithdrawAddress,
  getWithdrawRecord,
  withdraw,
} from './funds.js';
import { allTicker, depth, kline, markets, ticker, trades } from './market-data.js';
import {
  cancelAllOrdersAfter,
  cancelOrder,
  getFinishedAndPartialOrders,
  getOrder,
  getOrders,
  getOrdersIgnoreTradeType,
  getOrdersNew,
  getUnfinishedOrdersIgnoreTradeType,
  order,
  orderMoreV2,
} from './trading.js';

/** The operations that the sandbox serves. */
export const SERVED: readonly Served[] = [
  markets,
  allTicker,
  ticker,
  depth,
  trades,
  kline,
  getAccountInfo,
  getSpotBills,
  getUserAddress,
  getPayinAddress,
  getWithdrawAddress,
  getWithdrawRecord,
  getChargeRecord,
  getFeeInfo,
  withdraw,
  order,
  orderMoreV2,
  cancelOrder,
  cancelAllOrdersAfter,
  getOrder,
  getOrders,
  getOrdersNew,
  getOrdersIgnoreTradeType,
  getUnfinishedOrdersIgnoreTradeType,
  getFinishedAndPartialOrders,
];
