import { expect, it, vi } from 'vitest';
import { byMarket } from '../../../src/commands/pnl/by-market.js';
import type { PnlRequest } from '../../../src/commands/pnl/request.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';

it.each([
  ['totals of the whole account at final prices are kept', [], true, 1],
  ['totals of some markets are not kept: the prices of others were not loaded', ['btc_usdt'], true, 0],
  ['totals at the price of a candle that is not over are not kept', [], false, 0],
])('%s', async (_, names, areFinal, times) => {
  const keepTotals = vi.fn(async () => {});
  const matched = matchBills({ orders: [], bills: [], deposits: [], withdrawals: [] });
  const request = {
    ...{ names, method: 'fifo', feesAre: 'apart', listsLots: true, zone: undefined, markets: [], keepTotals },
    window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY },
    history: { matched, readAt: 0, refusedCoins: [] },
    prices: { loadForTrades: async () => {}, value: () => undefined, areFinal },
  };
  await byMarket({ output: {} } as never, request as unknown as PnlRequest);
  expect(keepTotals).toHaveBeenCalledTimes(times);
});
