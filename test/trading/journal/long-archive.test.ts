import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { notionalToday } from '../../../src/trading/guards/limits.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import { dayNotionalOf } from '../../../src/trading/journal/notional.js';
import type { CancelledOrder, RecordedWrite } from '../../../src/trading/journal/write.js';
import { closeCoin } from '../../../src/trading/settling/withdrawals/reconcile-withdrawals.js';
import { TERMS } from '../support/terms.js';
import { tradingOf } from '../support/trading.js';
import { PLACED, settledOf } from './support.js';

const DAY = 86_400_000;
const ORDERS = 2_000;
/** The most that is read of a file at once. */
const MAX_BYTES = 65_536;

const WITHDRAWAL = { coin: 'btc', amount: '1', fee: '0', address: 'bc1q', internal: false };

/** The lines of a day of a busy account: many orders, one withdrawal and one cancellation. */
function linesOfDay(at: number, ago: number): string {
  const add = (write: object) => {
    const one = settledOf('any0001');
    const settled = { ...one, write: { ...one.write, time: at, ...write } as RecordedWrite };
    return encodeLine({ at, day: dayNotionalOf(settled), settled });
  };
  const orders = Array.from({ length: ORDERS }, (_, index) => add({ id: `mine${ago}x${index}` }));
  const withdrawal = { id: `out${ago}`, operation: 'withdraw', terms: { ...WITHDRAWAL, before: { record: '0' } } };
  const cancelled: CancelledOrder = { market: 'eth_usdt', id: `5${-ago}` };
  return [...orders, add(withdrawal), encodeLine({ at, cancelled })].join('');
}

/** The same in each test, by their time. */
const daysByTime = new Map<number, string>();

/** Two days of a busy account. */
function busy() {
  const trading = tradingOf('http://127.0.0.1:1');
  trading.journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'first001', reqTime: 1 }).discard();
  const folder = path.join(trading.state, 'journal', 'test', 'archive');
  for (const ago of [-DAY, 0]) {
    const at = trading.host.now() + ago;
    const lines = daysByTime.get(at) ?? linesOfDay(at, ago);
    daysByTime.set(at, lines);
    fs.writeFileSync(path.join(folder, `${new Date(at).toISOString().slice(0, 10)}.jsonl`), lines, { mode: 0o600 });
  }
  return trading;
}

/** Counts what is read from now on. */
function reading() {
  const [whole, parts, opened] = [vi.spyOn(fs, 'readFileSync'), vi.spyOn(fs, 'readSync'), vi.spyOn(fs, 'openSync')];
  onTestFinished(() => void vi.restoreAllMocks());
  const isArchive = ([file]: readonly unknown[]) => String(file).endsWith('.jsonl');
  return {
    whole: () => whole.mock.calls.filter(isArchive).length,
    longest: () => Math.max(0, ...parts.mock.calls.map(([, buffer]) => buffer.byteLength)),
    opened: () => opened.mock.calls.filter(isArchive).length,
  };
}

type Busy = ReturnType<typeof busy>;

it.each<[string, (trading: Busy) => unknown, unknown]>([
  ['its markets', ({ journal }) => journal.markets(), ['btc_usdt', 'eth_usdt']],
  ['its coins', ({ journal }) => journal.coins(), ['btc']],
  ['one write', ({ journal }) => journal.archive.find(`mine${-DAY}x7`)?.write.id, `mine${-DAY}x7`],
  ['nothing for an unknown client id', ({ journal }) => journal.archive.findByClientId('unknown1'), undefined],
  ['nothing for an unknown order', ({ journal }) => journal.archive.findByOrder('unknown1'), undefined],
  ['nothing for an unknown write', ({ journal }) => journal.archive.find('unknown1'), undefined],
  [
    'withdrawals',
    ({ journal }) => journal.archive.since(0, { operation: 'withdraw', coin: 'btc' }).map(({ write }) => write.id),
    [`out${-DAY}`, 'out0'],
  ],
  ['withdrawals of a coin that has none', (trading) => closeCoin(trading, 'eth'), []],
  ['a cancelled order', ({ journal }) => ['50', '51'].map((id) => journal.archive.wasCancelled(id)), [true, false]],
])('a long archive finds %s without loading a whole file', async (_, ask, found) => {
  const trading = busy();
  const read = reading();
  expect(await ask(trading)).toEqual(found);
  expect([read.whole(), read.longest() <= MAX_BYTES]).toEqual([0, true]);
});

it('a long archive is read no further back than requested', () => {
  const { journal, host } = busy();
  const read = reading();
  expect(journal.archive.since(host.now() - 1_000, { operation: 'withdraw' }).map(({ write }) => write.id)).toEqual([
    'out0',
  ]);
  expect(read.opened()).toBe(1);
});

it('the notional of the day is summed in one pass, however many jobs are open', () => {
  const passes = [1, 6].map((jobs) => {
    const { journal, host } = busy();
    for (let job = 0; job < jobs; job += 1) {
      const { market, side, account } = TERMS;
      const terms = { market, side, account, count: 1, lines: [[1, '2', '3'] as const], baseline: [] };
      journal.begin<'batch'>({ operation: 'batch', terms }, { id: `job${job}x`, reqTime: 1 });
    }
    const read = reading();
    const sum = notionalToday(journal, 'usdt', host.now()).trimmed().toString();
    vi.restoreAllMocks();
    return [sum, read.opened()];
  });
  const placed = ORDERS * 300;
  expect(passes.map(([sum]) => sum)).toEqual([`${placed + 6}`, `${placed + 36}`]);
  expect(passes[1]?.[1]).toBe(passes[0]?.[1]);
});

it('the notional of the day is summed again only once one more write is settled', () => {
  const trading = busy();
  const { journal, host } = trading;
  const read = reading();
  const today = () => notionalToday(journal, 'usdt', host.now()).trimmed().toString();
  expect([today(), today()]).toEqual([`${ORDERS * 300}`, `${ORDERS * 300}`]);
  expect(read.opened()).toBe(2);
  const entry = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'one01', reqTime: 1 });
  expect([today(), read.opened()]).toEqual([`${ORDERS * 300 + 300}`, 2]);
  entry.settle(PLACED, 'placed');
  expect([today(), read.opened() > 2]).toEqual([`${ORDERS * 300 + 300}`, true]);
});

it('the days of two quote coins are summed apart', () => {
  const { journal, host } = busy();
  const today = (quote: string) => notionalToday(journal, quote, host.now()).trimmed().toString();
  expect([today('usdt'), today('btc'), today('usdt')]).toEqual([`${ORDERS * 300}`, '0', `${ORDERS * 300}`]);
});
