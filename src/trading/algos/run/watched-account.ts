import type { Host } from '../../../platform/host.js';
import type { TradingContext } from '../../trading-context.js';
import { AccountFunds } from '../market/account-funds.js';
import { WatchedMarkets, type WatchedMarketsOptions } from '../market/watched-markets.js';

export interface WatchedAccountOptions extends Pick<WatchedMarketsOptions, 'follow' | 'warn' | 'isAlone'> {
  readonly host: Pick<Host, 'monotonic' | 'now' | 'sleep'>;
  /** Balances were read, or have changed. */
  readonly fundsChanged: () => void;
}

/** What all algo orders of an account share while they are watched: the account's funds and its markets, read in a time of their own. */
export class WatchedAccount {
  readonly trading: TradingContext;
  readonly funds: AccountFunds;
  readonly markets: WatchedMarkets;

  constructor(trading: TradingContext, { host, follow, warn, isAlone, fundsChanged }: WatchedAccountOptions) {
    const { client, budget } = trading;
    const restartBudget = () => budget.restart();
    const funds = new AccountFunds(host, client, restartBudget, fundsChanged);
    this.trading = trading;
    this.funds = funds;
    this.markets = new WatchedMarkets({
      ...{ host, client, follow, warn, isAlone, restartBudget },
      // the answer shows the exchange's time: this machine's clock may have been set
      slept: () => funds.request(),
    });
  }
}
