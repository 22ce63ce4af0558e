import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { grouped } from '../../terminal/numbers.js';
import { type Entry, record } from '../../terminal/table.js';
import { localTime, timeTitle } from '../../terminal/time.js';
import { ADDRESS } from './shapes.js';

const COUNT = (description: string) => shape.orNull(shape.count(description));

export default define({
  summary: 'Whether the sandbox runs, where, and with which play keys',
  examples: ['sandbox status', 'sandbox status --json'],
  output: shape.record({
    running: shape.yesNo(''),
    ...Object.fromEntries(Object.entries(ADDRESS).map(([name, field]) => [name, shape.orNull(field)])),
    time: shape.orNull(shape.time("the exchange's clock")),
    clockRunning: shape.orNull(shape.yesNo('')),
    clockSpeed: shape.orNull(shape.number("times as fast as the machine's clock")),
    markets: COUNT(''),
    orders: COUNT('open ones'),
    accounts: COUNT(''),
    trades: COUNT(''),
    requests: COUNT('since the start'),
    refused: COUNT('since the start'),
    nonBrowserAgents: COUNT("requests without a browser's User-Agent"),
    faults: COUNT('that can still strike'),
    replaying: COUNT('rows that are still to happen'),
    memory: COUNT('in bytes'),
    disk: COUNT('in bytes'),
    cpuSeconds: shape.orNull(shape.number('')),
    upSeconds: shape.orNull(shape.number('')),
  }),
  async run({ host }) {
    const { sandboxStatus } = await import('../../sandbox/lifecycle/index.js');
    const status = await sandboxStatus(host);
    const count = (value: number | null) => (value === null ? null : grouped(String(value)));
    const entries: Entry[] = [
      ['address', status.tradeUrl],
      ['process', status.pid === null ? null : String(status.pid)],
      ['access key', status.accessKey],
      ['secret key', status.secretKey],
      ['fund password', status.safePwd],
      [timeTitle(), status.time === null ? null : localTime(Date.parse(status.time))],
      ['markets', count(status.markets)],
      ['open orders', count(status.orders)],
      ['trades', count(status.trades)],
      ['clock', status.clockSpeed === null ? null : clockWords(status.clockRunning === true, status.clockSpeed)],
      ['accounts', count(status.accounts)],
      ['requests', count(status.requests)],
      ['refused', count(status.refused)],
      ['not from a browser', count(status.nonBrowserAgents)],
      ['faults', count(status.faults)],
      ['rows to replay', count(status.replaying)],
      ['memory', megabytes(status.memory)],
      ['disk', megabytes(status.disk)],
      ['processor time', status.cpuSeconds === null ? null : `${status.cpuSeconds} s of ${status.upSeconds} s`],
    ];
    return {
      data: status,
      show: (screen) =>
        status.running ? record(screen, entries) : 'The sandbox is not running; a command that needs it starts it.',
    };
  },
});

function clockWords(running: boolean, speed: number): string {
  if (!running) return 'stopped';
  return speed === 1 ? 'running' : `running ${speed} times as fast as time`;
}

function megabytes(bytes: number | null): string | null {
  return bytes === null ? null : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
