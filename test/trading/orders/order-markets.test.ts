import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { MOST_BY_BALANCES, orderMarkets } from '../../../src/trading/orders/order-markets.js';

type Exchange = Parameters<typeof orderMarkets>[0];

const LISTED = ['btc_usdt', 'eth_usdt', 'eth_btc', 'ltc_usdt', 'ltc_qc'];

/** The scope of an account with these amounts, `available frozen` of each coin, whose journal has these markets. */
function scopeOf(balances: Readonly<Record<string, string>>, known: readonly string[] = [], listed = LISTED) {
  const coins = Object.entries(balances).map(([coin, amounts]) => {
    const [available = '0', frozen = '0'] = amounts.split(' ');
    return { coin, available, frozen };
  });
  const markets = listed.map((market) => {
    const [base = '', quote = ''] = market.split('_');
    return { market, base, quote };
  });
  const client = { account: async () => ({ coins }), markets: { all: async () => markets } } as unknown as Exchange;
  return orderMarkets(client, { markets: () => [...known] });
}

describe('the markets in which open orders are looked for', () => {
  it('are those between two coins that the account has', async () => {
    const { markets, leftOut, failure } = await scopeOf({
      btc: '0.00 0',
      eth: '2.50 0',
      usdt: '0 10.00',
      ltc: '0.0 0',
    });
    expect({ markets, leftOut, failure }).toEqual({ markets: ['eth_usdt'], leftOut: [], failure: null });
  });

  it('include every market of a base coin that is frozen, as its sale needs none of the quote', async () => {
    expect((await scopeOf({ ltc: '0 1' })).markets).toEqual(['ltc_usdt', 'ltc_qc']);
  });

  it('begin with those of the journal, each once', async () => {
    expect((await scopeOf({ eth: '1 0', usdt: '1 0' }, ['xrp_usdt', 'eth_usdt'])).markets).toEqual([
      'xrp_usdt',
      'eth_usdt',
    ]);
  });

  it('put those of frozen coins first, and are bounded: what is left out is named', async () => {
    const names = Array.from({ length: MOST_BY_BALANCES + 5 }, (_, index) => `c${index}`);
    const held = Object.fromEntries(names.map((name, index) => [name, index === names.length - 1 ? '0 1' : '1 0']));
    const listed = names.map((name) => `${name}_usdt`);
    const { markets, leftOut } = await scopeOf({ ...held, usdt: '1 0' }, ['btc_usdt'], listed);
    expect(markets.slice(0, 2)).toEqual(['btc_usdt', `${names.at(-1)}_usdt`]);
    expect([markets.length, leftOut.length]).toEqual([1 + MOST_BY_BALANCES, 5]);
    expect(MOST_BY_BALANCES).toBe(20);
  });

  it('are those of the journal alone if the balances cannot be read, and say so', async () => {
    const failure = new Failure('refused', 'No permission.');
    const account = () => Promise.reject(failure);
    const client = { account, markets: { all: async () => [] } } as unknown as Exchange;
    const found = await orderMarkets(client, { markets: () => ['btc_usdt'] });
    expect(found).toEqual({ markets: ['btc_usdt'], leftOut: [], failure });
  });
});
