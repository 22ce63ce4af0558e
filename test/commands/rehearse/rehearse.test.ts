import { spawn } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { PrivateSandbox } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { PIT } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { plainEnvironment, type Ran, runPit, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';

const home = temporaryHome();
const folder = temporaryHome();

interface Report {
  readonly tape: { readonly from: string; readonly to: string; readonly documents: number; readonly gaps: number };
  readonly path: string;
  readonly seed: number | null;
  readonly bothExits: { readonly stopped: number; readonly taken: number } | null;
  readonly beyondVolume: readonly { readonly coin: string; readonly amount: string }[];
  readonly orders: number;
  readonly fills: number;
  readonly refused: number;
  readonly fees: readonly { readonly coin: string; readonly amount: string }[];
  readonly realised: string;
  readonly unrealised: string;
  readonly net: string;
  readonly gain: { readonly orders: string; readonly held: string };
  readonly refusedReads: number;
  readonly held: string;
  readonly drawdown: string;
  readonly slippage: string;
  readonly faults: readonly { readonly kind: string; readonly applied: number; readonly executed: number }[];
  readonly pnl: readonly { readonly market: string | null; readonly net: string | null }[];
  readonly algo: {
    readonly state: string;
    readonly reason: string | null;
    readonly events: readonly { readonly event: string; readonly text: string }[];
  } | null;
}

const START = Date.parse('2026-01-05T00:00:00Z');

/** A tape of one candle a minute, each at one price. */
function candles(name: string, prices: readonly number[], volume = '5', market = 'btc_usdt', first = 0): string {
  const file = path.join(folder, name);
  const rows = prices.map((price, minute) => {
    const text = price.toFixed(2);
    const time = new Date(START + (first + minute) * 60_000).toISOString();
    return { market, type: '1min', time, open: text, high: text, low: text, close: text, volume };
  });
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}

function rehearse(words: string, command: string): Promise<Ran> {
  return runPit(['rehearse', ...words.split(' '), '--', ...command.split(' ')], { home });
}

async function reportOf(words: string, command: string): Promise<Report> {
  const { code, stdout, stderr } = await rehearse(`${words} --json`, command);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const report = JSON.parse(stdout) as Report;
  expect(await schemaViolations('rehearse', report)).toEqual([]);
  return report;
}

/** An hour and a half in which the price rises by a hundredth and falls by a twentieth. */
const HILL = candles(
  'hill.ndjson',
  Array.from({ length: 90 }, (_, minute) => (minute < 30 ? 20_000 + minute * 10 : 20_300 - (minute - 30) * 20)),
);

describe('a command of pit', () => {
  it('reports a buy to the digit: its price, its fee, and what the account gained until the tape ended', async () => {
    const tape = candles('step.ndjson', [20_000, 20_000, 20_000, 21_000, 21_000]);
    const report = await reportOf(`${tape} --funds usdt=10000`, 'order buy btc_usdt 0.1 --at 20100');
    // without depth, the best ask is made up at 20001.01; the fee is 0.2 % of what was bought
    expect(report).toMatchObject({
      tape: { from: '2026-01-05T00:00:00.000Z', to: '2026-01-05T00:04:00.000Z', documents: 5, gaps: 0 },
      ...{ orders: 1, fills: 1, refused: 0, refusedReads: 0, beyondVolume: [], faults: [] },
      fees: [{ coin: 'btc', amount: '0.0002' }],
      slippage: '0.101',
      held: '0',
    });
    // 10000 - 2000.101 + 0.0998 * 21000
    expect(Number(report.net)).toBeCloseTo(95.699, 6);
    expect(Number(report.drawdown)).toBeCloseTo(10_000 - (7_999.899 + 0.0998 * 20_000), 6);
  });

  it('says what became of an algo order: a TWAP that a guard has paused is not one that is done', async () => {
    const funds = '--funds usdt=9000000';
    const { algo } = await reportOf(`${HILL} ${funds}`, 'order buy btc_usdt 300 --over 1h');
    expect(algo?.reason).toMatch(/day-notional/);
    expect(['paused', 'partial']).toContain(algo?.state);
    expect(algo?.events.map(({ event }) => event)).toEqual(expect.arrayContaining(['began', 'paused']));
    const { stdout } = await rehearse(`${HILL} ${funds}`, 'order buy btc_usdt 300 --over 1h');
    expect(stdout).toMatch(/^algo order +(paused|partial): .*day-notional/m);
  });

  it('has no algo order in the report of a plain order', async () => {
    expect((await reportOf(`${HILL} --funds usdt=10000`, 'order buy btc_usdt 0.1 --at 20100')).algo).toBeNull();
  });

  it('sells when a trailing stop is reached, and compares that with the same money held', async () => {
    const report = await reportOf(`${HILL} --funds btc=1`, 'order sell btc_usdt 1 --trail 1%');
    const { orders, fills, net, held } = report;
    expect({ orders, fills }).toEqual({ orders: 1, fills: 1 });
    // from 20000 to 19120
    expect(Number(held)).toBeCloseTo(-880, 6);
    expect(Number(net)).toBeGreaterThan(Number(held) + 800);
    expect(report.pnl.map(({ market }) => market)).toEqual(['btc_usdt', null]);
  });

  it('lets an order rest until the price comes to it, and ends with the tape', async () => {
    const report = await reportOf(`${HILL} --funds usdt=30000`, 'order buy btc_usdt 1 --at 19500');
    expect(report).toMatchObject({ orders: 1, fills: 1, tape: { documents: 90 } });
    const never = await reportOf(`${HILL} --funds usdt=30000`, 'order buy btc_usdt 1 --at 19000');
    expect(never).toMatchObject({ orders: 1, fills: 0, net: '0', held: '0' });
  });

  it.each([
    ['stop', 'order sell btc_usdt 0.5 --stop 19900'],
    ['stop-limit', 'order sell btc_usdt 0.5 --stop 19900 --limit 19850'],
    ['trailing stop', 'order sell btc_usdt 0.5 --trail 1%'],
    ['OCO', 'order sell btc_usdt 0.5 --take 20250 --stop 19800'],
    ['bracket', 'order buy btc_usdt 0.5 --at 20150 --take 20280 --stop 19800'],
    ['TWAP', 'order buy btc_usdt 0.5 --over 40m --every 5m'],
    ['chase', 'order buy btc_usdt 0.5 --chase --for 30m'],
    ['conditional order', 'order buy btc_usdt 0.5 --at 20250 --when last>20200'],
  ])('gives the same report and the same fills byte for byte, twice: a %s', async (kind, command) => {
    const runs = [];
    for (let run = 0; run < 2; run += 1) {
      const out = path.join(folder, `${kind.replaceAll(' ', '-')}-${run}.csv`);
      const { code, stdout } = await rehearse(`${HILL} --json --latency 80ms --out ${out}`, command);
      runs.push({ code, stdout, fills: readFileSync(out, 'utf8') });
    }
    expect(runs[0]?.code).toBe(0);
    expect((JSON.parse(runs[0]?.stdout ?? '{}') as Report).orders).toBeGreaterThan(0);
    expect(runs[1]).toEqual(runs[0]);
  });

  it('places a batch', async () => {
    const ladder = 'order batch buy btc_usdt --ladder 19900:19500:5 --amount 0.5';
    const report = await reportOf(`${HILL} --funds usdt=30000`, ladder);
    expect(report).toMatchObject({ orders: 5, fills: 5, refused: 0 });
  });

  it('survives answers that are lost, and says what the fault did', async () => {
    const command = 'order buy btc_usdt 0.5 --over 60m --every 2m';
    const report = await reportOf(`${HILL} --funds usdt=30000 --fault drop-after`, command);
    expect(report.faults).toEqual([{ kind: 'drop-after', applied: expect.any(Number), executed: expect.any(Number) }]);
    expect(report.faults[0]?.applied).toBeGreaterThan(0);
    const bought = report.pnl[0] as unknown as { readonly bought: string };
    expect(bought.bought).toBe('0.5');
  });

  it.each([
    ['order buy btc_usdt 0.1', 2, 'The price is missing.'],
    ['order buy btc_usdt 1 --at 20000', 3, 'balance'],
    ['order buy btc_usdt 100 --at 20000', 2, 'order-notional blocks this'],
    ['order buy eth_usdt 1 --at 2000', 2, 'There is no market eth_usdt'],
    ['shell', 2, 'pit shell cannot be rehearsed'],
  ])('ends as the command does if it is refused, without a report: %s', async (command, code, message) => {
    const ran = await rehearse(`${HILL} --funds usdt=10000`, command);
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' });
    expect(ran.stderr).toContain(message);
  });

  it('leaves the home of the user as it was', async () => {
    const before = readdirSync(home, { recursive: true });
    await reportOf(`${HILL} --funds btc=1`, 'order sell btc_usdt 1 --trail 1%');
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  });

  it('replays the recorded days of the sandbox under their name, in part', async () => {
    const out = path.join(folder, 'sandbox.ndjson');
    const report = await reportOf(
      `sandbox --path olhc --out ${out} --from 2023-03-01T12:00 --to 2023-03-01T18:00`,
      'order sell btc_usdt 1 --at bid',
    );
    const { from, to, documents, gaps } = report.tape;
    expect({ from, documents, gaps }).toEqual({ from: '2023-03-01T12:00:00.000Z', documents: 360, gaps: 0 });
    expect(to.slice(0, 16)).toBe('2023-03-01T17:59');
    // it fills in several trades, two of them at once
    expect(report).toMatchObject({ orders: 1, fills: 4, fees: [{ coin: 'usdt', amount: '47.46610003' }] });
    const fills = readFileSync(out, 'utf8').trimEnd().split('\n');
    const parts = fills.map(
      (line) => JSON.parse(line) as { price: string; amount: string; value: string; fee: string },
    );
    const sum = (name: 'amount' | 'value' | 'fee') =>
      Decimal.sum(parts.map((part) => Decimal.of(part[name])))
        .trimmed()
        .toString();
    expect([sum('amount'), sum('value'), sum('fee')]).toEqual(['1', '23733.05', '47.46610003']);
    for (const { price, amount, value } of parts)
      expect(Decimal.of(price).times(Decimal.of(amount)).equals(Decimal.of(value))).toBe(true);
  });

  it('draws the candles, the fills and the value, and writes the fills', async () => {
    const [svg, out] = [path.join(folder, 'hill.svg'), path.join(folder, 'hill.fills.ndjson')];
    await reportOf(`${HILL} --funds btc=1 --svg ${svg} --out ${out}`, 'order sell btc_usdt 1 --trail 1%');
    const drawing = readFileSync(svg, 'utf8');
    expect(drawing.match(/class="mark sell"/g)).toHaveLength(1);
    expect(drawing.match(/class="value"/g)).toHaveLength(1);
    const [fill] = readFileSync(out, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(fill ?? '')).toMatchObject({
      market: 'btc_usdt',
      side: 'sell',
      amount: '1.000000',
      feeCoin: 'usdt',
    });
  });

  it("does not tell the user to wait for duplicates: its time is none of the user's", async () => {
    const { stderr } = await rehearse(`${HILL} --funds btc=1`, 'order sell btc_usdt 1 --trail 1%');
    expect(stderr).toContain('Everything has filled');
    expect(stderr).not.toContain('duplicates');
  });

  it('counts only whole lines of the tape', async () => {
    const tape = candles('cut-off.ndjson', [20_000, 20_000, 20_000]);
    appendFileSync(tape, '{"market":"btc_us');
    const report = await reportOf(tape, 'order buy btc_usdt 0.1 --at 19000');
    expect(report.tape).toMatchObject({ documents: 3, gaps: 1 });
  });

  it('says in the report what a replay cannot know', async () => {
    const { stdout } = await rehearse(`${HILL} --funds btc=1`, 'order sell btc_usdt 1 --trail 1%');
    expect(stdout).toContain('A replay cannot answer your orders');
    expect(stdout).toMatch(/held instead +-880\.00 usdt/);
  });
});

describe('fees and files of other exchanges', () => {
  it('are those of --fee: what rests pays as a maker, what takes as a taker', async () => {
    const words = `${HILL} --funds usdt=30000 --fee maker=0.02%,taker=0.05%`;
    const taken = await reportOf(words, 'order buy btc_usdt 0.1 --at 20100');
    expect(taken.fees).toMatchObject([{ coin: 'btc', amount: '0.00005' }]);
    const made = await reportOf(words, 'order buy btc_usdt 0.1 --at 19500');
    expect(made.fees).toMatchObject([{ coin: 'btc', amount: '0.00002' }]);
  });

  it.each(['maker=2', 'maker=11%', 'other=1%', 'maker=1%,maker=1%'])(
    'are refused in another form: %s',
    async (list) => {
      const { code, stderr } = await rehearse(`${HILL} --fee ${list}`, 'order buy btc_usdt 0.1 --at 20100');
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('fee') });
    },
  );

  it('have the market of --market, if the file names none', async () => {
    const file = path.join(folder, 'foreign.csv');
    writeFileSync(
      file,
      'timestamp,open,high,low,close,volume\n1767571200,20000,20000,20000,20000,5\n1767571260,20000,20000,20000,20000,5\n',
    );
    const report = await reportOf(`${file} --market btc_usdt --funds usdt=9000`, 'order buy btc_usdt 0.1 --at 20100');
    expect(report).toMatchObject({ fills: 1, tape: { from: '2026-01-05T00:00:00.000Z', documents: 2 } });
    const { code, stderr } = await rehearse(file, 'order buy btc_usdt 0.1 --at 20100');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--market btc_usdt') });
  });
});

describe('the report', () => {
  it('values coins that were held at the price that the last order has made, as it values what was bought', async () => {
    const still = candles('still.ndjson', [20_000]);
    // nothing of the market comes after the order
    const other = candles('other.ndjson', [1_000, 1_000, 1_000], '5', 'eth_usdt');
    const { net, held, gain, pnl } = await reportOf(
      `${still} ${other} --funds btc=5,usdt=10000`,
      'order buy btc_usdt 0.1 --at ask',
    );
    // the order made a price of its own, and paid a fee
    expect(Number(held)).toBeGreaterThan(0);
    expect(gain).toEqual({ orders: pnl.at(-1)?.net, held });
    expect(Decimal.of(gain.orders).plus(Decimal.of(held)).equals(Decimal.of(net))).toBe(true);
    expect(Number(gain.orders)).toBeLessThan(0);
  });

  it('has what the orders gained apart from what the coins gained', async () => {
    const rising = candles('rising.ndjson', [20_000, 20_000, 20_000, 21_000, 21_000]);
    const { net, held, gain } = await reportOf(
      `${rising} --funds btc=1,usdt=10000`,
      'order buy btc_usdt 0.1 --at 20100',
    );
    expect({ held, gain }).toEqual({ held: '1000', gain: { orders: expect.any(String), held: '1000' } });
    expect(Number(gain.orders)).toBeCloseTo(95.699, 6);
    expect(Number(net)).toBeCloseTo(1095.699, 6);
  });

  it('rounds what people read, and does not cut it', async () => {
    const step = candles('round.ndjson', [20_000, 20_000, 20_000.06]);
    const { stdout } = await rehearse(`${step} --funds btc=0.1,usdt=100`, 'order sell btc_usdt 0.0001 --at 30000');
    expect(stdout).toMatch(/^held instead +0\.01 usdt$/m);
  });

  it('counts requests that only read and were refused', async () => {
    const asks = 'fetch(process.env.PIT_BASE_URL + "/data/v1/kline?market=btc_usdt&type=1min")';
    const text = `for (let i = 0; i < 3; i += 1) await (await ${asks}).text();`;
    const report = await reportOf(`${WAVE} --speed 0.001`, program('reads.mjs', text));
    expect(report).toMatchObject({ refused: 0, refusedReads: 2 });
  });

  it('draws the candles of a short tape, and the line of the same money held', async () => {
    const rows = [20_000, 20_100, 20_050].map((price, second) => {
      const time = new Date(START + second * 2_000).toISOString();
      return { market: 'btc_usdt', id: `${second + 1}`, time, side: 'buy', price: `${price}`, amount: '1' };
    });
    const [tape, svg] = [path.join(folder, 'seconds.ndjson'), path.join(folder, 'seconds.svg')];
    writeFileSync(tape, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await reportOf(`${tape} --funds usdt=10000,btc=1 --svg ${svg}`, 'order buy btc_usdt 0.1 --at 20500');
    const drawing = readFileSync(svg, 'utf8');
    expect(drawing.match(/class="(up|down)" d=/g)).toHaveLength(3);
    expect(drawing.match(/class="held"/g)).toHaveLength(1);
  });
});

describe('a tape of two markets', () => {
  const later = () => candles('later-eth.ndjson', [2_000, 2_010, 2_000], '5', 'eth_usdt', 3);

  it('begins with the book of the market of the command, though another market is recorded earlier', async () => {
    const tapes = `${candles('early-btc.ndjson', Array(7).fill(20_000))} ${later()}`;
    const report = await reportOf(`${tapes} --funds eth=1`, 'order sell eth_usdt 0.1 --at bid');
    expect(report).toMatchObject({ orders: 1, fills: 1 });
    const { stderr } = await rehearse(`${tapes} --funds eth=1`, 'order sell ETH_USDT 0.1 --trail 50%');
    expect(stderr).not.toContain('no bid in the book');
  });
});

describe('a tape that ends too early', () => {
  const time = (second: number) => new Date(START + second * 1_000).toISOString();
  const depth = (second: number, asks: readonly object[]) => ({
    ...{ channel: 'depth:btc_usdt', time: time(second), received: time(second), source: 'push', scope: 'snapshot' },
    ...{ skipped: 0, data: { market: 'btc_usdt', time: time(second), bids: [{ price: '19990', amount: '9' }], asks } },
  });
  const tapeOf = (name: string, documents: readonly object[]) => {
    const file = path.join(folder, name);
    writeFileSync(file, documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return file;
  };

  it('without a book of the market has tried nothing: exit code 9, and the time is named', async () => {
    const tape = tapeOf('no-asks.ndjson', [depth(0, []), depth(5, [])]);
    const { code, stdout, stderr } = await rehearse(`${tape} --json`, 'order buy btc_usdt 0.1 --at 20000');
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(stderr).toContain(
      'Nothing was tried: the tape ends at 2026-01-05T00:00:05.000Z, and shows no book of btc_usdt with both sides before.',
    );
  });

  it('before the command has placed an order has tried nothing, either', async () => {
    const asks = [{ price: '20000', amount: '9' }];
    const tape = tapeOf('short-book.ndjson', [depth(0, asks), depth(1, asks)]);
    const { code, stdout, stderr } = await rehearse(`${tape} --latency 5s --json`, 'order buy btc_usdt 0.1 --at 20000');
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(stderr).toContain('Nothing was tried: the tape ends at 2026-01-05T00:00:01.000Z, before the command');
  });
});

describe('a market of fine prices', () => {
  it('is rehearsed by the rules in the tape, also if prices times amounts have more decimals than its coins', async () => {
    const prices = ['0.0000123456', '0.0000123456', '0.0000133456'];
    const market = { market: 'pepe_usdt', base: 'pepe', quote: 'usdt', priceScale: 10, amountScale: 1 };
    const rules = { ...market, tickSize: '0.0000000001', lotSize: '0.1', minAmount: '1', minNotional: '1' };
    const candle = (price: string, minute: number) => ({
      ...{ market: 'pepe_usdt', type: '1min', time: new Date(START + minute * 60_000).toISOString() },
      ...{ open: price, high: price, low: price, close: price, volume: '90000000' },
    });
    const tape = path.join(folder, 'pepe.ndjson');
    const rows = [{ markets: [rules] }, ...prices.map(candle)];
    writeFileSync(tape, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const report = await reportOf(`${tape} --funds usdt=100`, 'order buy pepe_usdt 1000000.7 --at 0.0000123463');
    expect(report).toMatchObject({ orders: 1, fills: 1, fees: [{ coin: 'pepe', amount: '2000.0014' }] });
    // 998000.6986 pepe at 0.0000133456, less 1000000.7 at 0.0000123463, which the made-up book asks
    expect(report.net).toBe('0.97260948082616');
  });
});

describe('what is filled', () => {
  const filledOf = (report: Report) => (report.pnl[0] as unknown as { readonly bought: string }).bought;

  it('of an order that rests is at most what was traded through its price', async () => {
    // 0.05 btc a minute; from the second on, all of it below the price of the order
    const tape = candles('thin.ndjson', [20_000, 19_400, 19_300, 19_200], '0.05');
    const big = 'order buy btc_usdt 0.48 --at 19500';
    const report = await reportOf(`${tape} --funds usdt=20000`, big);
    expect(filledOf(report)).toBe('0.15');
    expect(report.beyondVolume).toEqual([]);
  });

  it('at once is at most what the candle has traded, and more only in the next one', async () => {
    const tape = candles('taken.ndjson', [20_000, 20_000, 20_000], '0.05');
    const report = await reportOf(`${tape} --funds usdt=20000`, 'order buy btc_usdt 0.48 --at 20300');
    expect(filledOf(report)).toBe('0.15');
    expect(report.beyondVolume).toEqual([]);
  });

  it('may be more than was traded if a recorded book shows it, and the report says so', async () => {
    const time = (second: number) => new Date(START + second * 1_000).toISOString();
    const event = (second: number) => ({ time: time(second), received: time(second), source: 'push', skipped: 0 });
    const depth = (second: number) => ({
      ...{ channel: 'depth:btc_usdt', ...event(second), scope: 'snapshot' },
      data: {
        ...{ market: 'btc_usdt', time: time(second), bids: [{ price: '19990', amount: '9' }] },
        asks: [{ price: '20000', amount: '9' }],
      },
    });
    const data = [{ id: '1', time: time(1), market: 'btc_usdt', side: 'buy', price: '20000', amount: '0.5' }];
    const trade = { channel: 'trades:btc_usdt', ...event(1), scope: 'delta', data };
    const tape = path.join(folder, 'books.ndjson');
    writeFileSync(tape, [depth(0), trade, depth(60)].map((one) => `${JSON.stringify(one)}\n`).join(''));
    const command = 'order buy btc_usdt 2 --at 20000';
    const report = await reportOf(`${tape} --funds usdt=100000`, command);
    expect(report).toMatchObject({ fills: 1, beyondVolume: [{ coin: 'btc', amount: '1.5' }] });
    const { stdout } = await rehearse(`${tape} --funds usdt=100000`, command);
    expect(stdout).toMatch(/^filled beyond the recorded volume +1\.5 btc$/m);
  });
});

describe('the path within a candle', () => {
  const row = (minute: number, [open, high, low, close]: readonly string[], type = '1min') => ({
    ...{ market: 'btc_usdt', type, time: new Date(START + minute * 60_000).toISOString() },
    ...{ open, high, low, close, volume: '40' },
  });
  /** Its second candle reaches 20300 and 19700. */
  const wide = (name: string, type = '1min', minutes = 1) => {
    const file = path.join(folder, name);
    const flat = ['20000', '20000', '20000', '20000'];
    const prices = [flat, ['20000', '20300', '19700', '20010'], flat];
    const rows = prices.map((candle, index) => row(index * minutes, candle, type));
    writeFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return file;
  };
  const OCO = 'order sell btc_usdt 0.5 --take 20250 --stop 19800';

  it.each([
    ['ohlc', { stopped: 0, taken: 1 }],
    ['olhc', { stopped: 1, taken: 0 }],
    ['worst', { stopped: 1, taken: 0 }],
  ])('decides whether the stop or the take is first, and the report counts such candles: %s', async (kind, both) => {
    const report = await reportOf(`${wide('wide.ndjson')} --funds btc=1 --path ${kind}`, OCO);
    expect(report).toMatchObject({ fills: 1, path: kind, seed: null, bothExits: both });
  });

  it('is the worse one for who has to buy: the high first', async () => {
    const buy = 'order buy btc_usdt 0.5 --take 19750 --stop 20200';
    const worst = await reportOf(`${wide('buy.ndjson')} --funds usdt=30000 --path worst`, buy);
    expect(worst.bothExits).toEqual({ stopped: 1, taken: 0 });
  });

  it('is random with a seed that the report names, and the same seed gives the same bytes', async () => {
    const file = wide('seeds.ndjson');
    const run = async (words: string) => (await rehearse(`${file} --funds btc=1 --json ${words}`.trim(), OCO)).stdout;
    const byDefault = JSON.parse(await run('')) as Report;
    expect(byDefault).toMatchObject({ path: 'random', seed: 1 });
    expect(await run('--path random:1')).toBe(await run(''));
    const taken = [];
    for (const seed of [2, 3, 4, 5, 6, 7, 8])
      taken.push((JSON.parse(await run(`--path random:${seed}`)) as Report).bothExits?.taken);
    expect(new Set(taken).size).toBe(2);
    const { stdout } = await rehearse(`${file} --funds btc=1`, OCO);
    expect(stdout).toMatch(/^path in candles +random:1$/m);
    expect(stdout).toMatch(/^both exits reached +in 1 candle: stop first in \d, take first in \d, a guess$/m);
  });

  it('is a guess that a warning names, if candles are longer than a minute', async () => {
    const { stderr } = await rehearse(`${wide('hours.ndjson', '1hour', 60)} --funds btc=1`, OCO);
    expect(stderr).toContain('The tape has candles of 1h: where the price was within one is a guess.');
    expect((await rehearse(`${wide('minutes.ndjson')} --funds btc=1`, OCO)).stderr).not.toContain('is a guess');
  });

  it.each(['random:x', 'best', 'random:'])('is refused if it is none of the four: %s', async (word) => {
    const { code, stderr } = await rehearse(`sandbox --path ${word}`, OCO);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('is no path within candles') });
  });
});

describe('what a rehearsal costs', () => {
  it.each([
    ['an OCO whose take rests', 'order sell btc_usdt 0.5 --take 21000 --stop 18000'],
    ['a bracket whose entry rests', 'order buy btc_usdt 0.5 --at 18000 --take 25000 --stop 17000'],
  ])('grows with what happens to its orders, not with the time: %s', async (_, command) => {
    const answers = vi.spyOn(PrivateSandbox.prototype, 'answer');
    try {
      await reportOf(`${HILL} --funds btc=1,usdt=30000`, command);
      expect(answers.mock.calls.filter(([url]) => url.startsWith('/api/getOrder?')).length).toBeLessThan(5);
    } finally {
      answers.mockRestore();
    }
  });
});

describe('a long tape', () => {
  it('is read for as long as that takes, though a command ends after half a minute without an answer', async () => {
    const tape = candles('long.ndjson', Array(8_000).fill(20_000));
    // each timer is due at once, and each look at the clock shows a minute more
    const later = globalThis.setTimeout;
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work) => later(work, 0));
    let time = 0;
    const monotonic = () => {
      time += 60_000;
      return time;
    };
    try {
      const line = [
        'rehearse',
        tape,
        '--from',
        '2026-01-10T12:00',
        '--json',
        '--',
        'order',
        'buy',
        'btc_usdt',
        '1',
        '--at',
        '19000',
      ];
      const { code, stderr } = await runPit(line, { home, host: { monotonic } });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    } finally {
      timers.mockRestore();
    }
  });

  it('is left at the end of the part that is replayed: what follows is not even read', async () => {
    const tape = candles('broken-later.ndjson', Array(9_000).fill(20_000));
    appendFileSync(tape, 'no document\n');
    const report = await reportOf(`${tape} --to 2026-01-05T00:10`, 'order buy btc_usdt 0.1 --at 19000');
    expect(report.tape.documents).toBe(10);
  });
});

describe('what cannot be rehearsed', () => {
  it.each([
    ['sandbox', '', 'There is no command after --.'],
    ['sandbox --speed 5', 'order buy btc_usdt 0.1 --at 1', '--speed has no meaning for a command of pit.'],
    ['sandbox --funds doge=3', 'order buy btc_usdt 0.1 --at 1', '--funds names doge'],
    ['sandbox --funds btc=1,btc=2', 'order buy btc_usdt 0.1 --at 1', '--funds names btc twice.'],
    ['sandbox --out fills.txt', 'order buy btc_usdt 0.1 --at 1', 'The format of "fills.txt" is not clear.'],
    [`${HILL} --from 2027-01-01`, 'order buy btc_usdt 0.1 --at 1', 'Nothing happens in this part of the tape.'],
    [`${HILL} --to 2025-01-01`, 'order buy btc_usdt 0.1 --at 1', 'Nothing happens in this part of the tape.'],
    ['sandbox', 'no-such-program', 'The program "no-such-program" cannot be run: not found.'],
  ])('refuses a wrong command line before anything is run: %s -- %s', async (words, command, message) => {
    const { code, stdout, stderr } = await runPit(
      ['rehearse', ...words.split(' '), '--', ...(command === '' ? [] : command.split(' '))],
      { home },
    );
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

/** A program of the test, by its text. */
function program(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return `${process.execPath} ${file}`;
}

/** Asks for the ticker once, so that the clock runs. */
const BEGIN = 'await fetch(process.env.PIT_BASE_URL + "/data/v1/ticker?market=btc_usdt");';

/** Half a day of a wave. */
const WAVE = candles(
  'wave.ndjson',
  Array.from({ length: 720 }, (_, minute) => 20_000 * (1 + 0.03 * Math.sin(minute / 20))),
);

describe('a program in another language', () => {
  it('finds hosts, keys and streams in its environment, and no other variable of pit', async () => {
    const names = 'Object.keys(process.env).filter((name) => name.startsWith("PIT_")).sort().join()';
    const command = program('names.mjs', `console.error(${names}); console.error(process.env.PIT_HOME)`);
    const { code, stderr } = await runPit(['rehearse', WAVE, '--', ...command.split(' ')], {
      home,
      environment: { PIT_PROFILE: 'live', PIT_ACCESS_KEY: 'a-key-of-the-user', PIT_SECRET_KEY: 'a-secret-of-the-user' },
    });
    expect(code).toBe(0);
    const [shown, ownHome] = stderr.trimEnd().split('\n');
    expect(shown).toBe(
      'PIT_ACCESS_KEY,PIT_BASE_URL,PIT_CLOCK,PIT_ENDS_WITH_PROGRAM,PIT_HOME,PIT_SECRET_KEY,PIT_TRADE_URL,PIT_WS_URL',
    );
    expect(ownHome).not.toContain(home);
  });

  it('may run pit, which finds the streams in the same variables', async () => {
    const command = program(
      'streams.mjs',
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'stream', 'depth:btc_usdt', '--count', '1', '--json'])};
      const { status, stdout, stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log("streamed", status, stdout, stderr);`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 60 --json`, command);
    expect(stderr).toMatch(/^streamed 0 \{"channel":"depth:btc_usdt"/m);
  });

  it('may run pit, which waits by the clock of the rehearsal', async () => {
    const lines = [
      'alert btc_usdt close:15min>1 --timeout 7200 --json',
      'alert btc_usdt last<1 --timeout 600 --json',
      'stream depth:btc_usdt --for 10m --json',
      'order sell btc_usdt 0.1 --at 30000 --for 5m --yes --json',
      'alert btc_usdt last<1 --timeout 1800 --json',
      'algo list --all --json',
    ].map((line) => line.split(' '));
    const command = program(
      'waits.mjs',
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      for (const words of ${JSON.stringify(lines)}) {
        const { status, stdout } = spawnSync(${JSON.stringify(PIT.command)}, [...${JSON.stringify(PIT.arguments)}, ...words], { encoding: "utf8" });
        console.log(status, words[0], stdout.trim().split("\\n").at(-1));
      }`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 600 --json`, command);
    const shown = stderr
      .trim()
      .split('\n')
      .filter((line) => /^\d+ (alert|stream|order|algo) ?/.test(line));
    expect(shown.map((line) => line.split(' ', 2).join(' '))).toEqual([
      '0 alert',
      '10 alert',
      '0 stream',
      '0 order',
      '10 alert',
      '0 algo',
    ]);
    expect(Date.parse(JSON.parse(shown[0]?.slice(8) ?? '{}').time) % (15 * 60_000)).toBe(0);
    const [ended] = JSON.parse(shown[5]?.slice(7) ?? '[]') as { state: string; started: string; ended: string }[];
    expect(ended?.state).toBe('cancelled');
    expect(Date.parse(ended?.ended ?? '') - Date.parse(ended?.started ?? '')).toBeGreaterThanOrEqual(5 * 60_000);
  });

  it('may not have pit hold a timer on a faster clock: the minute of the exchange would end too early', async () => {
    const command = program(
      'hold.mjs',
      `const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'cancel-after', 'btc_usdt', '--hold', '--yes'])};
      const { status, stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log("held", status, stderr);`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 60 --json`, command);
    expect(stderr).toContain('held 2 pit: --hold cannot keep a timer in a rehearsal that runs 60 times as fast.');
  });

  it('is ended by SIGTERM when the tape is over, and the report has the whole tape', async () => {
    const short = candles('short.ndjson', [20_000, 20_100, 20_200]);
    const command = program('endless.mjs', `${BEGIN} setInterval(() => {}, 1000)`);
    const report = await reportOf(`${short} --speed 1000`, command);
    expect(report.tape).toMatchObject({ to: '2026-01-05T00:02:00.000Z', documents: 3 });
  });

  it('is reported with its exit code if it fails', async () => {
    const command = program('failing.mjs', `${BEGIN} process.exit(3)`);
    const { code, stdout, stderr } = await rehearse(`${WAVE} --json`, command);
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ orders: 0, fills: 0 });
    expect(stderr).toContain('ended with exit code 3');
  });

  it('does not begin before its first request', async () => {
    const command = program('late.mjs', 'setTimeout(() => {}, 300)');
    expect((await reportOf(`${WAVE} --speed 100000`, command)).tape.documents).toBeLessThan(5);
  });

  it('the grid bot of the documentation trades on a tape', async () => {
    const page = readFileSync('docs/rehearsal.md', 'utf8');
    const [, bot = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
    expect(bot.split('\n').length).toBeLessThan(100);
    const report = await reportOf(`${WAVE} --to 2026-01-05T05:00 --speed 2400`, program('grid.mjs', bot));
    expect(report.orders).toBeGreaterThanOrEqual(8);
    expect(report.fills).toBeGreaterThan(0);
    expect(report.refused).toBe(0);
  });

  it('a client that was not made for pit follows the streams with nothing but hosts and keys', async () => {
    const bot = path.resolve('test/commands/rehearse/foreign-bot.mjs');
    const { code, stderr } = await rehearse(`${WAVE} --speed 600 --json`, `${process.execPath} ${bot}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"symbol":"BTC/USDT"') });
    expect(stderr).toContain('"traded":true');
  });
});

describe('what is left', () => {
  it('is nothing after a rehearsal that ended, of a command or of a program', async () => {
    const left = temporaryHome();
    const commands = ['order sell btc_usdt 1 --trail 1%', `${process.execPath} -e 0`, 'order buy btc_usdt 0.1'];
    for (const command of commands)
      await runProgram(['rehearse', HILL, '--', ...command.split(' ')], { home, environment: { TMPDIR: left } });
    expect(readdirSync(left)).toEqual([]);
  });

  it.each([
    ['a command', 'order sell btc_usdt 1 --trail 90%', 'Watching 1 algo order.'],
    ['a program', program('long.mjs', `${BEGIN} console.log("pid", process.pid); setInterval(() => {}, 1000)`), 'pid '],
  ])('is nothing after Ctrl-C, which reports so far: %s', async (_, command, printed) => {
    const left = temporaryHome();
    const long = _ === 'a command' ? 'sandbox' : WAVE;
    const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', long, '--', ...command.split(' ')];
    const child = spawn(first, rest, {
      env: plainEnvironment(home, { TMPDIR: left }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await eventually(() => expect(stderr).toContain(printed));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stdout).toContain('interrupted');
    expect(readdirSync(left)).toEqual([]);
    const pid = /^pid (\d+)$/m.exec(stderr)?.[1];
    if (pid !== undefined) expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  /** Has pit make an algo order that is watched in the background, says so, and goes on as `then` says. */
  const algoProgram = (name: string, then: string) =>
    program(
      name,
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'order', 'sell', 'btc_usdt', '0.1', '--trail', '90%', '--yes'])};
      const { stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log(stderr, "made"); ${then}`,
    );

  it('is nothing after a program whose algo order is watched in the background, and nothing watches it', async () => {
    const left = temporaryHome();
    const command = algoProgram('algo.mjs', 'console.log("done");');
    const { stderr } = await runProgram(['rehearse', WAVE, '--', ...command.split(' ')], {
      home,
      environment: { TMPDIR: left },
    });
    expect(stderr).toContain('made');
    // what watches would make the folder again
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(readdirSync(left)).toEqual([]);
  });

  it.each([1, 2])(
    'is nothing after %i hangups, with an algo order that is watched in the background',
    async (count) => {
      const left = temporaryHome();
      const command = algoProgram(`hangup-${count}.mjs`, 'setInterval(() => {}, 1000)');
      const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', WAVE, '--', ...command.split(' ')];
      const child = spawn(first, rest, {
        env: plainEnvironment(home, { TMPDIR: left }),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      await eventually(() => expect(stderr).toContain('made'));
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      for (let sent = 0; sent < count; sent++) child.kill('SIGHUP');
      expect(await ended).toBe('SIGHUP');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(readdirSync(left)).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'gives no process that it starts the keys of the environment, also under other names',
    async () => {
      const [accessKey, secretKey] = ['an-access-key-of-the-user', 'a-secret-key-of-the-user'];
      const text = `${BEGIN} const { readFileSync, readdirSync } = await import("node:fs");
      const env = (pid) => { try { return readFileSync("/proc/" + pid + "/environ", "utf8") } catch { return "" } };
      const parent = (pid) => { try { return /^PPid:\\s*(\\d+)/m.exec(readFileSync("/proc/" + pid + "/status", "utf8"))?.[1] } catch { return "" } };
      const pids = readdirSync("/proc").filter((name) => parent(name) === String(process.ppid));
      console.log("children", pids.length, pids.map(env).join("").includes("of-the-user"));`;
      const command = program('environments.mjs', text);
      const { stderr } = await runProgram(['rehearse', WAVE, '--', ...command.split(' ')], {
        home,
        environment: { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey, COPY_OF_KEY: `x ${secretKey}` },
      });
      expect(stderr).toMatch(/^children [2-9] false$/m);
    },
  );

  it('is no program after the rehearsal was killed', async () => {
    const endless = program('orphan.mjs', `${BEGIN} console.log("pid", process.pid); setInterval(() => {}, 1000)`);
    const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', WAVE, '--', ...endless.split(' ')];
    const child = spawn(first, rest, {
      env: plainEnvironment(home, { TMPDIR: temporaryHome() }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await eventually(() => expect(stderr).toMatch(/^pid \d+$/m));
    const pid = Number(/^pid (\d+)$/m.exec(stderr)?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    child.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
  });
});
