import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { notionalToday } from '../../../src/trading/guards/limits.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import type { Settled } from '../../../src/trading/journal/write.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

const TERMS = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false } as const;

function settled(number: number, { host }: TestTrading, more: Partial<Settled> = {}): Settled {
  const terms = { ...TERMS, price: '3', amount: `${number}` };
  const write = { operation: 'order', terms, id: `mine${number}`, time: host.now(), reqTime: host.now() } as const;
  const events = [{ time: host.now(), event: 'x'.repeat(200) }];
  const runner = { pid: 1, startStamp: null };
  return {
    write: { ...write, firstOwner: runner },
    outcome: 'placed',
    id: `${number}`,
    duplicates: [],
    events,
    ...more,
  };
}

/** A busy account, and the archive file of its day. */
function busy(count: number) {
  const trading = tradingOf('http://127.0.0.1:1');
  const { journal, host } = trading;
  const terms = { ...TERMS, price: '3', amount: '0' };
  journal
    .begin<'order'>({ operation: 'order', terms }, { id: 'first001', reqTime: host.now() })
    .settle({ outcome: 'placed', id: '0', duplicates: [] }, 'placed');
  const folder = path.join(trading.state, 'journal', 'test', 'settled');
  const file = path.join(folder, readdirSync(folder)[0] ?? '');
  // in one write, because syncing each line takes long
  const lines = Array.from({ length: count }, (_, index) =>
    encodeLine({ at: host.now(), settled: settled(index + 1, trading) }),
  );
  appendFileSync(file, lines.join(''));
  return { trading, file, sum: () => notionalToday(journal, 'usdt', host.now()).toString() };
}

const whole = (count: number) => `${(3 * count * (count + 1)) / 2}`;

it('the sums of a long day are recorded, and later reads start after them', () => {
  const { trading, file, sum } = busy(700);
  expect(readFileSync(file, 'utf8')).not.toContain('"sums"');
  expect(sum()).toBe(whole(700));
  const written = readFileSync(file);
  expect(written.toString().match(/"sums":\{"usdt":"\d+"\}/g)).toHaveLength(1);
  expect(sum()).toBe(whole(700));
  expect(readFileSync(file).equals(written)).toBe(true);
  trading.journal.archive.add(settled(701, trading));
  expect(sum()).toBe(whole(701));
  // lines before the sums are no longer read
  const damaged = readFileSync(file);
  damaged.fill('x', 100, 100_000);
  writeFileSync(file, damaged);
  expect(sum()).toBe(whole(701));
});

it('a write that another process adds between the read and the record of the sums counts', () => {
  const { trading, file, sum } = busy(700);
  const before = readFileSync(file).length;
  expect(sum()).toBe(whole(700));
  const bytes = readFileSync(file);
  trading.journal.archive.add(settled(701, trading));
  const added = readFileSync(file).subarray(bytes.length);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, before), added, bytes.subarray(before)]));
  expect(sum()).toBe(whole(701));
});

it('sums that were cut off or damaged are computed again', () => {
  const { file, sum } = busy(700);
  const lines = readFileSync(file).length;
  expect(sum()).toBe(whole(700));
  const written = readFileSync(file);
  for (const length of [lines, lines + 20, written.length - 3]) {
    writeFileSync(file, written.subarray(0, length));
    expect(sum()).toBe(whole(700));
  }
  const wrong = written.toString().replace(/"usdt":"\d/, '"usdt":"9');
  writeFileSync(file, wrong);
  expect(sum()).toBe(whole(700));
});

it('a write that is archived again counts with its difference only, before and after the sums', () => {
  const { trading, sum } = busy(700);
  const { archive } = trading.journal;
  const archiveAgain = (number: number, duplicates: readonly string[]) => {
    const earlier = archive.find(`mine${number}`);
    archive.add(settled(number, trading, { duplicates }), earlier);
  };
  archiveAgain(10, ['a']);
  const plus = (more: number) => `${Number(whole(700)) + 3 * more}`;
  expect(sum()).toBe(plus(10));
  archiveAgain(10, ['a', 'b']);
  archiveAgain(20, ['c']);
  expect(sum()).toBe(plus(40));
  // two processes settle one write at the same time
  archive.add(settled(701, trading));
  archive.add(settled(701, trading));
  expect(sum()).toBe(plus(40 + 701));
});
