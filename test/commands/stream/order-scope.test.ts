import { rmSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { orderScopeText } from '../../../src/commands/stream/stream.js';
import { Failure } from '../../../src/errors.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { document, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: DEEP_MARKETS });

it('begins with open orders in a market in which this machine never placed one', async () => {
  const order = 'order buy eth_usdt 0.1 --at bid-20% --yes --override price-band';
  const { id } = await pit.json<{ id: string }>(order);
  rmSync(path.join(pit.home, 'state', 'journal'), { recursive: true });
  const { stdout } = await pit.run('stream orders --json --count 1');
  expect(document(stdout)).toMatchObject({ scope: 'snapshot', data: [{ id, market: 'eth_usdt', state: 'open' }] });
});

it.each<[string, Parameters<typeof orderScopeText>[0], string[]]>([
  [
    'which markets it reads',
    { markets: ['btc_usdt', 'eth_usdt'], leftOut: [], failure: null },
    ['read in btc_usdt, eth_usdt: the markets between coins that you have', 'orders:MARKET reads one market'],
  ],
  [
    'which of them are too many to be read',
    { markets: ['btc_usdt'], leftOut: ['eth_usdt'], failure: null },
    ['Too many to be read: eth_usdt.'],
  ],
  [
    'that the balances could not be read',
    { markets: [], leftOut: [], failure: new Failure('refused', 'No permission.') },
    ['read in no market', 'could not be read: No permission.'],
  ],
])('says of the channel of all orders %s', (_, scope, texts) => {
  for (const text of texts) expect(orderScopeText(scope)).toContain(text);
});
