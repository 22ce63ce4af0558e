import { expect, it } from 'vitest';
import { shownOf } from '../../../src/cli/fact-list.js';
import { PREPARED_FACTS, preparedRow } from '../../../src/commands/commit/prepared-facts.js';
import type { PreparedWrite } from '../../../src/trading/prepared/prepared-write.js';
import { NOW } from '../../support/fake-host.js';
import { pipe } from '../../terminal/screens.js';

const PLACED = { side: 'buy', type: 'postOnly', account: 'cross', price: '28000.0', amount: '0.010' } as const;
const CANCELLED = { id: '7', side: 'sell', price: '31000.00', amount: '0.500', filled: '0.1000' } as const;
const PREPARED: PreparedWrite = {
  ...{
    id: 'pit0123456789abcdef01234567',
    profile: 'main',
    account: 'main',
    limits: {},
    made: NOW,
    expires: NOW + 300_000,
  },
  write: {
    ...{ kind: 'replace', market: 'btc_usdt', argv: ['order'], key: null, askedKey: null, text: 'cancel order 7' },
    ...{
      does: ['It waits.'],
      places: [{ ...PLACED, borrow: false, repay: false }],
      cancels: [CANCELLED],
      notional: '280',
    },
  },
  estimates: {
    ...{ fee: '0.56', feeCoin: 'usdt', spentCoin: 'usdt', balanceBefore: '1000', balanceAfter: '720' },
    warnings: ['The price is far.'],
  },
};

it('tells a program of a prepared write all that it places, cancels and costs, and until when it may be committed', () => {
  expect(preparedRow(PREPARED)).toEqual({
    ...{ id: PREPARED.id, kind: 'replace', market: 'btc_usdt', text: 'cancel order 7', does: ['It waits.'] },
    ...{
      places: [{ ...PLACED, notional: '280' }],
      cancels: [CANCELLED],
      notional: '280',
      fee: '0.56',
      feeCoin: 'usdt',
    },
    ...{ spentCoin: 'usdt', balanceBefore: '1000', balanceAfter: '720', warnings: ['The price is far.'] },
    ...{ profile: 'main', made: '2018-10-23T11:59:55.557Z', expires: '2018-10-23T12:04:55.557Z' },
  });
});

it.each([
  [
    'shows each order that it cancels',
    PREPARED.write.cancels,
    ['cancels | side | price | amount | filled', '7 | - SELL | 31,000.00 | 0.5 | 0.1'],
  ],
  ['shows no table if it cancels none', [], ['']],
])('%s', (_, cancels, rows) => {
  const { above } = shownOf(PREPARED_FACTS, { ...PREPARED, write: { ...PREPARED.write, cancels } });
  const lines = above(pipe()).split('\n');
  expect(lines.map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual(rows);
});
