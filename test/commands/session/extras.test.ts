import { expect, it } from 'vitest';
import { warnOfExtras } from '../../../src/commands/session/extras.js';
import { Output } from '../../../src/terminal/output.js';
import type { DuplicateOrders } from '../../../src/trading/duplicates.js';
import { hostWith, Kept } from '../../terminal/screens.js';

const TERMS = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', borrow: false, repay: false } as const;

function copies(count: number): DuplicateOrders[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{
      intent: 'job0123456789',
      line: index,
      order: `1${index}`,
      ids: [`2026112119043${1000 + index}`],
      certain: true,
    },
    terms: { ...TERMS, price: '20000', amount: '0.01' },
  }));
}

it.each([2, 50, 51, 400])('names every one of %i copies of a batch in commands that are told in full', (count) => {
  const errors = new Kept();
  const extras = copies(count);
  warnOfExtras(new Output(hostWith({ errors }), 'table'), extras);
  expect(errors.text).toContain(`${count} ORDERS ARE THERE MORE THAN ONCE: to buy in btc_usdt (job job0123456789)`);
  const commands = [...errors.text.matchAll(/pit cancel btc_usdt ([\d ]+)\n/g)].map(([, ids = '']) => ids.split(' '));
  expect(commands.flat()).toEqual(extras.flatMap(({ ids }) => ids));
});

it.each([
  [[null, null], '2 ORDERS THAT WERE REFUSED ARE THERE: to buy', [['those that were refused', [0, 1]]]],
  [
    ['1', null],
    '2 ORDERS ARE THERE MORE THAN ONCE, OR THOUGH THEY WERE REFUSED: to buy',
    [
      ['those that were refused', [1]],
      ['what is too much', [0]],
    ],
  ],
  [[null], 'AN ORDER THAT WAS REFUSED IS THERE: buy 0.01 btc_usdt at 20000 (job job0123456789)', [['it', [0]]]],
] as const)(
  'tells of refused orders of a batch that a copy of the request placed: %j',
  (orders, headline, commands) => {
    const errors = new Kept();
    const extras = copies(orders.length).map((extra, index) => ({ ...extra, order: orders[index] ?? null }));
    warnOfExtras(new Output(hostWith({ errors }), 'table'), extras);
    expect(errors.text).toContain(headline);
    // a copy of what was placed tells that it was the request
    expect(errors.text.includes('Possibly something')).toBe(orders.every((order) => order === null));
    const told = [...errors.text.matchAll(/To cancel (.*): pit cancel btc_usdt (.*)\n/g)];
    expect(told.map(([, those, ids]) => [those, ids])).toEqual(
      commands.map(([those, which]) => [those, which.flatMap((at) => extras[at]?.ids ?? []).join(' ')]),
    );
  },
);

it('of a line that was refused and is there twice, only the second order is too much', () => {
  const errors = new Kept();
  const extras = copies(1).map((extra) => ({ ...extra, order: null, ids: ['7', '8'] }));
  warnOfExtras(new Output(hostWith({ errors }), 'table'), extras);
  expect(errors.text).toContain('THE ORDER IS THERE MORE THAN ONCE');
  expect(errors.text).toMatch(/those that were refused: pit cancel btc_usdt 7\n.*too much: pit cancel btc_usdt 8\n/s);
});
