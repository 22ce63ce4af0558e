import type { ExchangeClient } from '../../client/exchange-client.js';
import type { Market } from '../../client/market-catalog.js';
import { usage } from '../../errors.js';
import type { Decimal } from '../../protocol/decimal.js';
import type { TradingAccount } from '../../trading/account.js';
import { type Guarded, needMarket } from '../../trading/guards/guards.js';
import { type GuardLimits, guardLimits } from '../../trading/guards/limits.js';
import type { OrderTerms } from '../../trading/journal/intent.js';
import { newClientId } from '../../trading/order/client-id.js';
import { doubtsIn, refuseTwin } from '../../trading/order/doubts.js';
import { findOrder } from '../../trading/order/reference.js';
import { checkOrder } from '../../trading/order/rules.js';
import type { OrderFacts } from '../../trading/preview/facts.js';
import { Outlook } from '../../trading/preview/outlook.js';
import { guardOrder, previewOrder } from '../../trading/preview/preview.js';
import { amountText } from '../../trading/words/amount-word.js';
import { priceText } from '../../trading/words/price-word.js';
import { resolveOrder } from '../../trading/words/resolve-order.js';
import type { Context } from '../frame/context.js';
import { sameProfile } from '../frame/same-profile.js';
import type { SentOrder } from './conclusion.js';
import type { OrderRequest } from './request.js';

/** An order that can be sent, and what is known of it beforehand. */
export interface Prepared extends Guarded {
  readonly market: Market;
  readonly order: SentOrder;
  /** Null where nobody is going to look. */
  readonly facts: OrderFacts | null;
}

/** As many as the interface gives; one for a script, which only has to know the best prices. */
const LEVELS = { looking: 50, script: 1 };

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
  askAhead(outlook, request, limits, isSeen);
  const [{ price, amount }] = await Promise.all([
    resolveOrder(outlook, market, request),
    request.id === undefined ? undefined : requireNewId(account.client, request.market, request.id),
  ]);
  checkOrder(market, price, amount);
  const terms = termsOf(request, price, amount);
  const notional = price.times(amount).trimmed().toString();
  const order = { ...terms, clientId: request.id ?? newClientId(host), notional };
  if (isSeen) refuseTwin(account, terms);
  const resolved = { market, terms };
  const doubts = doubtsIn(account, request.market).map((doubt) => sameProfile(doubt, host.arguments));
  const withDoubts = <Told extends Guarded>(told: Told) => ({ ...told, warnings: [...doubts, ...told.warnings] });
  if (isSeen) return { market, order, ...withDoubts(await previewOrder(account, resolved, outlook, limits)) };
  const seen = looksAtMarket(request, limits) ? await outlook.market() : undefined;
  return { market, order, facts: null, ...withDoubts(guardOrder(account, resolved, seen, limits)) };
}

/** Asks at once for everything that will be needed. */
function askAhead(outlook: Outlook, request: OrderRequest, limits: GuardLimits, isSeen: boolean): void {
  if (isSeen || looksAtMarket(request, limits)) outlook.market();
  if (request.account === 'spot' && (isSeen || request.amount.kind === 'share')) outlook.available();
  if (isSeen) outlook.orders();
}

/** Whether even a script has to know the market. */
function looksAtMarket({ at, type, overridden }: OrderRequest, limits: GuardLimits): boolean {
  return at.kind === 'book' || needMarket(type, limits, overridden);
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
  const earlier = await findOrder(client, market, { clientId });
  if (earlier === undefined) return;
  throw usage(
    `There is an order with the client id ${clientId} already: ${earlier.id}.`,
    `Choose another --id; pit order show ${market} ${earlier.id} shows that one.`,
  );
}
