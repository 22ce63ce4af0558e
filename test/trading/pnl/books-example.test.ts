import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { Basis } from '../../../src/trading/pnl/basis.js';
import { gainOf } from '../../../src/trading/pnl/book.js';
import { coinBooks } from '../../../src/trading/pnl/coin-books.js';
import type { Fill, MatchedHistory } from '../../../src/trading/pnl/match-bills.js';
import type { Movement } from '../../../src/trading/pnl/movement.js';

const PAGE = readFileSync('docs/books.md', 'utf8');
const BASIS_DAY = '2023-06-01';

/** The cells of a table of the page, between its marks. */
function tableOf(name: string): string[][] {
  const [, inside = ''] = PAGE.split(`<!-- ${name} -->`);
  const [table = ''] = inside.split(`<!-- end of ${name} -->`);
  const rows = table.trim().split('\n').slice(2);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** A day of the table, as the tests count time. */
function timeOf(day: string): number {
  return day === BASIS_DAY ? Date.parse(BASIS_DAY) : Date.UTC(2024, 0, Number(day));
}

const happenings = tableOf('ten trades').map(
  ([number = '', day = '', what = '', amount = '', value = '', fee = '', price = '']) => {
    const [verb = '', subject = ''] = what.split(' ');
    return { number, time: timeOf(day), verb, subject, amount, value, fee, price };
  },
);

const fills = happenings
  .filter(({ number }) => number !== '')
  .map(({ number, time, verb, subject, amount, value, fee }, place): Fill => {
    const [base = '', quote = ''] = subject.split('_');
    const [paid = '', coin = ''] = fee.split(' ');
    return {
      ...{ market: subject, base, quote, side: verb === 'buy' ? 'buy' : 'sell', time, place, order: number },
      ...{ amount: Decimal.of(amount), value: Decimal.of(value), fees: [{ coin, amount: Decimal.of(paid) }] },
    };
  });

const movements = happenings
  .filter(({ number }) => number === '')
  .map(({ time, verb, subject, amount }): Movement => {
    const kind = verb === 'deposit' ? 'deposits' : 'withdrawals';
    const moved = kind === 'deposits' ? Decimal.of(amount) : Decimal.of(amount).negated();
    return { kind, coin: subject, amount: moved, time, market: null, hasBill: true, place: 0, record: null };
  });

const history: MatchedHistory = {
  ...{
    fills,
    movements,
    bills: [],
    unmatched: [],
    matchedTypes: new Set(),
    uncertain: [],
    uncertainTransfers: [],
    due: [],
  },
};

it('the example of docs/books.md has the lots that are computed by hand there', () => {
  const [, time = '', coin = '', amount = '', cost = '', costCoin = ''] =
    /basis of the deposit of eth is `([\d-]+),(\w+),([\d.]+),([\d.]+),(\w+)`/.exec(PAGE) ?? [];
  const line = { line: 1, time: timeOf(time), coin, amount: Decimal.of(amount), cost: Decimal.of(cost), costCoin };
  const { books } = coinBooks(history, {
    ...{ window: { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, method: 'fifo', fees: 'in' },
    ...{ unit: 'usdt', readAt: Number.POSITIVE_INFINITY, basis: new Basis([line], () => line.cost) },
    pastValue: (some, from, _, at) => {
      const [priced = '', price = ''] = happenings.find((one) => one.time === at)?.price.split(' ') ?? [];
      return priced === from ? some.times(Decimal.of(price)) : undefined;
    },
  });
  const text = (value: Decimal | null) => value?.trimmed().toString() ?? '';
  const dayOf = (at: number | null) =>
    at === null ? '' : at === Date.parse(BASIS_DAY) ? BASIS_DAY : String(new Date(at).getUTCDate());
  const rows = books
    .flatMap(({ coin: name, lots }) => lots.map((lot) => ({ ...lot, coin: name })))
    .map((lot) => ({
      closed: lot.closed,
      cells: [
        ...[lot.closedBy ?? '', lot.coin, dayOf(lot.opened), text(lot.amount), text(lot.cost), text(lot.feeCost)],
        ...[text(lot.proceeds), text(lot.feeProceeds), text(gainOf(lot))],
      ],
    }))
    .sort((one, other) => one.closed - other.closed);
  expect(rows.map(({ cells }) => cells)).toEqual(tableOf('lots of ten trades'));
  expect(fills).toHaveLength(10);
});
