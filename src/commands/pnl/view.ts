import { fieldColumns } from '../../cli/field-columns.js';
import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { paintChange, signed } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, table } from '../../terminal/table.js';
import type { LotDates } from './lot-dates.js';
import { COIN_LOT_ROW, type CoinLotRow, type CoinRow, LOT_ROW, type LotRow, type PnlRow } from './rows.js';

/** How many decimals people read. */
export interface Decimals {
  /** Of a value in a coin. */
  readonly ofCoin: (coin: string) => number;
  /** Of a price in a market. */
  readonly ofMarket: (market: string) => number;
}

/** What people read of a row: of one market or coin, or of all. */
type Shown = Pick<
  PnlRow | CoinRow,
  'bought' | 'sold' | 'position' | 'averageCost' | 'price' | 'realised' | 'unrealised'
> &
  Pick<PnlRow | CoinRow, 'fees' | 'net' | 'pricedAt' | 'pricedBy'> & {
    /** Null for all. */
    readonly name: string | null;
    /** The coin of the values. */
    readonly unit: string;
    readonly costDecimals: number;
  };

/** Values in their coins, rounded towards zero: JSON and CSV have all digits. */
export function showPnl(screen: Screen, rows: readonly PnlRow[], decimals: Decimals, dates: LotDates): string {
  const shown = rows.map((row) => {
    return { ...row, name: row.market, unit: row.valuedIn, costDecimals: decimals.ofMarket(row.market ?? '') };
  });
  return showRows(screen, 'market', shown, { decimals, dates, balances: rows.at(-1)?.balances ?? [] });
}

/** As {@link showPnl}, by coin. */
export function showCoins(screen: Screen, rows: readonly CoinRow[], decimals: Decimals, dates: LotDates): string {
  const shown = rows.map((row) => {
    const { coin, valuedIn } = row;
    return { ...row, name: coin, unit: valuedIn, costDecimals: decimals.ofMarket(`${coin}_${valuedIn}`) };
  });
  return showRows(screen, 'coin', shown, { decimals, dates, balances: rows.at(-1)?.balances ?? [] });
}

interface TableOptions {
  readonly decimals: Decimals;
  readonly dates: LotDates;
  readonly balances: readonly BalanceRow[];
}

function showRows(
  screen: Screen,
  of: 'market' | 'coin',
  rows: readonly Shown[],
  { decimals, dates, balances }: TableOptions,
): string {
  const unexplained = balances.filter((balance) => Decimal.of(balance.unexplained).sign !== 0);
  const main = rows.length > 1 ? table(screen, pnlColumns(of, decimals), rows) : screen.paint.faint('No fills.');
  const below =
    unexplained.length > 0
      ? table(screen, BALANCE_COLUMNS, unexplained, { title: 'Bills that do not add up' })
      : screen.paint.faint(
          balances.length === 0
            ? 'There are no bills.'
            : `The bills add up: ${balances.map(({ coin }) => coin).join(', ')}.`,
        );
  return [main, ...candlesBelow(screen, rows, dates), below].join('\n\n');
}

/** The candles of the prices, each once; none for current prices. */
function candlesBelow(screen: Screen, rows: readonly Shown[], dates: LotDates): string[] {
  const [time] = rows.flatMap(({ pricedAt }) => pricedAt ?? []);
  const candles = new Map(rows.flatMap(({ pricedBy }) => pricedBy.map((candle) => [candle.market, candle] as const)));
  if (time === undefined || candles.size === 0) return [];
  const columns: readonly Column<CandleRow>[] = [
    { title: 'market', value: ({ market }) => market, importance: 10, paint: (text, _, paint) => paint.strong(text) },
    { title: 'candle', value: ({ type }) => type, importance: 9 },
    { title: dates.title('opened'), value: ({ opened }) => dates.shown(opened), importance: 9 },
  ];
  return [table(screen, columns, [...candles.values()], { title: `Prices of ${dates.shown(time)}` })];
}

type CandleRow = Shown['pricedBy'][number];

function pnlColumns(title: 'market' | 'coin', { ofCoin }: Decimals): readonly Column<Shown>[] {
  const rounded = (value: string, decimals: number) => grouped(Decimal.of(value).rescaled(decimals, 'down').toString());
  const shown = (value: string | null, { unit }: Shown) => (value === null ? null : rounded(value, ofCoin(unit)));
  const amount = (value: string | null, { name }: Shown) =>
    name === null ? '' : value === null ? null : formatAmount(value);
  const change = (title: string, of: (row: Shown) => string | null, importance: number): Column<Shown> => ({
    title,
    value: (row) => {
      const text = shown(of(row), row);
      return text === null ? null : signed(text);
    },
    align: 'decimal',
    paint: (text, row, paint) => paintChange(text, of(row), paint),
    importance,
  });
  return [
    {
      title,
      value: ({ name, unit }) => name ?? `total (${unit})`,
      importance: 10,
      paint: (text, _, paint) => paint.strong(text),
    },
    { title: 'bought', value: (row) => amount(row.bought, row), align: 'decimal', importance: 3 },
    { title: 'sold', value: (row) => amount(row.sold, row), align: 'decimal', importance: 3 },
    { title: 'position', value: (row) => amount(row.position, row), align: 'decimal', importance: 7 },
    {
      title: 'average cost',
      value: ({ name, averageCost, costDecimals }) => {
        if (name === null) return '';
        return averageCost === null ? null : rounded(averageCost, costDecimals);
      },
      align: 'decimal',
      importance: 5,
    },
    { title: 'price', value: ({ price }) => (price === null ? '' : grouped(price)), align: 'decimal', importance: 4 },
    change('realised', ({ realised }) => realised, 9),
    change('unrealised', ({ unrealised }) => unrealised, 8),
    { title: 'fees', value: (row) => shown(feesOf(row), row), align: 'decimal', importance: 6 },
    change('net', ({ net }) => net, 9),
  ];
}

function feesOf({ fees }: Pick<Shown, 'fees'>): string | null {
  const values = fees.flatMap(({ value }) => value ?? []);
  return values.length === fees.length ? Decimal.sum(values.map(Decimal.of)).toString() : null;
}

type BalanceRow = PnlRow['balances'][number];

const BALANCE_COLUMNS: readonly Column<BalanceRow>[] = [
  { title: 'coin', value: ({ coin }) => coin, importance: 10, paint: (text, _, paint) => paint.strong(text) },
  { title: 'bills', value: ({ bills }) => formatAmount(bills), align: 'decimal', importance: 8 },
  { title: 'fills', value: ({ fills }) => formatAmount(fills), align: 'decimal', importance: 5 },
  { title: 'fees', value: ({ fees }) => formatAmount(fees), align: 'decimal', importance: 5 },
  { title: 'deposits', value: ({ deposits }) => formatAmount(deposits), align: 'decimal', importance: 4 },
  { title: 'withdrawals', value: ({ withdrawals }) => formatAmount(withdrawals), align: 'decimal', importance: 4 },
  {
    title: 'other',
    value: ({ other }) => formatAmount(Decimal.sum(other.map(({ amount }) => Decimal.of(amount)))),
    align: 'decimal',
    importance: 3,
  },
  {
    title: 'unexplained',
    value: ({ unexplained }) => grouped(signed(unexplained)),
    align: 'decimal',
    importance: 9,
    paint: (text, _, paint) => paint.warn(text),
  },
];

const amountOf = (value: string | null) => (value === null ? null : formatAmount(value));

type Timed = Pick<LotRow, 'opened' | 'closed'>;

const openedIn = ({ shown }: LotDates) => ({
  title: 'opened',
  value: ({ opened }: Timed) => (opened === null ? null : shown(opened)),
  importance: 6,
});
const closedIn = ({ shown, title }: LotDates) => ({
  title: title('closed'),
  value: ({ closed }: Timed) => shown(closed),
});

export const LOT_COLUMNS = (dates: LotDates): readonly Column<LotRow>[] => {
  const column = fieldColumns<LotRow>(LOT_ROW);
  return [
    column('market', { importance: 8, paint: (text, _, paint) => paint.strong(text) }),
    column('opened', openedIn(dates)),
    column('closed', { ...closedIn(dates), importance: 7 }),
    column('amount', { value: ({ amount }) => amountOf(amount), importance: 8 }),
    column('cost', { value: ({ cost }) => amountOf(cost), importance: 5 }),
    column('proceeds', { value: ({ proceeds }) => amountOf(proceeds), importance: 5 }),
    column('gain', GAIN),
    column('daysHeld', { title: 'days', align: 'right', importance: 3 }),
  ];
};

export const COIN_LOT_COLUMNS = (dates: LotDates): readonly Column<CoinLotRow>[] => {
  const column = fieldColumns<CoinLotRow>(COIN_LOT_ROW);
  return [
    column('coin', { importance: 10, paint: (text, _, paint) => paint.strong(text) }),
    column('closing', { importance: 7 }),
    column('opened', openedIn(dates)),
    column('closed', { ...closedIn(dates), importance: 8 }),
    column('amount', { value: ({ amount }) => amountOf(amount), importance: 9 }),
    column('cost', { value: ({ cost }) => amountOf(cost), importance: 5 }),
    column('proceeds', { value: ({ proceeds }) => amountOf(proceeds), importance: 5 }),
    column('gain', GAIN),
    column('daysHeld', { title: 'days', align: 'right', importance: 3 }),
  ];
};

const GAIN = {
  value: ({ gain }: { readonly gain: string | null }) => (gain === null ? null : grouped(signed(gain))),
  importance: 9,
  paint: (text, { gain }, paint) => paintChange(text, gain, paint),
} satisfies Partial<Column<{ readonly gain: string | null }>>;
