import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { PrivateSandbox } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import { depthLine, iso, klineLine, RULES, textOf } from '../../sandbox/replay/tape-lines.js';
import { runPit } from '../../support/pit.js';
import { ENTRY_COMMANDS } from '../../trading/algos/support/entries.js';
import { type Report, START, useRehearsals } from './rehearsals.js';

const { home, folder, candles, rehearse, reportOf, HILL } = useRehearsals();

/** Half an hour in which the price rises by more than a hundredth and falls by three. */
const STEEP_HILL = candles(
  'steep-hill.ndjson',
  Array.from({ length: 32 }, (_, minute) => (minute < 15 ? 20_000 + minute * 20 : 20_300 - (minute - 15) * 40)),
);

/** A tape with a book of 19990 to 20000 and a trade at 20000; after a minute, a trade at each of these prices. */
function recorded(name: string, later: readonly string[]): string {
  const time = (second: number) => new Date(START + second * 1_000).toISOString();
  const event = (second: number) => ({ time: time(second), received: time(second), source: 'push', skipped: 0 });
  const depth = (second: number) => ({
    ...{ channel: 'depth:btc_usdt', ...event(second), scope: 'snapshot' },
    data: {
      ...{ market: 'btc_usdt', time: time(second), bids: [{ price: '19990', amount: '9' }] },
      asks: [{ price: '20000', amount: '9' }],
    },
  });
  const trade = (second: number, price: string) => ({
    ...{ channel: 'trades:btc_usdt', ...event(second), scope: 'delta' },
    data: [{ id: String(second + 1), time: time(second), market: 'btc_usdt', side: 'buy', price, amount: '0.1' }],
  });
  const documents = [
    ...[depth(0), trade(0, '20000'), depth(60)],
    ...later.map((price, index) => trade(61 + index, price)),
  ];
  const file = path.join(folder, name);
  writeFileSync(file, documents.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return `${file} --funds btc=1`;
}

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
    const tape = `${candles('paused.ndjson', Array(8).fill(20_000), '5000')} --funds usdt=9000000`;
    const twap = 'order buy btc_usdt 280 --over 6m --every 1m';
    const { algo } = await reportOf(tape, twap);
    expect(algo?.reason).toMatch(/day-notional/);
    expect(['paused', 'partial']).toContain(algo?.state);
    expect(algo?.events.map(({ event }) => event)).toEqual(expect.arrayContaining(['began', 'paused']));
    const { stdout } = await rehearse(tape, twap);
    expect(stdout).toMatch(/^algo order +(paused|partial): .*day-notional/m);
  });

  it('has no algo order in the report of a plain order', async () => {
    expect((await reportOf(`${HILL} --funds usdt=10000`, 'order buy btc_usdt 0.1 --at 20100')).algo).toBeNull();
  });

  it('sells when a trailing stop is reached, compares that with the same money held, and leaves the home of the user', async () => {
    const before = readdirSync(home, { recursive: true });
    const [svg, out] = [path.join(folder, 'hill.svg'), path.join(folder, 'hill.fills.ndjson')];
    const report = await reportOf(
      `${HILL} --funds btc=1 --svg ${svg} --out ${out}`,
      'order sell btc_usdt 1 --trail 1%',
    );
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    const { orders, fills, net, held } = report;
    expect({ orders, fills }).toEqual({ orders: 1, fills: 1 });
    // from 20000 to 19120
    expect(Number(held)).toBeCloseTo(-880, 6);
    expect(Number(net)).toBeGreaterThan(Number(held) + 800);
    expect(report.pnl.map(({ market }) => market)).toEqual(['btc_usdt', null]);
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

  it('lets an order rest until the price comes to it, and ends with the tape', async () => {
    const report = await reportOf(`${HILL} --funds usdt=30000`, 'order buy btc_usdt 1 --at 19500');
    expect(report).toMatchObject({ orders: 1, fills: 1, tape: { documents: 90 } });
    const never = await reportOf(`${HILL} --funds usdt=30000`, 'order buy btc_usdt 1 --at 19000');
    expect(never).toMatchObject({ orders: 1, fills: 0, net: '0', held: '0' });
  });

  it.each<readonly [kind: string, command: string]>([
    ['stop', 'order sell btc_usdt 0.5 --stop 19900'],
    ['stop-limit', 'order sell btc_usdt 0.5 --stop 19900 --limit 19850'],
    ['trailing stop', 'order sell btc_usdt 0.5 --trail 1%'],
    ['OCO', 'order sell btc_usdt 0.5 --take 20250 --stop 19800'],
    ['bracket', 'order buy btc_usdt 0.5 --at 20150 --take 20280 --stop 19800'],
    ...ENTRY_COMMANDS,
    ['conditional order', 'order buy btc_usdt 0.5 --at 20250 --when last>20200'],
  ])('gives the same report and the same fills byte for byte, twice: a %s', async (kind, command) => {
    const runs = [];
    for (let run = 0; run < 2; run += 1) {
      const out = path.join(folder, `${kind.replaceAll(' ', '-')}-${run}.csv`);
      const { code, stdout } = await rehearse(`${STEEP_HILL} --json --latency 80ms --out ${out}`, command);
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
    const command = 'order buy btc_usdt 0.5 --over 20m --every 2m';
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

  it("says what a replay cannot know, and not to wait for duplicates: its time is none of the user's", async () => {
    const { stdout, stderr } = await rehearse(`${HILL} --funds btc=1`, 'order sell btc_usdt 1 --trail 1%');
    expect(stderr).toContain('Everything has filled');
    expect(stderr).not.toContain('duplicates');
    expect(stdout).toContain('A replay cannot answer your orders');
    expect(stdout).toMatch(/held instead +-880\.00 usdt/);
  });

  it('counts only whole lines of the tape', async () => {
    const tape = candles('cut-off.ndjson', [20_000, 20_000, 20_000]);
    appendFileSync(tape, '{"market":"btc_us');
    const report = await reportOf(tape, 'order buy btc_usdt 0.1 --at 19000');
    expect(report.tape).toMatchObject({ documents: 3, gaps: 1 });
  });

  it('fills what rests by its share of a volume that is a whole number', async () => {
    const file = path.join(folder, 'whole-volume.csv');
    const row = (minute: number, prices: string) => `${new Date(START + minute * 60_000).toISOString()},${prices}\n`;
    const rows = [row(0, '20000,20000,20000,20000,1'), row(1, '20000,20100,19900,20000,1')];
    writeFileSync(file, `time,open,high,low,close,volume\n${rows.join('')}`);
    const tape = `${file} --market btc_usdt --path ohlc --funds usdt=10000`;
    const report = await reportOf(tape, 'order buy btc_usdt 0.25 --at 19900');
    expect(report).toMatchObject({ orders: 1, fills: 1, beyondVolume: [], fees: [{ coin: 'btc', amount: '0.0005' }] });
    expect(await reportOf(tape, 'order buy btc_usdt 0.26 --at 19900')).toMatchObject({
      fills: 1,
      fees: [{ amount: '0.0005' }],
    });
  });

  it('trades in a market that no exchange has, by the decimals of its tape', async () => {
    const file = path.join(folder, 'unknown.csv');
    const rows = [0, 1, 2].map((minute) => `${START / 1_000 + minute * 60},0.0012,0.0013,0.0011,0.0012,5000\n`);
    writeFileSync(file, `timestamp,open,high,low,close,volume\n${rows.join('')}`);
    const tape = `${file} --market qqq_usdt --path ohlc --funds usdt=100`;
    const { code, stdout, stderr } = await rehearse(`${tape} --json`, 'order buy qqq_usdt 100 --at 0.0011');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'The rules of qqq_usdt are unknown: as in the tape, its prices have 4 decimals, and its amounts 0 decimals.',
    );
    expect(JSON.parse(stdout)).toMatchObject({ orders: 1, fills: 1, fees: [{ coin: 'qqq', amount: '0.2' }] });
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
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/--fee (cannot read|names one)/) });
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
  it('measures the drawdown right after a fill, whether or not the tape goes on', async () => {
    const sell = 'order sell btc_usdt 0.5 --at 19990';
    const ending = await reportOf(recorded('ending.ndjson', []), sell);
    const rising = await reportOf(recorded('rising-after.ndjson', ['21000']), sell);
    // half a coin for 10 less than the last price, and a fee of 0.2 %
    expect([ending.drawdown, rising.drawdown]).toEqual(['24.99', '24.99']);
  });

  it('values what is held at the last price of the tape, whatever price the last order has made', async () => {
    const tape = recorded('own-price.ndjson', []);
    const filled = await reportOf(tape, 'order sell btc_usdt 0.5 --at 19990');
    const open = await reportOf(tape, 'order sell btc_usdt 0.5 --at 30000');
    expect([filled.held, open.held]).toEqual(['0', '0']);
    expect(filled).toMatchObject({ net: '-24.99', gain: { orders: '-24.99', held: '0' } });
    expect(open).toMatchObject({ net: '0', gain: { orders: '0', held: '0' } });
  });

  it('values coins that were held as it values what was bought, if nothing of the market comes after the order', async () => {
    const still = candles('still.ndjson', [20_000]);
    const other = candles('other.ndjson', [1_000, 1_000, 1_000], '5', 'eth_usdt');
    const { net, held, gain, pnl } = await reportOf(
      `${still} ${other} --funds btc=5,usdt=10000`,
      'order buy btc_usdt 0.1 --at ask',
    );
    expect(held).toBe('0');
    expect(gain).toEqual({ orders: pnl.at(-1)?.net, held });
    expect(gain.orders).toBe(net);
    // it bought at an ask of 20001.01, and paid a fee
    expect(Number(net)).toBeCloseTo(-(0.101 + 0.0002 * 20_000), 6);
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

describe('a tape with candles that are still open', () => {
  const candle = (ms: number, [open, high, low, close]: readonly [string, string, string, string], volume: string) => ({
    ...{ time: iso(ms), open, high, low, close, volume, closed: false },
  });
  const book = (ms: number) => depthLine(ms, [['999.50', '1']], [['1000.50', '1']]);
  const tapeOf = (name: string, lines: readonly object[]) => {
    const file = path.join(folder, name);
    writeFileSync(file, textOf([{ markets: [RULES] }, ...lines]));
    return file;
  };

  it('fills an order no earlier than the price was recorded, next to depth', async () => {
    const tape = tapeOf('klines-and-depth.ndjson', [
      book(0),
      klineLine(1_000, [candle(0, ['1000.00', '1000.00', '1000.00', '1000.00'], '1.000000')], 'snapshot'),
      book(20_000),
      klineLine(40_000, [candle(0, ['1000.00', '1020.00', '1000.00', '1015.00'], '4.000000')]),
      klineLine(50_000, [candle(0, ['1000.00', '1020.00', '1000.00', '1016.00'], '5.000000')]),
    ]);
    const fills = path.join(folder, 'klines-and-depth.csv');
    const report = await reportOf(`${tape} --funds btc=1 --out ${fills}`, 'order sell btc_usdt 0.5 --at 1010');
    expect(report).toMatchObject({ orders: 1, fills: 1 });
    expect(readFileSync(fills, 'utf8')).toContain(iso(40_000));
  });

  it('begins the command at the first document, so that its orders meet what the second one shows', async () => {
    const tape = tapeOf('klines.ndjson', [
      klineLine(10_000, [candle(0, ['1000.00', '1000.00', '1000.00', '1000.00'], '2.000000')], 'snapshot'),
      klineLine(30_000, [candle(0, ['1000.00', '1010.00', '990.00', '1005.00'], '3.000000')]),
      klineLine(50_000, [candle(0, ['1000.00', '1010.00', '990.00', '1002.00'], '4.000000')]),
    ]);
    const fills = path.join(folder, 'klines.csv');
    const report = await reportOf(`${tape} --funds btc=1 --out ${fills}`, 'order sell btc_usdt 0.5 --at 1008');
    expect(report).toMatchObject({ tape: { from: iso(10_007) }, orders: 1, fills: 1 });
    expect(readFileSync(fills, 'utf8')).toContain(iso(30_007));
    const exits = await reportOf(`${tape} --funds btc=1 --path ohlc`, 'order sell btc_usdt 0.5 --take 1008 --stop 992');
    expect(exits.orders).toBeGreaterThan(0);
    expect(exits.algo?.events.map(({ event }) => event)).toContain('triggered');
  });
});

describe('a part that begins within a candle', () => {
  it('fills an order by the prices that are left of it', async () => {
    const tape = path.join(folder, 'within.csv');
    const rows = ['2026-01-05T00:00:00Z,1000,1010,995,1005,4.0000', '2026-01-05T00:01:00Z,1002,1004,980,990,8.0000'];
    writeFileSync(tape, ['time,open,high,low,close,volume', ...rows].join('\n'));
    const words = `${tape} --market btc_usdt --path ohlc --funds usdt=10000`;
    const order = 'order buy btc_usdt 0.5 --at 981';
    for (const from of ['2026-01-05T00:01:00', '2026-01-05T00:01:10'])
      expect(await reportOf(`${words} --from ${from}`, order)).toMatchObject({ orders: 1, fills: 1 });
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
    const byDefault = await run('');
    expect(JSON.parse(byDefault)).toMatchObject({ path: 'random', seed: 1 });
    expect(await run('--path random:1')).toBe(byDefault);
    const taken = new Set([(JSON.parse(byDefault) as Report).bothExits?.taken]);
    for (let seed = 2; seed <= 8 && taken.size < 2; seed += 1)
      taken.add((JSON.parse(await run(`--path random:${seed}`)) as Report).bothExits?.taken);
    expect(taken.size).toBe(2);
    const { stdout } = await rehearse(`${file} --funds btc=1`, OCO);
    expect(stdout).toMatch(/^path in candles +random:1$/m);
    // a tape without candles has no path
    const { stdout: ofBooks } = await rehearse(recorded('no-candles.ndjson', []), 'order sell btc_usdt 0.5 --at 19990');
    expect(ofBooks).toMatch(/^fills +1$/m);
    expect(ofBooks).not.toContain('path in candles');
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

  it.each(['close:15min>25000', 'bid>25000', 'trail<-50%'])(
    'asks for no more than candles that have closed while an entry waits for %s',
    async (condition) => {
      const answers = vi.spyOn(PrivateSandbox.prototype, 'answer');
      try {
        const command = `order buy btc_usdt 0.5 --at 20000 --when ${condition}`;
        expect(await reportOf(`${HILL} --funds usdt=30000`, command)).toMatchObject({ orders: 0 });
        const asked = answers.mock.calls.map(([url]) => url);
        expect(asked.filter((url) => /\/(ticker|trades)\?/.test(url)).length).toBeLessThan(10);
        expect(asked.filter((url) => url.includes('/kline?')).length).toBeLessThan(10);
      } finally {
        answers.mockRestore();
      }
    },
  );

  it('buys when a candle has closed above a price', async () => {
    const out = path.join(folder, 'closed.ndjson');
    await rehearse(
      `${HILL} --funds usdt=30000 --out ${out}`,
      'order buy btc_usdt 0.5 --at 20310 --when close:15min>20150',
    );
    // the candles of a quarter end at 20140 and 20290
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ time: expect.stringContaining('T00:30:0') });
  });
});

describe('a long tape', () => {
  /** As many bytes as thousands of candles have, which take much longer to check. */
  function long(name: string, minutes: number): string {
    const tape = candles(name, Array(minutes).fill(20_000));
    const lines = readFileSync(tape, 'utf8').trimEnd().split('\n');
    writeFileSync(tape, lines.map((line) => `${line}${' '.repeat(1_000)}\n`).join(''));
    return tape;
  }

  it('is read for as long as that takes, though a command ends after half a minute without an answer', async () => {
    // what a rehearsal loads is loaded then: no timer below waits for it
    await reportOf(candles('short.ndjson', [20_000, 20_000]), 'order buy btc_usdt 0.1 --at 19000');
    const tape = long('long.ndjson', 1_000);
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
        '2026-01-05T16:00',
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
    const tape = long('broken-later.ndjson', 1_000);
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
