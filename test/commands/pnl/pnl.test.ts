import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { temporaryHome } from '../../support/pit.js';
import {
  type BillRow,
  billPage,
  billRow,
  candlePage,
  depositRow,
  marketList,
  NO_ORDER,
  type OrderRow,
  orderRow,
  parametersOf,
  recordPage,
  tickerRow,
} from '../../support/wire.js';
import { keyWith } from '../funds/funds.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { place, same, sum } from '../order/order-rows.js';
import { document, lastError, PitHome, TIME, useWorld, useWorldPerTest, type WorldHome } from '../pit-home.js';

interface Row {
  readonly market: string | null;
  readonly coin: string;
  readonly bought: string | null;
  readonly sold: string | null;
  readonly averageCost: string | null;
  readonly realised: string | null;
  readonly unrealised: string | null;
  readonly position: string | null;
  readonly cost: string | null;
  readonly net: string | null;
  readonly price: string | null;
  readonly pricedAt: string | null;
  readonly pricedBy: readonly { readonly market: string; readonly type: string; readonly opened: string }[];
  readonly fees: readonly { readonly coin: string | null; readonly amount: string; readonly value: string | null }[];
  readonly opening: { readonly position: string | null; readonly cost: string | null };
  readonly withoutCost: { readonly amount: string | null; readonly proceeds: string | null };
  readonly unexplained: readonly { readonly coin: string; readonly amount: string }[];
  readonly balances: readonly {
    readonly coin: string;
    readonly bills: string;
    readonly fees: string;
    readonly unexplained: string;
    readonly deposits: string;
    readonly other: readonly { readonly type: string; readonly amount: string }[];
  }[];
}

interface Lot {
  readonly opened: string | null;
  readonly amount: string;
  readonly cost: string | null;
  readonly proceeds: string;
  readonly gain: string | null;
  readonly daysHeld: number | null;
}

/** Markets that stand still, so that days cost nothing. */
const STILL = {
  limits: UNLIMITED,
  markets: {
    eos_usdt: { bid: '0.9990', ask: '1.0000', amount: '1000' },
    xrp_usdt: { bid: '0.49990', ask: '0.50000' },
    ltc_usdt: { bid: '79.99', ask: '80.00' },
    btc_usdt: { bid: '29990.00', ask: '30000.00' },
  },
};

/** Longer than a request of an order can still be carried out, in ms. */
const SETTLED = 900_000;

/** Trades three days ago and now, for another price. Returns a time between. */
async function tradeForDays(pit: WorldHome): Promise<string> {
  await place(pit, 'buy eos_usdt 100 --at ask+2%');
  await pit.world.pass(3 * 86_400_000);
  await pit.done('sandbox deposit usdt 500');
  await pit.world.pass(SETTLED);
  const between = new Date(pit.world.clock.now()).toISOString();
  await pit.world.pass(SETTLED);
  pit.world.exchange.quote('eos_usdt', { bid: '1.0990', ask: '1.1000', amount: '1000' });
  await place(pit, 'buy eos_usdt 40 --at ask+2%');
  await place(pit, 'sell eos_usdt 120 --at bid-2%');
  await place(pit, 'sell xrp_usdt 50 --at bid-2%');
  await pit.world.pass(60_000);
  return between;
}

describe('pit pnl', () => {
  const pit = useWorld(STILL);
  const total = (rows: readonly Row[]) => rows.at(-1) as Row;
  let between = '';

  beforeAll(async () => {
    between = await tradeForDays(pit);
  });

  it('shows each market and the total, and explains every bill', async () => {
    const rows = await pit.json<Row[]>('pnl');
    const [eos, xrp] = rows as [Row, Row];
    expect(rows.map(({ market }) => market)).toEqual(['eos_usdt', 'xrp_usdt', null]);
    // a buy pays its fee of 0.2 % in what it bought
    expect(eos).toMatchObject({ valuedIn: 'usdt', feesAre: 'apart', bought: '140', sold: '120', position: '19.72' });
    expect(eos.fees).toMatchObject([{ coin: 'eos', amount: '0.28' }, { coin: 'usdt' }]);
    const values = eos.fees.map(({ value }) => `-${value}`);
    expect(same(eos.net ?? '', sum(eos.realised ?? '', eos.unrealised ?? '', ...values))).toBe(true);
    expect(xrp).toMatchObject({ realised: '0', position: '0', averageCost: null, withoutCost: { amount: '50' } });
    expect(same(total(rows).net ?? '', sum(eos.net ?? '', xrp.net ?? ''))).toBe(true);
    const { unexplained, balances } = total(rows);
    expect([unexplained, balances.filter((balance) => balance.unexplained !== '0')]).toEqual([[], []]);
    const held = await pit.json<{ coin: string; total: string }[]>('balance --all');
    for (const { coin, bills } of balances)
      expect([coin, same(bills, held.find((one) => one.coin === coin)?.total ?? '')]).toEqual([coin, true]);
    const usdt = balances.find(({ coin }) => coin === 'usdt');
    expect(usdt).toMatchObject({ deposits: '500', other: [{ type: 'Opening balance', amount: '250000' }] });
  });

  it('begins a window with the position that earlier fills have left', async () => {
    const [eos] = await pit.json<[Row]>(`pnl eos_usdt --from ${between}`);
    expect(eos).toMatchObject({ bought: '40', sold: '120', opening: { position: '99.8' }, position: '19.72' });
    const [before] = await pit.json<[Row]>(`pnl eos_usdt --to ${between}`);
    expect(before).toMatchObject({ bought: '100', sold: '0', realised: '0', position: '99.8' });
    expect(before.cost).toBe(eos.opening.cost);
    // what is over has the price of its end, by a candle
    expect(eos.pricedAt).toBeNull();
    expect(before.pricedAt).toBe(new Date(Date.parse(between) - 1).toISOString());
    const candles = await pit.json<{ time: string; close: string }[]>('kline eos_usdt --type 1min --size 1000');
    const ended = candles.findLast(({ time }) => Date.parse(time) < Date.parse(between));
    expect(same(before.price ?? '', ended?.close ?? '')).toBe(true);
    expect(before.unrealised).not.toBe(eos.unrealised);
  });

  it('lists the lots of each method', async () => {
    const lots = async (method: string) => pit.json<Lot[]>(`pnl eos_usdt --lots --method ${method}`);
    const fifo = await lots('fifo');
    expect(fifo).toMatchObject([
      { amount: '99.8', opened: TIME, daysHeld: 3 },
      { amount: '20.2', opened: TIME, daysHeld: 0 },
    ]);
    expect(await lots('lifo')).toMatchObject([
      { amount: '39.92', daysHeld: 0 },
      { amount: '80.08', daysHeld: 3 },
    ]);
    expect(await lots('average')).toMatchObject([{ amount: '120', opened: null, daysHeld: null }]);
    for (const { gain, proceeds, cost } of fifo) expect(same(gain ?? '', sum(proceeds, `-${cost}`))).toBe(true);
    const [xrp] = await pit.json<[Lot]>('pnl xrp_usdt --lots');
    expect(xrp).toMatchObject({ opened: null, amount: '50', cost: null, gain: null });
    const { header, rows } = await pit.csv('pnl --lots');
    expect(header).toBe(
      'market,opened,closed,amount,cost,proceeds,gain,daysHeld,method,feeCost,feeProceeds,feesAre,openedBy,closedBy,opening,closing,openedDay,closedDay,bills,hash',
    );
    expect(rows).toHaveLength(3);
  });

  it('draws realised and unrealised over time, and writes the drawing without touching a file of others', async () => {
    const chart = await pit.done('pnl eos_usdt --chart');
    expect(chart).toMatch(/^Profit and loss in usdt {2}. realised [+-]?[\d,.]+ {2}. unrealised [+-]?[\d,.]+\n/);
    expect(chart).toMatch(/├ 0$/m);
    const rows = await pit.json<Row[]>('pnl eos_usdt --chart');
    expect(rows.map(({ market }) => market)).toEqual(['eos_usdt', null]);
    const shown = /realised ([+-]?[\d,.]+)/.exec(chart)?.[1]?.replace(/[+,]/g, '') ?? '';
    expect(rows[0]?.realised?.startsWith(shown)).toBe(true);
    const file = `${pit.home}/pnl.svg`;
    await pit.done(`pnl eos_usdt --svg ${file}`);
    await pit.done(`pnl --by coin --in usdt --svg ${file}`);
    expect(readFileSync(file, 'utf8')).toMatch(/^<svg .*>Profit and loss in usdt<.*class="curve dashed".*<\/svg>\n$/s);
    writeFileSync(file, 'mine');
    expect((await pit.failure(`pnl --svg ${file}`, 2)).hint).toContain('--force');
    expect((await pit.failure('pnl --lots --chart', 2)).message).toContain('--lots and --chart exclude');
    expect((await pit.failure('pnl --force', 2)).message).toContain('--force needs --svg');
    expect(await pit.done('pnl ltc_usdt --chart')).toContain('No fills.');
  });

  it('gives the total in another coin', async () => {
    const rows = await pit.json<Row[]>('pnl --in btc');
    expect(total(rows)).toMatchObject({ valuedIn: 'btc' });
    expect(Math.abs(Number(total(rows).net))).toBeLessThan(0.01);
    expect((await pit.failure('pnl --in nope', 2)).message).toContain('no coin nope');
  });

  it('draws a table with a line of sums', async () => {
    const { stdout, stderr } = await pit.run('pnl');
    expect(stdout).toMatch(/^eos_usdt /m);
    expect(stdout).toMatch(/^total \(usdt\) /m);
    expect(stdout).toContain('The bills add up');
    expect(stderr).toContain('50 xrp sold for');
  });

  it('says that there are no fills, also in a market that is named', async () => {
    expect(await pit.done('pnl ltc_usdt')).toContain('No fills.');
    expect((await pit.json<Row[]>('pnl ltc_usdt')).map(({ market }) => market)).toEqual([null]);
    expect(await pit.json('pnl ltc_usdt --lots')).toEqual([]);
    expect((await pit.failure('pnl eos_usdd', 2)).hint).toContain('eos_usdt');
    await pit.failure(`pnl --from 1h --to 2h`, 2);
  });

  it('names the permissions that a key lacks', async () => {
    const extra = await keyWith(pit, 'watcher', 'entrust');
    const { hint } = await pit.failure('pnl', 3, extra);
    expect(hint).toContain('permissions asset and entrust');
  });

  it('does not write what it has kept again if nothing is new', async () => {
    const files = () => {
      const folder = path.join(pit.home, 'cache/answers');
      const names = readdirSync(folder).filter((name) => name.startsWith('pnl'));
      // a file that is replaced is another one
      return names.map((name) => statSync(path.join(folder, name)).ino).sort();
    };
    // what was asked before decides what the first one adds
    for (let count = 0; count < 2; count += 1) await pit.done('pnl');
    const kept = files();
    expect(kept.length).toBeGreaterThan(0);
    await pit.done('pnl');
    expect(files()).toEqual(kept);
  });
});

describe('what pit pnl has kept', () => {
  const pit = useWorldPerTest(STILL);

  it('takes the totals that it has kept for the question that they answer, and for no other', async () => {
    const between = await tradeForDays(pit);
    const folder = path.join(pit.home, 'cache/answers');
    const altered = '12345.678';
    // no request of an order can still be carried out
    await pit.world.pass(SETTLED);
    await pit.done('pnl');
    const views = ['', ' --in btc', ' eos_usdt', ' --fees in', ' --method average --fees in'];
    const others = [
      ' --refresh',
      ` --from ${between}`,
      ` --to ${between}`,
      ' --by coin --in usdt',
      ' --lots',
      ' --chart',
    ];
    for (const view of views) {
      // twice: the first one keeps them
      const shown = [await pit.json(`pnl${view}`), await pit.json(`pnl${view}`)];
      expect([view, ...shown]).toEqual([view, ...Array(2).fill(await pit.json(`pnl${view} --refresh`))]);
    }
    await pit.done('pnl');
    for (const name of readdirSync(folder).filter((one) => one.startsWith('pnl%20totals'))) {
      const file = path.join(folder, name);
      const half = readFileSync(file, 'utf8').slice(0, statSync(file).size / 2);
      const [head = '', text = ''] = half.split('\n');
      const changed = text.replaceAll(/"realised":\{"decimal":"[^"]*"/g, `"realised":{"decimal":"${altered}"`);
      const whole = head.replace(/\d+\]$/, `${changed.length}]`);
      writeFileSync(file, `${whole}\n${changed}`.repeat(2));
    }
    const isAltered = async (words: string) => JSON.stringify(await pit.json(`pnl${words}`)).includes(altered);
    for (const view of views) expect([view, await isAltered(view)]).toEqual([view, true]);
    for (const other of others) expect([other, await isAltered(other)]).toEqual([other, false]);
    // new fills, and all that was kept is of an earlier history
    await place(pit, 'buy ltc_usdt 1 --at ask+2%');
    await pit.world.pass(10_000);
    for (const view of views) expect([view, await isAltered(view)]).toEqual([view, false]);
  });
});

describe('pit pnl, the second time', () => {
  const pit = useWorldPerTest(STILL);
  const sent = (operation: string) => pit.world.sent(operation).length;

  it('asks only for the account, its newest bills and each open order while nothing is new', async () => {
    await place(pit, 'buy eos_usdt 100 --at ask+2%');
    await pit.world.pass(SETTLED);
    await place(pit, 'sell eos_usdt 40 --at bid-2%');
    await pit.done('order buy xrp_usdt 20 --at bid-3% --yes');
    // no request of the order can still be carried out
    await pit.world.pass(SETTLED);
    // its lists settle these orders, and the next one keeps what it read
    await pit.done('pnl');
    const before = await pit.json<Row[]>('pnl');
    const reads = ['getAccountInfo', 'getSpotBills', 'getOrders', 'getOrder', 'getChargeRecord', 'getWithdrawRecord'];
    const earlier = reads.map(sent);
    const again = await pit.json<Row[]>('pnl');
    const counts = reads.map((read, index) => sent(read) - (earlier[index] ?? 0));
    expect(again.map(({ market, realised }) => [market, realised])).toEqual(
      before.map(({ market, realised }) => [market, realised]),
    );
    expect(counts).toEqual([1, 1, 0, 1, 0, 0]);
    await pit.json('pnl --refresh');
    expect(sent('getOrders')).toBeGreaterThan(earlier[2] ?? 0);
  });

  it('asks only for what is new the second time', async () => {
    for (let count = 0; count < 12; count += 1) await place(pit, 'sell ltc_usdt 0.1 --at bid-2%');
    await pit.world.pass(120_000);
    const count = () => sent('getOrders') + sent('getSpotBills');
    const first = await pit.json<Row[]>('pnl ltc_usdt');
    const requests = count();
    await place(pit, 'buy ltc_usdt 1 --at ask+2%');
    await pit.world.pass(10_000);
    const [second] = await pit.json<[Row]>('pnl ltc_usdt');
    expect(first[0]).toMatchObject({ sold: '1.2', bought: '0' });
    expect(second).toMatchObject({ sold: '1.2', bought: '1' });
    expect(count() - requests).toBeLessThan(requests);
  });
});

const HOUR = 3_600_000;
const START = Date.parse('2024-03-01T00:00:00Z');

function order(id: number, side: 'buy' | 'sell', hour: number, changes: Partial<OrderRow> = {}) {
  const filled = { price: 30000, amount: 0.02, filled: 0.02, filledValue: 600 };
  return orderRow({ id: String(id), side, ...filled, time: START + hour * HOUR, status: 2, fee: '0', ...changes });
}

let nextBill = 0;
function bill(hour: number, coin: string, amount: string, balance: string, kind: string): BillRow {
  nextBill += 1;
  const change = `${amount.startsWith('-') ? '' : '+'}${amount}${coin}`;
  const time = START + hour * HOUR;
  const shownTime = new Date(time).toISOString().slice(0, 19).replace('T', ' ');
  return {
    id: nextBill,
    coin,
    change,
    kind,
    balance: `${balance}${coin}`,
    total: balance,
    time,
    shownTime,
    remark: '',
  };
}

/** An order that waits for two hours, and a sell at once. The discount coin pays all fees. */
const BILLS = [
  bill(0, 'USDT', '1000', '1000', 'Deposit'),
  bill(0, 'ZZ', '10', '10', 'Deposit'),
  bill(3, 'USDT', '-600', '400', 'Buy'),
  bill(3, 'BTC', '0.02', '0.02', 'Buy'),
  bill(3, 'ZZ', '-2', '8', 'Fee'),
  bill(5, 'BTC', '-0.01', '0.01', 'Sell'),
  bill(5, 'USDT', '310', '710', 'Sell'),
  bill(5, 'ZZ', '-1', '7', 'Fee'),
];
const BUYS = [order(1, 'buy', 1, { fee: '2', feeDiscount: true })];
const SELLS = [order(2, 'sell', 5, { amount: 0.01, filled: 0.01, filledValue: 310, fee: '1', feeDiscount: true })];
const DEPOSITS: Readonly<Record<string, object[]>> = {
  usdt: [depositRow({ id: 1, amount: '1000', coin: 'USDT', shownTime: '2024-03-01 00:00:00' })],
  zz: [depositRow({ id: 2, amount: '10', coin: 'ZZ', shownTime: '2024-03-01 00:00:00' })],
};
const DAYS = [START - 24 * HOUR, START, START + 24 * HOUR];
const ZZ_DAYS = DAYS.map((time, index) => [time, 1, 1, 1, index + 0.5, 100]);
const BTC_DAYS = DAYS.map((time) => [time, 1, 50_000, 1, 32_000, 5]);

/** What the exchange leaves out or refuses in a test. */
let missing: object | undefined;
let refusesTransfers = false;
let refusesCandles = false;

const NONE = '{"code":3008,"message":"none"}';
const page = (parameters: URLSearchParams, entries: readonly object[]) =>
  parametersOf(parameters).pageNumber === '1' ? entries : [];

const exchange = useLiteralExchange({
  '/data/v1/markets': marketList({ btc_usdt: {}, zz_usdt: {} }),
  '/data/v1/allTicker': JSON.stringify({
    btcusdt: tickerRow({ price: '40000' }),
    zzusdt: tickerRow({ price: '2' }),
  }),
  '/data/v1/kline': (parameters) => {
    const market = parameters.get('market') ?? '';
    if (market === 'btc_usdt' && refusesCandles) return '{"error":"busy"}';
    return candlePage(market === 'btc_usdt' ? BTC_DAYS : ZZ_DAYS, market);
  },
  '/api/getOrders': (parameters) => {
    const { market, side } = parametersOf(parameters);
    const own = page(parameters, side === 'buy' ? BUYS : SELLS).filter(() => market === 'btc_usdt');
    return own.length === 0 ? NO_ORDER : JSON.stringify(own);
  },
  '/api/getSpotBills': (parameters) => {
    const listed = BILLS.filter((one) => one !== missing).toReversed();
    const { bills, pageNumber, perPage } = parametersOf(parameters);
    const [number, size] = [Number(pageNumber), Number(perPage)];
    return billPage(bills === 'old' ? listed.slice((number - 1) * size, number * size).map(billRow) : []);
  },
  '/api/getChargeRecord': (parameters) => {
    if (refusesTransfers) return '{"code":1012,"message":"no permission"}';
    // the name that a market has elsewhere
    const list = page(parameters, DEPOSITS[parametersOf(parameters).market ?? ''] ?? []);
    return recordPage(list, list.length);
  },
  '/api/getWithdrawRecord': NONE,
});

/** Runs something while the exchange has these bills. */
async function withBills<Value>(bills: typeof BILLS, work: () => Promise<Value>): Promise<Value> {
  const usual = BILLS.splice(0, BILLS.length, ...bills);
  try {
    return await work();
  } finally {
    BILLS.splice(0, BILLS.length, ...usual);
  }
}

describe('pit pnl on an exchange of the past', () => {
  const run = async (line: string, changes: { bill?: object; refuses?: boolean; keys?: string } = {}) => {
    missing = changes.bill;
    refusesTransfers = changes.refuses === true;
    const { environment } = exchange.extra;
    const keys = changes.keys === undefined ? {} : { PIT_ACCESS_KEY: changes.keys };
    return home.run(line, { environment: { ...environment, ...keys } });
  };
  let home = new PitHome('');
  const newHome = () => {
    home = new PitHome(temporaryHome());
  };

  it('dates a fill by its bills, and values fees in the discount coin by the candle of their time', async () => {
    newHome();
    const { code, stdout, stderr } = await run('pnl --json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [btc, all] = document<[Row, Row]>(stdout);
    expect(btc).toMatchObject({
      ...{ bought: '0.02', sold: '0.01', averageCost: '30000', position: '0.01' },
      ...{ realised: '10', unrealised: '100', net: '105.5' },
      // a closing price of 1.5
      fees: [{ coin: 'zz', amount: '3', value: '4.5' }],
    });
    expect(all.balances.map(({ coin, unexplained }) => [coin, unexplained])).toEqual([
      ['btc', '0'],
      ['usdt', '0'],
      ['zz', '0'],
    ]);
    const [lot] = document<[Lot]>((await run('pnl --lots --json')).stdout);
    expect(lot).toMatchObject({ opened: '2024-03-01T03:00:00.000Z', amount: '0.01', cost: '300', gain: '10' });
    const [later] = document<[Row]>((await run('pnl --from 2024-03-01T02:00 --json')).stdout);
    expect(later).toMatchObject({ bought: '0.02', opening: { position: '0' } });
  });

  it.for(BILLS.map((one) => [`${one.change} (${one.kind})`, one] as const))(
    'names the bill %s if the exchange leaves it out, and ends with 9',
    async ([, one]) => {
      newHome();
      const { code, stdout, stderr } = await run('pnl --json', { bill: one });
      const row = document<Row[]>(stdout).at(-1);
      const coin = one.coin.toLowerCase();
      const [, amount = ''] = /^([+-][\d.]+)/.exec(one.change) ?? [];
      const expected = amount.startsWith('-') ? amount.slice(1) : `-${amount.slice(1)}`;
      const error = lastError(stderr);
      expect([code, error.message]).toEqual([
        9,
        expect.stringMatching(new RegExp(`Unexplained: -?[\\d.,]+ ${coin}\\.$`)),
      ]);
      expect(row?.unexplained).toEqual([{ coin, amount: expected }]);
    },
  );

  it('shows the bills that do not add up in a table of their own', async () => {
    newHome();
    const { stdout } = await run('pnl', { bill: BILLS[2] as object });
    expect(stdout).toMatch(/Bills that do not add up\ncoin +bills +fills .*\nusdt .*\+600$/m);
  });

  describe('at the end of a window that is over', () => {
    // candles are asked for once a second, which is none of a real one here
    const pit = useWorldPerTest();
    beforeEach(() => {
      home = pit;
    });
    const WINDOW = '--to 2024-03-02T12:00 --zone +01:00';

    it('names the candle of each price, in JSON and below the table', async () => {
      const [btc, all] = document<[Row, Row]>((await run(`pnl ${WINDOW} --json`)).stdout);
      const opened = '2024-03-02T00:00:00.000Z';
      expect(btc).toMatchObject({
        ...{ price: '32000', unrealised: '20', pricedAt: '2024-03-02T10:59:59.999Z' },
        // whatever reaches back to it by now
        pricedBy: [{ market: 'btc_usdt', type: expect.stringMatching(/^1(day|week)$/), opened }],
      });
      expect(all).toMatchObject({ pricedAt: null, pricedBy: [] });
      const { stdout } = await run(`pnl ${WINDOW}`);
      expect(stdout).toMatch(
        /^Prices of 2024-03-02 11:59:59\nmarket +candle +opened \(\+01:00\)\nbtc_usdt +1(?:day|week) +2024-03-02 01:00:00$/m,
      );
      const coins = document<Row[]>((await run(`pnl --by coin --in usdt ${WINDOW} --json`)).stdout);
      expect(coins.map(({ coin, pricedBy }) => [coin, pricedBy.map(({ market }) => market)])).toEqual([
        ['btc', ['btc_usdt']],
        ['zz', ['zz_usdt']],
        [null, []],
      ]);
    });

    it('shows everything but the prices that cannot be read, and says so', async () => {
      refusesCandles = true;
      try {
        const { code, stdout, stderr } = await run(`pnl ${WINDOW} --json`);
        const [btc] = document<[Row]>(stdout);
        expect(btc).toMatchObject({ realised: '10', price: null, unrealised: null, net: null, pricedBy: [] });
        expect(btc).toMatchObject({ position: '0.01', cost: '300', fees: [{ coin: 'zz', value: '4.5' }] });
        expect([code, stderr]).toEqual([
          0,
          expect.stringContaining('Some prices of the end of the window are unknown: '),
        ]);
      } finally {
        refusesCandles = false;
      }
    });
  });

  it('counts deposits by the names of their bills if the key may not list them', async () => {
    newHome();
    const { code, stdout, stderr } = await run('pnl --json', { refuses: true });
    const { balances } = document<Row[]>(stdout).at(-1) as Row;
    expect([code, stderr]).toEqual([0, expect.stringContaining('permission money')]);
    expect(balances.map(({ other }) => other)).toEqual([
      [],
      [{ type: 'Deposit', amount: '1000' }],
      [{ type: 'Deposit', amount: '10' }],
    ]);
  });

  it('names a market that is no longer listed as the reason, and not margin', async () => {
    newHome();
    const gone = [bill(6, 'YY', '5', '5', 'Buy'), bill(6, 'USDT', '-10', '700', 'Buy')];
    BILLS.push(...gone);
    const { code, stderr } = await run('pnl --json');
    BILLS.splice(-gone.length);
    const { hint } = lastError(stderr);
    expect([code, hint]).toEqual([9, expect.stringContaining('yy_usdt is no longer listed')]);
    expect(hint).not.toContain('margin');
  });

  describe('with fees in bills that sum them', () => {
    const summed = (sum: string, more: typeof BILLS = []) => {
      const others = BILLS.filter(({ kind }) => kind !== 'Fee');
      return [...others, bill(24, 'ZZ', sum, '7', 'Fees of a day'), ...more];
    };

    it('explains a bill that is exactly their sum', async () => {
      newHome();
      const { code, stdout, stderr } = await withBills(summed('-3'), () => run('pnl --json'));
      const [btc, total] = document<[Row, Row]>(stdout);
      expect([code, stderr, btc.fees.map(({ amount }) => amount)]).toEqual([0, '', ['3']]);
      expect(total.balances.find(({ coin }) => coin === 'zz')).toMatchObject({
        fees: '-3',
        other: [],
        unexplained: '0',
      });
    });

    const late = [bill(26, 'BTC', '-0.01', '0', 'Sell'), bill(26, 'USDT', '300', '1010', 'Sell')];
    /** Runs it with one more sell, and its fee. */
    const runLate = async (line: string, fee: Partial<OrderRow>, more: typeof BILLS = []) => {
      newHome();
      const filled = { amount: 0.01, filled: 0.01, filledValue: 300, price: 29000 };
      SELLS.push(order(3, 'sell', 26, { ...filled, ...fee }));
      try {
        return await withBills(summed('-3', [...late, ...more]), () => run(line));
      } finally {
        SELLS.pop();
      }
    };

    it('counts fees whose bill is due, and says so', async () => {
      const fee = { fee: '1.5', feeDiscount: true };
      const { code, stdout } = await runLate('pnl --json', fee);
      expect([code, document<[Row]>(stdout)[0].fees]).toMatchObject([0, [{ coin: 'zz', amount: '4.5' }]]);
      expect((await runLate('pnl', fee)).stderr.replace(/\s+/g, ' ')).toMatch(
        /Fees of 1\.5 zz since 2024-03-02 .* have no bill yet/,
      );
    });

    it('names fees without a bill as the reason if it is another sum, and not margin', async () => {
      const booked = bill(28, 'USDT', '-0.5', '1009.5', 'Fees of a day');
      const { code, stderr } = await runLate('pnl --json', { fee: '0.6' }, [booked]);
      const { hint, message } = lastError(stderr);
      expect([code, message, hint]).toEqual([
        9,
        expect.stringContaining('Unexplained: 0.1 usdt'),
        expect.stringContaining('Fees in usdt have no bill.'),
      ]);
      expect(hint).not.toContain('margin');
    });
  });

  it('names the fee that would explain a deposit without a bill', async () => {
    newHome();
    const smaller = BILLS.map((one) => (one === BILLS[0] ? bill(0, 'USDT', '990', '990', 'Deposit') : one));
    const { code, stderr } = await withBills(smaller, () => run('pnl --json'));
    expect([code, lastError(stderr).hint]).toEqual([
      9,
      expect.stringMatching(
        /A deposit of 1,000 usdt has no bill, and a bill of 990 usdt \(Deposit\) has no record: a fee of 10 usdt inside would explain both/,
      ),
    ]);
  });

  it('leaves a deposit without a bill whose time is uncertain out of a window, and says so', async () => {
    newHome();
    const july = depositRow({ id: 3, amount: '7', coin: 'ZZ', shownTime: '2024-07-01 00:00:00' });
    DEPOSITS.zz?.push(july);
    const whole = await run('pnl --json');
    const window = await run('pnl --from 2024-03-01T02:00 --json');
    DEPOSITS.zz?.pop();
    expect([whole.code, lastError(whole.stderr).message]).toEqual([9, expect.stringContaining('Unexplained: -7 zz.')]);
    expect(window.code).toBe(0);
    expect(window.stderr).toContain('Deposits of 7 zz have no bill');
    expect(window.stderr).toContain('pit profile set');
  });

  it('knows when an old deposit was by the bills that it has kept, and reads no old ones again for that', async () => {
    newHome();
    const later = Array.from({ length: 60 }, (_, index) => bill(24 * 60 + index, 'USDT', '1', '1', 'Airdrop'));
    const asked = () => exchange.asked.filter((path) => path === '/api/getSpotBills').length;
    await withBills([...BILLS, ...later], async () => {
      const all = { stdout: (await run('pnl --from 2024-03-01T02:00 --json', { bill: BILLS[1] as object })).stdout };
      const before = asked();
      const again = await run('pnl --from 2024-03-01T02:00 --json', { bill: BILLS[1] as object });
      expect({ stdout: again.stdout }).toEqual(all);
      expect(again.stderr).not.toContain('left out');
      // a page of recent bills and one of older ones, before the orders and after them
      expect(asked() - before).toBe(4);
    });
  });

  it('keeps what it read of each key apart, and a bill that the exchange lists no more', async () => {
    newHome();
    const pages = () => exchange.asked.filter((path) => path === '/api/getSpotBills').length;
    const count = async (changes: Parameters<typeof run>[1] = {}) => {
      const before = pages();
      const { code } = await run('pnl --json', changes);
      return { code, pages: pages() - before };
    };
    const first = await count();
    const second = await count();
    expect([first.code, second.code]).toEqual([0, 0]);
    // nothing is kept for this key, and what is kept for the other one does not matter
    expect(await count({ keys: 'another-access-key' })).toEqual(first);
    expect(await count({ bill: BILLS.at(-1) as object })).toEqual(second);
  });
});
