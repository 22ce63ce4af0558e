import type { Context } from '../../cli/context.js';
import { Decimal } from '../../domain/decimal.js';
import { readRates } from '../../exchange/rates.js';
import { grouped } from '../../terminal/numbers.js';
import type { Column } from '../../terminal/table.js';
import { unknownCoin } from '../funds/explained.js';
import type { BalanceRow } from './rows.js';

/** What the coins of these balances are worth in one of them, by the last prices. Null where no market leads there. */
interface Values {
  of(row: BalanceRow): string | null;
  readonly sum: Decimal;
}

/**
 * Values balances in a coin; what has no value is told. Throws Failure `usage` with the nearest names for a coin that the
 * exchange does not know, and as the client's `read`.
 */
export async function valuesIn(
  { session, output }: Context,
  coin: string,
  rows: readonly BalanceRow[],
  known: readonly string[],
): Promise<Values> {
  const markets = await (await session.markets()).all();
  const names = new Set([...known, ...markets.flatMap(({ base, quote }) => [base, quote])]);
  if (!names.has(coin)) throw unknownCoin(coin, [...names]);
  const rates = await readRates(await session.client(), markets);
  const values = new Map(rows.map((row) => [row.coin, rates.value(row.total, row.coin, coin)]));
  const without = rows.filter((row) => values.get(row.coin) === undefined).map((row) => row.coin);
  if (without.length > 0)
    output.note(`No market leads to ${coin} from ${without.join(', ')}: not in the sum, and without a value.`);
  return {
    of: (row) => values.get(row.coin)?.toString() ?? null,
    sum: [...values.values()].reduce<Decimal>(
      (sum, value) => (value === undefined ? sum : sum.plus(value)),
      Decimal.zero,
    ),
  };
}

/** A line of the table: a balance with its share, or the sum. */
interface ValuedLine {
  readonly balance: BalanceRow | null;
  readonly value: string | null;
  readonly share: string | null;
}

/** The balances with what part of the sum each is, and the sum as the last. */
export function withSum(rows: readonly BalanceRow[], sum: Decimal): ValuedLine[] {
  const lines = rows.map((balance) => ({ balance, value: balance.value, share: shareOf(balance.value, sum) }));
  return [...lines, { balance: null, value: sum.toString(), share: sum.sign > 0 ? '100.00%' : null }];
}

function shareOf(value: string | null, sum: Decimal): string | null {
  if (value === null || sum.sign <= 0) return null;
  return `${Decimal.of(value).times(HUNDRED).dividedBy(sum, 2, 'down')}%`;
}

const HUNDRED = Decimal.fromUnits(100n, 0);

/** A column of the balances, empty beside the sum. */
export function beside(column: Column<BalanceRow>, sum = ''): Column<ValuedLine> {
  return {
    ...column,
    value: ({ balance }) => (balance === null ? sum : column.value(balance)),
    paint: (text, { balance }, paint) => (balance === null ? text : (column.paint?.(text, balance, paint) ?? text)),
  };
}

/** People read no more than eight decimals. */
function shown(value: string): string {
  const whole = Decimal.of(value);
  return whole.rescaled(Math.min(whole.scale, 8), 'down').trimmed().toString();
}

/** What each coin is worth and its share of all. */
export function valueColumns(coin: string): Column<ValuedLine>[] {
  return [
    {
      title: `value (${coin})`,
      value: ({ value }) => (value === null ? null : grouped(shown(value))),
      align: 'decimal',
      paint: (text, { balance }, paint) => (balance === null ? paint.strong(text) : text),
      importance: 9,
    },
    { title: 'share', value: ({ share }) => share, align: 'decimal', importance: 8, onScreenOnly: true },
  ];
}
