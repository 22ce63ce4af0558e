import { define, flag, required, toggle } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import * as shape from '../../cli/shapes.js';
import { suggest } from '../../errors.js';
import { coinName } from '../inputs/names.js';
import { positiveDecimal } from '../inputs/numbers.js';
import { word } from '../inputs/words.js';

interface Deposited {
  readonly id: string;
  readonly account: string;
  readonly coin: string;
  readonly amount: string;
}

export default define({
  summary: 'Send play coins to an account, which are credited after their confirmations',
  arguments: {
    coin: required('the coin', coinName),
    amount: required('how much of it', positiveDecimal('The amount')),
  },
  flags: {
    account: flag('--account <name>', 'whose deposit it is (default: the first account)', word),
    chain: flag('--chain <name>', 'the chain it comes over (default: the first that is open)', word),
    fail: toggle('--fail', 'let it fail before its last confirmation'),
  },
  examples: ['sandbox deposit usdt 1000', 'sandbox deposit btc 0.5 --account alice --json'],
  output: shape.record({
    id: shape.id('of the deposit'),
    account: shape.text(''),
    coin: shape.text(''),
    amount: shape.decimal(''),
  }),
  dry: DRY_CHANGE,
  async run({ session, globals, output }, { coin, amount, ...rest }) {
    if (globals.dryRun) return dryChange('sandbox deposit', `Would send ${amount} ${coin}.`);
    const sent = (await session.administer('POST /deposit', { coin, amount, ...rest })) as Deposited;
    const words = `${sent.amount} ${sent.coin} are on their way to ${sent.account}.`;
    output.note(suggest('See them arrive', 'deposits', sent.coin));
    return { data: sent, show: () => words };
  },
});
