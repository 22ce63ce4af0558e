import { expect, it } from 'vitest';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment } from '../../support/pit.js';
import { usePitHome } from '../pit-home.js';

const pit = usePitHome();

/** What a command shows on a terminal, and its requests. */
async function shown(line: string) {
  const environment = plainEnvironment(pit.home, { TERM: 'xterm', NO_COLOR: '1' });
  const command = startInProcess([...line.split(' '), '--verbose'], environment, { columns: 140 });
  expect(await command.ended).toBe(0);
  const requests = command.printed.stderr.match(/^GET /gm)?.length ?? 0;
  return { rows: command.printed.stdout.split('\n'), requests };
}

const DRAWN = / [▁▂▃▄▅▆▇█]{12}$/;

it('draws the last 24 hours of markets whose candles were read, without a request of its own', async () => {
  await pit.done('markets');
  const before = await shown('ticker');
  expect(before.rows.some((row) => DRAWN.test(row))).toBe(false);
  await pit.done('kline eth_usdt');
  const after = await shown('ticker');
  expect(after.requests).toBe(before.requests);
  expect(after.rows.filter((row) => DRAWN.test(row)).map((row) => row.split(' ')[0])).toEqual(['eth_usdt']);
  const markets = await shown('markets eth_usdt');
  expect(markets.rows.some((row) => DRAWN.test(row))).toBe(true);
});

it('draws nothing of fewer or other candles, nor in a pipe', async () => {
  await pit.done('kline ltc_usdt --size 23');
  await pit.done('kline btc_usdt --type 15min --size 100');
  const { rows } = await shown('ticker ltc_usdt btc_usdt');
  expect(rows.some((row) => DRAWN.test(row))).toBe(false);
  expect(await pit.done('ticker eth_usdt')).not.toContain('24 h');
});
