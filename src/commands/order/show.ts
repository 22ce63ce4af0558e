import { usage } from '../../errors.js';
import { referenceValues } from '../../trading/find-order.js';
import { define, flag, optional, required } from '../frame/definition.js';
import { marketName } from '../inputs/names.js';
import { clientId, idNumber } from '../inputs/numbers.js';
import { orderRow } from './rows.js';
import { showOrder } from './table.js';

export default define({
  summary: 'One order, by its id or your own',
  arguments: { market: required('the market', marketName), order: optional('the order id', idNumber('The order id')) },
  flags: { id: flag('--id <client-id>', 'your own id for it', clientId) },
  examples: ['order show btc_usdt 202611210000000001', 'order show btc_usdt --id myorder1'],
  async run({ session }, { market, order, id }) {
    if ((order === undefined) === (id === undefined))
      throw usage('Exactly one of the order id and --id is needed.', 'pit orders lists the ids.');
    const client = await session.signedClient();
    await (await session.markets()).find(market);
    const reference = id === undefined ? { id: order ?? '' } : { clientId: id };
    const record = await client.read('getOrder', { currency: market, ...referenceValues(reference) });
    const row = orderRow(record, id ?? null);
    return { data: row, show: (screen) => showOrder(screen, row) };
  },
});
