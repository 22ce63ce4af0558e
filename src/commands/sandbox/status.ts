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
      ['requests', count(status.requests)],
    ];
    return {
      data: status,
      show: (screen) =>
        status.running ? record(screen, entries) : 'The sandbox is not running; a command that needs it starts it.',
    };
  },
});
