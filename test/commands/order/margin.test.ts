import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { DECIMAL, ID, type PitHome, TEXT, useWorldPerTest } from '../pit-home.js';
import { type Placed, same, sum } from './order-rows.js';

interface WalletRow {
  readonly wallet: string;
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});

async function wallet(of: PitHome, name: string, coin: string): Promise<WalletRow> {
  const rows = await of.json<WalletRow[]>('sandbox account show');
  const none = { wallet: name, market: null, coin, available: '0', frozen: '0', borrowed: '0' };
  return rows.find((row) => row.coin === coin && (row.market ?? row.wallet) === name) ?? none;
}

const above = (text: string, limit: string) => Decimal.of(text).compare(Decimal.of(limit)) > 0;

describe('pit order on margin', () => {
  it('borrows the missing amount, and repays it with the proceeds of a sell', async () => {
    await pit.done('sandbox transfer usdt 1000 --margin btc_usdt --yes');
    const spot = await wallet(pit, 'spot', 'usdt');
    const bought = await pit.json<Placed>('order buy btc_usdt 2500usdt --at ask+1% --account isolated --borrow --yes');
    expect(bought).toMatchObject({ outcome: 'placed', id: ID, account: 'isolated', price: DECIMAL });
    // what an order may cost is held, and what the wallet has not is lent
    const owing = await wallet(pit, 'btc_usdt', 'usdt');
    expect(same(owing.borrowed, sum(bought.notional, '-1000'))).toBe(true);
    const held = await wallet(pit, 'btc_usdt', 'btc');
    expect([above(held.available, '0.01'), held.borrowed]).toEqual([true, '0.00000000']);

    const rest = Decimal.of(held.available).rescaled(6, 'down').toString();
    await pit.done(`order sell btc_usdt ${rest} --at bid-1% --account isolated --repay --yes`);
    const repaid = await wallet(pit, 'btc_usdt', 'usdt');
    expect(repaid.borrowed).toBe('0.00000000');
    expect([above(repaid.available, '900'), above(repaid.available, '1000')]).toEqual([true, false]);
    expect(await wallet(pit, 'spot', 'usdt')).toEqual(spot);
  });

  it('borrows no more than the leverage allows, and nothing without --borrow', async () => {
    await pit.done('sandbox transfer usdt 100 --margin cross --yes');
    const before = await wallet(pit, 'cross', 'usdt');
    const beyond = await pit.failure('order buy btc_usdt 301usdt --at bid-5% --account cross --borrow --yes', 3);
    expect(beyond).toMatchObject({ kind: 'refused', code: 2009, clientId: TEXT });
    const unasked = await pit.failure('order buy btc_usdt 150usdt --at bid-5% --account cross --yes', 3);
    expect(unasked).toMatchObject({ kind: 'refused', code: 2009 });
    expect(await wallet(pit, 'cross', 'usdt')).toEqual(before);
    const within = await pit.json<Placed>(
      'order buy btc_usdt 299usdt --at bid-5% --account cross --borrow --repay --yes',
    );
    const owing = await wallet(pit, 'cross', 'usdt');
    expect(same(owing.frozen, within.notional) && same(owing.borrowed, sum(within.notional, '-100'))).toBe(true);
    await pit.done(`cancel btc_usdt ${within.id} --yes`);
    expect(await wallet(pit, 'cross', 'usdt')).toEqual(before);
  });

  it('stays on margin when it is replaced, and shows its account', async () => {
    await pit.done('sandbox transfer usdt 500 --margin cross --yes');
    const output = await pit.done('order buy btc_usdt 0.01 --at 20000 --account cross --id margin01 --yes');
    expect(output).toMatch(
      /^Placed {2}\+ BUY 0\.01 btc_usdt at 20,000\.00 {2}cross margin {2}id \d+\nOpen {4}nothing has filled yet\n$/,
    );
    const line = 'order replace btc_usdt --id margin01 --at 20100';
    const runs = await pit.json(`${line} --dry-run`);
    expect(runs).toMatchObject([{ operation: 'cancelOrder' }, { operation: 'order', request: { acctType: '2' } }]);
    expect(await pit.done(`${line} --dry-run`)).toContain("cross margin (the old order's, by the journal)");
    expect((await pit.failure(`${line} --account spot --yes`, 2)).message).toContain('contradicts --account spot');
    const next = await pit.json<Placed>(`${line} --yes`);
    expect(next).toMatchObject({ outcome: 'placed', account: 'cross', replaced: { outcome: 'cancelled' } });
    const again = await pit.json<Placed>(`order replace btc_usdt ${next.id} --at 20200 --yes`);
    expect(again).toMatchObject({ outcome: 'placed', account: 'cross' });
  });

  it('--borrow on spot is a usage error, and nothing is sent', async () => {
    const error = await pit.failure('order buy btc_usdt 0.01 --at bid --borrow --yes', 2);
    expect(error.message).toContain('--borrow');
  });
});
