import { requireConsent } from '../../cli/consent.js';
import type { Context } from '../../cli/context.js';
import type { AccountType, OrderType, Side } from '../../domain/words.js';
import { type Failure, suggest, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { readAmount } from '../../trading/expressions/amount-expression.js';
import { readPrice } from '../../trading/expressions/price-expression.js';
import type { GuardName } from '../../trading/guards/names.js';
import type { BatchLine } from '../../trading/journal/intent.js';
import type { OrderRequest } from '../order/request.js';

type Values = Readonly<Record<string, string>>;
type Carry = (context: Context, values: Values, overridden: readonly GuardName[]) => Promise<Answer | undefined>;

/**
 * The operations that change something, each carried out as the command does that is made for it: its journal, guards and
 * confirmation have no way round.
 */
const WRITES: Readonly<Record<string, Carry>> = {
  order: async (context, values, overridden) => {
    const [{ send }, { checkGiven }] = await Promise.all([import('../order/send.js'), import('../order/request.js')]);
    const request = orderOf(values, overridden);
    checkGiven(request);
    requireConsent(context);
    return send(context, await context.session.trading(), request);
  },
  orderMoreV2: async (context, values, overridden) => {
    requireConsent(context);
    const { start } = await import('../order/batch/act.js');
    const where = { market: values.market ?? '', side: sideOf(values), account: accountOf(values) };
    return start(context, where, { kind: 'lines', lines: linesOf(values.tradeParams ?? '') }, overridden);
  },
  cancelOrder: async (context, { currency = '', id, customerOrderId = '' }) => {
    const { cancelNamed } = await import('../cancel/cancel.js');
    const order = id === undefined ? { clientId: customerOrderId } : { id };
    return cancelNamed(context, await context.session.trading(), currency, [order]);
  },
  cancelAllOrdersAfter: async (context, { currency = '' }) => {
    const { cancelAfter } = await import('../cancel/cancel-after.js');
    return cancelAfter(context, currency);
  },
};

/** How a described operation that changes something is carried out. */
export function carrying(operation: string): Carry {
  const carry = WRITES[operation];
  if (carry === undefined) throw new Error(`nobody has said how ${operation} is carried out`);
  return carry;
}

/** A withdrawal takes the fund password and the address typed again, for which there is one place. */
export function onlyByCommand({
  currency = 'COIN',
  amount = 'AMOUNT',
  receiveAddr = 'ADDRESS',
  fees,
}: Values): Failure {
  const fee = fees === undefined ? [] : ['--fee', fees];
  return usage(
    'A withdrawal goes through pit withdraw alone, which checks the address and asks for it and for the fund password.',
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
