import { ACCOUNT_TYPES, ORDER_TYPES, SIDES } from '../../domain/order.js';
import { Failure, quoted, usage } from '../../errors.js';
import { parseAmount, parsePrice } from '../../trading/expressions.js';
import { PREPARED_KINDS } from '../../trading/prepared/prepared-write.js';
import { ALGO_CHANGES } from '../commit/algo-changes.js';
import type { PrepareRequest } from '../commit/prepare.js';
import { algoId, marketName, orderId } from '../inputs/parsers.js';
import { AGENT_ALGO_FLAGS, type AlgoFlags, algoDraftArgs, checkAlgo } from '../order/algo-args.js';
import { parseLadder } from '../order/batch-input.js';
import { draftArgs, ladderArgs, replaceArgs } from '../order/order-args.js';
import { algoParameters, checkAlgoParameters } from './algo-parameters.js';
import { choice, type Given, optional, text, texts, toggle } from './parameters.js';

/** In one prepared write. A user would not read more before confirming. */
const MOST_ORDERS = 50;

/** The same for the conditions of an algo order. */
const MOST_CONDITIONS = 5;
/** In characters: all of them are in one sentence of the question. */
const LONGEST_CONDITION = 30;

/** The parameters of the tool `prepare`. */
export const PREPARE = {
  kind: choice('what to do', ...PREPARED_KINDS),
  market: text('such as btc_usdt'),
  side: optional(choice('of a new order', ...SIDES)),
  amount: optional(
    text('base coin (0.5), value (100usdt) or share of the balance (50%); the total of a ladder or replacement'),
  ),
  price: optional(
    text(
      'a number, or bid, ask or mid with an offset: bid+2ticks, mid-0.5%; of a ladder FROM:TO:COUNT; of an algo the entry, or the limit of one that follows the market',
    ),
  ),
  type: optional(choice('of an order (limit)', ...ORDER_TYPES)),
  weight: optional(choice('of a ladder (equal)', 'equal', 'linear')),
  account: optional(choice('(spot)', ...ACCOUNT_TYPES)),
  borrow: optional(toggle('borrow the shortfall (margin)')),
  repay: optional(toggle('repay loans with the proceeds (margin)')),
  orders: optional(texts('ids: to cancel, or ["all"]; the one to replace; of algo orders to change')),
  ...algoParameters(true),
};

/**
 * The command line that a user would type for what an agent asks for. Each word of it is made of a value that was checked: no text of an
 * agent becomes one. Throws Failure `usage` for an argument that is wrong, missing or does not belong to its kind.
 */
export function requestOf({ kind, market: name, ...given }: Given<typeof PREPARE>): PrepareRequest {
  const market = marketName(name);
  const { side, amount, price, type, weight, account, borrow = false, repay = false, orders, ...others } = given;
  const algo = { ...others, when: unlessEmpty(others.when) };
  if (kind !== 'algo') refuseForeign(kind, algo, ALGO_INSTEAD[kind]);
  const terms = { side, amount, price, type, weight, account, borrow, repay, orders: unlessEmpty(orders) };
  return { kind, market, argv: ARGV[kind]({ ...terms, market, algo }) };
}

/** Many agents send an empty list for what they leave out. */
function unlessEmpty(values: readonly string[] | undefined): readonly string[] | undefined {
  return values?.length === 0 ? undefined : values;
}

type GivenTerms = Omit<Given<typeof PREPARE>, 'kind' | keyof typeof AGENT_ALGO_FLAGS>;

/** What an agent has given, with the parameters that only algo orders take as `algo`. */
interface Requested extends Omit<GivenTerms, 'orders'> {
  readonly borrow: boolean;
  readonly repay: boolean;
  readonly orders: readonly string[] | undefined;
  readonly algo: AgentGiven & { readonly when: readonly string[] | undefined };
}

/** The words of the command line for each kind. Each throws Failure as {@link requestOf}. */
const ARGV: { readonly [Kind in PrepareRequest['kind']]: (requested: Requested) => string[] } = {
  order: orderArgv,
  ladder: ladderArgv,
  replace: replaceArgv,
  cancel: cancelArgv,
  algo: algoArgv,
  algoCancel: (requested) => algoChangeArgv('algoCancel', requested),
  algoPause: (requested) => algoChangeArgv('algoPause', requested),
  algoResume: (requested) => algoChangeArgv('algoResume', requested),
};

function orderArgv({ market, type, account, borrow, repay, ...given }: Requested): string[] {
  const { side, amount, price, weight, orders } = given;
  const needed = requireGiven('order', { side, amount, price });
  refuseForeign('order', { weight, orders });
  const terms = { side: needed.side, market, amount: parseAmount(needed.amount), at: parsePrice(needed.price) };
  const flags = { type: type ?? 'limit', account: account ?? 'spot', borrow, repay } as const;
  return draftArgs({ ...terms, ...flags, id: undefined, overridden: [] }, { dryRun: false, yes: false });
}

function ladderArgv({ market, account, weight, ...given }: Requested): string[] {
  const { side, amount, price, type, borrow, repay, orders } = given;
  const needed = requireGiven('ladder', { side, amount, price });
  refuseForeign('ladder', { type, borrow, repay, orders });
  const ladder = parseLadder(needed.price);
  if (ladder.count > MOST_ORDERS)
    throw usage(
      `These are too many orders: ${ladder.count}, and an agent may prepare up to ${MOST_ORDERS} at once.`,
      'Prepare them in parts.',
    );
  const input = { kind: 'ladder', ladder, amount: parseAmount(needed.amount), weight: weight ?? 'equal' } as const;
  return ladderArgs({ side: needed.side, market, account: account ?? 'spot' }, input);
}

function replaceArgv({ market, price, amount, account, borrow, repay, ...given }: Requested): string[] {
  const { side, type, weight, orders } = given;
  const [order, ...more] = requireGiven('replace', { orders }).orders;
  refuseForeign('replace', { side, type, weight });
  if (order === undefined || more.length > 0)
    throw usage('orders names more than one order to replace.', 'Give one id, and prepare each order by itself.');
  const at = price === undefined ? undefined : parsePrice(price);
  const total = amount === undefined ? undefined : parseAmount(amount);
  if (at === undefined && total === undefined)
    throw usage('A replacement needs a new price or amount.', 'Give price, amount, or both.');
  return replaceArgs(market, orderId(order), { at, amount: total, account, borrow, repay });
}

function cancelArgv(requested: Requested): string[] {
  const orders = ordersAlone('cancel', requested);
  const isAll = orders[0] === 'all' && orders.length === 1;
  return ['cancel', requested.market, ...(isAll ? ['--all'] : eachOnce(orders, orderId))];
}

function algoArgv({ market, price, type, account, borrow, repay, algo, ...given }: Requested): string[] {
  const { side, amount, weight, orders } = given;
  const needed = requireGiven('algo', { side, amount });
  refuseForeign('algo', { weight, borrow, repay, orders });
  if (account !== undefined && account !== 'spot')
    throw usage('Algo orders trade on the spot account only.', 'Leave account out.');
  checkAlgoParameters({ ...algo, price, type });
  const flags = algoFlags(algo);
  const at = price === undefined ? undefined : parsePrice(price);
  const order = { side: needed.side, market, amount: parseAmount(needed.amount), at };
  const never = { account: 'spot', borrow, repay, id: undefined, overridden: [] } as const;
  namingParameters(() => checkAlgo({ ...order, ...never, type }, flags));
  return algoDraftArgs({ ...flags, ...order, type: type ?? 'limit', overridden: [] }, []);
}

function algoChangeArgv(kind: keyof typeof ALGO_CHANGES, requested: Requested): string[] {
  return ['algo', ALGO_CHANGES[kind], ...eachOnce(ordersAlone(kind, requested), algoId)];
}

/** The orders that a kind names that takes nothing else. */
function ordersAlone(kind: string, { orders, ...given }: Requested): readonly string[] {
  const { side, amount, price, type, weight, account, borrow, repay } = given;
  const needed = requireGiven(kind, { orders });
  refuseForeign(kind, { side, amount, price, type, weight, account, borrow, repay });
  return needed.orders;
}

type AgentGiven = { readonly [Name in keyof typeof AGENT_ALGO_FLAGS]?: unknown };

/** The values of the flags of an algo order, each read as its command reads it. */
function algoFlags(given: AgentGiven): AlgoFlags {
  const values = Object.entries(AGENT_ALGO_FLAGS).map(([name, flag]) => {
    const value = given[name as keyof AgentGiven];
    if (!('parse' in flag)) return [name, value === true];
    if (!('repeats' in flag)) return [name, value === undefined ? undefined : flag.parse(String(value))];
    return [name, ((value ?? []) as readonly string[]).map((one) => flag.parse(one))];
  });
  // an agent runs no program of the user
  const flags: AlgoFlags = { ...Object.fromEntries(values), exec: undefined, notify: false };
  if (flags.when.length > MOST_CONDITIONS)
    throw usage(`when has too many conditions: ${flags.when.length}.`, `Give up to ${MOST_CONDITIONS}.`);
  const long = flags.when.find((condition) => condition.text.length > LONGEST_CONDITION);
  if (long !== undefined)
    throw usage(`The condition ${quoted(long.text)} is too long.`, `Use up to ${LONGEST_CONDITION} characters.`);
  return flags;
}

/** Checks what an agent has given: what is wrong names its parameters, not the flags of the command line. */
function namingParameters(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'usage') throw error;
    const hints = error.hints.map((part) => (typeof part === 'string' ? withParameters(part) : part));
    throw usage(withParameters(error.message), hints);
  }
}

const PARAMETERS: Readonly<Record<string, string>> = { at: 'price', 'post-only': 'type postOnly', ioc: 'type ioc' };

/** A message whose flags are named as the parameters of the tools. */
export function withParameters(message: string): string {
  return message.replaceAll(/--([a-z-]+)/g, (_, flag: string) => PARAMETERS[flag] ?? flag);
}

type Needed<Fields> = { readonly [Name in keyof Fields]: NonNullable<Fields[Name]> };

function requireGiven<Fields extends object>(kind: string, needed: Fields): Needed<Fields> {
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length > 0) throw usage(`To prepare ${kind}, give ${missing.join(', ')}.`);
  return needed as Needed<Fields>;
}

function refuseForeign(kind: string, foreign: object, instead = 'Leave that out.'): void {
  const unused = Object.entries(foreign).flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  );
  if (unused.length > 0) throw usage(`${kind} takes no ${unused.join(' and no ')}.`, instead);
}

/** What to do about parameters of an algo order: without the stop that was asked for, an order is another one. */
const ALGO_INSTEAD: Readonly<Record<string, string>> = {
  order: 'Only kind algo takes that: prepare that kind instead.',
  ladder: 'Only kind algo takes that: prepare that kind instead.',
  replace: 'Only kind algo takes that: cancel the order, then prepare that kind.',
};

/** The ids, each once. The schema limits the list to `MOST_TEXTS`. */
function eachOnce(ids: readonly string[], parse: (id: string) => string): string[] {
  return [...new Set(ids.map(parse))];
}
