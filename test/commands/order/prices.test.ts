import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { DECIMAL, TEXT, useWorld } from '../pit-home.js';
import { product, same } from './order-rows.js';

const pit = useWorld({ markets: STILL_MARKETS });

interface DryRun {
  readonly request: Readonly<Record<string, string>>;
  readonly preview: { readonly price: string; readonly amount: string; readonly notional: string };
}

function preview(words: string): Promise<DryRun> {
  return pit.json<DryRun>(`order ${words} --dry-run`);
}

describe('a relative price', () => {
  // a book that stands still, its asks in falling order as they were observed
  const exchange = useLiteralExchange({
    '/data/v1/markets': '{"btc_usdt":{"priceScale":2,"amountScale":6,"minAmount":0.0001,"minSize":1}}',
    '/data/v1/depth': '{"asks":[[20010,1],[20000.06,1]],"bids":[[20000.01,1],[19990,1]],"timestamp":1700000000}',
  });

  it.each([
    ['bid', 'buy', '20000.01'],
    ['ask', 'buy', '20000.06'],
    ['mid', 'buy', '20000.03'],
    ['mid', 'sell', '20000.04'],
    ['BID+2ticks', 'sell', '20000.03'],
    ['ask-1tick', 'buy', '20000.05'],
    ['ask+5', 'sell', '20005.06'],
    ['bid+5.005', 'buy', '20005.01'],
    ['bid+5.005', 'sell', '20005.02'],
    ['bid-0.5%', 'buy', '19900.00'],
    ['ask+0.5%', 'sell', '20100.07'],
    ['mid-1%', 'buy', '19800.03'],
  ])('%s of a %s is %s, rounded to the cheaper side', async (at, side, price) => {
    const run = await pit.json<DryRun>(`order ${side} btc_usdt 0.01 --at ${at} --dry-run`, exchange.extra);
    expect(run.preview.price).toBe(price);
    expect(run.request.price).toBe(price);
  });

  it('takes a relative price from the book', async () => {
    await pit.done('order buy btc_usdt 0.01 --at bid --dry-run', exchange.extra);
    const signed = ['/api/getAccountInfo', '/api/getOrders'];
    expect([...new Set(exchange.asked)].toSorted()).toEqual([...signed, '/data/v1/depth', '/data/v1/markets']);
  });
});

describe('a relative amount', () => {
  it('an amount given as a value never costs more than the value', async () => {
    const { amount, notional } = (await preview('buy btc_usdt 100usdt --at 20000.01')).preview;
    expect(amount).toBe('0.004999');
    expect(notional).toBe('99.98004999');
  });

  it.each(['1e2usdt', '1.0E+2usdt', '100usdt'])('an amount given as %s is a value of 100 usdt', async (amount) => {
    const { request, preview: shown } = await preview(`buy btc_usdt ${amount} --at 2e4`);
    expect([request.price, request.amount]).toEqual(['20000', '0.005000']);
    expect(shown).toMatchObject({ price: '20000', notional: '100' });
  });

  it('previews and sends a number with an exponent in plain digits', async () => {
    const { request, preview: shown } = await preview('buy btc_usdt 8.329e-03 --at 2.00005E+4');
    expect([request.price, request.amount]).toEqual(['20000.5', '0.008329']);
    expect(shown).toMatchObject({ price: '20000.5', amount: '0.008329' });
  });

  it('an amount given as a share is a share of the available balance on that side', async () => {
    expect((await preview('sell btc_usdt 50% --at 90000')).preview.amount).toBe('2.500000');
    expect((await preview('buy btc_usdt 50% --at 20000')).preview.amount).toBe('6.250000');
    expect((await preview('sell btc_usdt 100% --at 90000')).preview.amount).toBe('5.000000');
  });

  it.each(['101%', '0', '-1', '1e30', '10eth', '1,5', 'all'])('refuses %s', async (amount) => {
    await pit.failure(
      `order buy btc_usdt --at 20000 --dry-run -- ${amount}`.replace(' -- ', amount === '-1' ? ' -- ' : ' '),
      2,
    );
  });
});

describe('--dry-run', () => {
  /** The result of some work, and the operations that it requested. */
  async function requestsOf<Result>(work: () => Promise<Result>): Promise<[Result, string[]]> {
    const { requests } = pit.world.network;
    const before = requests.length;
    const result = await work();
    return [result, requests.slice(before).map(({ operation }) => operation)];
  }

  beforeAll(() => pit.done('markets'));

  it('sends no write, and reads the client id, the book, the balance and earlier fees', async () => {
    const [answer, read] = await requestsOf(() => preview('buy btc_usdt 0.01 --at 20000 --id dryRun01'));
    expect([...read].sort()).toEqual(['depth', 'getAccountInfo', 'getOrder', 'getOrders']);
    const [, forCancels] = await requestsOf(() => pit.done('cancel btc_usdt 1 2 --dry-run'));
    expect(forCancels).toEqual([]);
    const { preview: previewed, ...rest } = answer;
    expect(rest).toStrictEqual({
      dryRun: true,
      halted: false,
      operation: 'order',
      request: {
        url: `${pit.served.address.tradeUrl}/api/order`,
        method: 'order',
        accesskey: '***',
        currency: 'btc_usdt',
        tradeType: '1',
        price: '20000',
        amount: '0.01',
        customerOrderId: 'dryRun01',
        sign: '***',
        reqTime: TEXT,
      },
    });
    expect(previewed).toStrictEqual({
      price: '20000',
      amount: '0.01',
      notional: '200',
      // no earlier buy shows a fee
      ...{ fee: null, feeCoin: null },
      warnings: [expect.stringMatching(/^The price 20,000\.00 is \d+\.\d\d% below mid/)],
      ...{ spentCoin: 'usdt', balanceBefore: '250000.00000000', balanceAfter: '249800.00000000' },
      ...{ bid: DECIMAL, ask: DECIMAL, mid: DECIMAL, distance: expect.stringMatching(/^-\d/) },
      ...{ fillsAtOnce: '0.00', fillsAtLeast: false, averagePrice: null },
      guards: [],
    });
    await pit.failure('order show btc_usdt --id dryRun01', 3);
  });

  it('refuses an amount with too many decimals, and shows no key', async () => {
    await pit.failure('order buy btc_usdt 0.00001 --at 20000 --dry-run', 2);
    const { stdout, stderr } = await pit.run('order sell btc_usdt 0.01 --at ask --dry-run --verbose');
    const { accessKey, secretKey } = pit.served.address;
    for (const key of [accessKey, secretKey]) expect(stdout + stderr).not.toContain(key);
    expect(stdout).toContain('nothing was sent');
  });

  it('a dry run of several cancellations prints an array', async () => {
    const runs = await pit.json<DryRun[]>('cancel btc_usdt 17 18 --dry-run');
    expect(runs.map(({ request }) => request.id)).toEqual(['17', '18']);
  });

  it('shows the notional of the order', async () => {
    const { price, amount, notional } = (await preview('buy btc_usdt 0.0123 --at bid')).preview;
    expect(same(notional, product(price, amount))).toBe(true);
  });
});
