import { beforeEach, describe, expect, it } from 'vitest';
import { LOST, LOST_ANSWER, PASS } from '../../support/world/network.js';
import { testWorld, type World } from '../../support/world/world.js';

let world: World;
beforeEach(async () => {
  world = await testWorld({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } });
});

/** Runs a command, and returns what it printed and the operations that it asked for. */
async function asks(line: string) {
  const before = world.network.requests.length;
  const { code, stdout, stderr } = await world.run(line);
  const operations = world.network.requests.slice(before).map(({ operation }) => operation);
  return { code, stdout, stderr, operations };
}

const BOTH_SIDES = ['getOrders', 'getOrders'];

describe('pit orders of a market', () => {
  it('sends no request beyond its own list right after an order', async () => {
    expect(await asks('order buy btc_usdt 0.001 --at 29000 --yes --json')).toMatchObject({ code: 0 });
    const { code, stdout, operations } = await asks('orders btc_usdt --json');
    expect([code, operations]).toEqual([0, BOTH_SIDES]);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('settles an order without an answer that its list shows, with one look-up by client id', async () => {
    world.network.treat = ({ operation }) =>
      operation === 'order' ? LOST_ANSWER : operation === 'getOrder' ? LOST : PASS;
    const lost = await asks('order buy btc_usdt 0.001 --at 29100 --yes --json --timeout 2');
    world.network.treat = () => PASS;
    expect(lost.code).toBe(6);
    const { clientId } = JSON.parse(lost.stdout);
    const listed = await asks('orders btc_usdt --json');
    expect([listed.code, listed.operations, listed.stderr]).toEqual([0, [...BOTH_SIDES, 'getOrder'], '']);
    const [row] = JSON.parse((await asks(`resolve ${clientId} --json`)).stdout);
    expect(row).toMatchObject({ outcome: 'placed', clientId });
    expect((await asks('orders btc_usdt --json')).operations).toEqual(BOTH_SIDES);
  });
});
