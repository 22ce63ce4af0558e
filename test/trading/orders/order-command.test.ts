import { describe, expect, it } from 'vitest';
import { pausesOnly } from '../../support/command-clocks.js';
import { FAULTS, type FaultServer, respond } from '../../support/fault-server.js';
import { warnings } from '../../support/json-lines.js';
import { type Ran, runPit, temporaryHome } from '../../support/pit.js';
import { count, LOST_ANSWERS, NOT_FOUND, query, record, serve, serveBadly } from '../support/exchange.js';

const home = temporaryHome();

/** A lost write waits for its answer for half of the time; after that, pauses take none. */
function pit(server: FaultServer, ...words: string[]): Promise<Ran> {
  const environment = {
    PIT_BASE_URL: server.url,
    PIT_TRADE_URL: server.url,
    PIT_ACCESS_KEY: 'access-0123456789',
    PIT_SECRET_KEY: 'secret-9876543210',
  };
  return runPit([...words, '--json', '--timeout', '6'], { home, environment, host: pausesOnly() });
}

function place(server: FaultServer): Promise<Ran> {
  return pit(server, 'order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--yes', '--id', 'mine0001');
}

it('pit order keeps the id of the answer if nothing shows the order, and so does pit resolve', async () => {
  const server = await serve({ write: respond('{"code":"1000","message":"success","id":"777"}'), list: '[]' });
  const ran = await pit(server, 'order', 'buy', 'btc_usdt', '0.01', '--at', '30100', '--yes', '--id', 'named0001');
  expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([6, { outcome: 'unknown', id: '777' }]);
  const hint = expect.stringMatching(/pit resolve named0001.*pit order show btc_usdt 777/);
  const message = expect.stringContaining('the answer names order 777, but the exchange does not show it');
  expect(errorOf(ran)).toMatchObject({ error: { kind: 'unknown', message, hint } });
  const resolved = await pit(server, 'resolve', 'named0001');
  expect([resolved.code, JSON.parse(resolved.stdout)]).toMatchObject([6, [{ outcome: 'unknown', id: '777' }]]);
});

/** The error object: the last line of stderr. */
function errorOf({ stderr }: Ran): unknown {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
}

describe.each(LOST_ANSWERS)('pit order, with the answer to its order lost to %s', (fault) => {
  it('finds the order and exits with 0', async () => {
    const order = record({ time: Date.now() });
    const server = await serve({ write: fault, reads: [NOT_FOUND, order], list: `[${order}]` });
    const ran = await place(server);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', id: '202202224851151555', clientId: 'mine0001' });
    expect(count(server, 'order')).toBe(1);
  });

  it('exits with 6, the unknown result and the command that settles it if the order is not found', async () => {
    const server = await serveBadly(fault, NOT_FOUND);
    const ran = await place(server);
    expect(ran.code).toBe(6);
    const result = {
      outcome: 'unknown',
      id: null,
      clientId: 'mine0001',
      price: '30000',
      amount: '0.01',
      notional: '300',
    };
    expect(JSON.parse(ran.stdout)).toMatchObject(result);
    const hint = expect.stringContaining('pit resolve mine0001');
    expect(errorOf(ran)).toMatchObject({ error: { kind: 'unknown', exitCode: 6, clientId: 'mine0001', hint } });
    expect(`${ran.stdout}${ran.stderr}`).not.toMatch(/try again|retry/i);
    expect(count(server, 'order')).toBe(1);
  });
});

describe('a command that writes', () => {
  it('exits with 6 if the answer to a cancellation was lost and its outcome stays unknown', async () => {
    const server = await serveBadly('a reset after reading', record({ status: 3, filled: 0.005 }));
    const ran = await pit(server, 'cancel', 'btc_usdt', '202202224851151555');
    expect(ran.code).toBe(6);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ outcome: 'unknown', id: '202202224851151555', filled: '0.005' }]);
    expect(errorOf(ran)).toMatchObject({ error: { kind: 'unknown', exitCode: 6 } });
    expect(count(server, 'cancelOrder')).toBe(1);
  });

  it('exits with 0 and a warning if the order is placed and no list can be read', async () => {
    const placed = respond('{"code":"1000","message":"ok","id":"17"}');
    const reads = [NOT_FOUND, record({ id: '17', time: Date.now() })];
    const server = await serve({ write: placed, reads, list: '<html>please wait</html>' });
    const ran = await place(server);
    expect(ran.code).toBe(0);
    expect(warnings(ran.stderr)).toEqual([
      {
        message: expect.stringMatching(/^pit could not check whether the order was placed more than once\./),
        hint: null,
      },
    ]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'placed', id: '17', duplicates: [] });
  });

  it('reads only the two pages that pit orders shows, right after an order', async () => {
    const list = `[${record({ id: '17', time: Date.now() })}]`;
    const server = await serve({ write: respond('{"code":"1000","message":"ok","id":"17"}'), list });
    await pit(server, 'order', 'buy', 'btc_usdt', '0.01', '--at', '30000', '--yes', '--id', 'mine0017');
    const before = server.requests.length;
    expect(await pit(server, 'orders', 'btc_usdt')).toMatchObject({ code: 0 });
    const asked = server.requests.slice(before).map(({ target }) => [target.split('?')[0], query(target).side]);
    expect(asked.sort()).toEqual([
      ['/api/getOrders', 'buy'],
      ['/api/getOrders', 'sell'],
    ]);
  });

  it('exits with 3, an empty stdout, and the code and client id in the error if the order is refused', async () => {
    const server = await serveBadly(respond('{"code":"2009","message":"Insufficient balance"}'));
    const ran = await place(server);
    expect([ran.code, ran.stdout]).toEqual([3, '']);
    expect(errorOf(ran)).toMatchObject({ error: { kind: 'refused', exitCode: 3, code: 2009, clientId: 'mine0001' } });
    expect(count(server, 'order')).toBe(1);
  });

  it('generates a client id if the user gives none, and reports it if the outcome is unknown', async () => {
    const server = await serveBadly('a reset after reading', FAULTS['an HTML page with 502']);
    const ran = await pit(server, 'order', 'sell', 'btc_usdt', '0.01', '--at', '30000', '--yes');
    const sent = query(server.requests.find(({ target }) => target.startsWith('/api/order?'))?.target ?? '');
    expect(sent.clientId).toMatch(/^[0-9A-Za-z]{4,36}$/);
    expect(JSON.parse(ran.stdout)).toMatchObject({ outcome: 'unknown', clientId: sent.clientId });
    expect(errorOf(ran)).toMatchObject({ error: { kind: 'unknown', clientId: sent.clientId } });
  });

  it('exits with 2 and sends nothing if the order breaks a rule of the market', async () => {
    const server = await serveBadly('a hang');
    const ran = await pit(server, 'order', 'buy', 'btc_usdt', '0.0001', '--at', '30000', '--yes');
    expect([ran.code, ran.stdout, count(server, 'order')]).toEqual([2, '', 0]);
  });

  it('exits with 8 and sends nothing if the order is not confirmed', async () => {
    const server = await serveBadly('a hang');
    const words = ['order', 'buy', 'btc_usdt', '0.01', '--at', '30000'];
    expect(await pit(server, ...words)).toMatchObject({ code: 8, stdout: '' });
    expect(server.connections).toBe(0);
  });
});
