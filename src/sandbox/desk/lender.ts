import { type Ledger, lentTo } from '../ledger.js';
import { COINS, coinRules } from '../markets/coins.js';
import { MARKETS } from '../markets/markets.js';
import { Refusal } from '../refusals.js';
import { LEVERAGE } from '../server/choices.js';
import type { BillBook } from './bills.js';
import type { Wallet } from './wallets.js';

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
