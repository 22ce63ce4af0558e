import type { ExchangeClient } from '../../client/exchange-client.js';
import type { Market } from '../../client/market-catalog.js';
import { usage } from '../../errors.js';
import type { TradingAccount } from '../../trading/account.js';
import { needMarket } from '../../trading/guards/guards.js';
import { guardLimits } from '../../trading/guards/limits.js';
import { newClientId } from '../../trading/order/client-id.js';
import { refuseTwin } from '../../trading/order/place.js';
import { findOrder } from '../../trading/order/reference.js';
import { checkOrder } from '../../trading/order/rules.js';
import { Outlook } from '../../trading/preview/outlook.js';
import { guardOrder, type OrderPreview, previewOrder } from '../../trading/preview/preview.js';
import { resolveOrder } from '../../trading/words/resolve-order.js';
import type { Context } from '../frame/context.js';
import type { SentOrder } from './conclusion.js';
import type { OrderRequest } from './request.js';

/** An order that can be sent, and what is known of it beforehand. */
export interface Prepared {
  readonly market: Market;
  readonly order: SentOrder;
  /** Facts are null where nobody looks at them. */
  readonly preview: Omit<OrderPreview, 'facts'> & { readonly facts: OrderPreview['facts'] | null };
}

/** As many as the interface gives; one for a script, which only has to know the best prices. */
const LEVELS = { looking: 50, script: 1 };

/**
 * Resolves an order's words, checks it, and looks at what it would do: everything where somebody is going to look, and
 * only what the guards need where `--yes` has answered. All that is asked of the exchange is asked at the same time.
 */
export async function prepare(context: Context, account: TradingAccount, request: OrderRequest): Promise<Prepared> {
  const { session, globals, host } = context;
  const { client } = account;
  const market = await (await session.markets()).find(request.market);
  const limits = guardLimits((await session.connection()).settings);
  const isLookedAt = globals.dryRun || !globals.yes;
  const outlook = new Outlook(client, request, isLookedAt ? LEVELS.looking : LEVELS.script);
  const looksAtMarket =
    isLookedAt || request.at.kind === 'book' || needMarket(request.type, limits, request.overridden);
  if (looksAtMarket) outlook.market();
  if (request.account === 'spot' && (isLookedAt || request.amount.kind === 'share')) outlook.available();
  if (isLookedAt) outlook.orders();
  const { id: chosen } = request;
  const [{ price, amount }] = await Promise.all([
    resolveOrder(outlook, market, request),
    chosen === undefined ? undefined : requireNewId(client, request.market, chosen),
  ]);
  checkOrder(market, price, amount);
  const { side, type, account: acct, borrow, repay } = request;
  const terms = {
    market: market.market,
    side,
    type,
    account: acct,
    borrow,
    repay,
    price: `${price}`,
    amount: `${amount}`,
  };
  const order = { ...terms, clientId: chosen ?? newClientId(host), notional: price.times(amount).trimmed().toString() };
  if (isLookedAt) refuseTwin(account, terms);
  if (isLookedAt) return { market, order, preview: await previewOrder(account, { market, terms }, outlook, limits) };
  const seen = looksAtMarket ? await outlook.market() : undefined;
  return { market, order, preview: { facts: null, ...guardOrder(account, { market, terms }, seen, limits) } };
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
