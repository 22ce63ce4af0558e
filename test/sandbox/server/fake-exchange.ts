import { Changes } from '../../../src/sandbox/exchange/changes.js';
import { Clock } from '../../../src/sandbox/exchange/clock.js';
import type { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { MARKETS, type SandboxMarket } from '../../../src/sandbox/markets/market.js';
import type { OrderRecord } from '../../../src/sandbox/orders/order.js';

export type { OrderRequest } from '../../../src/sandbox/orders/order-service.js';

import { RequestRefused } from '../../../src/sandbox/refusals.js';

/** The time in these tests: the reqTime of the signing vectors. */
export const NOW = 1540295995557;

export const ALICE = {
  id: '7',
  username: 'alice',
  accessKey: '6d8f62fd-3086-46e3-a0ba-c66a929c24e2',
  secretKey: '48939bbc-8d49-402b-b731-adadf2ea9628',
  safePwd: 'fund-pass-1',
  permissions: { asset: true, lever: false, entrust: true, money: false },
};

/** May read but not trade. */
const WATCHER = {
  ...ALICE,
  id: '8',
  username: 'watcher',
  accessKey: 'ak-0001',
  secretKey: 'sk-0002',
  permissions: { asset: true, lever: false, entrust: false, money: false },
};

export const RECORD: OrderRecord = {
  id: '202202224851151555',
  clientId: 'abc123XYZ',
  accountType: 'spot',
  market: 'btc_usdt',
  side: 'sell',
  type: 'postOnly',
  price: '31000.50',
  amount: '0.012300',
  filled: '0.002300',
  filledValue: '71.30115000',
  fee: '0.07130115',
  time: 1540295990123,
  lastTrade: { id: '1234567890123456790', price: '31000.50', amount: '0.002300', time: 1540295991000 },
  state: 'open',
};

/** What the interface's answers are made of, so that a test can say each by itself. */
export interface Exchange
  extends Pick<
      SandboxExchange,
      'markets' | 'coins' | 'advance' | 'changes' | 'clock' | 'dueIn' | 'isFailing' | 'durable' | 'status' | 'arrival'
    >,
    Pick<SandboxExchange['market'], 'ticker' | 'depth' | 'trades' | 'candles'>,
    Pick<SandboxExchange['orders'], 'place' | 'cancel' | 'order' | 'cancelAllAfter'>,
    Pick<SandboxExchange['funds'], 'balances'>,
    Pick<SandboxExchange['margin'], 'crossBalances'> {
  readonly account: SandboxExchange['customers']['byAccessKey'];
  readonly orders: SandboxExchange['orders']['list'];
  readonly name: string;
  readonly state: Pick<SandboxExchange['state'], 'latency'>;
}

/** The exchange that a server takes. */
export function servedAs(exchange: Exchange): SandboxExchange {
  const { account, orders, place, cancel, order, cancelAllAfter, ...others } = exchange;
  const { ticker, depth, trades, candles, balances, crossBalances } = exchange;
  const services = {
    customers: { byAccessKey: account },
    orders: { list: orders, place, cancel, order, cancelAllAfter, rulesOf: (market: unknown) => market },
    market: { ticker, depth, trades, candles },
    funds: { balances },
    margin: { crossBalances },
  };
  return { ...others, ...services } as unknown as SandboxExchange;
}

/** An exchange with one market in which nothing changes, so that answers can be compared with literals. */
export function stillExchange(changes: Partial<Exchange> = {}): Exchange {
  const calls = {
    markets: new Map([['btc_usdt', MARKETS.get('btc_usdt') as SandboxMarket]]),
    coins: new Map([['btc', BTC]]),
    advance: () => undefined,
    ticker: () => TICKER,
    depth: () => DEPTH,
    trades: () => TRADES,
    candles: () => CANDLES,
    account: (key: string) => [ALICE, WATCHER].find(({ accessKey }) => accessKey === key),
    crossBalances: () => [{ coin: 'btc', available: '0.50000000', frozen: '0.00000000', borrowed: '0.10000000' }],
    balances: () => [{ coin: 'btc', available: '1.50000000', frozen: '0.25000000' }],
    place: () => '202202224851151555',
    cancel: () => RECORD,
    order: () => RECORD,
    orders: (_account: unknown, _market: string, { page }: { page: number }) => (page === 1 ? [RECORD] : []),
    cancelAllAfter: () => NOW + 60_000,
    changes: new Changes(),
    clock: new Clock(
      () => NOW,
      undefined,
      () => undefined,
    ),
    dueIn: undefined,
    isFailing: false,
    durable: () => Promise.resolve(),
    arrival: () => Promise.resolve(),
    name: 'fake',
    state: { latency: 0 },
    status: () => ({ time: NOW, markets: 1, accounts: 2, orders: 1, trades: 3 }),
  };
  return { ...calls, ...changes };
}

export function refusing(...reason: ConstructorParameters<typeof RequestRefused>): () => never {
  return () => {
    throw new RequestRefused(...reason);
  };
}

const BTC = {
  coin: 'btc',
  unitDecimal: 8,
  fundsType: 1,
  canDeposit: true,
  canWithdraw: false,
  canLoan: true,
};

const TICKER = {
  time: NOW,
  high: '31200.00',
  low: '30100.10',
  bid: '31000.49',
  ask: '31000.51',
  last: '31000.50',
  open: '30500.00',
  change: '1.64',
  volume: '1234.567890',
  turnover: '38271604.5900',
};

const DEPTH = {
  time: NOW,
  bids: [
    ['31000.49', '0.500000'],
    ['31000.48', '0.00000001'],
  ],
  asks: [
    ['31000.51', '1.000000'],
    ['31000.60', '12345678901234567.123456'],
  ],
} as const;

const TRADES = [
  { id: '1234567890123456789', time: 1540295990999, side: 'buy', price: '31000.50', amount: '0.010000' },
  { id: '1234567890123456790', time: 1540295991000, side: 'sell', price: '31000.49', amount: '0.000100' },
] as const satisfies ReturnType<Exchange['trades']>;

const CANDLES = [
  { time: 1540292400000, open: '30500.00', high: '31200.00', low: '30100.10', close: '31000.50', volume: '12.340000' },
];
