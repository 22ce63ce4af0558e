import { grouped } from '../../terminal/numbers.js';
import { type Entry, record } from '../../terminal/table.js';
import { localTime, timeTitle } from '../../terminal/time.js';
import { define } from '../frame/definition.js';

export default define({
  summary: 'Whether the sandbox runs, where, and with which play keys',
  examples: ['sandbox status', 'sandbox status --json'],
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
