import fc from 'fast-check';
import { Decimal } from '../../../src/domain/decimal.js';
import { splitMarket } from '../../../src/domain/market.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import type { BillRecord } from '../../../src/sandbox/accounts/bills.js';
import { chainsOf } from '../../../src/sandbox/markets/coins.js';
import { coinText } from '../../../src/sandbox/markets/market.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { BILL_WORDS } from '../../../src/sandbox/server/interface-details.js';
import type { AccountHistory } from '../../../src/trading/pnl/account-history.js';
import type { FundsFixture } from '../../sandbox/funds/fixture.js';

export const MARKETS = ['btc_usdt', 'eth_usdt', 'eth_btc', 'xrp_eth'] as const;
export const COINS = ['btc', 'eth', 'xrp', 'usdt'] as const;
const PASSWORD = 'fund-pass-1';
const HOUR_MS = 3_600_000;

/** A multiple of it is the amount of an order, and far above the market's minimum. */
const LOT: Readonly<Record<string, string>> = { btc_usdt: '0.0123', eth_usdt: '0.137', eth_btc: '0.13', xrp_eth: '23' };
/** What moves in and out at a time; above the smallest withdrawal. */
const TRANSFER: Readonly<Record<string, string>> = { btc: '0.0511', eth: '0.503', xrp: '61', usdt: '1200.01' };

const who = fc.constantFrom(0 as const, 1 as const);
const market = fc.constantFrom(...MARKETS);
const coin = fc.constantFrom(...COINS);
const size = fc.integer({ min: 1, max: 7 });
/** Whether the clock stands still before it, as in a batch. */
const atOnce = fc.boolean();

/** What two strategies do in a day: they quote and take, also from each other, and move coins in and out. */
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('quote' as const), who, market, sell: fc.boolean(), size, atOnce }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('take' as const), who, market, sell: fc.boolean(), size, atOnce }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), who, market }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: HOUR_MS }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('deposit' as const), who, coin, size, fail: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), who, coin, internal: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), who, coin, fails: fc.boolean() }) },
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

export const day = fc.array(action, { minLength: 15, maxLength: 35, size: 'max' });

let accounts = 0;

/** Two accounts that own coins from deposits only, and may withdraw to each other. */
export function twoAccounts(fixture: FundsFixture): readonly [Account, Account] {
  const { funds } = fixture.exchange;
  const both = [addAccount(fixture), addAccount(fixture)] as const;
  for (const account of both) {
    for (const [name, amount] of Object.entries({ usdt: '50000', btc: '0.02', eth: '0.2' }))
      funds.deposit(account, { coin: name, amount });
    for (const other of both)
      for (const name of COINS) {
        const { address = '', memo } = funds.depositAddresses(other, name)[0] ?? {};
        funds.verifyAddress(account, { coin: name, address, memo: memo ?? undefined });
      }
  }
  fixture.pass(HOUR_MS);
  return both;
}

function addAccount({ exchange }: FundsFixture): Account {
  accounts += 1;
  const name = `strategy${accounts}`;
  const secrets = { username: name, accessKey: `ak-${name}`, secretKey: `sk-${name}`, safePwd: PASSWORD };
  return exchange.addAccount(secrets, { asset: true, lever: false, entrust: true, money: true });
}

/** Lets the day happen. What the exchange refuses does not happen. At the end nothing is under way. */
export function live(fixture: FundsFixture, both: readonly [Account, Account], actions: readonly Action[]): void {
  for (const act of actions) {
    if (!('atOnce' in act && act.atOnce)) fixture.clock.time += 1;
    try {
      perform(fixture, both, act);
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error;
    }
  }
  for (const account of both) for (const name of MARKETS) cancelAll(fixture, account, name);
  fixture.pass(HOUR_MS);
}

function perform(fixture: FundsFixture, both: readonly [Account, Account], act: Action): void {
  const { exchange } = fixture;
  if (act.do === 'pass') {
    fixture.pass(act.ms);
    return;
  }
  const account = both[act.who];
  const times = (text: string, count: number) =>
    Decimal.of(text)
      .times(Decimal.of(String(count)))
      .toString();
  if (act.do === 'quote' || act.do === 'take') {
    const { bids, asks } = exchange.market.depth(act.market, { size: 3 });
    const [own, other] = act.sell ? [asks, bids] : [bids, asks];
    // a quote is the best one, so that takers meet it; a taker goes three levels deep
    const price = act.do === 'quote' ? better(own[0]?.[0] ?? '1', act.sell) : (other[2]?.[0] ?? '1');
    const [side, type] = [act.sell ? 'sell' : 'buy', act.do === 'quote' ? 'postOnly' : 'ioc'] as const;
    exchange.orders.place(account, {
      market: act.market,
      side,
      type,
      price,
      amount: times(LOT[act.market] ?? '', act.size),
    });
  }
  if (act.do === 'cancel') cancelAll(fixture, account, act.market);
  if (act.do === 'deposit')
    exchange.funds.deposit(account, { ...act, amount: times(TRANSFER[act.coin] ?? '', act.size) });
  if (act.do === 'withdraw') {
    const fee = chainsOf(act.coin)[0]?.fee ?? '';
    const { address = '', memo } = exchange.funds.depositAddresses(both[1 - act.who] as Account, act.coin)[0] ?? {};
    const inside = memo === null || memo === undefined ? address : `${address}_${memo}`;
    exchange.funds.withdraw(account, {
      coin: act.coin,
      amount: TRANSFER[act.coin] ?? '',
      fee,
      address: act.internal ? inside : exchange.funds.withdrawalAddress(account, act.coin),
      internal: act.internal,
      safePwd: PASSWORD,
    });
  }
  if (act.do === 'end') {
    const [last] = exchange.funds.withdrawals(account, act.coin, 1, 1).list;
    exchange.funds.endWithdrawal(account, act.coin, last?.id ?? '0', act.fails ? 'failed' : 'cancelled');
  }
}

/** One tick closer to the other side. */
function better(price: string, sell: boolean): string {
  const tick = Decimal.fromUnits(sell ? -1n : 1n, Decimal.of(price).scale);
  return Decimal.of(price).plus(tick).toString();
}

function cancelAll({ exchange }: FundsFixture, account: Account, market: string): void {
  for (const { id } of exchange.orders.list(account, market, { list: 'open', page: 1, pageSize: 100 }))
    exchange.orders.cancel(account, market, { id });
}

/** All bills of an account as the sandbox keeps them, oldest first. */
export function statementOf({ exchange }: FundsFixture, account: Account): readonly BillRecord[] {
  return exchange.funds.bills(account, { page: 1, pageSize: 100_000 }).reverse();
}

/** What the interface shows of an account. */
export function historyOf(fixture: FundsFixture, account: Account): AccountHistory {
  const { exchange } = fixture;
  return {
    orders: MARKETS.flatMap((name) => exchange.orders.list(account, name, { page: 1, pageSize: 10_000 }))
      .filter(({ filled }) => Decimal.of(filled).sign > 0)
      .map((order) => ({ ...order, feeCoin: coinsOf(order.market)[order.side === 'buy' ? 'base' : 'quote'] })),
    bills: statementOf(fixture, account).map(({ kind, ...bill }) => ({
      ...bill,
      ...{ type: BILL_WORDS[kind], total: bill.balance, timeRaw: null },
    })),
    deposits: COINS.flatMap((name) => exchange.funds.deposits(account, name, 1, 10_000).list),
    withdrawals: COINS.flatMap((name) =>
      exchange.funds.withdrawals(account, name, 1, 10_000).list.map(({ submitted, managed, state, ...record }) => ({
        ...record,
        ...{ coin: name, time: submitted, processedTime: managed, state, status: 0 },
        merchantOrderNo: null,
      })),
    ),
  };
}

export function coinsOf(name: string): { readonly base: string; readonly quote: string } {
  const names = splitMarket(name);
  if (names === undefined) throw new Error(name);
  return names;
}

/** What an account owns of a coin, without withdrawals that are under way. */
export function ownedBy({ exchange: { ledger } }: FundsFixture, { id }: Account, name: string): Decimal {
  return Decimal.of(coinText(name, ledger.available(id, name) + ledger.frozen(id, name)));
}
