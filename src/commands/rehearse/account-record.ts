import { Decimal } from '../../domain/decimal.js';
import type { Side } from '../../domain/order.js';
import { FIRST_ACCOUNT } from '../../sandbox/accounts/accounts.js';
import { coinText, type SandboxMarket } from '../../sandbox/markets/market.js';
import type { AccountOrder } from '../../sandbox/orders/order.js';
import type { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import { beginningOf, type CandleEvent, type TradeEvent } from '../../sandbox/replay/tape-event.js';

const MINUTE = 60_000;

/** A trade of the account. */
export interface RehearsedFill {
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly orderId: string;
  readonly clientId: string | null;
  readonly market: string;
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
  readonly value: string;
  readonly fee: string;
  readonly feeCoin: string;
}

/** An order, with what its fills have come to so far. */
interface KnownOrder {
  /** The last price of its market on the tape when it was placed, in ticks. */
  readonly reference: bigint | undefined;
  lastTrade: AccountOrder['lastTrade'];
  value: bigint;
  fee: bigint;
}

/** What was traded and filled in a candle or minute. */
interface CountedVolume {
  /** In milliseconds since the Unix epoch. */
  readonly begin: number;
  /** In milliseconds. */
  readonly length: number;
  traded: Decimal;
  filled: Decimal;
}

/** The orders and fills of the account as they happen, and the value of the account over time. */
export class AccountRecord {
  readonly #sandbox: PrivateSandbox;
  /** The coin of all values. */
  readonly unit: string;
  readonly #orders = new Map<bigint, KnownOrder>();
  /** The last prices of the tape by market, in ticks. */
  readonly #prices = new Map<string, bigint>();
  /** What the account has of each coin, and the market that prices the coin. */
  #holdings: readonly { readonly market: SandboxMarket; units: bigint }[] = [];
  #cash = 0n;
  #revision = -1;
  #opening: {
    readonly coin: string;
    readonly units: bigint;
    readonly market: SandboxMarket | undefined;
    price?: bigint;
  }[] = [];
  #highest: bigint | undefined;
  /** In units of the coin of all values. */
  #drawdown = 0n;
  #highestBefore = 0n;
  #slippage = 0n;
  /** What was traded and filled in the current candle or minute, by market. */
  readonly #volumes = new Map<string, CountedVolume>();
  readonly #beyond = new Map<string, Decimal>();
  orders = 0;
  readonly fills: RehearsedFill[] = [];

  /** @param unit the coin of all values */
  constructor(sandbox: PrivateSandbox, unit: string) {
    this.#sandbox = sandbox;
    this.unit = unit;

    sandbox.exchange.changes.listen((_, order) => {
      if (order?.account === FIRST_ACCOUNT) this.#changed(order);
    });
  }

  /** Records the present balances as the opening ones. */
  begin(): void {
    this.#opening = this.#coins().map(({ coin, market }) => ({ coin, market, units: this.#sandbox.total(coin) }));
  }

  /** Counts what was traded in a market, in the candle or minute of this event. */
  countVolume(event: TradeEvent | CandleEvent): void {
    const [length, volume] =
      event.kind === 'candle' ? [event.length, event.volume ?? event.amount] : [MINUTE, event.amount];
    const counted = this.#volumeAt(event.market, beginningOf(event), beginningOf(event), length);
    counted.traded = counted.traded.plus(Decimal.of(volume));
  }

  /** What is counted at a time. @param begin when the candle or minute begins that has it, if it is not the current one */
  #volumeAt(market: string, time: number, begin = Math.floor(time / MINUTE) * MINUTE, length = MINUTE): CountedVolume {
    const known = this.#volumes.get(market);
    if (known !== undefined && time >= known.begin && time < known.begin + known.length) return known;
    this.#closeVolume(market);
    const counted = { begin, length, traded: Decimal.zero, filled: Decimal.zero };
    this.#volumes.set(market, counted);
    return counted;
  }

  /** What was filled beyond what the tape has as traded at the same time, by coin. */
  get beyondVolume(): readonly { readonly coin: string; readonly amount: string }[] {
    for (const market of this.#volumes.keys()) this.#closeVolume(market);
    return [...this.#beyond].map(([coin, amount]) => ({ coin, amount: amount.trimmed().toString() }));
  }

  #closeVolume(market: string): void {
    const known = this.#volumes.get(market);
    this.#volumes.delete(market);
    if (known === undefined || known.filled.compare(known.traded) <= 0) return;
    const coin = market.split('_')[0] ?? '';
    const more = known.filled.minus(known.traded);
    this.#beyond.set(coin, (this.#beyond.get(coin) ?? Decimal.zero).plus(more));
  }

  /** Takes the newest price of a market on the tape, and measures the drawdown. */
  priced(name: string): void {
    const price = this.#sandbox.recordedPrice(name);
    if (price === undefined) return;
    if (!this.#prices.has(name)) for (const one of this.#opening) if (one.market?.name === name) one.price = price;
    this.#prices.set(name, price);
    this.#measure();
  }

  /** Measures the drawdown if the account has traded since it was measured last. */
  measureIfTraded(): void {
    if (this.#revision !== this.#sandbox.balancesRevision) this.#measure();
  }

  #measure(): void {
    const value = this.value;
    if (value === undefined) return;
    if (this.#highest === undefined || value > this.#highest) this.#highest = value;
    if (this.#highest - value > this.#drawdown) {
      this.#drawdown = this.#highest - value;
      this.#highestBefore = this.#highest;
    }
  }

  /** What the account is worth, in units of the coin of all values; undefined until each of its coins has a price. */
  get value(): bigint | undefined {
    if (this.#revision !== this.#sandbox.balancesRevision) this.#readBalances();
    let sum = this.#cash;
    for (const { market, units } of this.#holdings) {
      const price = this.#prices.get(market.name);
      if (price === undefined) return undefined;
      sum += market.worth(price, units, 'down');
    }
    return sum;
  }

  /** The largest fall of that value from an earlier high, and that high. */
  get drawdown(): { readonly amount: string; readonly share: string | null } {
    const { unit } = this;
    const amount = coinText(unit, this.#drawdown);
    const high = Decimal.of(coinText(unit, this.#highestBefore));
    const share = high.sign <= 0 ? null : Decimal.of(amount).dividedBy(high, 4, 'down').toString();
    return { amount, share };
  }

  /** What the fills cost beyond the last price when their orders were placed; negative if they were better. */
  get slippage(): string {
    return coinText(this.unit, this.#slippage);
  }

  /** The opening balances with the first price of each coin; null if the tape has no market that prices it. */
  get opening(): readonly { readonly coin: string; readonly amount: string; readonly price: string | null }[] {
    return this.#opening.map(({ coin, units, market, price }) => ({
      coin,
      amount: coinText(coin, units),
      price: market === undefined || price === undefined ? null : market.price(price),
    }));
  }

  /** What the opening balances are worth, in units of the coin of all values; undefined until each of them has a price. */
  get heldValue(): bigint | undefined {
    let sum = 0n;
    for (const { coin, units, market } of this.#opening) {
      const price = market && this.#prices.get(market.name);
      if (coin === this.unit) sum += units;
      else if (market !== undefined && units !== 0n) {
        if (price === undefined) return undefined;
        sum += market.worth(price, units, 'down');
      }
    }
    return sum;
  }

  /** How much the opening balances have gained in value. */
  get held(): string {
    const gains = this.#opening.map(({ units, market, price }) => {
      const last = market && this.#prices.get(market.name);
      if (market === undefined || price === undefined || last === undefined) return 0n;
      return market.worth(last, units, 'down') - market.worth(price, units, 'down');
    });
    return coinText(
      this.unit,
      gains.reduce((sum, gain) => sum + gain, 0n),
    );
  }

  #changed(order: AccountOrder): void {
    const { market } = order;
    let known = this.#orders.get(order.id);
    if (known === undefined) {
      known = { reference: this.#prices.get(market.name), lastTrade: undefined, value: 0n, fee: 0n };
      this.orders += 1;
      this.#orders.set(order.id, known);
    }
    // of several trades at once, the first one already finds the order closed
    const { lastTrade } = order;
    if (lastTrade !== undefined && lastTrade !== known.lastTrade) this.#filled(order, known, lastTrade);
  }

  #filled(order: AccountOrder, known: KnownOrder, lastTrade: NonNullable<AccountOrder['lastTrade']>): void {
    const { market, side } = order;
    const { time, price, amount } = lastTrade;
    const [value, fee] = [order.value - known.value, order.fee - known.fee];
    [known.lastTrade, known.value, known.fee] = [lastTrade, order.value, order.fee];
    const feeCoin = side === 'buy' ? market.base : market.quote;
    this.fills.push({
      ...{ time, orderId: String(order.id), clientId: order.clientId },
      ...{ market: market.name, side, price: market.price(price), amount: market.amount(amount) },
      ...{ value: coinText(market.quote, value), fee: coinText(feeCoin, fee), feeCoin },
    });
    const volume = this.#volumeAt(market.name, time);
    volume.filled = volume.filled.plus(Decimal.of(market.amount(amount)));
    if (known.reference === undefined || market.quote !== this.unit) return;
    const dearer = side === 'buy' ? price - known.reference : known.reference - price;
    this.#slippage += market.value(dearer, amount);
  }

  #readBalances(): void {
    this.#revision = this.#sandbox.balancesRevision;
    this.#cash = this.#sandbox.total(this.unit);
    this.#holdings = this.#coins().flatMap(({ coin, market }) => {
      const units = this.#sandbox.total(coin);
      return market === undefined || units === 0n ? [] : [{ market, units }];
    });
  }

  /** Each coin with the market that prices it. */
  #coins(): readonly { readonly coin: string; readonly market: SandboxMarket | undefined }[] {
    const { exchange } = this.#sandbox;
    const coins = new Set([...exchange.markets.values()].flatMap(({ base, quote }) => [base, quote]));
    return [...coins].map((coin) => ({
      coin,
      market: exchange.markets.get(`${coin}_${this.unit}`) as SandboxMarket | undefined,
    }));
  }
}
