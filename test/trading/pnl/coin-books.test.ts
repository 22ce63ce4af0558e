import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zonedMoment } from '../../../src/commands/inputs/parsers.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { wallClock } from '../../../src/domain/zone.js';
import { Basis } from '../../../src/trading/pnl/basis.js';
import { coinBooks } from '../../../src/trading/pnl/coin-books.js';
import { METHODS } from '../../../src/trading/pnl/lots.js';
import { type MatchedHistory, matchBills } from '../../../src/trading/pnl/matching/match-bills.js';
import { PastPrices } from '../../../src/trading/pnl/past-prices.js';
import { profitAndLoss } from '../../../src/trading/pnl/profit-and-loss.js';
import { type BasisRow, type BookRow, type BookRules, independentBooks } from '../../support/independent-books.js';
import {
  basisOf,
  CANDLE_EXCHANGE,
  drawnBasis,
  drawnStory,
  MARKET_NAMES,
  MARKETS,
  priceAt,
  tell,
  UNITS,
} from './coin-stories.js';

const ALWAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

const text = (value: Decimal | null) => value?.trimmed().toString() ?? null;

/** The books of pit, as rows of the independent program. */
function rowsOf(books: ReturnType<typeof coinBooks>['books']): BookRow[] {
  return books.flatMap(({ coin, lots }) =>
    lots.map(({ opened, closed, openedBy, closedBy, opening, closing, ...values }) => ({
      ...{ coin, opened, closed, amount: text(values.amount) ?? '', cost: text(values.cost) },
      ...{ proceeds: text(values.proceeds), feeCost: text(values.feeCost), feeProceeds: text(values.feeProceeds) },
      ...{ openedBy, closedBy, opening, closing },
    })),
  );
}

function basisFor(rows: readonly BasisRow[], unit: string, prices: PastPrices): Basis {
  const lines = rows.map(({ amount, cost, ...row }, index) => {
    return { ...row, line: index + 1, amount: Decimal.of(amount), cost: Decimal.of(cost) };
  });
  return new Basis(lines, ({ cost, costCoin, time }) =>
    costCoin === unit ? cost : (prices.value(cost, costCoin, unit, time) ?? null),
  );
}

/** What the stories were made of, so that they are known to have been worth a test. */
const seen = {
  rows: 0,
  withoutCost: 0,
  withoutPrice: 0,
  left: 0,
  openings: new Set<string | null>(),
  uncertain: 0,
  all: 0,
};

test('the lots of each coin are those of an independent program, to the last digit, in each method, with fees in and apart, in any window', async () => {
  const property = fc.asyncProperty(
    drawnStory,
    drawnBasis,
    fc.constantFrom(...UNITS),
    fc.tuple(fc.nat(), fc.nat()),
    async (drawn, drawnLines, unit, picks) => {
      const { history, happenings, oldestBill } = tell(drawn);
      const matched = matchBills(history);
      seen.all += 1;
      // bills that fit several ways have several books
      if (matched.uncertain.length > 0) {
        seen.uncertain += 1;
        return;
      }
      const basis = basisOf(drawnLines);
      const prices = new PastPrices(CANDLE_EXCHANGE, MARKETS);
      await prices.loadForTrades(matched.fills, () => unit);
      await prices.load(basis.map(({ costCoin, time }) => ({ coin: costCoin, unit, time })));
      const times = happenings.map(({ time }) => time).filter(Number.isFinite);
      const [one = 0, other = 0] = picks.map((pick) => times[pick % times.length] ?? 0);
      const windows = [ALWAYS, { from: Math.min(one, other), to: Math.max(one, other) }];
      for (const method of METHODS)
        for (const fees of ['in', 'apart'] as const) {
          const rules: BookRules = { unit, method, fees, basis, markets: MARKET_NAMES, price: priceAt, oldestBill };
          const expected = independentBooks(happenings, rules);
          for (const window of windows) {
            const options = { window, method, fees, unit, pastValue: prices.value, readAt: Number.POSITIVE_INFINITY };
            const { books } = coinBooks(matched, { ...options, basis: basisFor(basis, unit, prices) });
            const inWindow = expected.filter(({ closed }) => closed >= window.from && closed < window.to);
            expect(rowsOf(books)).toEqual(inWindow);
          }
          seen.rows += expected.length;
          seen.withoutCost += expected.filter(({ cost }) => cost === null).length;
          seen.withoutPrice += expected.filter(
            ({ proceeds, closing }) => proceeds === null && closing !== 'withdrawal' && closing !== 'other',
          ).length;
          seen.left += expected.filter(({ closing }) => closing === 'withdrawal').length;
          for (const { opening } of expected) seen.openings.add(opening);
        }
    },
  );
  await fc.assert(property, { numRuns: 25 });
  expect([...seen.openings].sort()).toEqual(['balance', 'buy', 'deposit', 'other', 'rebate', 'sell', null].sort());
  for (const count of [seen.rows, seen.withoutCost, seen.withoutPrice, seen.left]) expect(count).toBeGreaterThan(100);
  expect(seen.uncertain).toBeLessThan(seen.all / 4);
}, 300_000);

const YEAR = 2025;
const MONTHS = Array.from({ length: 12 }, (_, month) => `${YEAR}-${String(month + 1).padStart(2, '0')}-01`);
const ZONES = ['Europe/Zurich', 'America/Havana', 'Australia/Lord_Howe', 'Asia/Beirut', 'Africa/Cairo', '-03:30'];

test('the gains, fees and lots of twelve months are those of the year, to the last digit, in a zone that changes its clock', () => {
  const moment = fc.record({
    month: fc.nat({ max: 12 }),
    ms: fc.oneof(
      fc.constantFrom(-1, 0, 1),
      fc.integer({ min: -3_600_000, max: 3_600_000 }),
      fc.nat({ max: 2_000_000_000 }),
    ),
  });
  const property = fc.property(
    drawnStory,
    fc.array(moment, { minLength: 20, maxLength: 60, size: 'max' }),
    fc.constantFrom(...ZONES),
    fc.constantFrom(...METHODS),
    (drawn, moments, zone, method) => {
      const clock = wallClock(zone);
      const beginOf = (date: string) => zonedMoment(date)(clock)(0);
      const borders = [...MONTHS, `${YEAR + 1}-01-01`].map(beginOf);
      const times = moments
        .map(({ month, ms }) => Math.max(borders[0] ?? 0, (borders[month] ?? 0) + ms))
        .sort((one, other) => one - other);
      const { fills } = matchBills(tell(drawn).history);
      const history: MatchedHistory = {
        fills: fills.slice(0, times.length).map((fill, index) => ({ ...fill, time: times[index] ?? 0 })),
        ...{
          movements: [],
          bills: [],
          unmatched: [],
          matchedTypes: new Set(),
          uncertain: [],
          uncertainTransfers: [],
          due: [],
        },
      };
      const pastValue = (amount: Decimal, _coin: string, _unit: string, time: number) =>
        amount.times(Decimal.of(String(3 + (time % 7)))).dividedBy(Decimal.of('7'), 12, 'down');
      const window = (index: number, count: number) => {
        return { from: borders[index] ?? 0, to: borders[index + count] ?? 0 };
      };
      const windows = [window(0, 12), ...MONTHS.map((_, index) => window(index, 1))];
      const options = { method, fees: 'in', unit: 'eurt', pastValue, readAt: Number.POSITIVE_INFINITY } as const;
      const [year = [], ...months] = windows.map((one) => {
        const { books } = coinBooks(history, { ...options, window: one });
        const { markets } = profitAndLoss(history, { ...options, fees: 'apart', window: one });
        return [...books, ...markets];
      });
      for (const [index, whole] of year.entries()) {
        const parts = months.flatMap((books) =>
          books.filter(
            (book) => ('coin' in book ? book.coin : book.market) === ('coin' in whole ? whole.coin : whole.market),
          ),
        );
        const sum = (of: (one: (typeof parts)[number]) => readonly (Decimal | null)[]) =>
          text(Decimal.sum(parts.flatMap(of).map((value) => value ?? Decimal.zero)));
        const feesOf = ({ fees }: (typeof parts)[number]) => fees.map(({ value }) => value);
        expect([index, sum(({ realised }) => [realised])]).toEqual([index, text(whole.realised)]);
        expect(sum(feesOf)).toBe(text(Decimal.sum(feesOf(whole).map((value) => value ?? Decimal.zero))));
        expect(sum(({ sold }) => [sold])).toBe(text(whole.sold));
        expect(parts.flatMap(({ lots }) => lots)).toEqual(whole.lots);
      }
    },
  );
  fc.assert(property, { numRuns: 20 });
}, 300_000);
