import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { planTape } from '../../../src/sandbox/replay/load-tape.js';
import { readTape } from '../../../src/sandbox/replay/read-tape.js';
import { depthLine, gapLine, iso, RULES, textOf, trade, tradesLine } from '../../sandbox/replay/tape-lines.js';
import { TESTER, temporaryDirectory } from '../../sandbox/support/exchange-fixture.js';
import { eventually } from '../../support/eventually.js';
import { usePitHome } from '../pit-home.js';

interface Trade {
  readonly id: string;
  readonly time: string;
  readonly amount: string;
}

interface Candle {
  readonly time: string;
  readonly volume: string;
  readonly closed: boolean;
}

interface Document {
  readonly channel?: string;
  readonly scope?: string;
  readonly data: unknown;
}

/** Of the tape that is recorded here. */
const CHANNELS = ['trades:btc_usdt', 'depth:btc_usdt', 'kline:btc_usdt:1min'];

const recorder = usePitHome();

function documentsIn(file: string): Document[] {
  return gunzipSync(readFileSync(file))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Document);
}

/** What the documents of a channel have, one after the other. */
function dataOf<Data>(documents: readonly Document[], channel: string): Data[] {
  return documents.filter((one) => one.channel === channel).map(({ data }) => data as Data);
}

describe('a tape of a sandbox, replayed', () => {
  const replayer = usePitHome();
  const tape = path.join(recorder.home, 'tape.ndjson.gz');
  let documents: Document[] = [];
  beforeAll(async () => {
    // all channels begin with the same state, in whatever order they are answered
    await recorder.done('sandbox clock stop');
    const recording = recorder.json(`stream ${CHANNELS.join(' ')} --count 24 --out ${tape}`);
    await eventually(() =>
      expect(documentsIn(tape).map(({ channel }) => channel)).toEqual(expect.arrayContaining(CHANNELS)),
    );
    await recorder.done('sandbox clock start');
    await recorder.done('sandbox clock speed 8');
    for (const side of ['buy', 'sell', 'buy'])
      await recorder.done(`order ${side} btc_usdt 0.01 --at ${side === 'buy' ? 'ask' : 'bid'} --yes`);
    await recording;
    documents = documentsIn(tape);
    await replayer.done(`sandbox replay ${tape} --yes`);
  });

  it('has the same public trades, ids and all', async () => {
    const recorded = dataOf<Trade[]>(documents, 'trades:btc_usdt').flat();
    // a recorder may learn of a trade later than of newer ones
    const byId = new Map(recorded.sort((one, other) => Number(one.id) - Number(other.id)).map((one) => [one.id, one]));
    expect(byId.size).toBeGreaterThan(20);
    expect(await replayer.json('trades btc_usdt')).toEqual([...byId.values()].slice(-50));
  });

  it('has the same book at each recorded moment', async () => {
    const files = [tape];
    const plan = await planTape(files, {}, Number.POSITIVE_INFINITY, MARKETS);
    const replayGenesis = {
      time: plan.from,
      emptyMarkets: [...plan.markets.keys()],
      markets: plan.rules,
      isAlone: true,
    };
    const options = {
      directory: temporaryDirectory(),
      seed: 1,
      now: Date.now,
      firstAccount: TESTER,
      isTemporary: true,
    };
    const exchange = await SandboxExchange.open({ ...options, replayGenesis });
    let books = 0;
    for await (const event of readTape(files)) {
      exchange.clock.forward(event.time);
      exchange.replay.take(event);
      if (event.kind !== 'depth') continue;
      books += 1;
      const side = (levels: typeof event.bids) =>
        levels.map(({ price, amount }) => [
          Decimal.of(price).rescaled(2, 'down').toString(),
          Decimal.of(amount).rescaled(6, 'down').toString(),
        ]);
      const { bids, asks } = exchange.market.depth('btc_usdt', { size: 1_000 });
      expect({ bids, asks }).toEqual({ bids: side(event.bids), asks: side(event.asks) });
    }
    await exchange.close();
    expect(books).toBe(dataOf(documents, 'depth:btc_usdt').length);
    const last = dataOf<{ bids: object[]; asks: object[] }>(documents, 'depth:btc_usdt').at(-1);
    const { bids, asks } = last ?? { bids: [], asks: [] };
    expect(await replayer.json('depth btc_usdt --size 50')).toMatchObject({ bids, asks });
  });

  it('has the candles that were recorded, and its trades in the newest one', async () => {
    const first = documents.findIndex(({ channel }) => channel === 'kline:btc_usdt:1min');
    const candles = documents[first]?.data as Candle[];
    const begun = candles.at(-1);
    const shown = await replayer.json<Candle[]>('kline btc_usdt --type 1min --size 90');
    const at = (time: string | undefined) => shown.find((candle) => candle.time === time);
    const past = candles.slice(-80, -1);
    expect(past.map(({ time }) => at(time))).toEqual(past);
    const later = dataOf<Trade[]>(
      documents.filter(({ scope }) => scope === 'delta'),
      'trades:btc_usdt',
    ).flat();
    const within = later.filter(({ time }) => time.slice(0, 16) === begun?.time.slice(0, 16));
    const volume = Decimal.sum(
      [begun?.volume ?? '0', ...within.map(({ amount }) => amount)].map((text) => Decimal.of(text)),
    );
    expect(Decimal.of(at(begun?.time)?.volume ?? '0').equals(volume)).toBe(true);
  });
});

describe('pit sandbox replay', () => {
  const replayer = usePitHome();
  const fileIn = (name: string, text: string | Buffer) => {
    const file = path.join(replayer.home, name);
    writeFileSync(file, text);
    return file;
  };
  const book = (ms: number) => depthLine(ms, [['100.00', '1.0']], [['100.50', '1.0']], 'abc_usdt');
  const rules = { ...RULES, market: 'abc_usdt', base: 'abc', amountScale: 1, minAmount: '0.1' };
  const tapeOf = (lines: readonly object[], name = 'abc.ndjson') => fileIn(name, textOf(lines));
  const balanceOf = async (coin: string) => {
    const [row] = await replayer.json<{ total: string }[]>(`balance ${coin}`);
    return Decimal.of(row?.total ?? '0');
  };

  it('has markets that the sandbox does not know, by the rules in the tape, for orders too', async () => {
    const sold = tradesLine(3_000, [trade('71', 'sell', '100.00', '9.0')], 'delta', 'abc_usdt');
    const file = tapeOf([
      { markets: [rules] },
      book(0),
      tradesLine(2_000, [trade('70', 'sell', '100.00', '0.5')], 'delta', 'abc_usdt'),
      sold,
    ]);
    const replayed = await replayer.json(`sandbox replay ${file} --yes`);
    expect(replayed).toMatchObject({
      market: 'abc_usdt',
      markets: ['abc_usdt'],
      kind: 'tape',
      rows: 3,
      left: 0,
      gaps: [],
      from: iso(0),
      to: iso(3_000),
    });
    expect(await replayer.json('markets abc_usdt')).toMatchObject([
      { market: 'abc_usdt', amountScale: 1, minAmount: '0.1' },
    ]);
    expect(await replayer.json('trades abc_usdt')).toMatchObject([{ id: '70' }, { id: '71', amount: '9.0' }]);
    await replayer.done('order buy abc_usdt 0.4 --at ask --yes');
    expect(await replayer.json('depth abc_usdt')).toMatchObject({ asks: [{ price: '100.50', amount: '0.6' }] });
    await replayer.done('sandbox deposit abc 5');
  });

  it('has markets whose scales are together more than the decimals of a coin', async () => {
    const cases = [
      { market: 'pepe_usdt', scales: [12, 0], price: '0.000001234567', amount: '1000001', value: '1.234568234567' },
      { market: 'eth_btc', scales: [6, 4], price: '0.068123', amount: '0.0203', value: '0.0013828969' },
      { market: 'xrp_usdt', scales: [5, 9], price: '2.12345', amount: '0.500000001', value: '1.06172500212345' },
      {
        market: 'tiny_coin',
        scales: [18, 18],
        price: '1.000000000000000001',
        amount: '0.5',
        value: '0.5000000000000000005',
      },
    ];
    const markets = cases.map(({ market, scales: [priceScale, amountScale] }) => {
      const [base, quote] = market.split('_');
      return { ...RULES, market, base, quote, priceScale, amountScale, minAmount: '0', minNotional: '0' };
    });
    const books = cases.map(({ market, price }) => depthLine(0, [], [[price, '5000000']], market));
    await replayer.json(`sandbox replay ${tapeOf([{ markets }, ...books], 'scales.ndjson')} --yes`);
    for (const coin of ['usdt', 'btc', 'coin']) await replayer.done(`sandbox deposit ${coin} 100`);
    await replayer.done('sandbox clock advance 1m');
    for (const { market, price, amount, value } of cases) {
      const [, quote = ''] = market.split('_');
      const before = await balanceOf(quote);
      const { id } = await replayer.json<{ id: string }>(`order buy ${market} ${amount} --at ${price} --yes`);
      const order = await replayer.json<{ state: string; filledValue: string }>(`order show ${market} ${id}`);
      expect(order.state).toBe('filled');
      expect(Decimal.of(order.filledValue).equals(Decimal.of(value))).toBe(true);
      expect(before.minus(await balanceOf(quote)).equals(Decimal.of(value))).toBe(true);
      const [bill] = await replayer.json<{ change: string }[]>(`bills ${quote}`);
      expect(Decimal.of(bill?.change ?? '0').equals(Decimal.of(value).negated())).toBe(true);
    }
  });

  it('has a market without rules by the decimals of the tape, and says so', async () => {
    const file = fileIn('def.csv', 'time,open,high,low,close,volume\n1767268800,1.25,1.5,1.125,1.25,40.5\n');
    const shown = await replayer.run(`sandbox replay def_usdt ${file} --yes`);
    expect(shown.stderr).toContain(
      'The rules of def_usdt are unknown: as in the tape, its prices have 3 decimals, and its amounts 1 decimal.',
    );
    expect(await replayer.json('markets def_usdt')).toMatchObject([
      {
        market: 'def_usdt',
        base: 'def',
        quote: 'usdt',
        priceScale: 3,
        amountScale: 1,
        minAmount: '0',
        minNotional: '0',
      },
    ]);
    expect(await replayer.json('ticker def_usdt')).toMatchObject([{ last: '1.250' }]);
  });

  it('says what the tape does not have, also in its document', async () => {
    const file = tapeOf([{ markets: [rules] }, book(60_000), gapLine(60_000, 70_000, 'trades:abc_usdt'), book(70_000)]);
    writeFileSync(file, `${readFileSync(file, 'utf8')}{"channel":"dep`);
    const shown = await replayer.run(`sandbox replay ${file} --yes`);
    expect(shown.stderr).toContain(`A gap in trades:abc_usdt, ${iso(60_000)} to ${iso(70_000)}: nothing was recorded.`);
    expect(shown.stderr).toContain(`At ${iso(70_000)}, line 5 of ${file} is cut off, and was left out.`);
    const { gaps } = await replayer.json<{ gaps: object[] }>(`sandbox replay ${file} --yes`);
    expect(gaps).toMatchObject([{ channel: 'trades:abc_usdt', from: iso(60_000), to: iso(70_000) }, { channel: '' }]);
    expect(await replayer.json(`sandbox replay ${file} --dry-run`)).toMatchObject({
      change: expect.arrayContaining([`Would replay ${file} in abc_usdt.`]),
    });
  });

  it.each<[what: string, lines: readonly object[], message: RegExp]>([
    [
      'more decimals than the market has',
      [{ markets: [rules] }, book(0), depthLine(1_000, [['100', '0.55']], [], 'abc_usdt')],
      /line 3 has an amount with more than the 1 decimals of abc_usdt: 0\.55/,
    ],
    [
      'a market that the sandbox cannot have',
      [{ markets: [{ ...rules, minAmount: '0.01' }] }, book(0)],
      /line 1 has a market that the sandbox cannot have, abc_usdt/,
    ],
    ['a fault at its end', [{ markets: [rules] }, book(0), book(100_000), book(0)], /line 4 goes back in time/],
    ['rules alone', [{ markets: [rules] }], /line 1 is followed by nothing that moves a market/],
  ])('changes nothing for a tape with %s', async (_what, lines, message) => {
    const state = async () => {
      const { time, trades, orders, accounts } = await replayer.json<Record<string, unknown>>('sandbox status');
      return { time, trades, orders, accounts, markets: await replayer.json('markets') };
    };
    await replayer.done('sandbox clock stop');
    const before = await state();
    const failure = await replayer.failure(`sandbox replay ${tapeOf(lines, 'bad.ndjson')} --yes`, 2);
    expect(failure.message).toMatch(message);
    expect(await state()).toEqual(before);
  });

  it('tells by its content what a file is, whatever its name', async () => {
    const text = textOf([{ markets: [rules] }, book(960_000)]);
    for (const bytes of [Buffer.from(text), gzipSync(text)]) {
      const file = fileIn('piped', bytes);
      expect(await replayer.json(`sandbox replay ${file} --yes`)).toMatchObject({ rows: 1 });
    }
  });

  it('rejects --latency without a speed, and a market without a file', async () => {
    const file = tapeOf([{ markets: [rules] }, book(0)]);
    expect((await replayer.failure(`sandbox replay ${file} --latency 80ms`, 2)).message).toBe(
      '--latency needs --speed.',
    );
    expect((await replayer.failure('sandbox replay btc_usdt', 2)).message).toBe('A file is missing.');
    expect((await replayer.failure('sandbox replay none.ndjson', 2)).message).toMatch(
      /^Cannot read .*none\.ndjson: ENOENT\.$/,
    );
  });
});

describe('pit sandbox replay of what pit has saved', () => {
  const replayer = usePitHome();

  it('takes files of pit kline, and has their candles', async () => {
    const candles = path.join(recorder.home, 'candles.parquet');
    const downloaded = await recorder.json<{ added: number }>(`kline btc_usdt --type 5min --since 2h --out ${candles}`);
    const replayed = await replayer.json<{ rows: number }>(`sandbox replay ${candles} --yes`);
    expect([replayed, downloaded.added]).toEqual([
      expect.objectContaining({ kind: 'candles', markets: ['btc_usdt'] }),
      replayed.rows,
    ]);
    const columns = (rows: readonly Record<string, unknown>[]) =>
      rows.map(({ time, open, high, low, close, volume }) => [time, open, high, low, close, volume]);
    const saved = await parquetReadObjects({ file: await asyncBufferFromFile(candles) });
    const shown = await replayer.json<Record<string, unknown>[]>('kline btc_usdt --type 5min --since 80m --size 400');
    expect(columns(shown)).toEqual(expect.arrayContaining(columns(saved).slice(-15)));
  });

  it.each(['csv', 'ndjson', 'parquet'])('takes files of pit trades: %s', async (ending) => {
    const trades = path.join(recorder.home, `trades.${ending}`);
    const [first] = await recorder.json<{ id: string }[]>('trades btc_usdt');
    await recorder.done(`trades btc_usdt --since ${first?.id} --out ${trades}`);
    expect(await replayer.json(`sandbox replay ${trades} --yes`)).toMatchObject({
      kind: 'trades',
      markets: ['btc_usdt'],
    });
  });
});
