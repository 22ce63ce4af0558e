import { define, flag, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import * as shape from '../../cli/shapes.js';
import type { PriceMoveReport } from '../../sandbox/admin/replay.js';
import { duration } from '../inputs/durations.js';
import { marketName } from '../inputs/names.js';
import { positiveDecimal } from '../inputs/numbers.js';

export default define({
  summary: 'Lead the price of a sandbox market somewhere, and let it go on from there',
  arguments: { market: required('the market', marketName), price: required('the price', positiveDecimal('The price')) },
  flags: { over: flag('--over <duration>', 'how long it takes, as 30s or 10m (default: at once)', duration) },
  examples: ['sandbox price btc_usdt 25000', 'sandbox price btc_usdt 40000 --over 10m --json'],
  output: shape.record({
    market: shape.text(''),
    price: shape.decimal('where it goes'),
    at: shape.time('when it is there'),
  }),
  dry: DRY_CHANGE,
  async run({ session, globals }, { market, price, over = 0 }) {
    if (globals.dryRun) return dryChange('sandbox price', `Would lead ${market} to ${price}.`);
    const report = (await session.administer('POST /price', { market, price, ms: over })) as PriceMoveReport;
    return { data: report, show: () => `${report.market} goes to ${report.price} until ${report.at}.` };
  },
});
