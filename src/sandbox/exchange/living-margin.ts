import { coinsOf } from '../desk/lender.js';
import { type Wallet, walletName, walletOf } from '../desk/wallets.js';
import type { MarginBalance, MarginMove } from '../exchange.js';
import { coinUnits } from '../funds/amounts.js';
import { coinText, type Market } from '../markets/market.js';
import { MARKETS } from '../markets/markets.js';
import { Refusal } from '../refusals.js';
import type { ExchangeState } from './house.js';

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
