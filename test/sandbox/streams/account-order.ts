import { MARKETS, type SandboxMarket } from '../../../src/sandbox/markets/market.js';
import type { AccountOrder } from '../../../src/sandbox/orders/order.js';
import { ALICE } from '../server/fake-exchange.js';
import { STEP } from '../support/order-fixture.js';

/** The order of RECORD in ticks and lots. */
export const ORDER: AccountOrder = {
  id: 202202224851151555n,
  account: ALICE.id,
  accountType: 'spot',
  wallet: ALICE.id,
  repay: false,
  market: MARKETS.get('btc_usdt') as SandboxMarket,
  side: 'sell',
  type: 'postOnly',
  price: 3_100_050n,
  amount: 12_300n,
  remaining: 10_000n,
  clientId: 'abc123XYZ',
  time: 1540295990123,
  value: 7_130_115_000n * STEP,
  fee: 7_130_115n * STEP,
  open: true,
  lastTrade: { id: 1234567890123456790n, price: 3_100_050n, amount: 2_300n, time: 1540295991000 },
};
