import { type Wallet, walletName, walletOf } from '../accounts/accounts.js';
import type { BillBook } from '../accounts/bills.js';
import { type Ledger, lentTo } from '../accounts/ledger.js';
import type { MarginBalance, MarginMove } from '../exchange/exchange-service.js';
import type { ExchangeState } from '../exchange/exchange-state.js';
import { COINS, coinRules } from '../markets/coins.js';
import { coinText, coinUnits, MARKETS, type Market } from '../markets/market.js';
import { Refusal } from '../refusals.js';
import { LEVERAGE } from '../server/choices.js';

/** What a wallet is worth and what it owes, in units of the coin that it is measured in. */
interface WalletValue {
  readonly assets: bigint;
  readonly debts: bigint;
}

/** What is about to change, in units of a coin: so that it can be judged before it is done. */
interface Change {
  readonly coin: string;
  readonly assets: bigint;
  readonly debts: bigint;
}

/** The last price of a market in ticks. */
type LastPrice = (market: string) => bigint;

const NOTHING: Change = { coin: '', assets: 0n, debts: 0n };

/** All cross wallets are measured in this coin; isolated ones in the quote coin of their market. */
const VALUATION_COIN = 'usdt';

/**
 * Lends to margin wallets. What a wallet owes is what the lender's ledger account for it is below zero: borrowing and
 * repaying are movements like all others, and a debt cannot change without the money.
 *
 * Leverage and what it is measured by are chosen, see {@link LEVERAGE}. No interest is taken and nothing is liquidated.
 */
export class Lender {
  constructor(
    private readonly ledger: Ledger,
    private readonly bills: BillBook,
    private readonly lastPrice: LastPrice,
  ) {}

  /** In units of the coin. */
  debt(wallet: string, coin: string): bigint {
    return -this.ledger.available(lentTo(wallet), coin);
  }

  /** Throws {@link Refusal} 2009, with nothing changed, when the coin is not lent or the leverage would be passed. */
  lend(wallet: Wallet, coin: string, units: bigint): void {
    if (!coinRules(coin).canLoan) throw new Refusal('insufficientBalance', `${coin} is not lent`);
    const after = this.walletValue(wallet, { coin, assets: units, debts: units });
    if (!isWithin(wallet, after)) throw new Refusal('beyondLeverage', `${LEVERAGE[wallet.kind]}x`);
    const to = { account: wallet.name, part: 'available' } as const;
    this.ledger.move(coin, units, { account: lentTo(wallet.name), part: 'available' }, to);
    this.bills.post(wallet.name, coin, units, 'borrow');
  }

  /** Gives back as much of what the wallet owes as `units` that came in allow. */
  repay(wallet: string, coin: string, units: bigint): void {
    const debt = this.debt(wallet, coin);
    const repaid = units < debt ? units : debt;
    if (repaid <= 0n) return;
    const from = { account: wallet, part: 'available' } as const;
    this.ledger.move(coin, repaid, from, { account: lentTo(wallet), part: 'available' });
    this.bills.post(wallet, coin, -repaid, 'repay');
  }

  /** Whether coins can be taken out of a wallet without passing its leverage. */
  canLeave(wallet: Wallet, coin: string, units: bigint): boolean {
    return isWithin(wallet, this.walletValue(wallet, { coin, assets: -units, debts: 0n }));
  }

  /** At the last prices, with what orders hold; assets are rounded down and debts up. */
  walletValue(wallet: Wallet, change: Change = NOTHING): WalletValue {
    let [assets, debts] = [0n, 0n];
    for (const coin of coinsOf(wallet)) {
      const own = coin === change.coin ? change : NOTHING;
      const { ledger } = this;
      const owned = ledger.available(wallet.name, coin) + ledger.frozen(wallet.name, coin) + own.assets;
      assets += this.value(wallet, coin, owned, 'down');
      debts += this.value(wallet, coin, this.debt(wallet.name, coin) + own.debts, 'up');
    }
    return { assets, debts };
  }

  private value(wallet: Wallet, coin: string, units: bigint, rounding: 'down' | 'up'): bigint {
    const measure = valuationCoin(wallet);
    if (units === 0n || coin === measure) return units;
    const market = MARKETS.get(`${coin}_${measure}`);
    if (market === undefined) throw new RangeError(`no market prices ${coin} in ${measure}`);
    return market.worth(this.lastPrice(market.market), units, rounding);
  }
}

/** Leverage L: what is owned comes to at most L times what is left after paying all debts. */
function isWithin({ kind }: Wallet, { assets, debts }: WalletValue): boolean {
  return assets <= BigInt(LEVERAGE[kind]) * (assets - debts);
}

function valuationCoin({ kind, market }: Wallet): string {
  return kind === 'isolated' ? market.quote : VALUATION_COIN;
}

/** The coins that a wallet can hold. */
export function coinsOf({ kind, market }: Pick<Wallet, 'kind' | 'market'>): readonly string[] {
  return kind === 'isolated' ? [market.base, market.quote] : [...COINS.keys()];
}

/** The margin wallets as the administration shows and funds them; the interface has no operation for either. */
export class MarginService {
  constructor(
    private readonly state: ExchangeState,
    private readonly now: () => number,
  ) {}

  /** A row for each wallet and coin in which there is or is owed something. */
  balances(account: string): MarginBalance[] {
    const wallets = [...MARKETS.values()].map((market) => ({ kind: 'isolated', market }) as const);
    const [any] = MARKETS.values();
    const cross = any === undefined ? [] : [{ kind: 'cross', market: any } as const];
    return [...wallets, ...cross].flatMap(({ kind, market }) => this.rows(account, kind, market));
  }

  /** Throws {@link Refusal} 2009 when the spot wallet has less. */
  fund(account: string, move: MarginMove): void {
    const [wallet, units] = wanted(account, move);
    const { ledger } = this.state;
    if (ledger.available(account, move.coin) < units) throw new Refusal('insufficientBalance', move.coin);
    this.move(move.coin, units, account, wallet.name);
  }

  /** Throws {@link Refusal} 2009 when the wallet has less, or what is left of it would be beyond its leverage. */
  withdraw(account: string, move: MarginMove): void {
    const [wallet, units] = wanted(account, move);
    const { ledger, lender } = this.state;
    if (ledger.available(wallet.name, move.coin) < units) throw new Refusal('insufficientBalance', move.coin);
    if (!lender.canLeave(wallet, move.coin, units)) throw new Refusal('beyondLeverage', move.coin);
    this.move(move.coin, units, wallet.name, account);
  }

  private move(coin: string, units: bigint, from: string, to: string): void {
    const { ledger, bills } = this.state;
    ledger.move(coin, units, { account: from, part: 'available' }, { account: to, part: 'available' });
    bills.post(from, coin, -units, 'transferOut', to);
    bills.post(to, coin, units, 'transferIn', from);
    bills.write(this.now());
  }

  private rows(account: string, kind: 'isolated' | 'cross', market: Market): MarginBalance[] {
    const name = walletName(account, kind, market.market);
    const place = { kind, market: kind === 'isolated' ? market.market : null };
    return coinsOf({ kind, market }).flatMap((coin) => {
      const { ledger, lender } = this.state;
      const parts = [ledger.available(name, coin), ledger.frozen(name, coin), lender.debt(name, coin)];
      if (parts.every((units) => units === 0n)) return [];
      const [available = '', frozen = '', borrowed = ''] = parts.map((units) => coinText(coin, units));
      return [{ ...place, coin, available, frozen, borrowed }];
    });
  }
}

/** Throws {@link Refusal} for a wallet, coin or amount that cannot be. */
function wanted(account: string, { kind, market, coin, amount }: MarginMove): [wallet: Wallet, units: bigint] {
  const rules = MARKETS.get(kind === 'isolated' ? (market ?? '') : 'btc_usdt');
  if (rules === undefined) throw new Refusal('unknownMarket', market?.slice(0, 40));
  const wallet = walletOf(account, kind, rules);
  if (!coinsOf(wallet).includes(coin))
    throw new Refusal('badParameter', `this wallet does not hold ${coin.slice(0, 40)}`);
  return [wallet, coinUnits(coin, amount)];
}
