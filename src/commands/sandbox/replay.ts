import path from 'node:path';
import { define, flag, required } from '../../cli/definition.js';
import { DRY_CHANGE, dryChange } from '../../cli/dry-run.js';
import * as shape from '../../cli/shapes.js';
import type { ReplayReport } from '../../sandbox/admin/replay.js';
import { grouped } from '../../terminal/numbers.js';
import { speed } from '../inputs/durations.js';
import { marketName } from '../inputs/names.js';
import { filePath } from '../inputs/words.js';
import { losingState } from './losing.js';

const FASTEST = 'max';

export default define({
  summary: 'Let a market of the sandbox follow a file of candles or trades',
  arguments: {
    market: required('the market', marketName),
    file: required('time,open,high,low,close,volume; or time,id,side,price,amount; or a common export', filePath),
  },
  flags: {
    speed: flag('--speed <n>', 'times as fast as time, or max (default: max)', (text) =>
      text === FASTEST ? FASTEST : speed(text),
    ),
  },
  examples: ['sandbox replay btc_usdt candles.csv', 'sandbox replay xrp_eth trades.csv --speed 60 --json'],
  output: shape.record({
    market: shape.text(''),
    kind: shape.oneOf(['candles', 'trades'], ''),
    rows: shape.count(''),
    from: shape.time(''),
    to: shape.time(''),
    speed: shape.orNull(shape.number('null for as fast as it goes')),
    anew: shape.yesNo("the exchange began anew at the file's first row"),
    left: shape.count('rows that are still to happen'),
  }),
  dry: DRY_CHANGE,
  async run(context, { market, file, speed: factor }) {
    if (context.globals.dryRun) return dryChange('sandbox replay', `Would let ${market} follow ${file}.`);
    const input = { market, file: path.resolve(file), speed: factor === FASTEST ? null : (factor ?? null) };
    const report = (await losingState(context, 'POST /replay', input)) as ReplayReport;
    return { data: report, show: () => sentence(report) };
  },
});

function sentence({ market, kind, rows, from, to, speed: factor, left }: ReplayReport): string {
  const what = `${grouped(String(rows))} ${kind} of ${market}, ${from} to ${to}`;
  if (left === 0 && factor === null) return `Replayed ${what}. The clock stands still at the end.`;
  return `Replays ${what}, ${factor} times as fast as time.`;
}
