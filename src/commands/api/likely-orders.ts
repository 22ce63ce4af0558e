import type { Context } from '../../cli/context.js';
import type { Side } from '../../domain/words.js';
import { Failure } from '../../errors.js';
import type { TradingAccount } from '../../trading/account.js';
import { guardOrders } from '../../trading/guards/guard-orders.js';
import type { Guarded } from '../../trading/guards/guards.js';
import { guardLimits } from '../../trading/guards/limits.js';
import { Outlook } from '../../trading/preview/outlook.js';

type Values = Readonly<Record<string, string>>;

/** No day counts what nobody can explain. */
type LikelyGuarded = Omit<Guarded, 'bid'>;

const NOTHING: LikelyGuarded = { breaches: [], warnings: [] };
const NUMBER = /^\d+(\.\d+)?$/;

/**
 * Holds against the guards what an operation that nobody described would do if it placed orders, as one with a market, a
 * price and an amount does, or with pairs of them.
 */
export async function guardLikely(
  { session }: Context,
  account: TradingAccount,
  values: Values,
): Promise<LikelyGuarded> {
  const orders = ordersIn(values);
  const name = values.currency ?? values.market ?? values.symbol;
  if (orders.length === 0 || name === undefined) return NOTHING;
  const market = await findIn(await session.markets(), name);
  if (market === undefined) return NOTHING;
  const limits = guardLimits((await session.connection()).settings);
  const seen = await new Outlook(account.client, { market: market.market, side: 'buy' }, 1).market();
  const all = sidesOf(values).map((side) =>
    guardOrders(account, { market, side, type: 'limit', orders }, seen, limits),
  );
  return {
    breaches: all.flatMap(({ breaches }) => breaches).filter(isFirst),
    warnings: all.flatMap(({ warnings }) => warnings),
  };
}

async function findIn<Found>(
  markets: { find(name: string): Promise<Found> },
  name: string,
): Promise<Found | undefined> {
  try {
    return await markets.find(name);
  } catch (error) {
    // its own idea of a market cannot be held against ours
    if (error instanceof Failure && error.kind === 'usage') return undefined;
    throw error;
  }
}

function ordersIn({ price = '', amount = '', tradeParams = '' }: Values) {
  const pairs = [...tradeParams.matchAll(/\[([\d.]+),\s*([\d.]+)/g)].map(([, ...pair]) => pair);
  return [[price, amount], ...pairs].flatMap(([price = '', amount = '']) =>
    NUMBER.test(price) && NUMBER.test(amount) ? [{ price, amount }] : [],
  );
}

/** "1 buy, 0 sell"; where it does not say, either may be meant. */
function sidesOf({ tradeType }: Values): Side[] {
  if (tradeType === '1') return ['buy'];
  return tradeType === '0' ? ['sell'] : ['buy', 'sell'];
}

/** Of breaches of the same guard by either side, the first. */
function isFirst({ guard }: { guard: string }, index: number, all: readonly { guard: string }[]): boolean {
  return all.findIndex((one) => one.guard === guard) === index;
}
