import { flag, optional, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { isSameReference, type Order } from '../../domain/order.js';
import type { Screen } from '../../terminal/screen.js';
import { KnownClientIds } from '../../trading/orders/known-client-ids.js';
import { WAITS } from '../../trading/orders/wait.js';
import { closeMarket } from '../../trading/settling/reconcile-orders.js';
import { concernsMarket, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import { explainUnknownMarket } from '../inputs/known-market.js';
import { knownClientId, marketName, oneOf, orderReference } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { define } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { awaitOrder } from './await-order.js';
import { namedOrder } from './order-args.js';
import { ORDER, orderRecord, orderRow } from './order-row.js';

export default define({
  summary: 'Show one order, by its id or your own',
  arguments: {
    market: required('the market', marketName),
    order: optional('the order id, or your own id of it', orderReference),
  },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    wait: flag(
      '--wait <state>',
      'wait until the order is open (it exists), filled or closed (filled or cancelled), for as long as --timeout',
      oneOf('--wait', ...WAITS),
    ),
    watch: watchFlag('--wait'),
  },
  oneOf: ['order', '--id'],
  examples: [
    'order show btc_usdt 202611210000000001',
    'order show btc_usdt --id myorder1',
    'order show btc_usdt --id myorder1 --wait filled --timeout 600',
    'order show btc_usdt --id myorder1 --watch',
  ],
  output: shape.object(ORDER),
  async run(context, { market, order, id, wait, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const trading = await context.session.trading();
    const { client } = trading;
    const reference = namedOrder(order, id);
    const read = () => client.getOrder(market, reference);
    const named = ({ replaces }: UnknownWrite) => replaces !== null && isSameReference(replaces, reference);
    const names = new KnownClientIds(() => trading.journal, context.host.monotonic);
    const answerOf = (found: Order) => {
      const row = orderRow(found, 'clientId' in reference ? reference.clientId : names.of(found));
      return { data: row, show: (screen: Screen) => orderRecord(screen, row) };
    };
    const readWithNews = async () => {
      const asked = explainUnknownMarket(context, market, async () =>
        wait === undefined
          ? { found: await read(), failure: undefined }
          : awaitOrder(context, trading, market, read, wait),
      );
      const { found, failure } = await asked.catch(async (error: unknown) => {
        // a write that is unknown may still place it
        await warnOfUnknown(context, (write) => concernsMarket(write, market));
        throw error;
      });
      await closeMarket(trading, market);
      await warnOfUnknown(context, named);
      return { found, failure };
    };
    if (!isWatched) {
      const { found, failure } = await readWithNews();
      return { ...answerOf(found), ...(failure === undefined ? {} : { failure }) };
    }
    let latest: Order;
    // it may end before the channel begins
    const channel = { kind: 'orders', market, orders: [reference] } as const;
    const readFirst = async () => {
      latest = (await readWithNews()).found;
      return answerOf(latest);
    };
    return watch(context, readFirst, {
      channels: [channel],
      answer: (value) => {
        // a feed forgets orders that ended long ago
        latest = value(channel).find((one) => one.id === latest.id) ?? latest;
        return answerOf(latest);
      },
    });
  },
});
