import { Decimal } from '../../domain/decimal.js';
import { crossWallet, type Wallet, walletOf } from '../accounts/accounts.js';
import type { BillBook } from '../accounts/bills.js';
import { type Ledger, lentTo } from '../accounts/ledger.js';
import type { Clock } from '../exchange/clock.js';
import { COINS, coinRules, coinsOf as coinsOfMarkets } from '../markets/coins.js';
import { coinText, coinUnits, type SandboxMarket } from '../markets/market.js';
import { RequestRefused } from '../refusals.js';
import type { ServiceStore } from '../store/store.js';

/**
 * How margin works. The interface says only that it exists. Leverage L means: when coins are lent, and when they leave the
 * wallet, everything in it is worth at most L times what is left after its debts, at the last prices. An isolated wallet is
 * valued in the quote coin of its market, a cross wallet in usdt. There are enough of the coins with `canLoan`; there is no
 * interest and no liquidation. On spot, asking for a loan or a repayment is ignored, as observed. Margin wallets also need the
 * permission `lever`.
 */
const LEVERAGE = { spot: 1, isolated: 5, cross: 3 } as const;

/** Cross wallets are valued in this coin. */
const CROSS_VALUATION_COIN = 'usdt';

/** What a margin wallet has and owes of a coin, as decimal text. */
interface MarginBalance {
  readonly kind: 'isolated' | 'cross';
  /** Null for the cross wallet. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

/** Coins that move between the spot wallet and a margin wallet of the same account. */
export interface MarginTransfer {
  readonly kind: 'isolated' | 'cross';
  /** Which isolated wallet; ignored for the cross wallet. */
  readonly market?: string | undefined;
  readonly coin: string;
  /** Decimal text. */
  readonly amount: string;
}

/** What would change, in units of a coin, so that it can be checked before it happens. */
interface Change {
  readonly coin: string;
  readonly assets: bigint;
  readonly debts: bigint;
}

const NO_CHANGE: Change = { coin: '', assets: 0n, debts: 0n };

/**
 * Margin wallets: loans, repayments and transfers. What a wallet owes is the negative balance of a ledger account that lends
 * to it, so borrowing and repaying are ordinary movements, and a debt cannot change without the money.
 */
export class MarginService {
  readonly #ledger: Ledger;
  readonly #bills: BillBook;
  readonly #markets: ReadonlyMap<string, SandboxMarket>;
  readonly #lastPrice: (market: string) => bigint;
  readonly #clock: Clock;
  readonly #store: ServiceStore;

  /**
   * @param markets by name
   * @param lastPrice the last price of a market in ticks
   */
  constructor(
    ledger: Ledger,
    bills: BillBook,
    markets: ReadonlyMap<string, SandboxMarket>,
    lastPrice: (market: string) => bigint,
    clock: Clock,
    store: ServiceStore,
  ) {
    this.#ledger = ledger;
    this.#bills = bills;
    this.#markets = markets;
    this.#lastPrice = lastPrice;
    this.#clock = clock;
    this.#store = store;
  }

  /** What a wallet owes of a coin, in units. */
  debt(wallet: string, coin: string): bigint {
    return -this.#ledger.available(lentTo(wallet), coin);
  }

  /** Throws {@link RequestRefused} 2009, with nothing changed, if the coin is not lent or the leverage would be exceeded. */
  lend(wallet: Wallet, coin: string, units: bigint): void {
    if (!coinRules(coin).canLoan) throw new RequestRefused('insufficientBalance', `${coin} is not lent`);
    if (!this.#isWithinLeverage(wallet, { coin, assets: units, debts: units })) {
      throw new RequestRefused('beyondLeverage', `${LEVERAGE[wallet.kind]}x`);
    }
    const to = { account: wallet.name, part: 'available' } as const;
    this.#ledger.move(coin, units, { account: lentTo(wallet.name), part: 'available' }, to);
    this.#bills.post(wallet.name, coin, units, 'borrow');
  }

  /** Pays the wallet's debt with at most `units` that came in. */
  repay(wallet: string, coin: string, units: bigint): void {
    const debt = this.debt(wallet, coin);
    const repaid = units < debt ? units : debt;
    if (repaid <= 0n) return;
    const from = { account: wallet, part: 'available' } as const;
    this.#ledger.move(coin, repaid, from, { account: lentTo(wallet), part: 'available' });
    this.#bills.post(wallet, coin, -repaid, 'repay');
  }

  /** Every coin of the cross wallet. */
  crossBalances({ id }: { readonly id: string }): Omit<MarginBalance, 'kind' | 'market'>[] {
    const wallet = crossWallet(id);
    return [...COINS.keys()].map((coin) => this.#row(wallet, coin));
  }

  /** A row for each wallet and coin that the account owns or owes. */
  balances({ id }: { readonly id: string }): MarginBalance[] {
    const markets = [...this.#markets.values()];
    const isolated = markets.flatMap((market) => this.#rows(walletOf(id, 'isolated', market)));
    const [anyMarket] = markets;
    return anyMarket === undefined ? isolated : [...isolated, ...this.#rows(walletOf(id, 'cross', anyMarket))];
  }

  /** From spot to margin. Throws {@link RequestRefused} if the spot wallet has less, or for an impossible market, coin or amount. */
  transferIn({ id }: { readonly id: string }, transfer: MarginTransfer): void {
    const [wallet, units] = this.#checked(id, transfer);
    const { coin } = transfer;
    if (this.#ledger.available(id, coin) < units) throw new RequestRefused('insufficientBalance', coin);
    this.#transfer(coin, units, id, wallet.name);
  }

  /** From margin to spot. Throws {@link RequestRefused} also if the rest would exceed the wallet's leverage. */
  transferOut({ id }: { readonly id: string }, transfer: MarginTransfer): void {
    const [wallet, units] = this.#checked(id, transfer);
    const { coin } = transfer;
    if (this.#ledger.available(wallet.name, coin) < units) throw new RequestRefused('insufficientBalance', coin);
    if (!this.#isWithinLeverage(wallet, { coin, assets: -units, debts: 0n }))
      throw new RequestRefused('beyondLeverage', coin);
    this.#transfer(coin, units, wallet.name, id);
  }

  #transfer(coin: string, units: bigint, from: string, to: string): void {
    this.#ledger.move(coin, units, { account: from, part: 'available' }, { account: to, part: 'available' });
    this.#bills.post(from, coin, -units, 'transferOut', to);
    this.#bills.post(to, coin, units, 'transferIn', from);
    this.#bills.write(this.#clock.now());
    this.#store.commitSoon();
  }

  #rows(wallet: Wallet): MarginBalance[] {
    const kind = wallet.kind === 'cross' ? 'cross' : 'isolated';
    const market = kind === 'isolated' ? wallet.market.name : null;
    return coinsOf(wallet).flatMap((coin) => {
      const row = this.#row(wallet.name, coin);
      const isEmpty = [row.available, row.frozen, row.borrowed].every((text) => Decimal.of(text).sign === 0);
      return isEmpty ? [] : [{ kind, market, ...row }];
    });
  }

  #row(wallet: string, coin: string): Omit<MarginBalance, 'kind' | 'market'> {
    const ledger = this.#ledger;
    const parts = [ledger.available(wallet, coin), ledger.frozen(wallet, coin), this.debt(wallet, coin)];
    const [available = '', frozen = '', borrowed = ''] = parts.map((units) => coinText(coin, units));
    return { coin, available, frozen, borrowed };
  }

  /** Leverage L: the assets are worth at most L times what is left after the debts. */
  #isWithinLeverage(wallet: Wallet, change: Change): boolean {
    const { assets, debts } = this.walletValue(wallet, change);
    return assets <= BigInt(LEVERAGE[wallet.kind]) * (assets - debts);
  }

  /** At the last prices, including what orders hold, in units of the valuation coin. Assets are rounded down, debts up. */
  walletValue(wallet: Wallet, change: Change = NO_CHANGE): { assets: bigint; debts: bigint } {
    const ledger = this.#ledger;
    let [assets, debts] = [0n, 0n];
    for (const coin of coinsOf(wallet)) {
      const coinChange = coin === change.coin ? change : NO_CHANGE;
      const owned = ledger.available(wallet.name, coin) + ledger.frozen(wallet.name, coin) + coinChange.assets;
      assets += this.#value(wallet, coin, owned, 'down');
      debts += this.#value(wallet, coin, this.debt(wallet.name, coin) + coinChange.debts, 'up');
    }
    return { assets, debts };
  }

  #value({ kind, market }: Wallet, coin: string, units: bigint, rounding: 'down' | 'up'): bigint {
    const valuationCoin = kind === 'isolated' ? market.quote : CROSS_VALUATION_COIN;
    if (units === 0n || coin === valuationCoin) return units;
    const priced = this.#markets.get(`${coin}_${valuationCoin}`);
    if (priced === undefined) throw new RangeError(`no market prices ${coin} in ${valuationCoin}`);
    return priced.worth(this.#lastPrice(priced.name), units, rounding);
  }

  /** The wallet and the units of a transfer. Throws {@link RequestRefused} if they are impossible. */
  #checked(account: string, { kind, market, coin, amount }: MarginTransfer): [wallet: Wallet, units: bigint] {
    const [any] = this.#markets.values();
    const rules = kind === 'isolated' ? this.#markets.get(market ?? '') : any;
    if (rules === undefined) throw new RequestRefused('unknownMarket', market?.slice(0, 40));
    const wallet = walletOf(account, kind, rules);
    if (!coinsOf(wallet).includes(coin)) {
      throw new RequestRefused('badParameter', `this wallet does not hold ${coin.slice(0, 40)}`);
    }
    return [wallet, coinUnits(coinsOfMarkets([rules]).get(coin) ?? coinRules(coin), amount)];
  }
}

/** The coins that a wallet can hold. */
function coinsOf({ kind, market }: Pick<Wallet, 'kind' | 'market'>): readonly string[] {
  return kind === 'isolated' ? [market.base, market.quote] : [...COINS.keys()];
}
