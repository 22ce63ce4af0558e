import { define, flag, optional, required } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { suggest, usage } from '../../errors.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { referenceValues } from '../../trading/orders/reference.js';
import { WAITS } from '../../trading/orders/wait.js';
import { marketName } from '../inputs/names.js';
import { knownClientId, oneOf, orderId } from '../inputs/numbers.js';
import { onMarket } from '../known-market.js';
import { orderRow } from './rows.js';
import { ORDER } from './shapes.js';
import { showOrder } from './table.js';
import { awaitOrder } from './waiting.js';

export default define({
  summary: 'One order, by its id or your own',
  arguments: { market: required('the market', marketName), order: optional('the order id', orderId) },
  flags: {
    id: flag('--id <client-id>', 'your own id for it', knownClientId),
    wait: flag(
      '--wait <state>',
      'until it is open (there at all), filled or closed (filled or cancelled); --timeout says how long',
      oneOf('--wait', ...WAITS),
    ),
  },
  examples: [
    'order show btc_usdt 202611210000000001',
    'order show btc_usdt --id myorder1',
    'order show btc_usdt --id myorder1 --wait filled --timeout 600',
  ],
  output: shape.record(ORDER),
  async run(context, { market, order, id, wait }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Exactly one of the order id and --id is needed.', suggest('List the ids', 'orders'));
    const account = await context.session.trading();
    const { client } = account;
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const values = { currency: market, ...referenceValues(reference) };
    const look = () => client.read('getOrder', values);
    const { record, failure } = await onMarket(context, market, async () =>
      wait === undefined ? { record: await look(), failure: undefined } : awaitOrder(context, account, look, wait),
    );
    await watchMarket(account, market);
    const row = orderRow(record, id ?? null);
    return { data: row, show: (screen) => showOrder(screen, row), ...(failure === undefined ? {} : { failure }) };
  },
});
