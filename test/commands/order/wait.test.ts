import { describe, expect, it } from 'vitest';
import { LOST, PASS } from '../../support/world/network.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({
  markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } },
  balances: { usdt: '1000' },
});
const RESTING = 'order buy btc_usdt 0.01 --at 29000 --id mine0001 --yes';

interface Shown {
  readonly id: string;
  readonly outcome: string;
  readonly state: string | null;
  readonly filled: string | null;
}

describe('pit order --wait', () => {
  it('prints the order once it has reached the state', async () => {
    expect(await pit.json<Shown>('order buy btc_usdt 0.01 --at ask --wait filled --yes')).toMatchObject({
      ...{ outcome: 'placed', state: 'filled', filled: '0.010000' },
    });
  });

  it.each<[wait: string, state: string]>([
    ['filled', 'open'],
    ['closed', 'open'],
  ])('ends with 9 if the order is not %s in time, and prints it', async (wait, state) => {
    const { code, stdout, stderr } = await pit.run(`${RESTING} --wait ${wait} --timeout 3 --json`);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { outcome: 'placed', state }]);
    expect(lastError(stderr)).toMatchObject({
      ...{ kind: 'partial', hint: 'Use --timeout to wait longer.' },
      message: `The order is not ${wait} after 3 s: open, 0 of 0.01 filled.`,
    });
  });

  it('says that the order was placed, if it can no longer be read', async () => {
    let isListed = false;
    pit.world.network.treat = ({ operation }) => {
      // the order is read once before, to find out that it was placed
      isListed ||= operation === 'getOrders' && pit.world.sent('order').length > 0;
      return isListed && operation === 'getOrder' ? LOST : PASS;
    };
    const { code, stdout, stderr } = await pit.run(`${RESTING} --wait filled --timeout 3 --json`);
    const { id, outcome } = JSON.parse(stdout) as Shown;
    expect([code, outcome]).toEqual([9, 'placed']);
    expect(lastError(stderr)).toMatchObject({
      kind: 'partial',
      message: expect.stringContaining(`Order ${id} was placed, but whether it is filled could not be read: `),
      hint: `Wait for it: pit order show btc_usdt ${id} --wait filled`,
    });
  });

  it('that a signal ends says that the order was placed, and names the command that shows it', async () => {
    const order = pit.world.start(`${RESTING} --wait filled --timeout 600 --json`);
    await pit.world.until(() => pit.world.sent('getOrder').length > 2);
    const ended = pit.finish(order.ended);
    await pit.finish(order.interrupt('SIGINT'));
    const { code, stderr } = await ended;
    const [{ id = '' } = {}] = await pit.json<Shown[]>('orders btc_usdt');
    expect([code, lastError(stderr)]).toMatchObject([
      130,
      {
        ...{ kind: 'interrupted', clientId: 'mine0001' },
        message: `Order ${id} was placed; pit stopped waiting for it.`,
        hint: `See what became of it: pit order show btc_usdt ${id}`,
      },
    ]);
  });

  it('of an order that --once has found waits for that order', async () => {
    const { id } = await pit.json<Shown>(RESTING);
    const order = pit.world.start(`${RESTING} --once --wait closed --json`);
    await pit.world.until(() => pit.world.sent('getOrder').length > 3);
    const ended = pit.finish(order.ended);
    await pit.done(`cancel btc_usdt ${id}`);
    const { code, stdout } = await ended;
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id, existing: true, state: 'cancelled' }]);
  });
});

describe('pit order show --wait', () => {
  it('closed of an order that was cancelled shows it', async () => {
    await pit.done(RESTING);
    await pit.done('cancel btc_usdt --id mine0001');
    expect(await pit.json('order show btc_usdt --id mine0001 --wait closed')).toMatchObject({ state: 'cancelled' });
  });

  it.each(['open', 'filled'])('%s of an order that was cancelled ends with 9', async (wait) => {
    await pit.done(RESTING);
    await pit.done('cancel btc_usdt --id mine0001');
    const { code, stdout, stderr } = await pit.run(`order show btc_usdt --id mine0001 --wait ${wait} --json`);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { clientId: 'mine0001', state: 'cancelled' }]);
    expect(lastError(stderr)).toMatchObject({
      message: `The order is cancelled and will not be ${wait}: cancelled, 0 of 0.01 filled.`,
      hint: 'The output shows what has filled.',
    });
  });
});
