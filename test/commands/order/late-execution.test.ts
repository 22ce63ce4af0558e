import { beforeAll, expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { lastError, useWorld } from '../pit-home.js';
import { Straight } from '../straight.js';

/*
 * An exchange that checks the time of a request as it arrives, and executes it later: each of these writes counts as not sent,
 * since its time limit is over and the exchange does not have it, and is executed 200 s after it was sent.
 * Each test is about one of them, and asks about its market alone.
 */
const pit = useWorld({ markets: STILL_MARKETS });
const straight = new Straight(pit);

interface Row {
  readonly clientId: string;
  readonly outcome: string;
  readonly id: string | null;
}

const ids = { batch: '', resumed: '', withdrawal: '' };
/** The first list of withdrawals afterwards. `pit resolve` reads that list too, and what was found late is named once. */
const withdrawals = { stdout: '', stderr: '' };

beforeAll(async () => {
  // the batches are far from the market, so that they never fill
  await pit.done('profile set sandbox priceBand 100%');
  for (const operation of ['order', 'orderMoreV2', 'withdraw'])
    await straight.fault('late', operation, { delay: 200_000 });
  const lost = async (line: string, input?: string) => {
    const { code, stderr } = await pit.run(`${line} --yes --json --timeout 8`, input === undefined ? {} : { input });
    expect({ line, code }).toEqual({ line, code: 6 });
    return lastError(stderr).clientId ?? '';
  };
  const [{ address } = { address: '' }] = await pit.json<{ address: string }[]>('address btc --withdraw');
  const withdraw = `withdraw btc 0.05 --to ${address} --confirm-address ${address} --safe-pwd-stdin`;
  const [batch, resumed, withdrawal] = await Promise.all([
    lost('order batch buy ltc_usdt --ladder 20:21:2 --amount 2'),
    lost('order batch buy eos_usdt --ladder 0.1:0.2:2 --amount 200'),
    lost(withdraw, `${pit.served.address.safePwd}\n`),
    lost('order buy btc_usdt 0.01 --at 20001 --id late1'),
    lost('order buy eth_usdt 0.1 --at ask+3% --id late2'),
  ]);
  Object.assign(ids, { batch, resumed, withdrawal });
  await straight.administer('POST /faults/clear');
  await pit.world.pass(70_000);
  const rows = await pit.json<Row[]>('resolve --timeout 100');
  expect(rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'notSent'));
  await pit.world.pass(200_000);
  Object.assign(withdrawals, await pit.run('withdrawals btc --json'));
});

/** The ids that `pit resolve` names. */
async function named(): Promise<string[]> {
  return (await pit.json<Row[]>('resolve')).map(({ clientId }) => clientId);
}

async function doctorOfJournal(): Promise<string> {
  const findings = await pit.json<{ check: string; status: string; detail: string }[]>('doctor', { host: {} });
  const { status, detail } = findings.find(({ check }) => check === 'journal') ?? {};
  return `${status}: ${detail}`;
}

it('names a withdrawal that is executed after it counted as not sent, and corrects its outcome', async () => {
  const { stdout, stderr } = withdrawals;
  const [{ id }] = JSON.parse(stdout) as [{ id: string }];
  expect(stderr).toContain('A WITHDRAWAL THAT COUNTED AS NOT SENT EXISTS: 0.05 btc to ');
  expect(stderr).toContain(`(${ids.withdrawal}) as ${id}.`);
  expect((await pit.run('withdrawals btc')).stderr).not.toContain('COUNTED');
  expect(await named()).toContain(ids.withdrawal);
  expect(await pit.json(`resolve ${ids.withdrawal}`)).toMatchObject([{ outcome: 'placed', id, duplicates: [] }]);
  expect(await named()).not.toContain(ids.withdrawal);
});

it('names an order that is executed after it counted as not sent, until the user asks for it', async () => {
  const { stderr } = await pit.run('orders btc_usdt');
  const [, id] = /AN ORDER THAT COUNTED AS NOT SENT IS LIVE: .*\(client id late1\) as (\d+)\./.exec(stderr) ?? [];
  expect(stderr).toContain(`To cancel it: pit cancel btc_usdt ${id}\n`);
  expect((await pit.run('orders btc_usdt')).stderr).not.toContain('COUNTED');
  expect(await named()).toContain('late1');
  expect(await doctorOfJournal()).toMatch(/^warn: .* executed after counting as not sent or rejected$/);
  expect((await pit.run('resolve')).stderr).toContain('though it counted as not sent or rejected: buy 0.01 btc_usdt');
  expect(await pit.json('resolve late1')).toMatchObject([{ clientId: 'late1', outcome: 'placed', id }]);
  expect(await named()).not.toContain('late1');
});

it('says what such an order has filled, and suggests no cancellation', async () => {
  const { stderr } = await pit.run('orders eth_usdt');
  expect(stderr).toMatch(/AN ORDER THAT COUNTED AS NOT SENT HAS FILLED: .*\(client id late2\) as \d+\./);
  expect(stderr).toMatch(/Order \d+ has already filled: 0\.1 eth for [\d,.]+ usdt, at [\d,.]+ on average\./);
  expect(stderr).not.toContain('pit cancel');
});

it('names such orders of a batch in the same words, and corrects its outcome', async () => {
  const { stderr } = await pit.run('orders ltc_usdt');
  expect(stderr).toContain(`2 ORDERS THAT COUNTED AS NOT SENT ARE LIVE: buy in ltc_usdt (job ${ids.batch})`);
  expect(stderr).toMatch(/To cancel these orders: pit cancel ltc_usdt \d+ \d+\n/);
  expect(await named()).toContain(ids.batch);
  expect(await pit.json(`resolve ${ids.batch}`)).toMatchObject([{ outcome: 'placed', duplicates: [] }]);
  expect(await named()).not.toContain(ids.batch);
});

it('sends nothing for --resume if the exchange has executed the orders after all', async () => {
  const { code, stdout, stderr } = await pit.run(`order batch buy eos_usdt --resume ${ids.resumed} --yes --json`);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { placed: 2, duplicates: [] }]);
  expect(stderr).toContain(`2 ORDERS THAT COUNTED AS NOT SENT ARE LIVE: buy in eos_usdt (job ${ids.resumed})`);
  expect(await straight.open('eos_usdt')).toHaveLength(2);
});

it('says of an order that expired while its command waited that it counts as not sent, which is not that it never left', async () => {
  await straight.fault('drop-before', 'order', { count: 1 });
  const { code, stderr } = await pit.run('order buy xrp_usdt 20 --at bid-3% --yes --timeout 100');
  expect([code, stderr]).toEqual([5, expect.stringContaining('The order counts as not sent: ')]);
});
