/**
 * A second exchange for one market, as simple as possible: one array of orders, sorted again for every order. It shares no code
 * with the real one, so that a mistake would have to be made twice.
 */
interface ModelOrder {
  number: number;
  account: string;
  buy: boolean;
  price: bigint;
  left: bigint;
  amount: bigint;
}

/** The units of btc that a lot is. */
const LOT = 100n;

export class Model {
  readonly resting: ModelOrder[] = [];
  readonly money = new Map<string, { usdt: bigint; btc: bigint }>();
  readonly log: string[] = [];
  #count = 0;

  constructor(accounts: readonly string[], usdt: bigint, lots: bigint) {
    for (const account of accounts) this.money.set(account, { usdt, btc: lots * LOT });
    this.money.set('fees', { usdt: 0n, btc: 0n });
  }

  /** The order's number, or the reason for its refusal. */
  place(account: string, buy: boolean, type: string, price: bigint, amount: bigint): number | 'crossing' | 'poor' {
    if (type === 'postOnly' && this.#opponents(buy, price).length > 0) return 'crossing';
    if (buy ? this.free(account).usdt < price * amount : this.free(account).btc < amount * LOT) return 'poor';
    this.#count += 1;
    const order = { number: this.#count, account, buy, price, left: amount, amount };
    for (const other of this.#opponents(buy, price)) this.#trade(order, other);
    for (const done of this.resting.filter(({ left }) => left === 0n))
      this.resting.splice(this.resting.indexOf(done), 1);
    if (order.left > 0n && type !== 'ioc') this.resting.push(order);
    return order.number;
  }

  /** Brings money in. */
  deposit(account: string, coin: 'usdt' | 'btc', units: bigint): void {
    this.owned(account)[coin] += units;
  }

  cancel(number: number): void {
    const index = this.resting.findIndex((order) => order.number === number);
    if (index >= 0) this.resting.splice(index, 1);
  }

  /** One side in the order in which it would trade. */
  side(buy: boolean): ModelOrder[] {
    const better = (a: ModelOrder, b: ModelOrder) => (buy ? b.price - a.price : a.price - b.price);
    return this.resting
      .filter((order) => order.buy === buy)
      .sort((a, b) => Number(better(a, b)) || a.number - b.number);
  }

  /** The balance of an account that its orders do not hold. */
  free(account: string): { usdt: bigint; btc: bigint } {
    const { usdt, btc } = this.owned(account);
    const mine = this.resting.filter((order) => order.account === account);
    const buys = mine.filter(({ buy }) => buy).reduce((sum, { price, left }) => sum + price * left, 0n);
    const sells = mine.filter(({ buy }) => !buy).reduce((sum, { left }) => sum + left * LOT, 0n);
    return { usdt: usdt - buys, btc: btc - sells };
  }

  owned(account: string): { usdt: bigint; btc: bigint } {
    const owned = this.money.get(account);
    if (owned === undefined) throw new Error(`no account ${account}`);
    return owned;
  }

  #opponents(buy: boolean, price: bigint): ModelOrder[] {
    return this.side(!buy).filter((other) => (buy ? other.price <= price : other.price >= price));
  }

  #trade(taker: ModelOrder, maker: ModelOrder): void {
    const [amount = 0n] = [taker.left, maker.left].sort((a, b) => Number(a - b));
    if (amount === 0n) return;
    taker.left -= amount;
    maker.left -= amount;
    const [buyer, seller] = (taker.buy ? [taker, maker] : [maker, taker]).map(({ account }) => this.owned(account));
    if (buyer === undefined || seller === undefined) return;
    const [value, coins] = [maker.price * amount, amount * LOT];
    buyer.usdt -= value;
    seller.btc -= coins;
    buyer.btc += coins - upTo500th(coins);
    seller.usdt += value - upTo500th(value);
    this.owned('fees').btc += upTo500th(coins);
    this.owned('fees').usdt += upTo500th(value);
    this.log.push(`${maker.number} ${taker.number} ${maker.price} ${amount}`);
  }
}

/** 0.2 %, rounded up. */
function upTo500th(units: bigint): bigint {
  return units % 500n === 0n ? units / 500n : units / 500n + 1n;
}
