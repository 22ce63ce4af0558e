import { describe, expect, it } from 'vitest';
import { runPit, serveSandbox, temporaryHome } from '../support/pit.js';
import { PASS, type Passing, startProxy, type Treatment } from '../support/proxy.js';

const home = temporaryHome();
const sandbox = await serveSandbox(home);
let treat: (request: Passing) => Treatment = () => PASS;
const proxy = await startProxy({
  port: Number(new URL(sandbox.address.tradeUrl).port),
  treat: (request) => treat(request),
});

/** Runs a command, and returns what it printed and the operations that it asked for. */
async function asks(line: string) {
  const before = proxy.requests.length;
  const environment = { ...sandbox.environment, PIT_BASE_URL: proxy.url, PIT_TRADE_URL: proxy.url };
  const { code, stdout, stderr } = await runPit(line.split(' '), { home, environment });
  // a command that ran out of time may have sent a request that is still to be read
  await proxy.left();
  const operations = proxy.requests.slice(before).map(({ operation }) => operation);
  return { code, stdout, stderr, operations };
}

const BOTH_SIDES = ['getOrders', 'getOrders'];

describe('pit orders of a market', () => {
  it('sends no request beyond its own list right after an order', async () => {
    expect(await asks('order buy btc_usdt 0.001 --at 15000 --yes --json')).toMatchObject({ code: 0 });
    const { code, stdout, operations } = await asks('orders btc_usdt --json');
    expect([code, operations]).toEqual([0, BOTH_SIDES]);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it('settles an order without an answer that its list shows, with one look-up by client id', async () => {
    treat = ({ operation }) =>
      operation === 'order'
        ? { name: 'lost', forward: [0], awaited: 1, reply: { kind: 'nothing', end: 'reset' } }
        : operation === 'getOrder'
          ? { name: 'unread', forward: [], awaited: 0, reply: { kind: 'nothing', end: 'reset' } }
          : PASS;
    const lost = await asks('order buy btc_usdt 0.001 --at 15100 --yes --json --timeout 2');
    treat = () => PASS;
    expect(lost.code).toBe(6);
    const { clientId } = JSON.parse(lost.stdout);
    const listed = await asks('orders btc_usdt --json');
    expect([listed.code, listed.operations, listed.stderr]).toEqual([0, [...BOTH_SIDES, 'getOrder'], '']);
    const [row] = JSON.parse((await asks(`resolve ${clientId} --json`)).stdout);
    expect(row).toMatchObject({ outcome: 'placed', clientId });
    expect((await asks('orders btc_usdt --json')).operations).toEqual(BOTH_SIDES);
  });
});
