import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import { coinBooks } from '../../../src/trading/pnl/coin-books.js';
import { coinSteps, marketSteps, momentsBetween, pointOf, samplesOf } from '../../../src/trading/pnl/curve.js';
import { METHODS } from '../../../src/trading/pnl/lots.js';
import { matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { profitAndLoss } from '../../../src/trading/pnl/profit-and-loss.js';
import { FundsFixture } from '../../sandbox/funds/fixture.js';
import { day, historyOf, live, twoAccounts } from './trading-days.js';

/** What each coin is worth in usdt. */
const WORTH: Readonly<Record<string, string>> = { btc: '32000', eth: '2000', xrp: '0.5', usdt: '1' };
const worth = (coin: string) => Decimal.of(WORTH[coin] ?? '0');
const pastValue = (amount: Decimal, coin: string, unit: string) =>
  amount.times(worth(coin)).dividedBy(worth(unit), 30, 'down');

const isNotEmpty = (text: string) => !text.endsWith(' 0 0 0');

const held = (samples: ReturnType<typeof samplesOf>) =>
  samples.map((sample) =>
    sample.held
      .map(
        ({ coin, unit, realised, amount, cost }) =>
          `${coin} ${unit} ${realised.trimmed()} ${amount.trimmed()} ${cost.trimmed()}`,
      )
      .filter(isNotEmpty)
      .sort(),
  );

it('a sample of the curve is what profit and loss is in a window that ends then, by market and by coin', () => {
  const fixture = FundsFixture.at();
  let realisedSome = 0;
  const property = fc.property(day, fc.constantFrom(...METHODS), fc.nat(), (actions, method, pick) => {
    const both = twoAccounts(fixture);
    live(fixture, both, actions);
    const matched = matchBills(historyOf(fixture, both[0]));
    const from = matched.bills[pick % 5]?.time ?? 0;
    const base = { method, fees: 'in' as const, pastValue, readAt: Number.POSITIVE_INFINITY };
    const options = { ...base, window: { from, to: Number.POSITIVE_INFINITY } };
    const times = [...new Set(matched.bills.map(({ time }) => time))].filter((time) => time >= from).slice(-12);
    const expected = times.map((to) => profitAndLoss(matched, { ...base, window: { from, to } }).markets);
    expect(
      held(
        samplesOf(
          marketSteps(matched, options, () => true),
          times,
          options,
        ),
      ),
    ).toEqual(
      expected.map((markets) =>
        markets
          .map(
            ({ base: coin, quote, realised, position }) =>
              `${coin} ${quote} ${realised.trimmed()} ${position.amount.minus(position.withoutCost).trimmed()} ${position.cost.trimmed()}`,
          )
          .filter(isNotEmpty)
          .sort(),
      ),
    );
    const inUsdt = { ...options, unit: 'usdt' };
    const samples = samplesOf(
      coinSteps(matched, inUsdt, () => true),
      times,
      inUsdt,
    );
    for (const [index, to] of times.entries()) {
      const { books } = coinBooks(matched, { ...inUsdt, window: { from, to } });
      const realised = Decimal.sum(books.map((book) => book.realised));
      const { realised: shown } = pointOf(samples[index] as (typeof samples)[number], 'usdt', pastValue);
      expect(shown?.equals(realised)).toBe(true);
      realisedSome += realised.sign === 0 ? 0 : 1;
    }
  });
  fc.assert(property, { numRuns: 25 });
  expect(realisedSome).toBeGreaterThan(5);
});

it('a point is unknown as far as something has no price then, and the moments end at the end of the window', () => {
  const one = { coin: 'btc', unit: 'usdt', realised: Decimal.of('5'), amount: Decimal.of('2'), cost: Decimal.of('30') };
  const point = (of: typeof one, unit: string, value: Decimal | undefined) =>
    pointOf({ time: 0, held: [of] }, unit, () => value);
  expect(point(one, 'usdt', Decimal.of('50'))).toMatchObject({ realised: one.realised, unrealised: Decimal.of('20') });
  expect(point(one, 'usdt', undefined)).toMatchObject({ realised: one.realised, unrealised: null });
  expect(point(one, 'eurt', undefined)).toMatchObject({ realised: null, unrealised: null });
  expect(momentsBetween(10, 10)).toEqual([10]);
  expect([momentsBetween(0, 1_000).at(0), momentsBetween(0, 1_000).at(-1)]).toEqual([0, 1_000]);
});

it('a chart that is drawn a little later has the moments of the earlier one, at most 240 and none twice', () => {
  const DAY_MS = 86_400_000;
  fc.assert(
    fc.property(fc.nat({ max: 2_000 * DAY_MS }), fc.integer({ min: 1, max: 4_000 * DAY_MS }), (from, length) => {
      const to = from + length;
      const moments = momentsBetween(from, to);
      expect(moments.length).toBeLessThanOrEqual(240);
      expect([moments[0], moments.at(-1)]).toEqual([from, to]);
      expect(moments.every((moment, index) => index === 0 || moment > (moments[index - 1] ?? 0))).toBe(true);
      const later = momentsBetween(from, to + Math.floor(length / 1_000));
      const shared = moments.slice(1, -1).filter((moment) => later.includes(moment));
      // unless the later one has moments that are further apart
      const isSameStep = (moments[2] ?? 0) - (moments[1] ?? 0) === (later[2] ?? 0) - (later[1] ?? 0);
      if (isSameStep) expect(shared).toEqual(moments.slice(1, -1));
    }),
  );
});
