import { expect, it } from 'vitest';
import { warnOfDuplicates } from '../../../src/commands/session/duplicate-warnings.js';
import { Output } from '../../../src/terminal/output.js';
import type { DuplicateOrders } from '../../../src/trading/settling/duplicates.js';
import { hostWith, Kept } from '../../terminal/screens.js';

const TERMS = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false } as const;

function copies(count: number): DuplicateOrders[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{
      writeId: 'job0123456789',
      line: index,
      orderId: `1${index}`,
      ids: [`2026112119043${1000 + index}`],
      shown: [],
      isProven: true,
    },
    terms: { ...TERMS, price: '20000', amount: '0.01' },
  }));
}

it.each([2, 50, 51, 400])('names all %i duplicates of a batch in commands that are never cut', (count) => {
  const errors = new Kept();
  const duplicates = copies(count);
  warnOfDuplicates(new Output(hostWith({ errors }), 'table'), duplicates);
  expect(errors.text).toContain(`${count} ORDERS WERE PLACED MORE THAN ONCE: buy in btc_usdt (job job0123456789)`);
  const commands = [...errors.text.matchAll(/pit cancel btc_usdt ([\d ]+)\n/g)].map(([, ids = '']) => ids.split(' '));
  expect(commands.flat()).toEqual(duplicates.flatMap(({ ids }) => ids));
});

it('warns of each write by itself, also if their duplicates are mixed', () => {
  const errors = new Kept();
  const duplicates = copies(3).map((duplicate, index) => ({ ...duplicate, writeId: index === 1 ? 'job2' : 'job1' }));
  warnOfDuplicates(new Output(hostWith({ errors }), 'table'), duplicates);
  expect(errors.text).toContain('2 ORDERS WERE PLACED MORE THAN ONCE: buy in btc_usdt (job job1)');
  expect(errors.text).toContain(
    'THE ORDER WAS PLACED MORE THAN ONCE: buy 0.01 btc_usdt at 20,000 (job job2) as 11 and',
  );
  const commands = [...errors.text.matchAll(/pit cancel btc_usdt ([\d ]+)\n/g)].map(([, ids]) => ids);
  expect(commands).toEqual(['20261121190431000 20261121190431002', '20261121190431001']);
});

it.each([
  [[null, null], '2 REJECTED ORDERS ARE LIVE: buy', [['the rejected orders', [0, 1]]]],
  [
    ['1', null],
    '2 DUPLICATE ORDERS AND REJECTED ORDERS ARE ON THE EXCHANGE: buy',
    [
      ['the rejected orders', [1]],
      ['the duplicates', [0]],
    ],
  ],
  [[null], 'A REJECTED ORDER IS LIVE: buy 0.01 btc_usdt at 20,000 (job job0123456789)', [['it', [0]]]],
] as const)('names the rejected orders of a batch that a repeated request placed: %j', (orders, headline, commands) => {
  const errors = new Kept();
  const duplicates = copies(orders.length).map((duplicate, index) => ({
    ...duplicate,
    orderId: orders[index] ?? null,
  }));
  warnOfDuplicates(new Output(hostWith({ errors }), 'table'), duplicates);
  expect(errors.text).toContain(headline);
  const warnings = [...errors.text.matchAll(/To cancel (.*): pit cancel btc_usdt (.*)\n/g)];
  expect(warnings.map(([, subject, ids]) => [subject, ids])).toEqual(
    commands.map(([subject, which]) => [subject, which.flatMap((at) => duplicates[at]?.ids ?? []).join(' ')]),
  );
});

it.each([
  [true, 'pit sent the request once: the network repeated it, or somebody who has its signed URL sent that again.'],
  [
    false,
    'The network may have repeated a request, the exchange may have executed one late, or another program uses this key.',
  ],
])(
  'says that a request was executed again only if client ids prove it, and claims to know by whom in no case: %s',
  (isProven, cause) => {
    const errors = new Kept();
    warnOfDuplicates(new Output(hostWith({ errors }), 'table'), [...copies(1), { ...copies(1)[0], isProven } as never]);
    expect(errors.text).toContain(cause);
  },
);

it.each([
  ['refused', 'A REJECTED ORDER IS LIVE', 'the network repeated it'],
  ['notSent', 'AN ORDER THAT COUNTED AS NOT SENT IS LIVE', 'The exchange executed the request after its time limit.'],
] as const)('says how an order counted that exists after all: %s', (absent, headline, cause) => {
  const errors = new Kept();
  const [{ line: _, ...single }] = copies(1) as [DuplicateOrders];
  warnOfDuplicates(new Output(hostWith({ errors }), 'table'), [
    { ...single, orderId: null, ids: ['7'], recordedOutcome: absent },
  ]);
  expect(errors.text).toContain(`${headline}: buy 0.01 btc_usdt at 20,000 (client id job0123456789) as 7. `);
  expect(errors.text).toContain(cause);
  expect(errors.text).toContain('To cancel it: pit cancel btc_usdt 7\n');
});

it('counts only the second order of a rejected line as a duplicate', () => {
  const errors = new Kept();
  const duplicates = copies(1).map((duplicate) => ({ ...duplicate, orderId: null, ids: ['7', '8'] }));
  warnOfDuplicates(new Output(hostWith({ errors }), 'table'), duplicates);
  expect(errors.text).toContain('THE ORDER WAS PLACED MORE THAN ONCE');
  expect(errors.text).toMatch(/the rejected orders: pit cancel btc_usdt 7\n.*the duplicates: pit cancel btc_usdt 8\n/s);
});
