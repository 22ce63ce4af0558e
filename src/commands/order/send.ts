import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingAccount } from '../../trading/account.js';
import { placeOrder } from '../../trading/order/place.js';
import { orderValues } from '../../trading/order/terms.js';
import type { Context } from '../frame/context.js';
import { dryRun } from '../frame/dry-run.js';
import { warnOfExtras } from '../frame/extras.js';
import { breachText, confirmGuarded } from '../frame/guards.js';
import { sameProfile } from '../frame/same-profile.js';
import { conclude, interruptedNote } from './conclusion.js';
import { prepare } from './prepare.js';
import { preview } from './preview.js';
import { previewData } from './preview-data.js';
import type { OrderRequest } from './request.js';

/** Shows what an order would do, asks, and places it; or shows it alone for `--dry-run`. */
export async function send(context: Context, account: TradingAccount, request: OrderRequest): Promise<Answer> {
  const { globals, output, host, session } = context;
  const prepared = await prepare(context, account, request);
  const { order, preview: known } = prepared;
  const { profile } = await session.connection();
  const where = `${account.client.hosts.tradeUrl} (profile ${profile})`;
  const guards = globals.dryRun ? known.breaches.map((breach) => breachText(breach, request.overridden)) : [];
  const show = (screen: Screen) => preview(screen, prepared, where, guards);
  if (globals.dryRun) {
    const values = orderValues(order, order.clientId);
    return dryRun(context, account.client, 'order', values, previewData(prepared, request.overridden), show);
  }
  if (globals.yes) for (const warning of known.warnings) output.warn(warning);
  else output.preview(show);
  await confirmGuarded(context, 'Place this order?', known.breaches, request.overridden);
  const forget = host.onInterrupt(() => output.warn(sameProfile(interruptedNote(order), host.arguments)));
  const { clientId: id, notional: _notional, ...terms } = order;
  const placement = await placeOrder(account, terms, { id, chosen: request.id !== undefined });
  forget();
  if (placement.outcome === 'placed') warnOfExtras(output, placement.extras ?? []);
  return conclude(order, placement);
}
