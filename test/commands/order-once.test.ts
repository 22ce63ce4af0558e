import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../support/pit.js';
import { PASS, startProxy } from '../support/proxy.js';
import { type Extra, lastError, PitHome, usePitHome } from './pit-home.js';

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

describe('--once after an order whose outcome is unknown', () => {
  // by another path, and so with another journal: an order on the same terms would look like a duplicate
  const OTHER = ORDER.replace('0.01', '0.03');

  /** An order after which the network answers nothing, and may not even carry it out; returns what leads to the network as it is later. */
  async function unknownOrder(id: string, isCarriedOut: boolean): Promise<Extra> {
    let state: 'whole' | 'cut' | 'whole again' = 'whole';
    const proxy = await startProxy({
      port: Number(new URL(pit.served.address.tradeUrl).port),
      treat: ({ operation }) => {
        const isOrder = operation === 'order' && state === 'whole';
        if (isOrder) state = 'cut';
        if (state !== 'cut') return PASS;
        const forward = isOrder && isCarriedOut ? [0] : [];
        return { name: 'cut', forward, awaited: forward.length, reply: { kind: 'nothing', end: 'reset' } };
      },
    });
    onTestFinished(() => proxy.close());
    const extra = { environment: { ...pit.served.environment, PIT_TRADE_URL: proxy.url } };
    const { code } = await pit.run(`${OTHER} --id ${id} --once --timeout 3 --json`, extra);
    expect([code, state]).toEqual([6, 'cut']);
    state = 'whole again';
    return extra;
  }

  const count = async () => (await pit.json<object[]>('orders btc_usdt')).length;

  it('finds the order if it was carried out, and sends nothing', async () => {
    const before = await count();
    const extra = await unknownOrder('once0010', true);
    const found = await pit.json<Placed>(`${OTHER} --id once0010 --once`, extra);
    expect([found.existing, await count()]).toEqual([true, before + 1]);
  });

  it('sends nothing while the outcome stays unknown, and places the order once the first cannot be carried out', async () => {
    const before = await count();
    const extra = await unknownOrder('once0011', false);
    const { code, stdout, stderr } = await pit.run(`${OTHER} --id once0011 --once --timeout 3 --json`, extra);
    expect([code, JSON.parse(stdout)]).toEqual([6, expect.objectContaining({ outcome: 'unknown', existing: false })]);
    expect(lastError(stderr)).toMatchObject({ kind: 'unknown', clientId: 'once0011' });
    expect(await count()).toBe(before);
    await pit.done('sandbox clock advance 2m');
    const placed = await pit.json<Placed>(`${OTHER} --id once0011 --once`, extra);
    const again = await pit.json<Placed>(`${OTHER} --id once0011 --once`, extra);
    expect([placed.existing, again, await count()]).toEqual([false, { ...placed, existing: true }, before + 1]);
  });
});

it('--once of several processes at the same moment places one order, and each prints it', async () => {
  const lines = Array.from({ length: 4 }, () => pit.run(`${ORDER} --id once0020 --once --json`, { ownProcess: true }));
  const ran = await Promise.all(lines);
  const orders = ran.map(({ stdout }) => JSON.parse(stdout) as Placed);
  expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(new Set(orders.map(({ id }) => id)).size).toBe(1);
  expect(orders.filter(({ existing }) => !existing)).toHaveLength(1);
  const listed = await pit.json<{ clientId: string }[]>('orders btc_usdt');
  expect(listed.filter(({ clientId }) => clientId === 'once0020')).toHaveLength(1);
});

it('--once compares a relative price and amount as they were given, whatever they come to now', async () => {
  const line = 'order buy btc_usdt 100usdt --at bid-4% --id once0030 --once --yes';
  const placed = await pit.json<Placed>(line);
  await pit.done('sandbox price btc_usdt 28500');
  expect(await pit.json<Placed>(line)).toMatchObject({ id: placed.id, existing: true });
  const error = await pit.failure(line.replace('bid-4%', 'bid-3%'), 2);
  expect(error).toMatchObject({ order: placed.id, message: expect.stringContaining('its price is bid-4%') });
});

it('--once places an order whose first try was rejected', async () => {
  const line = 'order buy btc_usdt 0.01 --at bid-4% --id once0040 --once --yes --json';
  await pit.done('sandbox fault add rate-limit --operation order --count 1');
  expect((await pit.run(line)).code).toBe(7);
  expect(await pit.json<Placed>(line.replace(' --json', ''))).toMatchObject({ existing: false });
});

it('--once finds an order that another program placed, and cannot compare what is relative', async () => {
  const { id } = await pit.json<Placed>(`${ORDER} --id once0050`);
  const { environment } = pit.served;
  const elsewhere = new PitHome(temporaryHome());
  expect(await elsewhere.json<Placed>(`${ORDER} --id once0050 --once`, { environment })).toMatchObject({
    ...{ id, existing: true },
  });
  const relative = 'order buy btc_usdt 0.01 --at bid-2% --id once0050 --once --yes';
  expect(await elsewhere.failure(relative, 2, { environment })).toMatchObject({ order: id });
});

it('--once --dry-run warns that the order exists, and shows the preview', async () => {
  const { id } = await pit.json<Placed>(`${ORDER} --id once0060`);
  const { code, stdout, stderr } = await pit.run(`${ORDER} --id once0060 --once --dry-run --json`);
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ dryRun: true })]);
  expect(stderr).toContain(`Order ${id} has the client id once0060 already`);
});

it.each(['', '--once'])('the guards hold for an order that does not exist yet (%s)', async (once) => {
  const line = `order buy btc_usdt 0.01 --at 60000 --id once0070 ${once} --yes`.replace('  ', ' ');
  expect((await pit.failure(line, 2)).message).toContain('price-band');
});
