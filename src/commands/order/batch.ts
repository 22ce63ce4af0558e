import { requireConsent } from '../../cli/consent.js';
import { define, flag, required } from '../../cli/definition.js';
import { overriddenBy, overrideFlag } from '../guarding.js';
import { marketName } from '../inputs/names.js';
import { oneOf, positiveDecimal, unresolvedId } from '../inputs/numbers.js';
import { filePath } from '../inputs/words.js';
import { goOn, start } from './batch/act.js';
import { readWish, requireSense } from './batch/input.js';
import { readLadder } from './batch/ladder-word.js';
import { BATCH, BATCH_LINE, DRY_BATCH } from './batch/shapes.js';

export default define({
  summary: 'Place many orders, from a file or as a ladder; goes on where it was stopped',
  arguments: {
    side: required('buy or sell', oneOf('The side', 'buy', 'sell')),
    market: required('the market', marketName),
  },
  flags: {
    file: flag('--file <path>', 'price,amount lines, or {"price":…,"amount":…} lines; - reads stdin', filePath),
    ladder: flag('--ladder <from:to:n>', 'n orders at prices from one to the other: 30000:31000:20', readLadder),
    amount: flag('--amount <total>', 'what a ladder comes to at most, in the base coin', positiveDecimal('--amount')),
    weight: flag('--weight <how>', 'equal, or linear: growing towards the end', oneOf('--weight', 'equal', 'linear')),
    account: flag('--account <name>', 'spot, isolated or cross', oneOf('--account', 'spot', 'isolated', 'cross')),
    override: overrideFlag,
    resume: flag('--resume <job>', 'go on with a job that was stopped', unresolvedId),
  },
  examples: [
    'order batch buy btc_usdt --file orders.csv',
    'order batch sell btc_usdt --ladder ask+1%:ask+5%:20 --amount 0.5 --weight linear',
    'order batch buy btc_usdt --resume job5b39c93435bd27d2fb16',
  ],
  output: BATCH,
  dry: DRY_BATCH,
  row: BATCH_LINE,
  async run(context, { side, market, account, override, ...flags }) {
    requireSense(flags);
    requireConsent(context);
    const wish = await readWish(context, flags);
    const overridden = overriddenBy(override);
    if (wish.kind === 'resume')
      return goOn(context, wish.job, { side, market, account, lines: wish.lines }, overridden);
    return start(context, { side, market, account: account ?? 'spot' }, wish, overridden);
  },
});
