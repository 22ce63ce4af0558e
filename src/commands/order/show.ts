import { usage } from '../../errors.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import { referenceValues } from '../../trading/order/reference.js';
import { define, flag, optional, required } from '../frame/definition.js';
import { onMarket } from '../frame/known-market.js';
import { marketName } from '../inputs/names.js';
import { knownClientId, orderId } from '../inputs/numbers.js';
import { orderRow } from './rows.js';
import { showOrder } from './table.js';

export default define({
  summary: 'One order, by its id or your own',
  arguments: { market: required('the market', marketName), order: optional('the order id', orderId) },
  flags: { id: flag('--id <client-id>', 'your own id for it', knownClientId) },
  examples: ['order show btc_usdt 202611210000000001', 'order show btc_usdt --id myorder1'],
  async run(context, { market, order, id }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Exactly one of the order id and --id is needed.', 'pit orders lists the ids.');
    const account = await context.session.trading();
    const { client } = account;
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const values = { currency: market, ...referenceValues(reference) };
    const record = await onMarket(context, market, () => client.read('getOrder', values));
    await watchMarket(account, market);
    const row = orderRow(record, id ?? null);
    return { data: row, show: (screen) => showOrder(screen, row) };
  },
});
