import { describe, expect, it } from 'vitest';
import { pausesOnly } from '../../support/command-clocks.js';
import { temporaryHome } from '../../support/pit.js';
import { marketList, type OrderRow, orderRow } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

/** The list that is read to check for duplicates, as the exchange gives it right after the order. */
let listed = '';
/** The order by its id. */
let shown = '';

const exchange = useLiteralExchange({
  '/data/v1/markets': marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } }),
  '/data/v1/depth': '{"asks":[[20001,5]],"bids":[[19999,5]],"timestamp":1700000000}',
  '/api/order': '{"code":"1000","message":"ok","id":"8"}',
  '/api/getOrders': () => listed,
  '/api/getOrder': () => shown,
});

function list(changes: Partial<OrderRow>): string {
  return `[${orderText(changes)}]`;
}

function orderText(changes: Partial<OrderRow>): string {
  const order = { id: '8', price: 20100, amount: 0.03, time: Date.now(), fee: '0' };
  return JSON.stringify(orderRow({ ...order, ...changes }));
}

const THIRD = { filled: 0.01, filledValue: 200.01236, fee: '0.00002' };
const ALL = { filled: 0.03, filledValue: 600.04, fee: '0.00006', status: 2 };

async function placed(answer: string, words = ''): Promise<{ row: Record<string, unknown>; text: string }> {
  const line = `order buy btc_usdt 0.03 --at 20100${words} --yes`;
  listed = answer;
  const row = await new PitHome(temporaryHome()).json<Record<string, unknown>>(line, exchange.extra);
  return { row, text: await new PitHome(temporaryHome()).done(line, exchange.extra) };
}

describe('the answer to an order', () => {
  it.each<[string, string, object, string]>([
    [
      'everything filled',
      list(ALL),
      { state: 'filled', filled: '0.03', filledValue: '600.04', averagePrice: '20001.3333333333', fee: '0.00006' },
      'Filled  all 0.03 btc at 20,001.3334 usdt on average, fee 0.00006 btc\n',
    ],
    [
      'a part filled',
      list({ ...THIRD, status: 3 }),
      { state: 'open', filled: '0.01', averagePrice: '20001.236', fee: '0.00002', feeCoin: 'btc' },
      'Filled  0.01 of 0.03 btc at 20,001.236 usdt on average, fee 0.00002 btc; the rest is open\n',
    ],
    [
      'the discount coin paid the fee',
      list({ ...ALL, feeDiscount: true }),
      { fee: '0.00006', feeCoin: null },
      'on average, fee 0.00006\n',
    ],
    [
      'nothing filled yet',
      list({}),
      { state: 'open', filled: '0', filledValue: '0', averagePrice: null },
      'Open    nothing has filled yet\n',
    ],
  ])('says at once that %s', async (_, answer, fields, words) => {
    const { row, text } = await placed(answer);
    expect(row).toMatchObject({ outcome: 'placed', id: '8', ...fields });
    expect(text).toMatch(/^Placed {2}\+ BUY 0\.03 btc_usdt at 20,100\.00 {2}spot {2}id 8\n/);
    expect(text).toContain(words);
  });

  it('says what an IOC order filled, and that the rest is cancelled', async () => {
    const { row, text } = await placed(list({ ...THIRD, status: 2, type: 'ioc' }), ' --ioc');
    expect(row).toMatchObject({ state: 'cancelled', filled: '0.01' });
    expect(text).toContain('Filled  0.01 of 0.03 btc at 20,001.236 usdt on average');
    expect(text).toContain('; the rest is cancelled\n');
  });

  it('begins with the fact that an IOC order filled nothing', async () => {
    const { row, text } = await placed(list({ status: 1, type: 'ioc' }), ' --ioc');
    expect(row).toMatchObject({ outcome: 'placed', state: 'cancelled', filled: '0', averagePrice: null });
    expect(text).toMatch(/^Nothing was filled: the exchange cancelled {2}\+ BUY 0\.03 btc_usdt.* id 8\n$/);
  });

  it('says what filled by the order itself if the list could not be read, and warns that duplicates are unknown', async () => {
    [listed, shown] = ['<html>', orderText(ALL)];
    const before = exchange.asked.length;
    const line = 'order buy btc_usdt 0.03 --at 20100 --yes';
    const { code, stdout, stderr } = await new PitHome(temporaryHome()).run(`${line} --json`, {
      ...exchange.extra,
      host: pausesOnly(),
    });
    const fills = { state: 'filled', filled: '0.03', filledValue: '600.04', averagePrice: '20001.3333333333' };
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { outcome: 'placed', id: '8', ...fills, fee: '0.00006' }]);
    expect(stderr).toContain('pit could not check');
    expect(exchange.asked.slice(before).filter((asked) => asked === '/api/getOrder')).toHaveLength(1);
  });

  it('asks for nothing but the book, the order and the list', async () => {
    const pit = new PitHome(temporaryHome());
    await pit.done('markets', exchange.extra);
    listed = list(ALL);
    const before = exchange.asked.length;
    await pit.done('order buy btc_usdt 0.03 --at 20100 --yes', exchange.extra);
    expect(exchange.asked.slice(before)).toEqual(['/data/v1/depth', '/api/order', '/api/getOrders']);
  });
});
