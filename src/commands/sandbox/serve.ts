import { define, flag, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { oneOf, wholeNumber } from '../inputs/numbers.js';
import { utcOffset } from '../inputs/time.js';
import { otherLimits } from './other-limits.js';
import { ADDRESS, ADMINISTRATION } from './shapes.js';

export default define({
  summary: 'Run the sandbox exchange in the foreground; prints one line of JSON when ready',
  flags: {
    port: flag('--port <n>', 'the port on loopback; 0 takes any free one', wholeNumber('--port', 0, 65_535)),
    seed: flag('--seed <n>', 'what chance starts from', wholeNumber('--seed', 0, 999_999_999)),
    limits: toggle('--no-limits', 'do not enforce the stated rate limits'),
    limit: flag(
      '--limit <list>',
      'other limits, for tests: key=600,address=off,lock=10s,kline=off,reqTime=5s',
      otherLimits,
    ),
    strictAgent: toggle('--strict-agent', "refuse a User-Agent that is not a browser's"),
    klineSince: flag(
      '--kline-since <which>',
      'the 1,000 rows after since where there are more: first or latest (default)',
      oneOf('--kline-since', 'first', 'latest'),
    ),
    zone: flag('--zone <offset>', "the zone of the interface's dates, such as +08:00; UTC when left out", utcOffset),
  },
  examples: [
    'sandbox serve --port 0',
    'sandbox serve --port 8700 --seed 7 --no-limits',
    'sandbox serve --limit key=600,reqTime=5s',
  ],
  output: shape.record({ ...ADDRESS, ...ADMINISTRATION }),
  async run({ host, output }, { port, seed, limits, limit, strictAgent, zone, klineSince }) {
    const { startSandbox } = await import('../../sandbox/lifecycle/start.js');
    const running = await startSandbox(host, { port, seed, limits, limit, strictAgent, zone, klineSince });
    host.onInterrupt(() => running.close());
    const line = JSON.stringify(running.address);
    await output.answer({ data: running.address, show: () => line });
    await running.closed;
    return undefined;
  },
});
