import type { Served } from '../serving.js';
import { getAccountInfo } from './account.js';
import { getPayinAddress, getUserAddress, getWithdrawAddress } from './addresses.js';
import { orderMoreV2 } from './batch.js';
import { getSpotBills } from './bills.js';
import { getFeeInfo } from './fees.js';
import { allTicker, depth, kline, markets, ticker, trades } from './market-data.js';
import {
  getFinishedAndPartialOrders,
  getOrders,
  getOrdersIgnoreTradeType,
  getOrdersNew,
  getUnfinishedOrdersIgnoreTradeType,
} from './order-lists.js';
import { cancelAllOrdersAfter, cancelOrder, getOrder, order } from './trading.js';
import { getChargeRecord, getWithdrawRecord, withdraw } from './transfers.js';

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
