import { listing } from '../../../cli/answers.js';
import { define, optional } from '../../../cli/definition.js';
import * as shape from '../../../cli/shapes.js';
import type { WalletReport } from '../../../sandbox/admin/accounts.js';
import { word } from '../../inputs/words.js';

export default define({
  summary: 'What an account has in its spot and margin wallets',
  arguments: { name: optional('the account; the first one when left out', word) },
  examples: ['sandbox account show', 'sandbox account show sandbox --json'],
  output: shape.list(
    shape.record({
      wallet: shape.oneOf(['spot', 'isolated', 'cross'], ''),
      market: shape.orNull(shape.text('of an isolated wallet')),
      coin: shape.text(''),
      available: shape.decimal(''),
      frozen: shape.decimal(''),
      borrowed: shape.decimal(''),
    }),
  ),
  async run({ session }, { name }) {
    const rows = (await session.administer('POST /accounts/balances', { account: name })) as WalletReport[];
    return listing({
      rows,
      fields: ['wallet', 'market', 'coin', 'available', 'frozen', 'borrowed'],
      columns: [
        { title: 'wallet', value: ({ wallet, market }) => market ?? wallet, importance: 9 },
        { title: 'coin', value: ({ coin }) => coin, importance: 9 },
        { title: 'available', value: ({ available }) => available, align: 'right', importance: 8 },
        { title: 'frozen', value: ({ frozen }) => frozen, align: 'right', importance: 7 },
        { title: 'borrowed', value: ({ borrowed }) => borrowed, align: 'right', importance: 6 },
      ],
      empty: 'No balances.',
    });
  },
});
