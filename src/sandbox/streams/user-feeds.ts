import { type Account, crossWallet } from '../accounts/accounts.js';
import { lentTo } from '../accounts/ledger.js';
import { topics } from '../exchange/changes.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import { withdrawing } from '../funds/withdrawals.js';
import { type AccountOrder, type OrderRecord, recordOf } from '../orders/order.js';
import { type Json, number, toJsonText } from '../server/bodies.js';
import { STREAMS } from '../server/interface-details.js';
import { coinEntries, coinEntry } from '../server/operations/account.js';
import { statusOf, typeCodeOf } from '../server/operations/trading.js';
import { type FeedTerms, ServedFeed } from './feed.js';
import { Message } from './message.js';

interface UserFeedOptions {
  readonly exchange: SandboxExchange;
  readonly account: Account;
  readonly channel: string;
}

interface OwnedOrders extends UserFeedOptions {
  readonly market: string;
}

/** Observed: the market of a user channel, in requests and pushes. */
const USER_MARKET_SUFFIX = 'default';

/** The market of an order's feed as it is shown. */
function shownMarket(market: string): string {
  return `${market.replace('_', '')}${USER_MARKET_SUFFIX}`;
}

/** The name without underscore of a market in a request, with or without the suffix. */
export function requestedMarket(text: string): string {
  return text.endsWith(USER_MARKET_SUFFIX) ? text.slice(0, -USER_MARKET_SUFFIX.length) : text;
}

/** Observed: by position; see {@link STREAMS} for the unknown positions. */
function recordArray(record: OrderRecord): readonly Json[] {
  const { id, price, amount, filled, filledValue, time, fee, lastTrade } = record;
  const numbers = [price, amount, filled, filledValue].map(number);
  const trade =
    lastTrade === null
      ? [null, null, null, null]
      : [number(lastTrade.id), number(lastTrade.price), number(lastTrade.amount), lastTrade.time];
  const unknown = [null, null, null, null];
  return [id, ...numbers, typeCodeOf(record), time, statusOf(record), number(fee), ...unknown, ...trade];
}

function termsOfOrders({ account, market, channel }: OwnedOrders, pace: FeedTerms['pace']): FeedTerms {
  return { channel, kind: channel, topics: [topics.orders(account.id, market)], pace };
}

/** Each change of an order, as one message. */
class OrderChanges extends ServedFeed {
  readonly #of: OwnedOrders;

  #waiting: Message[] = [];
  /** The last text of each order since the last push, because an order may be reported twice without a change. */
  readonly #texts = new Map<string, string>();

  constructor(of: OwnedOrders) {
    super(termsOfOrders(of, 'account'));
    this.#of = of;
  }

  override orderChanged(order: AccountOrder): void {
    const record = recordOf(order);
    const market = shownMarket(this.#of.market);
    const text = toJsonText({
      dataType: 'userIncrRecord',
      channel: this.terms.channel,
      market,
      record: recordArray(record),
    });
    if (this.#texts.get(record.id) === text) return;
    this.#texts.set(record.id, text);
    this.#waiting.push(new Message(text));
  }

  initialMessages(): readonly Message[] {
    return [];
  }

  updates(): readonly Message[] {
    const updates = this.#waiting;
    this.#waiting = [];
    this.#texts.clear();
    return updates;
  }
}

/** Open orders and the newest closed ones, all of them after each change. */
class OrderSnapshots extends ServedFeed {
  readonly #of: OwnedOrders;

  #shown = '';

  constructor(of: OwnedOrders) {
    super(termsOfOrders(of, 'snapshot'));
    this.#of = of;
  }

  initialMessages(): readonly Message[] {
    return [new Message(this.#text())];
  }

  updates(): readonly Message[] {
    const text = this.#text();
    if (text === this.#shown) return [];
    this.#shown = text;
    return [new Message(text)];
  }

  #text(): string {
    const { exchange, account, market } = this.#of;
    const page = (list: 'open' | 'all', pageSize: number) =>
      exchange.orders.list(account, market, { list, page: 1, pageSize });
    const open = page('open', Number.MAX_SAFE_INTEGER);
    const closed = page('all', open.length + STREAMS.closedOrders).filter(({ state }) => state !== 'open');
    return toJsonText({
      dataType: 'userRecord',
      channel: this.terms.channel,
      market: shownMarket(market),
      record: open.map(recordArray),
      hrecord: closed.slice(0, STREAMS.closedOrders).map(recordArray),
    });
  }
}

/** The channels of orders. */
export const ORDERS = {
  push_user_incr_record: (of: OwnedOrders): ServedFeed => new OrderChanges(of),
  push_user_record: (of: OwnedOrders): ServedFeed => new OrderSnapshots(of),
};

/** What the feeds of assets differ in. */
interface Assets {
  readonly dataType: string;
  /** The entries of all coins, by coin. */
  readonly entries: (owned: UserFeedOptions) => ReadonlyMap<string, Json>;
  /** Whether a change is followed by all coins or by those that changed. */
  readonly sendsAllCoins: boolean;
  /** Whether all coins are sent at the beginning of a subscription. */
  readonly sendsSnapshotFirst: boolean;
  /** The ledger accounts whose balances it shows. */
  readonly wallets: (account: string) => readonly string[];
}

/** The channels of assets. */
export const ASSETS: Readonly<Record<string, Assets>> = {
  push_user_incr_asset: {
    dataType: 'userIncrAsset',
    entries: coinEntries,
    wallets: (account) => [account, withdrawing(account)],
    sendsAllCoins: false,
    sendsSnapshotFirst: false,
  },
  push_user_asset: {
    dataType: 'userAsset',
    entries: coinEntries,
    wallets: (account) => [account, withdrawing(account)],
    sendsAllCoins: true,
    sendsSnapshotFirst: true,
  },
  push_user_cross_asset: {
    dataType: 'userCrossAsset',
    entries: crossEntries,
    wallets: (account) => [crossWallet(account), lentTo(crossWallet(account))],
    sendsAllCoins: false,
    sendsSnapshotFirst: true,
  },
};

function crossEntries({ exchange, account }: UserFeedOptions): ReadonlyMap<string, Json> {
  return new Map(
    exchange.margin.crossBalances(account).flatMap(({ coin, available, frozen, borrowed }): [string, Json][] => {
      const rules = exchange.coins.get(coin);
      return rules === undefined ? [] : [[coin, { ...coinEntry(rules, available, frozen), borrowed }]];
    }),
  );
}

/** The balances of an account. */
export class AssetsFeed extends ServedFeed {
  readonly #of: UserFeedOptions;
  readonly #assets: Assets;

  #shown = new Map<string, string>();
  #version = 0;

  constructor(of: UserFeedOptions, assets: Assets) {
    const shown = assets.wallets(of.account.id).map(topics.balances);
    super({ channel: of.channel, kind: of.channel, topics: shown, pace: 'account' });
    this.#of = of;
    this.#assets = assets;

    this.#shown = this.#texts();
  }

  initialMessages(): readonly Message[] {
    return this.#assets.sendsSnapshotFirst ? [this.#message(this.#texts())] : [];
  }

  updates(): readonly Message[] {
    const texts = this.#texts();
    const changed = new Map([...texts].filter(([coin, text]) => this.#shown.get(coin) !== text));
    if (changed.size === 0) return [];
    this.#shown = texts;
    return [this.#message(this.#assets.sendsAllCoins ? texts : changed)];
  }

  #texts(): Map<string, string> {
    return new Map([...this.#assets.entries(this.#of)].map(([coin, entry]) => [coin, toJsonText(entry)]));
  }

  #message(texts: ReadonlyMap<string, string>): Message {
    this.#version = Math.max(this.#version + 1, this.#of.exchange.status().time);
    const { dataType } = this.#assets;
    const coins = number(`[${[...texts.values()].join(',')}]`);
    return new Message(toJsonText({ dataType, channel: this.terms.channel, coins, version: this.#version }));
  }
}
