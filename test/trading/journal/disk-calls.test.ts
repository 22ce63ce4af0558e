import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/errors.js';
import { placeOrder } from '../../../src/trading/orders/place.js';
import type { Placement } from '../../../src/trading/settling/settle-sent-order.js';
import { ScriptedExchange } from '../../support/scripted-exchange.js';
import { TERMS } from '../support/terms.js';
import { type TestTrading, tradingOf } from '../support/trading.js';

/** The calls with which the journal uses the disk. */
const CALLS = [
  ...['openSync', 'writeSync', 'writeFileSync', 'fsyncSync', 'closeSync', 'fchmodSync'],
  ...['renameSync', 'rmSync', 'unlinkSync'],
  ...['readFileSync', 'readdirSync', 'readSync', 'fstatSync', 'mkdirSync', 'chmodSync', 'statSync', 'lstatSync'],
] as const;

afterEach(() => void vi.restoreAllMocks());

/** Makes the call of this number fail, and all after it if the failure lasts; counts the calls. */
function fail(number: number, code: string, lasts: boolean): { readonly count: number } {
  const calls = { count: 0 };
  const outside = new Set<unknown>();
  for (const name of CALLS) {
    const original = fs[name] as (...values: unknown[]) => unknown;
    vi.spyOn(fs, name as 'openSync').mockImplementation((...values: unknown[]) => {
      const result = () => original.apply(fs, values) as number;
      if (isOutside(values[0]) || outside.has(values[0])) {
        const opened = result();
        if (name === 'openSync') outside.add(opened);
        if (name === 'closeSync') outside.delete(values[0]);
        return opened;
      }
      calls.count += 1;
      const isFailing = lasts ? calls.count >= number : calls.count === number;
      if (isFailing) throw Object.assign(new Error(`${code}: ${name}`), { code });
      return result();
    });
  }
  return calls;
}

/** Whether the client or the runtime reads this for itself. */
function isOutside(target: unknown): boolean {
  return typeof target === 'string' && (target.startsWith('/proc/') || target.includes('node_modules'));
}

function settleOne({ journal, host }: TestTrading): void {
  const entry = journal.begin<'order'>({ operation: 'order', terms: TERMS }, { id: 'before01', reqTime: host.now() });
  entry.settle({ outcome: 'placed', id: '5', duplicates: [] }, 'placed');
}

describe.each([
  ['ENOSPC', false, true],
  ['EIO', false, false],
  ['EROFS', true, false],
  ['EACCES', true, true],
])('a disk on which each call in turn fails: %s, lasting: %s, with a journal: %s', (code, lasts, hasJournal) => {
  it('refuses an order before it is sent and keeps no record of it, or sends it once and reports it as placed', async () => {
    const ends = new Set<string>();
    const exchange = new ScriptedExchange();
    for (let number = 1; ; number += 1) {
      const trading = tradingOf(exchange);
      if (hasJournal) settleOne(trading);
      exchange.has.orders = [];
      const before = exchange.count('order');
      const calls = fail(number, code, lasts);
      const end = await placeOrder(trading, TERMS, { id: 'own0001', clientId: 'mine0001' }).catch(
        (error: unknown) => error,
      );
      vi.restoreAllMocks();
      const sent = exchange.count('order') - before;
      expect([number, wordsOf(end), sent]).toEqual([number, wordsOf(end), isPlaced(end) ? 1 : 0]);
      // an unsent order is not open either, if the disk let its record be removed
      if (!lasts && !isPlaced(end)) expect([number, trading.journal.unsettledEntries()]).toEqual([number, []]);
      ends.add(wordsOf(end));
      if (calls.count < number) break;
    }
    expect([...ends].sort()).toEqual(['not sent', 'placed']);
  });
});

function isPlaced(end: unknown): end is Placement {
  return typeof end === 'object' && end !== null && 'outcome' in end && end.outcome === 'placed';
}

function wordsOf(end: unknown): string {
  if (isPlaced(end)) return 'placed';
  return end instanceof Failure ? 'not sent' : `neither: ${String(end)} ${JSON.stringify(end)}`;
}
