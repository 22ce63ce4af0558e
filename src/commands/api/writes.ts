import { requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import { nearest } from '../../config/names.js';
import type { AccountType, OrderType, Side } from '../../domain/order.js';
import { Failure, suggest, usage } from '../../errors.js';
import { refusal } from '../../exchange/failures.js';
import { operations } from '../../exchange/operations/index.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { TradingAccount } from '../../trading/account.js';
import { refuseTwin, sendCall } from '../../trading/call/call.js';
import { Departure } from '../../trading/departure.js';
import { readAmount, readPrice } from '../../trading/expressions.js';
import { type Guarded, guardOrders } from '../../trading/guards/guards.js';
import { type GuardName, guardLimits } from '../../trading/guards/limits.js';
import type { BatchLine, CallTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/orders/client-id.js';
import { MarketSnapshot } from '../../trading/preview/market-snapshot.js';
import { dryRun, NO_PREVIEW } from '../dry-run.js';
import { breachText, confirmGuarded } from '../guarding.js';
import type { OrderRequest } from '../order/order.js';
import { exchangeText } from '../session/exchange-text.js';
import { bodyAnswer } from './answer.js';

type Values = Readonly<Record<string, string>>;

/** Executes a described write as its own command does, so that journal, guards and confirmation cannot be bypassed. */
export async function executeWrite(
  context: Context,
  operation: string,
  values: Values,
  overridden: readonly GuardName[],
): Promise<Answer | undefined> {
  const { currency: market = '' } = values;
  if (operation === 'order') {
    const { checkGiven, sendOrder } = await import('../order/order.js');
    const request = orderOf(values, overridden);
    checkGiven(request);
    requireConsent(context);
    return sendOrder(context, await context.trading.account(), request);
  }
  if (operation === 'orderMoreV2') {
    requireConsent(context);
    const { startBatch } = await import('../order/batch.js');
    const where = { market: values.market ?? '', side: sideOf(values), account: accountOf(values) };
    return startBatch(context, where, { kind: 'lines', lines: linesOf(values.tradeParams ?? '') }, overridden);
  }
  if (operation === 'cancelOrder') {
    const { cancelNamed } = await import('../cancel/cancel.js');
    const { id, customerOrderId = '' } = values;
    const order = id === undefined ? { clientId: customerOrderId } : { id };
    return cancelNamed(context, await context.trading.account(), market, [order]);
  }
  if (operation === 'cancelAllOrdersAfter') {
    const { cancelAfter } = await import('../cancel/cancel-after.js');
    return cancelAfter(context, market);
  }
  throw new Error(`no command executes ${operation}`);
}

/** A withdrawal has to be confirmed by its address and takes the fund password, which only its command asks for. */
export function onlyByCommand({
  currency = 'COIN',
  amount = 'AMOUNT',
  receiveAddr = 'ADDRESS',
  fees,
}: Values): Failure {
  const fee = fees === undefined ? [] : ['--fee', fees];
  return usage(
    'Only pit withdraw can withdraw: it checks the address, and asks for it and for the fund password.',
    suggest('Write it as', 'withdraw', currency, amount, '--to', receiveAddr, ...fee),
  );
}

/** "Empty or any other value gives a limit order." */
const TYPES: Readonly<Record<string, OrderType>> = { 1: 'postOnly', 2: 'ioc' };

function orderOf(values: Values, overridden: readonly GuardName[]): OrderRequest {
  const { currency: market = '', amount = '', price = '', customerOrderId: id, orderType = '' } = values;
  return {
    ...{ side: sideOf(values), market, amount: readAmount(amount), at: readPrice(price), id, overridden },
    ...{ type: TYPES[orderType] ?? 'limit', account: accountOf(values) },
    ...{ borrow: values.enableExpress === 'true', repay: values.enableRepay === 'true' },
  };
}

function sideOf({ tradeType }: Values): Side {
  return tradeType === '1' ? 'buy' : 'sell';
}

function accountOf({ acctType = '0' }: Values): AccountType {
  return acctType === '0' ? 'spot' : acctType === '1' ? 'isolated' : 'cross';
}

/** `[[price,amount],…]`, whose form has been checked. */
function linesOf(pairs: string): BatchLine[] {
  const found = [...pairs.matchAll(/\[([\d.]+),([\d.]+)\]/g)];
  return found.map(([, price = '', amount = ''], index): BatchLine => [index + 1, price, amount]);
}

/** Calls an operation that the interface does not describe: as a write, since it may be one. */
export async function callUndescribed(
  context: Context,
  terms: CallTerms,
  { raw, overridden }: { readonly raw: boolean; readonly overridden: readonly GuardName[] },
): Promise<Answer> {
  const { output, globals, trading, host } = context;
  const { method, parameters } = terms;
  if (movesCoins(terms)) throw onlyByCommand(parameters);
  const [close] = nearest(method, Object.keys(operations));
  const guess = close === undefined ? '' : ` Did you mean ${close}?`;
  output.note(`${method} is not in the interface, so it counts as a write: it is signed and sent once.${guess}`);
  requireConsent(context);
  const account = await trading.account();
  refuseTwin(account, terms);
  const exchange = await exchangeText(context, account.client);
  const { breaches, warnings } = await guardLikelyOrders(context, account, parameters);
  const told = [...(globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : []), ...warnings];
  const show = (screen: Screen) =>
    record(screen, [
      ['operation', method],
      ...Object.entries(parameters),
      ['effect', 'unknown'],
      ['exchange', exchange],
      ...told.map((text): Entry => ['warning', text]),
    ]);
  if (globals.dryRun)
    return dryRun(
      context,
      account.client,
      { operation: method, values: parameters },
      { ...NO_PREVIEW, warnings: told },
      show,
    );
  if (globals.yes) for (const warning of warnings) output.warn(warning);
  else output.preview(show);
  await confirmGuarded(context, `Send ${method}?`, breaches, overridden);
  const id = newClientId(host);
  const hint = [
    'No operation reports its outcome. Check the exchange, then record what you found, done or notSent.',
    suggest('Record it', 'resolve', id, '--as', 'done'),
  ];
  const departure = new Departure();
  const forget = host.onInterrupt(() => {
    if (departure.takeBack()) output.note(`${method} was not sent.`);
    else output.warn([`${method} may have been sent.`, ...hint]);
  });
  const call = await sendCall(account, terms, id, departure);
  forget();
  if (call.outcome === 'done') return bodyAnswer(call.body, raw);
  if (call.outcome === 'refused') throw refusal(call.refusal, method);
  if (call.outcome === 'notSent')
    throw new Failure(call.failure, `${method} was not sent: ${call.reason}.`, {
      hint: suggest('Check the host and the network', 'profile', 'show'),
    });
  return {
    data: { operation: method, clientId: id, outcome: call.outcome },
    failure: new Failure('unknown', `The outcome of ${method} is unknown: ${call.reason}.`, { clientId: id, hint }),
    show: ({ paint }) => `${paint.warn('Unknown')}  ${method}  ${id}`,
  };
}

/** Whether a call may be a withdrawal under another name: it says where coins are to go. */
function movesCoins({ method, parameters }: CallTerms): boolean {
  return /withdraw/i.test(method) || Object.keys(parameters).some((name) => /addr/i.test(name));
}

/**
 * Checks an undescribed call against the guards as if it placed orders: it may, if it has a market with a price and an amount,
 * or with pairs of them.
 */
async function guardLikelyOrders(
  { session }: Context,
  account: TradingAccount,
  values: Values,
): Promise<Omit<Guarded, 'bid'>> {
  const nothing = { breaches: [], warnings: [] };
  const orders = likelyOrders(values);
  const name = values.currency ?? values.market ?? values.symbol;
  if (orders.length === 0 || name === undefined) return nothing;
  const market = await (await session.markets()).find(name).catch((error: unknown) => {
    // the call may mean something else by it than a market
    if (error instanceof Failure && error.kind === 'usage') return undefined;
    throw error;
  });
  if (market === undefined) return nothing;
  const limits = guardLimits((await session.connection()).settings);
  const seen = await new MarketSnapshot(account.client, { market: market.market, side: 'buy' }, 1).market();
  const guarded = likelySides(values).map((side) =>
    guardOrders(account, { market, side, type: 'limit', orders }, seen, limits),
  );
  const breaches = guarded.flatMap((one) => one.breaches);
  return {
    // both sides may break the same guard
    breaches: breaches.filter(({ guard }, index) => breaches.findIndex((one) => one.guard === guard) === index),
    warnings: guarded.flatMap((one) => one.warnings),
  };
}

function likelyOrders({ price: single = '', amount: size = '', tradeParams = '' }: Values) {
  const isNumber = (text: string) => /^\d+(\.\d+)?$/.test(text);
  const pairs = [...tradeParams.matchAll(/\[([\d.]+),\s*([\d.]+)/g)].map(([, ...pair]) => pair);
  return [[single, size], ...pairs].flatMap(([price = '', amount = '']) =>
    isNumber(price) && isNumber(amount) ? [{ price, amount }] : [],
  );
}

/** "1 buy, 0 sell"; without it either may be meant. */
function likelySides({ tradeType }: Values): Side[] {
  if (tradeType === '1') return ['buy'];
  return tradeType === '0' ? ['sell'] : ['buy', 'sell'];
}
