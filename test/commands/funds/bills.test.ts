import { beforeAll, describe, expect, it } from 'vitest';
import { type BillRow, billPage, billRow, parametersOf } from '../../support/wire.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { literalExchange } from '../literal-exchange.js';
import { place, same, sum } from '../order/order-rows.js';
import { COUNT, DECIMAL, document, ID, lastError, TEXT, TIME, useWorld } from '../pit-home.js';

/** In minutes ahead of UTC: -05:30. */
const ZONE = -330;
const pit = useWorld({ markets: STILL_MARKETS, zone: ZONE });

interface Bill {
  readonly id: string;
  readonly time: string;
  readonly coin: string;
  readonly type: string;
  readonly change: string;
  readonly balance: string;
}

interface Sum {
  readonly coin: string;
  readonly type: string;
  readonly count: number;
  readonly in: string;
  readonly out: string;
  readonly net: string;
}

const ids = (bills: readonly Bill[]) => bills.map(({ id }) => id);

describe('pit bills', () => {
  let before = '';
  beforeAll(async () => {
    for (let count = 0; count < 20; count += 1) await place(pit, 'buy btc_usdt 0.001 --at ask+1% --ioc');
    await pit.done('sandbox clock advance 3d');
    before = new Date(pit.world.exchange.time).toISOString();
    await pit.done('sandbox deposit eth 1.5');
    await pit.done('sandbox clock advance 5m');
  });

  it('lists every documented field, newest first', async () => {
    const bills = await pit.json<Bill[]>('bills');
    expect(bills).toHaveLength(50);
    expect(bills).toStrictEqual(
      bills.map(() => ({
        ...{ id: ID, time: TIME, coin: TEXT, type: TEXT, change: DECIMAL, balance: DECIMAL },
        ...{
          remark: expect.any(String),
          total: DECIMAL,
          timeRaw: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
        },
      })),
    );
    expect(bills[0]).toMatchObject({ coin: 'eth', type: 'Deposit', change: '1.5', balance: '61.5' });
    expect(ids(bills)).toEqual(ids(bills).toSorted((left, right) => Number(right) - Number(left)));
  });

  it('reads all bills older and newer than 48 hours, by page or with --all', async () => {
    const all = await pit.json<Bill[]>('bills --all');
    // a purchase makes three bills: the payment, the coins and the fee
    expect(all).toHaveLength(7 + 20 * 3 + 1);
    expect(await pit.json<Bill[]>('bills --from 30d')).toEqual(all);
    expect(await pit.json<Bill[]>('bills --page 1')).toEqual(all.slice(0, 50));
    expect(await pit.json<Bill[]>('bills --page 2')).toEqual(all.slice(50));
    expect(await pit.json<Bill[]>('bills --page 3')).toEqual([]);
    expect((await pit.run('bills')).stderr).toBe(
      'Warning: This list ends after one page: there may be older bills. Use --page 2, --from TIME or --all for them.\n',
    );
    expect(await pit.json<Bill[]>('bills BTC --all')).toEqual(all.filter(({ coin }) => coin === 'btc'));
  });

  it('applies --from and --to although the exchange writes dates in another zone', async () => {
    const all = await pit.json<Bill[]>('bills --all');
    const old = all.filter(({ time }) => time < before);
    expect(old).toHaveLength(67);
    expect(await pit.json<Bill[]>(`bills --from ${before}`)).toEqual(all.slice(0, 1));
    expect(await pit.json<Bill[]>(`bills --all --to ${before}`)).toEqual(old);
    expect(await pit.json<Bill[]>(`bills --to ${before}`)).toEqual(old.slice(0, 50));
    const [from, to] = [old[40]?.time, old[10]?.time];
    const between = old.filter(({ time }) => time >= String(from) && time < String(to));
    expect(await pit.json<Bill[]>(`bills --from ${from} --to ${to}`)).toEqual(between);
    expect(await pit.json('bills --from 2020-01-01 --to 2020-02-01')).toEqual([]);
    expect(await pit.done('bills --to 2020-02-01')).toBe('No bills.\n');
  });

  it('sums bills exactly with --summary', async () => {
    const bills = await pit.json<Bill[]>('bills --all');
    const sums = await pit.json<Sum[]>('bills --summary');
    expect(sums[0]).toStrictEqual({
      ...{ coin: TEXT, type: TEXT, count: COUNT, in: DECIMAL, out: DECIMAL, net: DECIMAL },
    });
    for (const { coin, type, count, net, ...amounts } of sums) {
      const group = bills.filter((bill) => bill.coin === coin && bill.type === type);
      expect(count).toBe(group.length);
      expect(same(net, sum(...group.map(({ change }) => change)))).toBe(true);
      expect(same(net, sum(amounts.in, `-${amounts.out}`))).toBe(true);
    }
    const held = await pit.json<{ coin: string; total: string }[]>('balance');
    for (const { coin, total } of held)
      expect(same(total, sum(...sums.filter((one) => one.coin === coin).map(({ net }) => net)))).toBe(true);
    const table = await pit.done('bills btc --summary');
    expect(table).toMatch(/btc +Trading fee +20 +0 +0\.\d+ +-0\.\d+\n/);
    expect(table.trimEnd().split('\n').at(-1)).toMatch(/^btc +total +41 /);
  });

  it('prints CSV with plain numbers', async () => {
    const { header, rows } = await pit.csv('bills --all');
    expect(header).toBe('id,time,coin,type,change,balance,remark,total,timeRaw');
    expect(rows.some((row) => /,Trading fee,-0\.\d+,\d/.test(row))).toBe(true);
    expect((await pit.csv('bills eos --from 1s')).header).toBe(header);
    expect((await pit.csv('bills --summary')).header).toBe('coin,type,count,in,out,net');
  });

  it.each([
    ['bills --page 2 --all', /exclude each other/],
    ['bills --page 2 --summary', /exclude each other/],
    ['bills --from 1d --to 2d', /--from is after --to/],
    ['bills --from yesterday', /not a time/],
    ['bills b-tc', /This exchange has no coin b-tc/],
  ])('rejects pit %s', async (line, message) => {
    expect((await pit.failure(line, 2)).message).toMatch(message);
  });

  it("warns when the profile's zone differs from that of the bills", async () => {
    await pit.done('profile set sandbox zone +08:00');
    expect((await pit.run('bills --page 2')).stderr).toBe(
      "Warning: The profile's zone is +08:00, but this exchange's bills are in -05:30.\n→ Use the zone of the bills: pit profile unset sandbox zone\n",
    );
    await pit.done('profile set sandbox zone -- -05:30');
    expect((await pit.run('bills --page 2')).stderr).toBe('');
    await pit.done('profile unset sandbox zone');
  });
});

/** An entry in a page of a literal exchange. */
function entry(id: number, changes: Partial<BillRow> = {}): object {
  const amounts = { change: '+0.10BTC', balance: '1BTC', total: '1' };
  return billRow({ id, coin: 'BTC', ...amounts, time: 1_700_000_000_000 - id, ...changes });
}

const page = (index: number) => Array.from({ length: 50 }, (_, at) => entry(1_000 + index * 50 + at));
const REFUSED = '{"code":1009,"message":"in maintenance"}';

describe('pit bills on a broken exchange', () => {
  /** Runs pit against an exchange with these answers; pages of older bills are numbered. */
  async function run(line: string, older: (index: number) => string) {
    const { extra } = literalExchange((_path, parameters) => {
      const { bills, pageNumber } = parametersOf(parameters);
      return bills === 'recent' ? billPage([]) : older(Number(pageNumber));
    });
    return pit.run(line, extra);
  }

  it('prints a complete document and an error about the missing part when a later page fails', async () => {
    const older = (index: number) => (index < 3 ? billPage(page(index)) : REFUSED);
    const { code, stdout, stderr } = await run('bills --all --json', older);
    expect(code).toBe(9);
    expect(document<Bill[]>(stdout)).toHaveLength(100);
    expect(lastError(stderr)).toMatchObject({
      kind: 'partial',
      code: 1009,
      message: 'Only the newest 100 bills could be read: getSpotBills: rejected by the exchange: “in maintenance”',
    });
    expect((await run('bills --all --csv', older)).stdout.trimEnd().split('\n')).toHaveLength(101);
    expect((await run('bills --all', older)).stdout.trimEnd().split('\n')).toHaveLength(101);
    // a partial sum would be wrong
    const sums = await run('bills --summary --json', older);
    expect([sums.code, sums.stdout, lastError(sums.stderr).kind]).toEqual([3, '', 'refused']);
  });

  it('prints nothing on stdout when the first page fails', async () => {
    for (const format of ['', ' --json', ' --csv']) {
      const { code, stdout } = await run(`bills --all${format}`, () => REFUSED);
      expect([code, stdout]).toEqual([3, '']);
    }
  });

  it('fails on an unreadable amount instead of guessing', async () => {
    const { code, stdout, stderr } = await run('bills --all --json', () => billPage([entry(7, { change: '0,5BTC' })]));
    expect([code, stdout]).toEqual([1, '']);
    expect(lastError(stderr).message).toBe('The amount “0,5BTC” of bill 7 (BTC) cannot be read.');
  });

  it('accepts missing optional fields and grouped amounts', async () => {
    const odd = [
      entry(1, { change: '-1,000.50 BTC', total: null, balance: null, kind: null, remark: '=1+1' }),
      entry(2, { coin: '1INCH', change: '+0.51INCH', total: 12, balance: '121INCH' }),
    ];
    const { stdout } = await run('bills --json', () => billPage(odd));
    expect(document(stdout)).toMatchObject([
      { change: '-1000.50', balance: null, type: null, remark: '=1+1' },
      { coin: '1inch', change: '0.5', balance: '12', total: '12', remark: null },
    ]);
    expect((await run('bills --csv', () => billPage(odd))).stdout).toContain(",btc,,-1000.50,,'=1+1,,");
  });

  it('stops asking when the exchange returns the same page for every number', async () => {
    const { code, stderr } = await run('bills --all --json', () => billPage(page(1)));
    expect(code).toBe(9);
    expect(lastError(stderr).message).toMatch(/^Only the newest 50 bills could be read: /);
  });
});
