import { completing } from '../../cli/completes.js';
import { define, flag, required, toggle } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import * as shape from '../../cli/shapes.js';
import { coinName, marketName } from '../inputs/names.js';
import { positiveDecimal } from '../inputs/numbers.js';
import { word } from '../inputs/words.js';

interface Transferred {
  readonly account: string;
  readonly to: string | null;
  readonly wallet: string | null;
  readonly back: boolean;
  readonly coin: string;
  readonly amount: string;
}

const walletName = completing({ of: 'market' }, (text) => (text === 'cross' ? text : marketName(text)));

export default define({
  summary: 'Move play coins to another account, or between the spot and a margin wallet',
  arguments: {
    coin: required('the coin', coinName),
    amount: required('how much of it', positiveDecimal('The amount')),
  },
  flags: {
    from: flag('--from <account>', 'whose coins they are (default: the first account)', word),
    to: flag('--to <account>', 'the account that gets them', word),
    margin: flag('--margin <wallet>', 'a margin wallet of the same account: cross, or a market', walletName),
    back: toggle('--back', 'from the margin wallet to the spot wallet'),
  },
  examples: ['sandbox transfer usdt 500 --to alice', 'sandbox transfer usdt 1000 --margin btc_usdt --json'],
  output: shape.record({
    account: shape.text('whose coins they were'),
    to: shape.orNull(shape.text('another account')),
    wallet: shape.orNull(shape.text('a margin wallet: cross, or a market')),
    back: shape.yesNo('from the margin wallet to spot'),
    coin: shape.text(''),
    amount: shape.decimal(''),
  }),
  dry: DRY_CHANGE,
  async run({ session, globals }, { coin, amount, from, to, margin, back }) {
    if (globals.dryRun) return dryChange('sandbox transfer', `Would move ${amount} ${coin}.`);
    const wanted = { coin, amount, account: from, to, wallet: margin, back };
    const moved = (await session.administer('POST /transfer', wanted)) as Transferred;
    return { data: moved, show: () => sentence(moved) };
  },
});

function sentence({ account, to, wallet, back, coin, amount }: Transferred): string {
  if (to !== null) return `Moved ${amount} ${coin} from ${account} to ${to}.`;
  const ways = back ? `from the ${wallet} wallet to spot` : `from spot to the ${wallet} wallet`;
  return `Moved ${amount} ${coin} of ${account} ${ways}.`;
}
