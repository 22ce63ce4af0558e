/*
 * The lots of an account, computed from docs/books.md alone: in whole numbers of 10^-60, coin by coin, without any code of pit.
 */

/** What happened to an account. Amounts are decimal texts; times are in milliseconds since the Unix epoch. */
export type Happening =
  | {
      readonly kind: 'trade';
      readonly time: number;
      readonly market: string;
      readonly side: 'buy' | 'sell';
      readonly amount: string;
      readonly value: string;
      /** Below zero for a rebate. */
      readonly fee: { readonly coin: string; readonly amount: string } | undefined;
      readonly order: string;
    }
  | { readonly kind: 'in'; readonly time: number; readonly coin: string; readonly amount: string; readonly as: Arrival }
  | { readonly kind: 'out'; readonly time: number; readonly coin: string; readonly amount: string; readonly as: Exit };

type Arrival = 'deposit' | 'other' | 'balance';
type Exit = 'withdrawal' | 'other';

export interface BasisRow {
  readonly time: number;
  readonly coin: string;
  readonly amount: string;
  readonly cost: string;
  readonly costCoin: string;
}

export interface BookRules {
  readonly unit: string;
  readonly method: 'fifo' | 'lifo' | 'average';
  readonly fees: 'in' | 'apart';
  readonly basis: readonly BasisRow[];
  /** In the order in which the exchange lists them. */
  readonly markets: readonly string[];
  /** The closing price of the candle of a moment, or of the last one before; undefined if there is none. */
  readonly price: (market: string, time: number) => string | undefined;
  /** When the oldest bill of the account is. */
  readonly oldestBill: number;
}

/** A part of a lot that was closed, as the columns of `--lots` have it. */
export interface BookRow {
  readonly coin: string;
  readonly opened: number | null;
  readonly closed: number;
  readonly amount: string;
  readonly cost: string | null;
  readonly proceeds: string | null;
  readonly feeCost: string | null;
  readonly feeProceeds: string | null;
  readonly openedBy: string | null;
  readonly closedBy: string | null;
  readonly opening: string | null;
  readonly closing: string;
}

const DIGITS = 60;
const ONE = 10n ** BigInt(DIGITS);

function parse(text: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const size = BigInt(whole + fraction.padEnd(DIGITS, '0'));
  return sign === '' ? size : -size;
}

function print(value: bigint): string {
  const size = (value < 0n ? -value : value).toString().padStart(DIGITS + 1, '0');
  const fraction = size.slice(-DIGITS).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${size.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Rounded towards zero to 8 decimals, or to those of `like` if it has more. */
function cut(value: bigint, like: bigint): bigint {
  const decimals = Math.max(8, /0*$/.exec(print(like).split('.')[1] ?? '')?.index ?? 0);
  const unit = 10n ** BigInt(DIGITS - decimals);
  return (value / unit) * unit;
}

type Maybe = bigint | undefined;

function least(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}

/** The share of a value that belongs to a part of a whole. */
function share(value: Maybe, part: bigint, whole: bigint): Maybe {
  if (value === undefined || part === whole) return value;
  return cut((value * part) / whole, value);
}

function plus(one: Maybe, other: Maybe): Maybe {
  return one === undefined || other === undefined ? undefined : one + other;
}

function minus(one: Maybe, other: Maybe): Maybe {
  return one === undefined || other === undefined ? undefined : one - other;
}

/** The ways from one coin to another over different markets, each as the markets that it crosses. */
function ways(markets: readonly string[], from: string, to: string): string[][] {
  if (from === to) return [[]];
  return markets.flatMap((market) => {
    const coins = market.split('_');
    if (!coins.includes(from)) return [];
    const next = coins.find((coin) => coin !== from) ?? '';
    const rest = markets.filter((one) => one !== market && !one.split('_').includes(from));
    return ways(rest, next, to).map((way) => [market, ...way]);
  });
}

const shortest = new Map<string, string[] | undefined>();

/** Of the ways with the fewest markets, the one whose markets are listed first. */
function wayOf(markets: readonly string[], from: string, to: string): string[] | undefined {
  const key = `${markets} ${from} ${to}`;
  if (!shortest.has(key)) {
    const all = ways(markets, from, to);
    const least = Math.min(...all.map(({ length }) => length));
    const places = (way: string[]) => way.map((market) => String(markets.indexOf(market)).padStart(3, '0')).join();
    shortest.set(
      key,
      all.filter(({ length }) => length === least).sort((one, other) => (places(one) < places(other) ? -1 : 1))[0],
    );
  }
  return shortest.get(key);
}

function converted(amount: bigint, from: string, time: number, { unit, markets, price }: BookRules): Maybe {
  const way = wayOf(markets, from, unit);
  if (way === undefined) return undefined;
  let [coin, up, down, divides] = [from, amount, ONE, false];
  for (const market of way) {
    const [base = '', quote = ''] = market.split('_');
    const text = price(market, time);
    if (text === undefined) return undefined;
    if (coin === base) up = (up * parse(text)) / ONE;
    else [down, divides] = [(down * parse(text)) / ONE, true];
    coin = coin === base ? quote : base;
  }
  return divides ? cut((up * ONE) / down, up) : up;
}

/** What comes into a coin's books, or leaves them. */
type Step =
  | { readonly does: 'come'; readonly time: number; readonly lot: Lot }
  | { readonly does: 'arrive'; readonly time: number; readonly amount: bigint; readonly as: Arrival }
  | { readonly does: 'go'; readonly time: number; readonly amount: bigint; readonly going: Going };

interface Lot {
  readonly bought: number | null;
  readonly by: string | null;
  readonly opening: string | null;
  readonly amount: bigint;
  readonly cost: Maybe;
  readonly fee: Maybe;
}

interface Going {
  readonly by: string | null;
  readonly closing: string;
  readonly proceeds: Maybe;
  readonly fee: Maybe;
}

/** All that happens to one coin, in order. */
function* stepsOf(coin: string, story: readonly Happening[], rules: BookRules): Generator<Step> {
  for (const one of story) {
    const { time } = one;
    if (one.kind === 'in') {
      if (one.coin === coin) yield { does: 'arrive', time, amount: parse(one.amount), as: one.as };
    } else if (one.kind === 'out') {
      const going = { by: null, closing: one.as, proceeds: undefined, fee: undefined };
      if (one.coin === coin) yield { does: 'go', time, amount: parse(one.amount), going };
    } else yield* tradeSteps(coin, one, rules);
  }
}

function* tradeSteps(coin: string, trade: Happening & { kind: 'trade' }, rules: BookRules): Generator<Step> {
  const { time, side, order: by } = trade;
  const [base = '', quote = ''] = trade.market.split('_');
  const [amount, value] = [parse(trade.amount), parse(trade.value)];
  const worth =
    quote === rules.unit
      ? value
      : base === rules.unit
        ? amount
        : (converted(value, quote, time, rules) ?? converted(amount, base, time, rules));
  const feeCoin = trade.fee?.coin;
  const fee = parse(trade.fee?.amount ?? '0');
  const feeWorth =
    feeCoin === undefined
      ? 0n
      : feeCoin === rules.unit
        ? fee
        : feeCoin === base
          ? share(worth, fee, amount)
          : feeCoin === quote
            ? share(worth, fee, value)
            : converted(fee, feeCoin, time, rules);
  const isIn = rules.fees === 'in';
  const [sent, received] = side === 'buy' ? [quote, base] : [base, quote];
  const [gone, got] = side === 'buy' ? [value, amount] : [amount, value];
  if (coin === sent) {
    const isSold = side === 'sell';
    const proceeds = isSold && isIn ? minus(worth, feeWorth) : worth;
    const going = { by, closing: side, proceeds, fee: isSold ? feeWorth : 0n };
    yield { does: 'go', time, amount: gone, going };
  }
  if (coin === feeCoin && coin !== received) {
    if (fee > 0n) yield { does: 'go', time, amount: fee, going: { by, closing: 'fee', proceeds: feeWorth, fee: 0n } };
    const lot = { bought: time, by, opening: 'rebate', amount: -fee, cost: minus(0n, feeWorth), fee: 0n };
    if (fee < 0n) yield { does: 'come', time, lot };
  }
  if (coin !== received) return;
  const inside = feeCoin === received ? fee : 0n;
  const net = minus(worth, inside === 0n ? 0n : share(worth, inside, got));
  const cost = side === 'buy' && isIn ? plus(net, feeWorth) : net;
  const lot = { bought: time, by, opening: side, amount: got - inside, cost, fee: side === 'buy' ? feeWorth : 0n };
  yield { does: 'come', time, lot };
}

/** The lots of all coins that were ever closed, coin by coin, each in order. */
export function independentBooks(story: readonly Happening[], rules: BookRules): BookRow[] {
  const coins = new Set(story.flatMap((one) => (one.kind === 'trade' ? one.market.split('_') : [one.coin])));
  for (const one of story) if (one.kind === 'trade' && one.fee !== undefined) coins.add(one.fee.coin);
  coins.delete(rules.unit);
  return [...coins].sort().flatMap((coin) => coinRows(coin, story, rules));
}

function coinRows(coin: string, story: readonly Happening[], rules: BookRules): BookRow[] {
  const rows: BookRow[] = [];
  const purchases = rules.basis
    .map((line, place) => ({
      ...line,
      place,
      amount: parse(line.amount),
      cost:
        line.costCoin === rules.unit ? parse(line.cost) : converted(parse(line.cost), line.costCoin, line.time, rules),
    }))
    .filter((line) => line.coin === coin)
    .sort((one, other) => one.time - other.time || one.place - other.place);
  let lots: Lot[] = [];
  const come = (lot: Lot) => {
    if (lot.amount === 0n) return;
    lots.push(lot);
    if (rules.method !== 'average') return;
    const sum = (of: 'cost' | 'fee') => lots.map((one) => one[of]).reduce(plus, 0n);
    const amount = lots.reduce((total, one) => total + one.amount, 0n);
    lots = [{ bought: null, by: null, opening: null, amount, cost: sum('cost'), fee: sum('fee') }];
  };
  const ageOf = ({ bought }: Lot) => bought ?? Number.NEGATIVE_INFINITY;
  /** The oldest or the newest; of those that are as old, the first or the last that came in. */
  const next = (): Lot | undefined =>
    rules.method === 'lifo'
      ? lots.reduce<Lot | undefined>(
          (best, lot) => (best !== undefined && ageOf(best) > ageOf(lot) ? best : lot),
          undefined,
        )
      : lots.reduce<Lot | undefined>(
          (best, lot) => (best !== undefined && ageOf(best) <= ageOf(lot) ? best : lot),
          undefined,
        );
  for (const step of stepsOf(coin, story, rules)) {
    if (step.does === 'come') come(step.lot);
    if (step.does === 'arrive') {
      const by = step.as === 'balance' ? rules.oldestBill : step.time;
      let left = step.amount;
      for (const line of purchases) {
        if (line.time > by || line.amount === 0n || left === 0n) continue;
        const part = least(line.amount, left);
        const cost = share(line.cost, part, line.amount);
        come({
          bought: line.time,
          by: null,
          opening: step.as,
          amount: part,
          cost,
          fee: cost === undefined ? undefined : 0n,
        });
        line.amount -= part;
        line.cost = minus(line.cost, cost);
        left -= part;
      }
      const bought = step.as === 'balance' ? null : step.time;
      come({ bought, by: null, opening: step.as, amount: left, cost: undefined, fee: undefined });
    }
    if (step.does !== 'go') continue;
    let { amount } = step;
    let { proceeds, fee } = step.going;
    while (amount > 0n) {
      const lot = next();
      const part = lot === undefined || lot.amount > amount ? amount : lot.amount;
      const [cost, feeCost] = [share(lot?.cost, part, lot?.amount ?? 1n), share(lot?.fee, part, lot?.amount ?? 1n)];
      const [own, ownFee] = [share(proceeds, part, amount), share(fee, part, amount)];
      const text = (value: Maybe) => (value === undefined ? null : print(value));
      rows.push({
        ...{ coin, opened: lot?.bought ?? null, closed: step.time, amount: print(part), cost: text(cost) },
        ...{ proceeds: text(own), feeCost: text(feeCost), feeProceeds: text(ownFee), openedBy: lot?.by ?? null },
        ...{ closedBy: step.going.by, opening: lot?.opening ?? null, closing: step.going.closing },
      });
      amount -= part;
      proceeds = minus(proceeds, own);
      fee = minus(fee, ownFee);
      const rest = lot && {
        ...lot,
        amount: lot.amount - part,
        cost: minus(lot.cost, cost),
        fee: minus(lot.fee, feeCost),
      };
      lots = lots.flatMap((one) => (one !== lot ? [one] : rest !== undefined && rest.amount > 0n ? [rest] : []));
    }
  }
  return rows;
}
