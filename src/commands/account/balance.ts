import { listing } from '../../cli/answers.js';
import { flag, several, toggle } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import type { Coin } from '../../domain/account.js';
import { Decimal, grouped } from '../../domain/decimal.js';
import type { Answer } from '../../terminal/answer.js';
import { type Column, table } from '../../terminal/table.js';
import { concernsCoin, type UnknownWrite } from '../../trading/settling/unknown-writes.js';
import { unknownCoin } from '../funds/refusal.js';
import { coinName } from '../inputs/parsers.js';
import { requireWatchable, WATCH, watch } from '../live/watch-flag.js';
import { type Context, define } from '../session/command.js';
import { warnOfUnknown } from '../writes/unknown-writes.js';
import { areConnected, readRates } from './rates.js';

/** The fields of a coin's balance. */
export const BALANCE: shape.Fields = {
  coin: shape.outsideText(''),
  name: shape.outsideText('the new name of a renamed coin'),
  available: shape.decimal(''),
  frozen: shape.decimal('held by open orders'),
  total: shape.decimal('available and frozen'),
  canDeposit: shape.boolean(''),
  canWithdraw: shape.boolean(''),
  canLoan: shape.boolean('can be lent'),
  value: shape.nullable(shape.decimal('in the coin of --in')),
};

interface Balance
  extends Pick<Coin, 'coin' | 'name' | 'available' | 'frozen' | 'canDeposit' | 'canWithdraw' | 'canLoan'> {
  readonly total: string;
  /** In the coin of --in. */
  readonly value: string | null;
}

export function balanceOf({ coin, name, available, frozen, canDeposit, canWithdraw, canLoan }: Coin): Balance {
  const total = Decimal.of(available).plus(Decimal.of(frozen)).toString();
  return { coin, name, available, frozen, total, canDeposit, canWithdraw, canLoan, value: null };
}

export default define({
  summary: 'Show available, frozen and total balances',
  needs: ['asset'],
  arguments: { coins: several('the coins (default: all that are not empty)', coinName) },
  flags: {
    all: toggle('--all', 'include empty balances'),
    in: flag('--in <coin>', 'add values in this coin at the last prices, with their sum', coinName),
    watch: WATCH,
  },
  examples: ['balance', 'balance btc usdt', 'balance --in usdt', 'balance --all --json', 'balance --watch'],
  output: shape.array(shape.object(BALANCE)),
  async run(context, { coins, all, in: unit, watch: isWatched }) {
    if (isWatched) requireWatchable(context);
    const client = await context.session.exchange.signed();
    const rowsOf = (balances: readonly Balance[]) =>
      balances.filter(({ coin, total }) =>
        coins.length > 0 ? coins.includes(coin) : all || Decimal.of(total).sign !== 0,
      );
    const answerOf = (rows: readonly Balance[]) =>
      listing({
        rows,
        row: shape.object(BALANCE),
        columns: BALANCE_COLUMNS,
        empty: 'No balances; --all lists every coin.',
      });
    const read = async (): Promise<Answer> => {
      const balances = (await client.account()).coins.map(balanceOf);
      const names = balances.map(({ coin }) => coin);
      for (const coin of coins) if (!names.includes(coin)) throw unknownCoin(coin, names);
      const isAsked = (write: UnknownWrite) => coins.length === 0 || coins.some((coin) => concernsCoin(write, coin));
      await warnOfUnknown(context, isAsked);
      const rows = rowsOf(balances);
      const answer = answerOf(rows);
      if (unit === undefined) return answer;
      const values = await valuesIn(context, unit, rows, names);
      if (rows.length === 0) return answer;
      const valued = rows.map((row) => ({ ...row, value: values.get(row.coin)?.toString() ?? null }));
      return { ...answer, data: valued, show: (screen) => table(screen, valueColumns(unit), withSum(valued, values)) };
    };
    if (!isWatched) return read();
    // the values change with prices, which the channel does not carry
    if (unit !== undefined) return watch(context, read);
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

type Values = ReadonlyMap<string, Decimal | undefined>;

/**
 * The value of each balance in a coin at the last prices; undefined without markets that lead there or without their prices,
 * which is warned of.
 * Throws Failure `usage` for a coin that the exchange does not have.
 */
async function valuesIn(
  { session, output }: Context,
  unit: string,
  rows: readonly Balance[],
  coins: readonly string[],
): Promise<Values> {
  const markets = await (await session.exchange.markets()).all();
  const names = new Set([...coins, ...markets.flatMap(({ base, quote }) => [base, quote])]);
  if (!names.has(unit)) throw unknownCoin(unit, [...names]);
  const owned = rows.map(({ coin }) => coin);
  const rates = await readRates(await session.exchange.open(), markets, { coins: owned, unit });
  const values = new Map(rows.map(({ coin, total }) => [coin, rates.value(total, coin, unit)]));
  const unvalued = owned.filter((coin) => values.get(coin) === undefined);
  const unpriced = unvalued.filter((coin) => areConnected(markets, coin, unit));
  const unconnected = unvalued.filter((coin) => !unpriced.includes(coin));
  if (unconnected.length > 0)
    output.warn(`No market leads from ${unconnected.join(', ')} to ${unit}; the sum leaves them out.`);
  if (unpriced.length > 0)
    output.warn(
      `The value of ${unpriced.join(', ')} in ${unit} is unknown, because no market that leads there has a price; the sum leaves it out.`,
    );
  return values;
}

/** A line of the table: a balance with its share of the sum, or the sum. */
interface ValueLine {
  readonly balance: Balance | null;
  readonly value: string | null;
  readonly share: string | null;
}

const HUNDRED = Decimal.fromUnits(100n, 0);
const SHARE_DECIMALS = 2;
const HALF_A_STEP = Decimal.of('0.005');

function withSum(rows: readonly Balance[], values: Values): ValueLine[] {
  const sum = [...values.values()].reduce<Decimal>(
    (total, value) => (value === undefined ? total : total.plus(value)),
    Decimal.zero,
  );
  const shareOf = (value: string | null) => {
    if (value === null || sum.sign <= 0) return null;
    const percent = Decimal.of(value)
      .times(HUNDRED)
      .dividedBy(sum, SHARE_DECIMALS + 1, 'down');
    return `${percent.plus(HALF_A_STEP).rescaled(SHARE_DECIMALS, 'down')}%`;
  };
  const lines = rows.map((balance) => ({ balance, value: balance.value, share: shareOf(balance.value) }));
  return [...lines, { balance: null, value: sum.toString(), share: sum.sign > 0 ? '100.00%' : null }];
}

/** The columns of the balances, with only a title in the line of the sum, and the value and share. */
function valueColumns(unit: string): Column<ValueLine>[] {
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
    {
      title: `value (${unit})`,
      value: ({ value }) => (value === null ? null : grouped(rounded(value))),
      align: 'decimal',
      paint: (text, { balance }, paint) => (balance === null ? paint.strong(text) : text),
      importance: 9,
    },
    { title: 'share', value: ({ share }) => share, align: 'decimal', importance: 8, onScreenOnly: true },
  ];
}

/** Down to eight decimals at most, for people. */
function rounded(value: string): string {
  const exact = Decimal.of(value);
  return exact.rescaled(Math.min(exact.scale, 8), 'down').trimmed().toString();
}
