import { describe, expect, it } from 'vitest';
import { LOST, PASS } from '../../support/world/network.js';
import { DECIMAL, ID, lastError, TEXT } from '../pit-home.js';
import { type Batch, batch, useBatchHome } from './batch-home.js';

/** The list is read as far as the check for duplicates needs: it does not show every order of a long batch. */
const FILLS = ['state', 'filled', 'filledValue', 'averagePrice', 'fee', 'feeCoin'];

const batches = useBatchHome();
const { pit } = batches;

describe('pit order batch', () => {
  it('places a file and reports the outcome of each line', async () => {
    const file = batches.orders(45);
    const result = await pit.json<Batch>(`order batch buy btc_usdt --file ${file} --yes`);
    expect(result).toStrictEqual({
      ...{ job: expect.stringMatching(/^job[0-9a-f]{20}$/), market: 'btc_usdt', side: 'buy', account: 'spot' },
      ...{ placed: 45, refused: 0, unknown: 0, notSent: 0, duplicates: [] },
      // of a batch this long, not every order is read again
      ...{ filled: null, filledValue: null, averagePrice: null, fee: null, feeCoin: null },
      orders: Array.from({ length: 45 }, (_, index) => ({
        ...{
          line: index + 1,
          price: `${batches.first + index}.50`,
          amount: '0.001',
          outcome: 'placed',
          id: ID,
          reason: null,
        },
        ...Object.fromEntries(FILLS.map((name) => [name, expect.toBeOneOf([null, TEXT])])),
      })),
    });
    const placed = new Map((await batches.there()).map(({ id, price, amount }) => [id, `${price} ${amount}`]));
    expect(placed.size).toBe(45);
    for (const { id, price } of result.orders) expect(placed.get(id ?? '')).toBe(`${price} 0.001000`);
    const timeline = await pit.json<{ outcome: string; timeline: { event: string }[] }[]>(`resolve ${result.job}`);
    expect(timeline).toMatchObject([{ operation: 'orderMoreV2', clientId: result.job, outcome: 'placed' }]);
    expect(timeline[0]?.timeline.map(({ event }) => event)).toContain('requests 1 to 3, 3 answered, 45 orders placed');
    // nothing is left to send, which is shown in the form of any dry run
    expect(await pit.json(`order batch buy btc_usdt --resume ${result.job} --dry-run`)).toMatchObject({
      ...{ dryRun: true, operation: 'orderMoreV2', request: null, requests: [] },
      preview: { orders: 0, price: null, lowest: `${batches.first}.50`, highest: `${batches.first + 44}.50` },
    });
  });

  it('reads both kinds of lines from a pipe', async () => {
    batches.orders(0);
    const input = `price,amount\r\n${batches.first}.5,0.002\r\n# and\r\n{"price":${batches.first + 1},"amount":2e-3}\r\n`;
    const result = await pit.json<Batch>('order batch buy btc_usdt --file - --yes', { input });
    expect(result.orders.map(({ line, price, amount }) => [line, price, amount])).toEqual([
      [2, `${batches.first}.5`, '0.002'],
      [4, `${batches.first + 1}`, '0.002'],
    ]);
    expect(await batches.there()).toHaveLength(2);
  });

  it('shows counts to people and every line as CSV', async () => {
    expect(await pit.done(`order batch buy btc_usdt --file ${batches.orders(3)} --yes`)).toMatch(
      /^job {5}job\w+\nplaced {2}3\n$/,
    );
    const { header, rows } = await pit.csv(`order batch buy btc_usdt --file ${batches.orders(3)} --yes`);
    const fills = 'state,filled,filledValue,averagePrice,fee,feeCoin';
    expect([header, rows.length]).toEqual([`line,price,amount,outcome,id,reason,${fills}`, 3]);
    expect(rows[0]).toMatch(/^1,\d+\.50,0\.001,placed,\d+,,open,0\.000000,0\.0+,,0\.0+,btc$/);
  });

  it('places a ladder within its total, by the report of the exchange', async () => {
    const ran = await pit.run(
      'order batch buy btc_usdt --ladder bid-2%:bid-1%:7 --amount 0.01 --weight linear --yes --json',
    );
    const { orders: made } = batch(ran);
    expect(made).toHaveLength(7);
    const amounts = made.map(({ amount }) => Number(amount));
    expect(amounts.every((amount, index) => index === 0 || amount > (amounts[index - 1] ?? 0))).toBe(true);
    expect(amounts.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(0.01);
    expect(new Set(made.map(({ price }) => price)).size).toBe(7);
  });

  it.each([
    // 1000 / (20000 + 20100 + 20200 + 20300 + 20400) × 5 = 0.0495049..., a fifth of it is 0.00990099
    ['buy', '20000:20400:5', '1000usdt', '', ['0.009900', '0.009900', '0.009900', '0.009900', '0.009900']],
    // 600 / (1 × 20000 + 2 × 20100 + 3 × 20200) × 6 = 0.029801...
    ['buy', '20000:20200:3', '600usdt', '--weight linear', ['0.004966', '0.009933', '0.014900']],
    ['sell', '40000:41000:2', '810usdt', '', ['0.010000', '0.010000']],
    ['sell', '40000:41000:2', '0.02btc', '', ['0.010000', '0.010000']],
  ])('splits the amount of the ladder %s %s %s %s', async (side, ladder, amount, words, expected) => {
    const plan = await pit.json<{ requests: { tradeParams: string }[]; preview: { notional: string } }>(
      `order batch ${side} btc_usdt --ladder ${ladder} --amount ${amount} ${words} --dry-run`.replace('  ', ' '),
    );
    const pairs = JSON.parse(plan.requests[0]?.tradeParams.replace(/[\d.]+/g, '"$&"') ?? '') as [string, string][];
    expect(pairs.map(([, lots]) => lots)).toEqual(expected);
  });

  it.each([
    ['buy', '20000:20400:5', 'usdt'],
    ['sell', '40000:41000:5', 'btc'],
  ])('spends a share of the balance on a ladder to %s, and never more', async (side, ladder, coin) => {
    const [{ available = '' } = {}] = await pit.json<{ available: string }[]>(`balance ${coin}`);
    const line = `order batch ${side} btc_usdt --ladder ${ladder} --amount 10% --dry-run`;
    const { preview } = await pit.json<{ preview: { amount: string; notional: string } }>(line);
    const share = Number(available) / 10;
    const spent = Number(side === 'buy' ? preview.notional : preview.amount);
    expect(spent).toBeLessThanOrEqual(share);
    // less than a lot of 0.000001 btc for each of the five orders, and one for their sum
    expect(spent).toBeGreaterThan(share - 6 * 0.000001 * (side === 'buy' ? 20400 : 1));
  });

  it('says in the quote coin what rounding leaves of a value', async () => {
    const line = 'order batch buy btc_usdt --ladder 20000:20400:5 --amount 1000usdt --dry-run';
    // 5 × 0.0099 × 20200 = 999.9
    const said = 'Rounding down to whole lots leaves 0.1 of 1,000 usdt unused.';
    expect((await pit.run(line)).stderr).toContain(said);
    // it is a note to the user, and a warning only to an agent, which reads no notes
    const { preview } = await pit.json<{ preview: { warnings: string[] } }>(line);
    expect(preview.warnings).not.toContain(said);
  });

  it('shows its preview and all its requests with --dry-run, and sends nothing', async () => {
    const file = batches.orders(45);
    const plan = await pit.json<Record<string, unknown>>(`order batch buy btc_usdt --file ${file} --dry-run`);
    const pairs = Array.from({ length: 45 }, (_, index) => `[${batches.first + index}.50,0.001]`);
    const request = (from: number) => ({
      ...{ url: `${pit.served.address.tradeUrl}/api/orderMoreV2`, method: 'orderMoreV2' },
      ...{ accesskey: '***', sign: '***', market: 'btc_usdt', tradeType: '1' },
      ...{ tradeParams: `[${pairs.slice(from, from + 20).join(',')}]`, reqTime: expect.stringMatching(/^\d{13}$/) },
    });
    expect(plan).toStrictEqual({
      ...{ dryRun: true, halted: false, operation: 'orderMoreV2' },
      request: request(0),
      requests: [request(0), request(20), request(40)],
      preview: {
        ...{ price: null, amount: '0.045', notional: DECIMAL, fee: null, orders: 45, requests: 3 },
        ...{ lowest: `${batches.first}.50`, highest: `${batches.first + 44}.50`, fillingAtOnce: 0, guards: [] },
        ...{ feeCoin: null, spentCoin: 'usdt', balanceBefore: DECIMAL, balanceAfter: DECIMAL },
        ...{ bid: DECIMAL, ask: DECIMAL, mid: DECIMAL },
        warnings: [],
      },
    });
    expect(await batches.there()).toEqual([]);
    expect(await pit.json('resolve')).toEqual([]);
  });

  it.each([
    ['', 'needs --file, --ladder or --resume'],
    ['--file a --ladder 1:2:3', 'exclude each other'],
    ['--ladder 1:2:3', '--ladder needs --amount'],
    ['--ladder 1:2 --amount 1', 'is not a ladder'],
    ['--ladder 1:2:1 --amount 1', 'number of orders of a ladder'],
    ['--ladder 1:2:3 --amount 101%', '"101%" is not an amount.'],
    ['--ladder 1:2:3 --amount 1,5usdt', '"1,5usdt" is not an amount.'],
    ['--ladder 20000:20100:5 --amount 1eth', 'The amount is in eth, but this market trades btc for usdt.'],
    ['--ladder 20000:20100:5 --amount 50% --account cross', 'A percentage needs the balance'],
    ['--ladder 20000:20100:5 --amount 1usdt', 'Order 1: Amount 0.000009 is below the minimum of 0.0001 btc.'],
    ['--file a --amount 1', '--amount needs --ladder'],
    ['--resume job1 --ladder 1:2:3 --amount 1', '--ladder and --resume exclude each other'],
    ['--file /nowhere/orders.csv', 'Cannot read /nowhere/orders.csv: ENOENT'],
    ['--ladder 20000:20000.01:5 --amount 1', '5 orders do not fit'],
    ['--ladder 20000:20100:5 --amount 0.0004', 'Order 1: Amount 0.000080 is below the minimum of 0.0001 btc.'],
    ['--ladder bid-200%:bid:5 --amount 1', 'not above zero'],
    ['--resume jobnever', 'The journal has no job jobnever'],
  ])('exits with 2 for %s and says what is wrong', async (words, message) => {
    const error = await pit.failure(`order batch buy btc_usdt ${words} --yes`.replace('  ', ' '), 2);
    expect(error.message).toContain(message);
  });

  it('says which files it reads if it cannot read the named one', async () => {
    const { hint } = await pit.failure('order batch buy btc_usdt --file /nowhere/orders.csv --yes', 2);
    expect(hint).toBe('It must be a file that you may read, or - for stdin. Split a longer one.');
  });

  it('names the lines that the market would refuse, before it sends anything', async () => {
    const file = batches.orders(30, (price) =>
      price % 10 === batches.first % 10 ? `${price}.123,0.001` : `${price}.12,0.001`,
    );
    const error = await pit.failure(`order batch buy btc_usdt --file ${file} --yes`, 2);
    expect(error.message).toMatch(
      /^Line 1: The price \d+\.123 has more decimals than btc_usdt takes\. Line 11: .* Line 21: .*Nothing was sent\.$/,
    );
    expect(error.hint).toContain('a tick is 0.01');
    expect(await batches.there()).toEqual([]);
  });

  it.each([
    [
      'price-band',
      ['20000,0.001', '70000,0.001', '69000,0.001'],
      /: line 2 \(and 1 more\): the price 70,000\.00 is \d+\.\d\d% above mid/,
    ],
    ['order-notional', ['20000,0.001', '20000,60'], /: line 2: the largest order comes to 1,200,000 usdt/],
    [
      'day-notional',
      Array(6).fill('20000,45'),
      /: the orders of this UTC day would come to 5,\d{3},\d{3}[\d.]* usdt, and the limit is 5,000,000 usdt/,
    ],
  ])('%s stops a batch, and --yes does not override it', async (guard, rows, says) => {
    const all = () => pit.json<unknown[]>('orders btc_usdt --side buy --state all --all');
    const before = (await all()).length;
    let row = 0;
    const line = `order batch buy btc_usdt --file ${batches.orders(rows.length, () => rows[row++] ?? '')} --yes`;
    const error = await pit.failure(line, 2);
    expect(error).toMatchObject({
      kind: 'usage',
      clientId: null,
      hint: expect.stringContaining(`--override ${guard}`),
    });
    expect(error.message).toContain(`${guard} blocks this: `);
    expect(error.message).toMatch(says);
    expect([await all(), await pit.json('resolve')]).toEqual([expect.objectContaining({ length: before }), []]);
    const lifted = await pit.run(`${line} --override ${guard}`);
    expect(lifted.stderr).toContain(`Overridden ${guard}: `);
    expect([0, 3, 9]).toContain(lifted.code);
  });

  it('refuses rows that are grouped prices without an amount, with both readings, before anything is sent', async () => {
    for (const [rows, near] of [
      [['28,500', '28,400', '28,300'], 'the market'],
      [['2063.5,0.1', '2,500'], 'the other lines'],
    ] as const) {
      let row = 0;
      const file = batches.orders(rows.length, () => rows[row++] ?? '');
      for (const words of ['--yes', '--yes --override price-band', '--dry-run']) {
        const error = await pit.failure(`order batch buy btc_usdt --file ${file} ${words}`, 2);
        expect(error.kind).toBe('usage');
        expect(error.message).toContain(`has two meanings: a price of ${rows.at(-1)?.split(',')[0]} and an amount of`);
        expect(error.message).toContain(`which is near ${near}`);
        expect(error.message).toMatch(/Nothing was sent\.$/);
        expect(error.hint).toContain('{"price":');
      }
    }
    expect(await pit.json('resolve')).toEqual([]);
  });

  it.each([
    ['buy', 'bid-12%:bid-1%:5'],
    ['sell', 'ask+1%:ask+12%:5'],
  ])('stops the %s ladder %s beyond the price band, although its orders would only rest', async (side, ladder) => {
    await pit.done('profile set sandbox priceBand 10%');
    const line = `order batch ${side} btc_usdt --ladder ${ladder} --amount 0.01`;
    const error = await pit.failure(`${line} --yes`, 2);
    expect(error.message).toMatch(
      /^price-band blocks this: line [15]: the price .* the limit for an order of a batch is 10\.00%/,
    );
    expect(error.hint).toContain('--override price-band');
    const plan = await pit.json<{ preview: { guards: object[] } }>(`${line} --dry-run --override price-band`);
    expect(plan.preview.guards).toMatchObject([{ guard: 'price-band', overridden: true }]);
    await pit.done('profile set sandbox priceBand 100%');
  });

  it('asks for the name of a guard on a terminal', async () => {
    const file = batches.orders(1, () => '70001,0.0011');
    const answered = async (typed: string) => {
      const steps = [{ await: 'Type price-band', type: `${typed}\r` }];
      const { status, screen } = await pit.terminal(`order batch buy btc_usdt --file ${file}`, { steps });
      return { status, screen: screen.replace(/\u001b\[\d+m/g, '') };
    };
    expect((await answered('y')).status).toBe(8);
    const { status, screen } = await answered('price-band');
    expect([status, screen]).toEqual([0, expect.stringMatching(/fill at once +1 of 1 reach.*placed +1/s)]);
  });

  it('asks for confirmation, and without a terminal sends nothing and exits with 8', async () => {
    expect(await pit.failure(`order batch buy btc_usdt --file ${batches.orders(3)}`, 8)).toMatchObject({
      kind: 'declined',
    });
    expect(await batches.there()).toEqual([]);
  });

  it('exits with 3 and the code if nothing can be placed', async () => {
    const file = batches.orders(3, (price) => `${price},200`);
    const error = await pit.failure(`order batch buy btc_usdt --file ${file} --yes`, 3);
    expect(error).toMatchObject({
      kind: 'refused',
      code: 2009,
      message: expect.stringMatching(/^None of the 3 orders was placed: rejected by the exchange: .+\.$/),
    });
    await pit.failure(`order batch buy btc_usdt --file ${file} --yes`, 3);
  });

  it('exits with 9 if some orders are refused, and lists them', async () => {
    const file = batches.orders(25, (price) => (price % 10 === batches.first % 10 ? `${price},200` : `${price},0.001`));
    const ran = await pit.run(`order batch buy btc_usdt --file ${file} --yes --json`);
    expect([ran.code, batch(ran)]).toEqual([9, expect.objectContaining({ placed: 22, refused: 3, notSent: 0 })]);
    const refused = batch(ran).orders.filter(({ outcome }) => outcome === 'refused');
    expect(refused).toMatchObject([{ line: 1, id: null, reason: TEXT }, { line: 11 }, { line: 21 }]);
    expect(lastError(ran.stderr)).toMatchObject({ kind: 'partial', clientId: batch(ran).job });
    const shown = await pit.run(
      `order batch buy btc_usdt --file ${batches.orders(2, (price) => `${price},${price % 2 === 0 ? 200 : 0.001}`)} --yes`,
    );
    expect(shown.stdout).toMatch(/placed +1\nrefused +1\n\nline +price +amount +outcome +why\n[12] /);
  });

  it('exits with 5 if the exchange is unreachable, and leaves nothing open', async () => {
    pit.world.network.treat = () => LOST;
    await pit.failure(`order batch buy btc_usdt --file ${batches.orders(3)} --yes --timeout 3`, 5);
    pit.world.network.treat = () => PASS;
    expect(await pit.json('resolve')).toEqual([]);
  });
});
