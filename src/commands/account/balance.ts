import { nearest } from '../../config/names.js';
import { usage } from '../../errors.js';
import { grouped } from '../../terminal/numbers.js';
import { listing } from '../frame/answers.js';
import { define, several, toggle } from '../frame/definition.js';
import { coinName } from '../inputs/names.js';
import { type BalanceRow, balanceRow, isEmpty } from './rows.js';

export default define({
  summary: 'What you have: available, frozen in orders, total',
  arguments: { coins: several('only these coins', coinName) },
  flags: { all: toggle('--all', 'coins of which you have nothing, too') },
  examples: ['balance', 'balance btc usdt', 'balance --all --json'],
  async run({ session }, { coins, all }) {
    const client = await session.signedClient();
    const { result } = await client.read('getAccountInfo', {});
    const known = result.coins.map(balanceRow);
    for (const coin of coins) requireCoin(coin, known);
    const rows =
      coins.length > 0 ? known.filter(({ coin }) => coins.includes(coin)) : known.filter((row) => all || !isEmpty(row));
    return listing({
      rows,
      fields: ['coin', 'name', 'available', 'frozen', 'total', 'canDeposit', 'canWithdraw', 'canLoan', 'value'],
      columns: [
        { title: 'coin', value: ({ coin }) => coin, importance: 9, paint: (text, _, paint) => paint.strong(text) },
        { title: 'name', value: ({ name }) => name, importance: 1, paint: (text, _, paint) => paint.faint(text) },
        { title: 'available', value: ({ available }) => grouped(available), align: 'decimal', importance: 8 },
        { title: 'frozen', value: ({ frozen }) => grouped(frozen), align: 'decimal', importance: 7 },
        { title: 'total', value: ({ total }) => grouped(total), align: 'decimal', importance: 6 },
      ],
      empty: 'You have nothing here yet; --all lists the coins.',
    });
  },
});

function requireCoin(coin: string, known: readonly BalanceRow[]): void {
  const names = known.map((row) => row.coin);
  if (names.includes(coin)) return;
  const close = nearest(coin, names);
  throw usage(
    `This exchange has no coin ${coin}.`,
    close.length === 0 ? 'pit balance --all lists them.' : `Did you mean ${close.join(' or ')}?`,
  );
}
