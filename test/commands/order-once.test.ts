import { expect, it } from 'vitest';
import { lastError, usePitHome } from './pit-home.js';

const pit = usePitHome();
const ORDER = 'order buy btc_usdt 0.01 --at 20000 --override price-band --yes';

interface Placed {
  readonly id: string;
  readonly existing: boolean;
}

it('--once prints the same order again, with exit code 0, and sends nothing', async () => {
  const placed = await pit.json<Placed>(`${ORDER} --id once0001 --once`);
  const again = await pit.json<Placed>(`${ORDER} --id once0001 --once`);
  expect([placed.existing, again.existing, again.id]).toEqual([false, true, placed.id]);
  expect(await pit.json('orders btc_usdt')).toHaveLength(1);
});

it('--once refuses other terms under the same id, names the order, and sends nothing', async () => {
  const { id } = await pit.json<Placed>(`${ORDER} --id once0002 --once`);
  const before = await pit.json<object[]>('orders btc_usdt');
  const error = await pit.failure(`${ORDER.replace('0.01', '0.02')} --id once0002 --once`, 2);
  expect(error).toMatchObject({ kind: 'usage', clientId: 'once0002', order: id });
  expect(error.message).toBe(`Order ${id} has the client id once0002 already, and its amount is 0.01.`);
  expect(await pit.json('orders btc_usdt')).toHaveLength(before.length);
});

it('without --once, the error for an id that is taken has clientId and order', async () => {
  const { id } = await pit.json<Placed>(`${ORDER} --id once0003`);
  const { code, stderr } = await pit.run(`${ORDER} --id once0003 --json`);
  expect([code, lastError(stderr)]).toEqual([2, expect.objectContaining({ clientId: 'once0003', order: id })]);
});

it('--once without --id is a usage error', async () => {
  expect((await pit.failure(`${ORDER} --once`, 2)).message).toBe('--once needs --id.');
});

it('--wait filled of an IOC order that fills nothing ends with 9 and prints the order', async () => {
  const { code, stdout, stderr } = await pit.run(
    'order sell btc_usdt 0.01 --at ask+5% --ioc --wait filled --yes --json',
  );
  expect([code, JSON.parse(stdout)]).toEqual([9, expect.objectContaining({ state: 'cancelled' })]);
  expect(lastError(stderr)).toMatchObject({ kind: 'partial', message: expect.stringContaining('will not be filled') });
});

it('the hint for a value below the minimum works as an amount, after rounding to lots', async () => {
  const error = await pit.failure('order buy btc_usdt 0.5usdt --at bid-1% --yes', 2);
  const hinted = /Use ([\d.]+usdt) or more/.exec(error.hint ?? '')?.[1];
  expect(hinted).toBeDefined();
  await pit.done(`order buy btc_usdt ${hinted} --at bid-1% --yes`);
});
