import type { Context } from '../../cli/context.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { TradingAccount } from '../../trading/account.js';
import { Departure } from '../../trading/departure.js';
import type { Breach } from '../../trading/guards/breach.js';
import type { GuardName } from '../../trading/guards/names.js';
import { type Guarding, placeOrder } from '../../trading/orders/place.js';
import { orderValues } from '../../trading/orders/terms.js';
import { dryRun } from '../dry-run.js';
import { breachText, confirmGuarded, guardingOf } from '../guarding.js';
import { exchangeText } from '../session/exchange-text.js';
import { UNCHECKED } from '../session/extras.js';
import { conclude, interruptedNote, type SentOrder } from './conclusion.js';
import { isLookedAt, prepare } from './prepare.js';
import { type Beside, preview } from './preview.js';
import { previewData } from './preview-data.js';
import type { OrderRequest } from './request.js';

/** Is told which guards were lifted, by a flag or by typing, once the order is confirmed. */
type Lifted = (guards: readonly GuardName[]) => void;

/**
 * Shows what an order would do, asks, and places it; or shows it alone for `--dry-run`.
 *
 * @param lifted given where somebody was asked for the order, who sees what it will do also where `--yes` has answered
 */
export async function send(
  context: Context,
  account: TradingAccount,
  request: OrderRequest,
  lifted?: Lifted,
): Promise<Answer> {
  const { output, globals } = context;
  const isSeen = lifted !== undefined || isLookedAt(context);
  const prepared = await prepare(context, account, request, isSeen);
  const { order, facts, breaches, warnings } = prepared;
  if (facts === null) {
    for (const warning of warnings) output.warn(warning);
  } else {
    const beside = await besideOf(context, account, breaches, request.overridden);
    const show = (screen: Screen) => preview(screen, prepared, facts, beside);
    if (globals.dryRun) {
      const data = previewData(prepared, facts, request.overridden);
      return dryRun(context, account.client, 'order', orderValues(order, order.clientId), data, show);
    }
    output.preview(show);
  }
  await confirmGuarded(context, 'Place this order?', breaches, request.overridden);
  lifted?.([...new Set([...request.overridden, ...breaches.map(({ guard }) => guard)])]);
  const guarding = await guardingOf(context, account, prepared.market.quote, prepared, request.overridden);
  return place(context, account, order, { chosen: request.id !== undefined, ...guarding });
}

/** Where an order goes; guards are told with the question, and in a dry run beside the rest. */
export async function besideOf(
  context: Context,
  { client }: TradingAccount,
  breaches: readonly Breach[],
  overridden: readonly GuardName[],
): Promise<Beside> {
  const exchange = await exchangeText(context, client);
  const guards = context.globals.dryRun ? breaches.map((breach) => breachText(breach, overridden)) : [];
  return { exchange, guards };
}

async function place(
  { output, host }: Context,
  account: TradingAccount,
  order: SentOrder,
  how: { readonly chosen: boolean } & Guarding,
) {
  const departure = new Departure();
  const forget = host.onInterrupt(() => {
    if (departure.takeBack()) output.note('The order was not sent.');
    else output.warn(interruptedNote(order));
  });
  const { clientId: id, notional: _notional, ...terms } = order;
  const placement = await placeOrder(account, terms, { id, departure, ...how });
  forget();
  if (placement.outcome === 'placed' && placement.extras === null) output.note(UNCHECKED);
  return conclude(order, placement);
}
