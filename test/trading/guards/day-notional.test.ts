import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { usage } from '../../../src/errors.js';
import { resumeJob, startJob } from '../../../src/trading/batches/start-job.js';
import { guardOrders } from '../../../src/trading/guards/guards.js';
import { guardLimits, notionalToday, requireDayNotional } from '../../../src/trading/guards/limits.js';
import type { JournalEntry } from '../../../src/trading/journal/entry.js';
import type { BatchLine, RecordedOrderTerms, Settlement } from '../../../src/trading/journal/write.js';
import { resolveJob } from '../../../src/trading/settling/resolve.js';
import { NOW } from '../../support/fake-host.js';
import { DONE, late, refused, ScriptedExchange, TWICE } from '../../support/scripted-exchange.js';
import { begin, resume, runJob } from '../batches/jobs.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const ORDER: RecordedOrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '7', amount: '1', borrow: false, repay: false },
};
const PLACED: Settlement = { outcome: 'placed', id: '1', duplicates: [] };

it('the notional of a day sums the orders of the journal since midnight UTC in one quote coin', () => {
  const trading = tradingOf();
  const { journal, host } = trading;
  const today = () => notionalToday(journal, 'usdt', host.now()).toString();
  let count = 0;
  const write = (market: string, price: string, amount: string) => {
    const base = { side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false } as const;
    count += 1;
    return journal.begin<'order'>(
      { operation: 'order', terms: { ...base, market, price, amount } },
      { id: `mine${count}`, reqTime: host.now() },
    );
  };
  expect(today()).toBe('0');
  write('btc_usdt', '100', '0.5').settle(PLACED, 'placed');
  expect(today()).toBe('50.0');
  // open: the outcome is unknown
  const open = write('eth_usdt', '10', '3');
  expect(today()).toBe('80.0');
  open.settle({ ...PLACED, outcome: 'refused', id: null }, 'refused');
  expect(today()).toBe('50.0');
  // the network repeated it
  write('btc_usdt', '7', '1').settle({ ...PLACED, duplicates: ['2'] }, 'placed');
  expect(today()).toBe('64.0');
  write('eth_btc', '1', '1').settle(PLACED, 'placed');
  write('btc_usdt', '1', '1').settle({ ...PLACED, outcome: 'notSent', id: null }, 'not sent');
  journal.noteCancelled({ market: 'btc_usdt', id: '1' });
  expect(today()).toBe('64.0');
  expect(notionalToday(journal, 'btc', host.now()).toString()).toBe('1');
});

it('the notional of a day starts at zero at midnight UTC', async () => {
  const trading = tradingOf();
  const { journal, host } = trading;
  const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', price: '100', amount: '1' } as const;
  const begin = (id: string) =>
    journal.begin<'order'>(
      { operation: 'order', terms: { ...terms, borrow: false, repay: false } },
      { id, reqTime: host.now() },
    );
  const late = begin('late1');
  const midnight = Math.ceil(host.now() / 86_400_000) * 86_400_000;
  await host.sleep(midnight - host.now() - 1);
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('100');
  await host.sleep(1);
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('0');
  // settled today, written yesterday
  late.settle(PLACED, 'placed');
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('0');
  const early = begin('early1');
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('100');
  early.settle(PLACED, 'placed');
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('100');
});

it('the day of one quote coin leaves out the open orders of another', () => {
  const { journal, host } = tradingOf();
  journal.begin<'order'>(
    { operation: 'order', terms: { ...ORDER, market: 'eth_btc' } },
    { id: 'btc1', reqTime: host.now() },
  );
  expect(notionalToday(journal, 'usdt', host.now()).toString()).toBe('0');
  expect(notionalToday(journal, 'btc', host.now()).toString()).toBe('7');
});

describe("the day's limit, checked once a write is recorded,", () => {
  const check = (limits: readonly (readonly [coin: string, most: string])[]) => {
    const trading = tradingOf();
    trading.journal.begin<'order'>({ operation: 'order', terms: ORDER }, { id: 'o1', reqTime: trading.host.now() });
    requireDayNotional(trading, 'usdt', {
      dayNotional: new Map(limits.map(([coin, most]) => [coin, Decimal.of(most)])),
    });
  };

  it('lets a day pass that comes to it, and any day without a limit for its coin', () => {
    expect(() => check([['usdt', '7.00']])).not.toThrow();
    expect(() => check([['btc', '1']])).not.toThrow();
    expect(() => check([])).not.toThrow();
  });

  it('stops what exceeds it together with the orders of other processes', () => {
    expect(() => check([['usdt', '6.50']])).toThrow(
      usage(
        'day-notional blocks this: with orders that other processes have just started, this UTC day would come to 7 usdt, and the limit is 6.5 usdt. Nothing was sent.',
        'Run the command again when they are done, or add --override day-notional if you mean it.',
      ),
    );
  });
});

describe('the orders of a command, checked before they are recorded,', () => {
  const plan = {
    market: { quote: 'usdt', priceScale: 2 },
    side: 'buy',
    type: 'limit',
    orders: [{ price: '10', amount: '2' }],
  } as const;

  it('count for the limit of their day with the orders of the journal', () => {
    const trading = tradingOf();
    trading.journal.begin<'order'>({ operation: 'order', terms: ORDER }, { id: 'o1', reqTime: trading.host.now() });
    const breachesAt = (dayNotional: string) =>
      guardOrders(trading, plan, undefined, guardLimits({ priceBand: 'off', dayNotional })).breaches;
    expect(breachesAt('27usdt')).toEqual([]);
    expect(breachesAt('26usdt')).toEqual([
      {
        guard: 'day-notional',
        message: 'the orders of this UTC day would come to 27 usdt, and the limit is 26 usdt',
        failure: null,
      },
    ]);
  });

  it('need no journal if no limit of a day concerns their coin', () => {
    const trading = tradingOf();
    const folder = path.join(trading.state, 'journal', 'test');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, 'version'), '1\n');
    const check = (dayNotional: string) =>
      guardOrders(trading, plan, undefined, guardLimits({ priceBand: 'off', dayNotional }));
    expect(check('off').breaches).toEqual([]);
    expect(() => check('26usdt')).toThrow(/another version/);
  });
});

describe('a sell below the best bid', () => {
  const SELL: RecordedOrderTerms = { ...ORDER, side: 'sell', price: '10', amount: '2' };

  it('counts at that bid while unsettled and once settled, for each duplicate; at its own price if its record has no bid', () => {
    const trading = tradingOf();
    const { journal, host } = trading;
    const usdt = () => notionalToday(journal, 'usdt', host.now()).toString();
    const begin = (id: string, terms: RecordedOrderTerms, bid?: string) =>
      journal.begin<'order'>({ operation: 'order', terms }, { id, reqTime: host.now(), bestBid: bid });
    const low = begin('low1', SELL, '28000.5');
    expect(usdt()).toBe('56001.0');
    low.settle({ ...PLACED, duplicates: ['2'] }, 'placed');
    expect(usdt()).toBe('112002.0');
    begin('high1', { ...SELL, price: '30000' }, '28000.5').settle(PLACED, 'placed');
    expect(usdt()).toBe('172002.0');
    begin('earlier1', SELL).settle(PLACED, 'placed');
    expect(usdt()).toBe('172022.0');
    // refused, and placed by a repetition of the request
    begin('late1', SELL).settle({ outcome: 'refused', id: null, duplicates: ['9'] }, 'refused');
    expect(usdt()).toBe('172042.0');
  });

  it('counts at that bid as a replacement, before and after the old order is cancelled', () => {
    const { journal, host } = tradingOf();
    const usdt = () => notionalToday(journal, 'usdt', host.now()).toString();
    const terms = { market: 'btc_usdt', order: { id: '7' }, wanted: SELL, filled: '0.5' };
    const entry = journal.begin<'replace'>(
      { operation: 'replace', terms },
      { id: 'replace1', reqTime: host.now(), bestBid: '100' },
    );
    expect(usdt()).toBe('150.0');
    const order = { operation: 'order', terms: { ...SELL, amount: '1' }, replaces: terms } as const;
    const next = entry.continueAs<'order'>(order, host.now());
    expect([usdt(), journal.findUnsettled('replace1')?.write.bestBid]).toEqual(['100', '100']);
    next.settle(PLACED, 'placed');
    expect(usdt()).toBe('100');
  });

  it('counts at that bid for each line of a job that runs, stops, ends or resumes at a higher bid', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const usdt = () => notionalToday(trading.journal, 'usdt', trading.host.now()).toString();
    const plan = { market: 'btc_usdt', side: 'sell', account: 'spot' } as const;
    const rows: BatchLine[] = [
      [1, '10', '2'],
      [2, '5000', '1'],
    ];
    const job = await startJob(trading, { ...plan, lines: rows }, 'job0123456789', { bestBid: '1000' });
    expect(usdt()).toBe('7000');
    job.entry.release();
    expect(usdt()).toBe('0');
    const again = await resumeJob(trading, job.id, { bestBid: '6000' });
    expect(usdt()).toBe('18000');
    const { ending } = await runJob(trading, again);
    expect([ending.kind, trading.journal.unsettledEntries(), usdt()]).toEqual(['finished', [], '18000']);
  });
});

describe('the notional of a job', () => {
  const usdt = ({ journal, host }: TestTrading) => notionalToday(journal, 'usdt', host.now()).toString();

  it('counts live orders, duplicates and unknown ones, and every line while the job runs', async () => {
    const exchange = new ScriptedExchange({}, [DONE, TWICE, late(1)]);
    const trading = tradingOf(exchange, { budgetMs: 1_000, tolerance: 60_000 });
    const rows = Array.from({ length: 400 }, (_, index): BatchLine => [index + 1, `${100 + index}`, '1']);
    const worth = (from: number, to: number) => rows.slice(from, to).reduce((sum, [, price]) => sum + Number(price), 0);
    const job = await begin(trading, { lines: rows });
    expect(usdt(trading)).toBe(`${worth(0, 400)}`);
    exchange.lag = 1_000;
    await runJob(trading, job);
    const left = rows.filter((_, line) => job.outcomes()[line] === 'notSent');
    expect(left.length).toBeGreaterThan(0);
    expect(usdt(trading)).toBe(`${worth(0, 400) - left.reduce((sum, [, price]) => sum + Number(price), 0)}`);
    exchange.lag = 0;
    const later = tradingOf(exchange, {
      state: trading.state,
      tolerance: 60_000,
      elapsedMs: trading.host.now() - NOW,
    });
    await resume(later);
    // nothing distinguishes the duplicate from the answered order
    expect(usdt(later)).toBe(`${worth(0, 400) + worth(20, 40)}`);
  });

  it('leaves out refused lines even while the job runs', async () => {
    const trading = tradingOf(new ScriptedExchange());
    const job = await begin(trading, {
      lines: [
        [1, '100', '1'],
        [2, '200', '1'],
        [3, '400', '1'],
      ],
    });
    await job.leaving([[0]], NOW);
    job.record('refused', {
      kind: 'refused',
      request: 1,
      refusal: 'insufficientFunds',
      code: 2009,
      message: 'balance',
    });
    const closed = { kind: 'closed', outcome: 'refused', reason: 'balance', code: 2009 } as const;
    job.record('closed', { ...closed, request: 1 });
    expect(trading.journal.findUnsettled(job.id)?.isUnderWay).toBe(true);
    expect(usdt(trading)).toBe('600');
  });

  it('counts a job once that was closed and resumed', async () => {
    // the second request executes twice
    const exchange = new ScriptedExchange({}, [DONE, TWICE], refused('tooFrequent'));
    const trading = tradingOf(exchange);
    // one price per request
    const priced = Array.from({ length: 60 }, (_, at): BatchLine => [at + 1, `${100 + Math.floor(at / 20)}`, '1']);
    const job = await begin(trading, { lines: priced });
    await runJob(trading, job);
    const entry = trading.journal.findUnsettled(job.id) as JournalEntry<'batch'>;
    expect(await resolveJob(trading, entry, true)).toMatchObject({ outcome: 'partial' });
    // 40 of the first two requests, and 20 duplicates
    expect([usdt(trading), trading.journal.unsettledEntries()]).toEqual(['6040', []]);
    const others = trading.journal.begin<'order'>({ operation: 'order', terms: ORDER }, { id: 'o1', reqTime: 5 });
    others.settle(PLACED, 'placed');
    expect(usdt(trading)).toBe('6047');
    // every line while it is under way, and the duplicates
    const again = await resumeJob(trading, job.id);
    expect(usdt(trading)).toBe('8087');
    again.entry.release();
    expect(usdt(trading)).toBe('6047');
    exchange.outcomes.push({});
    const { job: done } = await resume(trading);
    expect([done.counts().placed, trading.journal.unsettledEntries(), usdt(trading)]).toEqual([60, [], '8087']);
    trading.journal.reopen(job.id);
    expect(usdt(trading)).toBe('8087');
  });

  it('counts whole on the day the job ended', async () => {
    const exchange = new ScriptedExchange();
    const trading = tradingOf(exchange);
    const job = await begin(trading, { lines: [[1, '100', '2']] });
    job.entry.release();
    const later = tradingOf(exchange, { state: trading.state, elapsedMs: 86_400_000 });
    expect(usdt(later)).toBe('0');
    await resume(later);
    expect(usdt(later)).toBe('200');
    await later.host.sleep(86_400_000);
    expect(usdt(later)).toBe('0');
  });
});
