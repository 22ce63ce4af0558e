import { describe, expect, it } from 'vitest';
import { keptLimits, UNLIMITED } from '../../../src/sandbox/server/limits.js';
import type { Exchange } from './fake-exchange.js';
import { NOW, stillExchange } from './fake-exchange.js';
import { bodyOf, get, send, serveInterface } from './wire.js';

const ALICE = 'accesskey=6d8f62fd-3086-46e3-a0ba-c66a929c24e2';
const TIME = 'reqTime=1540295995557';

const ORDER = `${ALICE}&amount=0.0123&currency=BTC_USDT&method=order&price=31000.5&tradeType=1&sign=c62a4ca0755d43a0decd5ec8cd45c6d5&${TIME}`;
const BATCH = `${ALICE}&market=BTC_USDT&method=orderMoreV2&tradeParams=%5B%5B31000.5,0.01%5D%5D&tradeType=1&sign=701ad597589186f0f842f98b725be271&${TIME}`;

async function serveObserved(exchange: Exchange = stillExchange()): Promise<number> {
  const { port } = await serveInterface(exchange, keptLimits(UNLIMITED), () => NOW, 'observed');
  return port;
}

function post(port: number, path: string, form: string): Promise<string> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded`;
  return send(port, `${head}\r\nContent-Length: ${form.length}\r\nConnection: close\r\n\r\n${form}`);
}

describe('the observed dialect', () => {
  it.each([
    [
      'an order in an upper-case market',
      `/api/order?${ORDER}`,
      '{"code":1000,"message":"success","id":"202202224851151555"}',
    ],
    [
      'a batch in an upper-case market',
      `/api/orderMoreV2?${BATCH}`,
      '{"code":1000,"message":"success","data":[202202224851151555]}',
    ],
    [
      'a bad price',
      `/api/order?${ALICE}&amount=0.0123&currency=btc_usdt&method=order&price=0&tradeType=1&sign=4a8717b6f441b56d572cccb19090a3d9&${TIME}`,
      '{"code":3002,"message":"the price is not valid: price must be a decimal number above zero"}',
    ],
    [
      'a batch without parameters',
      '/api/orderMoreV2',
      '{"code":3005,"message":"a parameter is missing or not valid: method is missing"}',
    ],
    [
      'an order that is looked up',
      `/api/getOrder?${ALICE}&currency=BTC_USDT&id=202202224851151555&method=getOrder&sign=7b2dcf20af57144b8d8e6a5be011a050&${TIME}`,
      '{"id":"202202224851151555","currency":"btc_usdt","price":31000.50,"total_amount":0.012300,"trade_amount":0.002300,' +
        '"trade_money":71.30115000,"trade_date":1540295990123,"status":3,"type":2,"fees":"0.07130115","useXxFee":false,' +
        '"trade_price":31000.50,"acctType":0}',
    ],
    [
      'trades',
      '/data/v1/trades?market=BTC_USDT&since=1234567890123456788',
      '[{"date":1540295990,"price":"31000.50","amount":"0.010000","tid":1234567890123456789,"trade_type":"bid","type":"buy"},{"date":1540295991,"price":"31000.49","amount":"0.000100","tid":1234567890123456790,"trade_type":"ask","type":"sell"}]',
    ],
  ])('answers a request for %s with the exact body that was observed', async (_what, path, body) => {
    expect(await get(await serveObserved(), path)).toBe(body);
  });

  it.each([
    ['in its body', '/api/order', ORDER],
    ['in its query', `/api/order?${ORDER}`, ''],
    ['in both', `/api/order?${ALICE}`, ORDER.replace(`${ALICE}&`, '')],
  ])('takes a POST with the parameters %s', async (_where, path, form) => {
    expect(bodyOf(await post(await serveObserved(), path, form))).toBe(
      '{"code":1000,"message":"success","id":"202202224851151555"}',
    );
  });

  it('never reads a body without end', async () => {
    const place = () => expect.fail('an order without its parameters was placed');
    const answer = await post(
      await serveObserved(stillExchange({ place })),
      '/api/order',
      `${ORDER}&a=${'a'.repeat(70_000)}`,
    );
    expect(answer).toContain('"code":3005');
  });
});

describe("the document's dialect", () => {
  it('takes neither a POST nor an upper-case market', async () => {
    const { port } = await serveInterface();
    expect(bodyOf(await post(port, '/api/order', ORDER))).toContain('every operation is a GET');
    expect(await get(port, `/api/order?${ORDER}`)).toContain('currency must be a market like btc_usdt');
  });
});
