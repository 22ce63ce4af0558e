import { listing } from '../../cli/answers.js';
import { repeated, several, toggle, withCompletion } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import { fieldNames } from '../../cli/row-fields.js';
import * as shape from '../../cli/shapes.js';
import type { Coin } from '../../domain/account.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import { quotedName } from '../../domain/quotation.js';
import type { Answer } from '../../terminal/answer.js';
import { type Column, table } from '../../terminal/table.js';
import { concernsCoin, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import { unknownCoin } from '../funds/refusal.js';
import { coinName } from '../inputs/parsers.js';
import { requireWatchable, watch, watchFlag } from '../live/watch-flag.js';
import { type Context, define } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { areConnected, readRates } from './rates.js';

/** The fields of a coin's balance. */
export const BALANCE = {
  coin: shape.outsideText(''),
  name: shape.outsideText('the new name of a renamed coin'),
  available: shape.decimal(''),
  frozen: shape.decimal('held by open orders'),
  total: shape.decimal('available and frozen'),
  canDeposit: shape.nullable(shape.boolean('')),
  canWithdraw: shape.nullable(shape.boolean('')),
  canLoan: shape.nullable(shape.boolean('can be lent')),
  value: shape.nullable(shape.decimal('in the coin of --in, or the first of several')),
};

const BALANCE_ROW = shape.object({
  ...BALANCE,
  values: shape.array(
    shape.object({ coin: shape.text(''), value: shape.nullable(shape.decimal('')) }),
    'in each coin of --in, in their order',
  ),
});

type Balance = shape.InferFields<typeof BALANCE>;
type BalanceRow = shape.Infer<typeof BALANCE_ROW>;

/** Coins, joined with commas. */
const coinNames = withCompletion({ of: 'coin' }, (word) => word.split(',').map(coinName));

export function balanceOf({ coin, name, available, frozen, canDeposit, canWithdraw, canLoan }: Coin): Balance {
  const total = Decimal.of(available).plus(Decimal.of(frozen)).toString();
  return { coin, name, available, frozen, total, canDeposit, canWithdraw, canLoan, value: null };
}

export default define({
  summary: 'Show available, frozen and total balances',
  arguments: { coins: several('the coins (default: all that are not empty)', coinName) },
  flags: {
    all: toggle('--all', 'include empty balances'),
    in: repeated(
      '--in <coin>',
      'add values in this coin, or in usdt,btc, at the last prices, with their sums',
      coinNames,
    ),
    watch: watchFlag(),
  },
  examples: ['balance', 'balance btc usdt', 'balance --in usdt,btc', 'balance --all --json', 'balance --watch'],
  output: shape.array(BALANCE_ROW),
  row: shape.object(BALANCE),
  async run(context, { coins, all, in: given, watch: isWatched }) {
    const units = [...new Set(given.flat())];
    if (isWatched) requireWatchable(context);
    const client = await context.session.signedExchange();
    const rowsOf = (balances: readonly Balance[]) =>
      balances.filter(({ coin, total }) =>
        coins.length > 0 ? coins.includes(coin) : all || Decimal.of(total).sign !== 0,
      );
    const answerOf = (rows: readonly Balance[]) => {
      const shown = listing({
        rows,
        row: shape.object(BALANCE),
        columns: BALANCE_COLUMNS,
        empty: 'No balances; --all lists every coin.',
      });
      return { ...shown, data: rows.map((row) => ({ ...row, values: [] })), csv: rows };
    };
    const read = async (): Promise<Answer<readonly BalanceRow[]>> => {
      const balances = (await client.account()).coins.map(balanceOf);
      const names = balances.map(({ coin }) => coin);
      for (const coin of coins) if (!names.includes(coin)) throw unknownCoin(coin, names);
      const isAsked = (write: UnknownWrite) => coins.length === 0 || coins.some((coin) => concernsCoin(write, coin));
      await warnOfUnknown(context, isAsked);
      const rows = rowsOf(balances);
      if (units.length === 0) return answerOf(rows);
      return valuedAnswer(answerOf(rows), rows, units, await valuesIn(context, units, rows, names));
    };
    if (!isWatched) return read();
    // the values change with prices, which the channel does not carry
    if (units.length > 0) return watch(context, read);
    const channel = { kind: 'balances' } as const;
    return watch(context, read, {
      channels: [channel],
      answer: (value) => answerOf(rowsOf(value(channel).map(balanceOf))),
    });
  },
});

const column = fieldColumns<Balance>(shape.object(BALANCE));

export const BALANCE_COLUMNS: readonly Column<Balance>[] = [
  column('coin', {
    rowKey: ({ coin }) => coin,
    importance: 10,
    paint: (text, _, paint) => paint.strong(text),
  }),
  column('name', { importance: 1, paint: (text, _, paint) => paint.faint(text) }),
  column('available', { importance: 8 }),
  column('frozen', { importance: 7 }),
  column('total', { importance: 6 }),
];

/** The value of each balance in one coin, by coin; undefined if it is unknown. */
type Values = ReadonlyMap<string, Decimal | undefined>;

/**
 * The values of the balances in each of these coins at the last prices; undefined without markets that lead there or without their
 * prices, which is warned of. Throws Failure `usage` for a coin that the exchange does not have.
 */
async function valuesIn(
  { session, output }: Context,
  units: readonly string[],
  rows: readonly Balance[],
  coins: readonly string[],
): Promise<readonly Values[]> {
  const markets = await (await session.markets()).all();
  const names = new Set([...coins, ...markets.flatMap(({ base, quote }) => [base, quote])]);
  for (const unit of units) if (!names.has(unit)) throw unknownCoin(unit, [...names]);
  const owned = rows.map(({ coin }) => coin);
  const rates = await readRates(await session.exchange(), markets, { coins: owned, units });
  return units.map((unit) => {
    const values = new Map(rows.map(({ coin, total }) => [coin, rates.value(total, coin, unit)]));
    const unvalued = owned.filter((coin) => values.get(coin) === undefined);
    const unpriced = unvalued.filter((coin) => areConnected(markets, coin, unit));
    const unconnected = unvalued.filter((coin) => !unpriced.includes(coin));
    if (unconnected.length > 0)
      output.warn(
        `No market leads from ${unconnected.map(quotedName).join(', ')} to ${unit}; the sum leaves them out.`,
      );
    if (unpriced.length > 0)
      output.warn(
        `The value of ${unpriced.join(', ')} in ${unit} is unknown, because no market that leads there has a price; the sum leaves it out.`,
      );
    return values;
  });
}

/** The same answer with values. CSV has a column for each coin: `value` for the first, `value.btc` for another one. */
function valuedAnswer(
  answer: Answer<readonly BalanceRow[]>,
  rows: readonly Balance[],
  units: readonly string[],
  all: readonly Values[],
): Answer<readonly BalanceRow[]> {
  const data = rows.map((row): BalanceRow => {
    const values = units.map((coin, index) => ({ coin, value: all[index]?.get(row.coin)?.toString() ?? null }));
    return { ...row, value: values[0]?.value ?? null, values };
  });
  const csv = data.map(({ values, ...row }) => ({
    ...row,
    ...Object.fromEntries(values.slice(1).map(({ coin, value }) => [`value.${coin}`, value])),
  }));
  const csvHeader = [...fieldNames(shape.object(BALANCE)), ...units.slice(1).map((coin) => `value.${coin}`)];
  if (rows.length === 0) return { ...answer, csvHeader };
  return { ...answer, data, csv, show: (screen) => table(screen, valueColumns(units), withSums(data, all)) };
}

/** A line of the table: a balance with its values and its share of the first sum, or the sums. */
interface ValueLine {
  readonly balance: Balance | null;
  readonly values: readonly (string | null)[];
  readonly share: string | null;
}

const HUNDRED = Decimal.fromUnits(100n, 0);
const SHARE_DECIMALS = 2;
const HALF_A_STEP = Decimal.of('0.005');

function withSums(rows: readonly BalanceRow[], all: readonly Values[]): ValueLine[] {
  const sums = all.map((values) => Decimal.sum([...values.values()].filter((value) => value !== undefined)));
  const [sum = Decimal.zero] = sums;
  const shareOf = (value: string | null) => {
    if (value === null || sum.sign <= 0) return null;
    const percent = Decimal.of(value)
      .times(HUNDRED)
      .dividedBy(sum, SHARE_DECIMALS + 1, 'down');
    return `${percent.plus(HALF_A_STEP).rescaled(SHARE_DECIMALS, 'down')}%`;
  };
  const lines = rows.map((balance) => {
    return { balance, values: balance.values.map(({ value }) => value), share: shareOf(balance.value) };
  });
  const last = { balance: null, values: sums.map(String), share: sum.sign > 0 ? '100.00%' : null };
  return [...lines, last];
}

/** The columns of the balances, with only a title in the line of the sums, and the values and share. */
function valueColumns(units: readonly string[]): Column<ValueLine>[] {
  const ofBalance = BALANCE_COLUMNS.map(
    ({ rowKey, ...column }, index): Column<ValueLine> => ({
      ...column,
      value: ({ balance }) => (balance === null ? (index === 0 ? 'sum' : '') : column.value(balance)),
      ...(index === 0 ? { rowKey: ({ balance }: ValueLine) => balance?.coin ?? 'sum' } : {}),
      paint: (text, { balance }, paint) => (balance === null ? text : (column.paint?.(text, balance, paint) ?? text)),
    }),
  );
  return [
    ...ofBalance,
    ...units.map(
      (unit, index): Column<ValueLine> => ({
        title: `value (${unit})`,
        value: ({ values }) => {
          const value = values[index] ?? null;
          return value === null ? null : grouped(rounded(value));
        },
        align: 'decimal',
        paint: (text, { balance }, paint) => (balance === null ? paint.strong(text) : text),
        importance: 9,
      }),
    ),
    { title: 'share', value: ({ share }) => share, align: 'decimal', importance: 8, onScreenOnly: true },
  ];
}

/** Down to eight decimals at most, for people. */
function rounded(value: string): string {
  const exact = Decimal.of(value);
  return exact.rescaled(Math.min(exact.scale, 8), 'down').trimmed().toString();
}
