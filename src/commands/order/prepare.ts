import type { Context } from '../../cli/context.js';
import type { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { suggest, usage } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import type { TradingAccount } from '../../trading/account.js';
import { amountText } from '../../trading/expressions/amount-expression.js';
import { priceText } from '../../trading/expressions/price-expression.js';
import { resolveOrder } from '../../trading/expressions/resolve-order.js';
import { guardOrder } from '../../trading/guards/guard-orders.js';
import { type Guarded, needMarket } from '../../trading/guards/guards.js';
import { type GuardLimits, guardLimits } from '../../trading/guards/limits.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/orders/client-id.js';
import { doubtsIn, refuseTwin } from '../../trading/orders/doubts.js';
import { checkOrder } from '../../trading/orders/rules.js';
import { notionalText } from '../../trading/orders/terms.js';
import type { OrderFacts, ResolvedOrder } from '../../trading/preview/facts.js';
import { Outlook } from '../../trading/preview/outlook.js';
import { previewOrder } from '../../trading/preview/preview.js';
import type { SentOrder } from './conclusion.js';
import type { OrderRequest } from './request.js';

/** What is known of an order beforehand. */
interface Foreseen extends Guarded {
  /** Null where nobody is going to look. */
  readonly facts: OrderFacts | null;
}

/** An order that can be sent, and what is known of it beforehand. */
export interface Prepared extends Foreseen {
  readonly market: Market;
  readonly order: SentOrder;
}

/** As many as the interface gives; one for a script, which only has to know the best prices. */
export const LEVELS = { looking: 50, script: 1 };

/**
 * Resolves an order's words, checks it, and looks at what it would do: at everything where somebody is going to see it,
 * and only at what the guards need where nobody is. All that is asked of the exchange is asked at one time.
 * @throws Failure `usage` for an order that cannot be, and as the exchange's answers that it hangs on
 */
export async function prepare(
  context: Context,
  account: TradingAccount,
  request: OrderRequest,
  isSeen: boolean,
): Promise<Prepared> {
  const { session, host } = context;
  const market = await (await session.markets()).find(request.market);
  const limits = guardLimits((await session.connection()).settings);
  const outlook = new Outlook(account.client, request, isSeen ? LEVELS.looking : LEVELS.script);
  const needsMarket = looksAtMarket(market, request, limits);
  askAhead(outlook, request, { isSeen, needsMarket });
  const [{ price, amount }] = await Promise.all([
    resolveOrder(outlook, market, request),
    request.id === undefined ? undefined : requireNewId(account.client, request.market, request.id),
  ]);
  checkOrder(market, price, amount);
  const terms = termsOf(request, price, amount);
  const notional = notionalText(terms);
  const order = { ...terms, clientId: request.id ?? newClientId(host), notional };
  if (isSeen) refuseTwin(account, terms);
  const told = await foreseen(context, account, { market, terms }, { outlook, limits, needsMarket, isSeen });
  return { market, order, ...told };
}

/** Whether somebody is going to see what an order would do. */
export function isLookedAt({ globals }: Pick<Context, 'globals'>): boolean {
  return globals.dryRun || !globals.yes;
}

interface Around {
  readonly outlook: Outlook;
  readonly limits: GuardLimits;
  /** Whether even a script has to know the market. */
  readonly needsMarket: boolean;
  readonly isSeen: boolean;
}

/** What an order would do where somebody is going to see it, what to beware of, and which guards hold it back. */
export async function foreseen(
  context: Context,
  account: TradingAccount,
  order: ResolvedOrder,
  { outlook, limits, needsMarket, isSeen }: Around,
): Promise<Foreseen> {
  const doubts = doubtsIn(account, order.terms.market).map((doubt) => context.output.textOf(doubt));
  const told = isSeen
    ? await previewOrder(account, order, outlook, limits)
    : { facts: null, ...guardOrder(account, order, needsMarket ? await outlook.market() : undefined, limits) };
  return { ...told, warnings: [...doubts, ...told.warnings] };
}

/** Asks at once for everything that will be needed. */
function askAhead(
  outlook: Outlook,
  request: OrderRequest,
  { isSeen, needsMarket }: { readonly isSeen: boolean; readonly needsMarket: boolean },
): void {
  if (isSeen || needsMarket) outlook.market();
  if (request.account === 'spot' && (isSeen || request.amount.kind === 'share')) outlook.available();
  if (isSeen) outlook.orders();
}

/** Whether even a script has to know the market. */
function looksAtMarket({ quote }: Market, { at, side, type, overridden }: OrderRequest, limits: GuardLimits): boolean {
  return at.kind === 'book' || needMarket({ side, type, quote }, limits, overridden);
}

function termsOf(request: OrderRequest, price: Decimal, amount: Decimal): OrderTerms {
  const { market, side, type, account, borrow, repay } = request;
  const asked = { price: priceText(request.at), amount: amountText(request.amount) };
  return { market, side, type, account, borrow, repay, price: price.toString(), amount: amount.toString(), asked };
}

/**
 * The exchange takes a client id twice and then shows only the newest order with it: what became of this one could not be
 * told from the earlier one. Throws Failure `usage`.
 */
async function requireNewId(client: ExchangeClient, market: string, clientId: string): Promise<void> {
  const earlier = await client.findOrder(market, { clientId });
  if (earlier === undefined) return;
  throw usage(`There is an order with the client id ${clientId} already: ${earlier.id}.`, [
    'Choose another --id.',
    suggest('See that one', 'order', 'show', market, earlier.id),
  ]);
}
