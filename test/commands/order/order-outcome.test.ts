import { describe, expect, it } from 'vitest';
import { warnings } from '../../support/json-lines.js';
import { CUT_ANSWER, instead, LOST, LOST_ANSWER, PASS, SILENCE, type Treatment } from '../../support/world/network.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const MARKETS = { btc_usdt: { bid: '29999.00', ask: '30001.00' } };
const pit = useWorldPerTest({ markets: MARKETS, balances: { usdt: '1000' } });

const ORDER = 'order buy btc_usdt 0.01 --at 29000 --id mine0001 --yes --json --timeout 6';

/** What the network does with each write of this kind. Everything else passes. */
function treat(write: string, treatment: Treatment): void {
  pit.world.network.treat = ({ operation }) => (operation === write ? treatment : PASS);
}

const PAGE = '<html>Please wait</html>';

/** How an answer is lost, by what is seen of it: the connection, time, the answer's length, the front end, what is read. */
const LOST_ANSWERS: readonly [name: string, treatment: Treatment][] = [
  ['a reset', LOST_ANSWER],
  ['no answer in time', { ...SILENCE, arrives: [0] }],
  ['a body that breaks off', CUT_ANSWER],
  ['an HTML page with 502', { ...instead(PAGE, 502), arrives: [0] }],
  ['an HTML page', { ...instead(PAGE), arrives: [0] }],
  ['JSON of another kind', { ...instead('{"hello":"world"}'), arrives: [0] }],
];

describe.each(LOST_ANSWERS)('pit order, with the answer to its order lost to %s', (_, treatment) => {
  it('finds the order and exits with 0', async () => {
    treat('order', treatment);
    const { code, stdout, stderr } = await pit.run(ORDER);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [{ id }] = await pit.json<[{ id: string }]>('orders btc_usdt');
    expect(document(stdout)).toMatchObject({ outcome: 'placed', id, clientId: 'mine0001' });
    expect(pit.world.sent('order')).toHaveLength(1);
  });

  it('exits with 6, the unknown result and the command that settles it if the order is not found', async () => {
    treat('order', { ...treatment, arrives: [] });
    const { code, stdout, stderr } = await pit.run(ORDER);
    expect(code).toBe(6);
    const terms = { clientId: 'mine0001', price: '29000', amount: '0.01', notional: '290' };
    expect(document(stdout)).toMatchObject({ outcome: 'unknown', id: null, ...terms });
    const hint = expect.stringContaining('pit resolve mine0001');
    expect(lastError(stderr)).toMatchObject({ kind: 'unknown', exitCode: 6, clientId: 'mine0001', hint });
    expect(`${stdout}${stderr}`).not.toMatch(/try again|retry/i);
    expect(pit.world.sent('order')).toHaveLength(1);
  });
});

describe('pit order', () => {
  it('keeps the id of the answer if nothing shows the order, and so does pit resolve', async () => {
    treat('order', instead('{"code":"1000","message":"success","id":"777"}'));
    const { code, stdout, stderr } = await pit.run(ORDER);
    expect([code, document(stdout)]).toMatchObject([6, { outcome: 'unknown', id: '777' }]);
    const hint = expect.stringMatching(/pit resolve mine0001.*pit order show btc_usdt 777/);
    const message = expect.stringContaining('the answer names order 777, but the exchange does not show it');
    expect(lastError(stderr)).toMatchObject({ kind: 'unknown', message, hint });
    const resolved = await pit.run('resolve mine0001 --json --timeout 6');
    expect([resolved.code, document(resolved.stdout)]).toMatchObject([6, [{ outcome: 'unknown', id: '777' }]]);
  });

  it('exits with 0 and a warning if the order is placed and no list can be read', async () => {
    treat('getOrders', instead(PAGE));
    const { code, stdout, stderr } = await pit.run(ORDER);
    expect(code).toBe(0);
    const message = expect.stringMatching(/^pit could not check whether the order was placed more than once\./);
    expect(warnings(stderr)).toEqual([{ message, hint: null }]);
    expect(document(stdout)).toMatchObject({ outcome: 'placed', id: expect.any(String), duplicates: [] });
  });

  it('lets pit orders read only its two pages afterwards', async () => {
    expect(await pit.run(ORDER)).toMatchObject({ code: 0 });
    const before = pit.world.network.requests.length;
    await pit.done('orders btc_usdt');
    const asked = pit.world.network.requests.slice(before);
    expect(asked.map(({ operation }) => operation)).toEqual(['getOrders', 'getOrders']);
  });

  it('exits with 3, an empty stdout, and the code and client id in the error if the order is refused', async () => {
    const { code, stdout, stderr } = await pit.run(ORDER.replace('0.01', '1'));
    expect([code, stdout]).toEqual([3, '']);
    expect(lastError(stderr)).toMatchObject({ kind: 'refused', exitCode: 3, code: 2009, clientId: 'mine0001' });
    expect(pit.world.sent('order')).toHaveLength(1);
  });

  it('generates a client id if the user gives none, and reports it if the outcome is unknown', async () => {
    treat('order', LOST);
    const { stdout, stderr } = await pit.run(ORDER.replace(' --id mine0001', ''));
    const { clientId } = document<{ clientId: string }>(stdout);
    expect(clientId).toMatch(/^[0-9A-Za-z]{4,36}$/);
    expect(Object.values(pit.world.sent('order')[0]?.parameters ?? {})).toContain(clientId);
    expect(lastError(stderr)).toMatchObject({ kind: 'unknown', clientId });
  });

  it('exits with 2 and sends nothing if the order breaks a rule of the market', async () => {
    const { code, stdout } = await pit.run(ORDER.replace('0.01', '0.000001'));
    expect([code, stdout, pit.world.sent('order')]).toEqual([2, '', []]);
  });

  it('exits with 8 and sends nothing if the order is not confirmed', async () => {
    expect(await pit.run(ORDER.replace(' --yes', ''))).toMatchObject({ code: 8, stdout: '' });
    expect(pit.world.network.requests).toEqual([]);
  });
});

it('pit cancel exits with 6 if the answer to a cancellation was lost and its outcome stays unknown', async () => {
  const { id } = document<{ id: string }>((await pit.run(ORDER)).stdout);
  treat('cancelOrder', LOST);
  const { code, stdout, stderr } = await pit.run(`cancel btc_usdt ${id} --json --timeout 6`);
  expect([code, document(stdout)]).toMatchObject([6, [{ outcome: 'unknown', id }]]);
  expect(lastError(stderr)).toMatchObject({ kind: 'unknown', exitCode: 6 });
  expect(pit.world.sent('cancelOrder')).toHaveLength(1);
});
