import { listing } from '../../cli/answers.js';
import { define, flag, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import type { Answer } from '../../terminal/answer.js';
import { grouped } from '../../terminal/numbers.js';
import { type Column, table } from '../../terminal/table.js';
import { unknownCoin } from '../funds/explained.js';
import { coinName } from '../inputs/names.js';
import { BALANCE, type BalanceRow, balanceRow, isEmpty } from './rows.js';
import { beside, valueColumns, valuesIn, withSum } from './valued.js';

export default define({
  summary: 'What you have: available, frozen in orders, total',
  arguments: { coins: several('only these coins', coinName) },
  flags: {
    all: toggle('--all', 'coins of which you have nothing, too'),
    in: flag('--in <coin>', 'what it is worth in this coin by the last prices, with the sum', coinName),
  },
  examples: ['balance', 'balance btc usdt', 'balance --in usdt', 'balance --all --json'],
  output: shape.list(shape.record(BALANCE)),
  async run(context, { coins, all, in: unit }) {
    const client = await context.session.signedClient();
    const known = (await client.account()).coins.map(balanceRow);
    const names = known.map(({ coin }) => coin);
    for (const coin of coins) if (!names.includes(coin)) throw unknownCoin(coin, names);
    const rows =
      coins.length > 0 ? known.filter(({ coin }) => coins.includes(coin)) : known.filter((row) => all || !isEmpty(row));
    if (unit === undefined) return listOf(rows);
    const values = await valuesIn(context, unit, rows, names);
    const valued = rows.map((row) => ({ ...row, value: values.of(row) }));
    const columns = [
      ...COLUMNS.map((column, index) => beside(column, index === 0 ? 'sum' : '')),
      ...valueColumns(unit),
    ];
    if (rows.length === 0) return listOf(rows);
    return { ...listOf(valued), show: (screen) => table(screen, columns, withSum(valued, values.sum)) };
  },
});

function listOf(rows: readonly BalanceRow[]): Answer {
  return listing({
    rows,
    fields: FIELDS,
    columns: COLUMNS,
    empty: 'You have nothing here yet; --all lists the coins.',
  });
}

const FIELDS = [
  'coin',
  'name',
  'available',
  'frozen',
  'total',
  'canDeposit',
  'canWithdraw',
  'canLoan',
  'value',
] as const;

const COLUMNS: readonly Column<BalanceRow>[] = [
  { title: 'coin', value: ({ coin }) => coin, importance: 10, paint: (text, _, paint) => paint.strong(text) },
  { title: 'name', value: ({ name }) => name, importance: 1, paint: (text, _, paint) => paint.faint(text) },
  { title: 'available', value: ({ available }) => grouped(available), align: 'decimal', importance: 8 },
  { title: 'frozen', value: ({ frozen }) => grouped(frozen), align: 'decimal', importance: 7 },
  { title: 'total', value: ({ total }) => grouped(total), align: 'decimal', importance: 6 },
];
