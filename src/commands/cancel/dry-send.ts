import type { Context } from '../../cli/context.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { cancelRequest } from '../../exchange/write-requests.js';
import type { Answer } from '../../terminal/answer.js';
import type { Screen } from '../../terminal/screen.js';
import type { OrderReference } from '../../trading/orders/reference.js';
import { dryRun, NO_PREVIEW } from '../dry-run.js';

/**
 * The cancellations that would be sent, a dry run for each.
 * @param preview what people read before them
 */
export function drySend(
  context: Context,
  client: ExchangeClient,
  market: string,
  orders: readonly OrderReference[],
  preview: (screen: Screen) => string = () => '',
): Answer {
  const runs = orders.map((order) => dryRun(context, client, cancelRequest(market, order), NO_PREVIEW, () => '').data);
  const lines = orders.map((order) => `Would cancel ${'id' in order ? order.id : order.clientId} in ${market}.`);
  const shown = ({ paint }: Screen) =>
    lines.length === 0
      ? [paint.faint(`No open orders in ${market}: nothing would be sent.`)]
      : [...lines, paint.faint('Dry run: nothing was sent.')];
  return { data: runs, show: (screen) => [preview(screen), ...shown(screen)].filter((line) => line !== '').join('\n') };
}
