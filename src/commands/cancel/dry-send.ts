import type { ExchangeClient } from '../../client/exchange-client.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import { type OrderReference, referenceValues } from '../../trading/order/reference.js';
import type { Context } from '../frame/context.js';
import { dryRun, NO_PREVIEW } from '../frame/dry-run.js';

/** The cancellations that would be sent, a dry run for each. */
export function drySend(
  context: Context,
  client: ExchangeClient,
  market: string,
  orders: readonly OrderReference[],
): Answer {
  const runs = orders.map((order) => {
    const words = 'id' in order ? order.id : order.clientId;
    const values = { currency: market, ...referenceValues(order) };
    return dryRun(context, client, 'cancelOrder', values, NO_PREVIEW, () => `Would cancel ${words} in ${market}.`);
  });
  const none = (screen: Screen) => screen.paint.faint(`No open orders in ${market}: nothing would be sent.`);
  return {
    data: runs.map(({ data }) => data),
    show: (screen) => (runs.length === 0 ? none(screen) : runs.map((run) => run.show(screen)).join('\n')),
  };
}
