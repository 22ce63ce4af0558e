import { beforeAll, describe, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { ORDER_ROW, type OrderRow, type Placed, place } from '../order/order-rows.js';
import { DECIMAL, lastError, TEXT, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });
const HEADER =
  'id,clientId,market,side,type,account,price,amount,filled,remaining,filledValue,averagePrice,fee,feeCoin,feeDiscount,time,state,status,algo';

let buys: Placed[] = [];
let sells: Placed[] = [];

function idsOf(orders: readonly { readonly id: string }[]): string[] {
  return orders.map(({ id }) => id);
}

function list(words: string): Promise<OrderRow[]> {
  return pit.json<OrderRow[]>(`orders eos_usdt ${words}`.trimEnd());
}

/** Ids count up with time, whatever their length. */
function newestFirst(orders: readonly { readonly id: string }[]): string[] {
  return idsOf(orders).toSorted((left, right) => (BigInt(left) > BigInt(right) ? -1 : 1));
}

beforeAll(async () => {
  // several at once, as the pit has two hands; the exchange numbers them in the order in which they come
  const many = (count: number, words: string) =>
    Promise.all(Array.from({ length: count }, () => place(pit, `${words} eos_usdt 10 --at 0.5`)));
  sells = await Promise.all(['2.5', '2.6'].map((price) => place(pit, `sell eos_usdt 10 --at ${price}`)));
  buys = [...(await many(13, 'buy')), ...(await many(12, 'buy'))];
});

describe('pit orders', () => {
  it('merges all pages of both sides, newest first', async () => {
    const open = await list('');
    expect(idsOf(open)).toEqual(newestFirst([...buys, ...sells]));
    for (const row of open) {
      const feeCoin = row.side === 'buy' ? 'eos' : 'usdt';
      expect(row).toStrictEqual({ ...ORDER_ROW, market: 'eos_usdt', side: row.side, feeCoin, status: 3 });
    }
  });

  it('lists one side, and one page of it', async () => {
    expect(idsOf(await list('--side sell'))).toEqual(newestFirst(sells));
    const all = newestFirst(buys);
    expect(idsOf(await list('--side buy'))).toEqual(all);
    expect(idsOf(await list('--side buy --page 1'))).toEqual(all.slice(0, 10));
    expect(idsOf(await list('--side buy --page 3 --state all'))).toEqual(all.slice(20));
    expect(await list('--side buy --page 4')).toEqual([]);
    for (const words of ['--page 1', '--side buy --page 1 --all', '--side buy --page 0', '--side both'])
      await pit.failure(`orders eos_usdt ${words}`, 2);
  });

  it('reads the latest page of any state, and notes that there are older orders', async () => {
    expect(await list('--state all')).toHaveLength(12);
    expect((await pit.run('orders eos_usdt --state all')).stderr).toContain('--all');
    expect(await list('--state all --all')).toHaveLength(27);
  });

  it('prints the columns of the contract even if there are no orders', async () => {
    const { header, rows } = await pit.csv('orders eos_usdt --side sell');
    expect(header).toBe(HEADER);
    expect(rows.map((row) => row.split(',')[0])).toEqual(newestFirst(sells));
    expect(await pit.csv('orders ltc_usdt')).toEqual({ header: HEADER, rows: [] });
    expect(await pit.json('orders ltc_usdt')).toEqual([]);
  });

  it('filters by state', async () => {
    const [open, gone] = [
      await place(pit, 'buy xrp_usdt 10 --at bid-50%'),
      await place(pit, 'sell xrp_usdt 10 --at ask+50%'),
    ];
    const filled = await place(pit, 'buy xrp_usdt 5 --at ask+2%');
    await pit.done(`cancel xrp_usdt ${gone.id}`);
    const inState = async (words: string) => idsOf(await pit.json<OrderRow[]>(`orders xrp_usdt${words}`));
    expect(await inState(' --state filled --all')).toEqual([filled.id]);
    expect(await inState(' --state cancelled --all')).toEqual([gone.id]);
    expect(await inState('')).toEqual([open.id]);
    expect(await inState(' --state all --all')).toEqual(newestFirst([open, gone, filled]));
  });
});

describe('pit cancel of several', () => {
  const row = { clientId: null, market: 'eth_usdt', code: 1000, message: TEXT };
  const placed = () => place(pit, 'buy eth_usdt 0.1 --at bid-50%');

  it('succeeds if all are cancelled', async () => {
    const [first, second] = [await placed(), await placed()];
    const ids = [first.id, second.id, first.id].join(' ');
    expect(await pit.json(`cancel eth_usdt ${ids}`)).toStrictEqual(
      [first, second].map((order) => ({
        ...row,
        ...{
          outcome: 'cancelled',
          id: order.id,
          price: DECIMAL,
          amount: DECIMAL,
          filled: DECIMAL,
          filledValue: DECIMAL,
        },
      })),
    );
  });

  it('prints all outcomes and exits with 9 if some were not cancelled', async () => {
    const [gone, open] = [await placed(), await placed()];
    await pit.done(`cancel eth_usdt ${gone.id}`);
    const { code, stdout, stderr } = await pit.run(`cancel eth_usdt ${gone.id} ${open.id} 17 --json`);
    const nothing = { price: null, amount: null, filled: null, filledValue: null };
    expect(JSON.parse(stdout)).toStrictEqual([
      // what is known of it is error all the same
      {
        ...row,
        outcome: 'refused',
        id: gone.id,
        code: 3001,
        price: DECIMAL,
        amount: DECIMAL,
        filled: DECIMAL,
        filledValue: DECIMAL,
      },
      {
        ...row,
        outcome: 'cancelled',
        id: open.id,
        price: DECIMAL,
        amount: DECIMAL,
        filled: DECIMAL,
        filledValue: DECIMAL,
      },
      { ...row, ...nothing, outcome: 'refused', id: '17', code: 3001 },
    ]);
    expect(lastError(stderr)).toMatchObject({ kind: 'partial', exitCode: 9, code: 3001 });
    expect(code).toBe(9);
  });

  it('reports a refusal if no order was cancelled', async () => {
    const { id } = await placed();
    await pit.done(`cancel eth_usdt ${id}`);
    const error = await pit.failure(`cancel eth_usdt ${id} 17`, 3);
    expect(error).toMatchObject({ kind: 'refused', code: 3001 });
  });

  it('takes your own id among the ids: it has letters', async () => {
    const [mine, other] = [
      await pit.json<{ id: string }>('order buy eth_usdt 0.2 --at bid-50% --id mine0042 --yes'),
      await placed(),
    ];
    expect(await pit.json('order show eth_usdt mine0042')).toMatchObject({ id: mine.id, state: 'open' });
    const [cancellation] = await pit.json<unknown[]>('order replace eth_usdt mine0042 --amount 0.3 --dry-run');
    expect(cancellation).toMatchObject({ operation: 'cancelOrder', request: { id: mine.id } });
    expect(await pit.json(`cancel eth_usdt mine0042 ${other.id}`)).toMatchObject([
      { outcome: 'cancelled', clientId: 'mine0042' },
      { outcome: 'cancelled', id: other.id },
    ]);
  });

  it.each([['17'], ['mine0043'], ['--id mine0043']])('lists your orders if there is no order %s', async (order) => {
    const { hint } = await pit.failure(`cancel eth_usdt ${order}`, 3);
    expect(hint).toBe('See your orders: pit orders eth_usdt --state all');
    expect(await pit.failure(`order show eth_usdt ${order}`, 3)).toMatchObject({
      hint: 'List your orders: pit orders eth_usdt --state all',
    });
    await pit.done('orders eth_usdt --state all');
  });

  it('needs either ids or your own id', async () => {
    await pit.failure('cancel eth_usdt', 2);
    await pit.failure('cancel eth_usdt 17 --id myOrder1', 2);
    await pit.failure('cancel eth_usdt 17th-order', 2);
  });
});
