import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { LOST, LOST_ANSWER, PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
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
  expect(error.hint).toBe(
    `Nothing was sent. Choose another --id for another order. See that order: pit order show btc_usdt ${id}`,
  );
  expect(await pit.json('orders btc_usdt')).toHaveLength(before.length);
});

it('without --once, the error for an id that is taken has clientId and order', async () => {
  const { id } = await pit.json<Placed>(`${ORDER} --id once0003`);
  const { code, stderr } = await pit.run(`${ORDER} --id once0003 --json`);
  expect([code, lastError(stderr)]).toMatchObject([
    2,
    {
      ...{ kind: 'usage', clientId: 'once0003', order: id },
      message: `The client id once0003 is taken by order ${id}.`,
      hint: `Choose another --id, or add --once. See that order: pit order show btc_usdt ${id}`,
    },
  ]);
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
  // an order on the same terms would look like a duplicate
  const OTHER = ORDER.replace('0.01', '0.03');

  /** An order after which the network answers nothing, and may not even carry it out. The network passes everything again afterwards. */
  async function unknownOrder(id: string, isCarriedOut: boolean): Promise<void> {
    const { network } = pit.world;
    let isCut = false;
    network.treat = ({ operation }) => {
      const isFirst = operation === 'order' && !isCut;
      isCut ||= isFirst;
      if (!isCut) return PASS;
      return isFirst && isCarriedOut ? LOST_ANSWER : LOST;
    };
    const { code } = await pit.run(`${OTHER} --id ${id} --once --timeout 3 --json`);
    expect([code, isCut]).toEqual([6, true]);
    network.treat = () => PASS;
  }

  const count = async () => (await pit.json<object[]>('orders btc_usdt')).length;

  it('finds the order if it was carried out, and sends nothing', async () => {
    const before = await count();
    await unknownOrder('once0010', true);
    const found = await pit.json<Placed>(`${OTHER} --id once0010 --once`);
    expect([found.existing, await count()]).toEqual([true, before + 1]);
  });

  it('sends nothing while the outcome stays unknown, and places the order once the first cannot be carried out', async () => {
    const before = await count();
    await unknownOrder('once0011', false);
    const { code, stdout, stderr } = await pit.run(`${OTHER} --id once0011 --once --timeout 3 --json`);
    expect([code, JSON.parse(stdout)]).toEqual([6, expect.objectContaining({ outcome: 'unknown', existing: false })]);
    expect(lastError(stderr)).toMatchObject({ kind: 'unknown', clientId: 'once0011' });
    expect(await count()).toBe(before);
    await pit.world.pass(120_000);
    const placed = await pit.json<Placed>(`${OTHER} --id once0011 --once`);
    const again = await pit.json<Placed>(`${OTHER} --id once0011 --once`);
    expect([placed.existing, again, await count()]).toEqual([false, { ...placed, existing: true }, before + 1]);
  });

  it('says in a dry run that nothing would be sent while the outcome stays unknown', async () => {
    await unknownOrder('once0012', false);
    const error = await pit.failure(`${OTHER} --id once0012 --once --dry-run --timeout 3`, 2);
    expect(error).toMatchObject({
      message: 'It is unknown whether an order with the client id once0012 was placed: nothing would be sent.',
      hint: 'Find out: pit resolve once0012',
      clientId: 'once0012',
    });
  });
});

it('--once of several processes at the same moment places one order, and each prints it', async () => {
  const lines = Array.from({ length: 4 }, () => pit.run(`${ORDER} --id once0020 --once --json`));
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
  pit.world.exchange.quote('btc_usdt', { bid: '30500.00', ask: '30510.00' });
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
  const home = pit.world.otherHome('elsewhere');
  expect(await pit.world.json<Placed>(`${ORDER} --id once0050 --once`, { home })).toMatchObject({ id, existing: true });
  const relative = 'order buy btc_usdt 0.01 --at bid-2% --id once0050 --once --yes';
  const { code, stderr } = await pit.world.run(`${relative} --json`, { home });
  expect([code, lastError(stderr)]).toEqual([2, expect.objectContaining({ order: id })]);
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
