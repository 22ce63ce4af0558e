import { execFile } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { PIT_IN_SHELL } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { place } from './order/order-rows.js';
import { usePitHome } from './pit-home.js';

const pit = usePitHome();
let order = '';

beforeAll(async () => {
  order = (await place(pit, 'buy btc_usdt 0.01 --at bid-20%')).id;
  await place(pit, 'sell btc_usdt 0.01 --at bid-1%');
});

/** What the table of each command must show: its columns or its subject. */
const TABLES: readonly (readonly [line: string, shows: RegExp])[] = [
  ['markets', /market +tick size +lot size/],
  ['ticker', /market +last +change +bid +ask/],
  ['depth btc_usdt', /side +price \(usdt\) +amount \(btc\) +cumulative/],
  ['trades btc_usdt', /time.* +side +price \(usdt\)/],
  ['kline btc_usdt', /time.* +open +high +low +close/],
  ['orders btc_usdt --state all', /time.* +id +side +price/],
  ['account', /trade password +on/],
  ['balance', /coin .*available +frozen +total/],
  ['balance --in btc', /total +value \(btc\) +share/],
  ['bills', /time.* +coin +type +change +balance +remark +id/],
  ['bills --summary', /coin +type +bills +in +out +net/],
  ['address usdt', /coin +chain +address +memo +deposits +withdrawals/],
  ['deposits btc', /^No deposits of btc\.$/m],
  ['withdrawals btc --all', /^No withdrawals of btc\.$/m],
  ['fees', /coin +chain +main chain +fee +deposits +withdrawals/],
  ['profile list', /profile +market data +trading/],
  ['profile show', /profile +sandbox \(active\)/],
  ['keys show', /access key +…/],
  ['sandbox status', /address +http:\/\/127\.0\.0\.1/],
  ['order buy btc_usdt 0.01 --at bid --dry-run', /side +\+ BUY/],
];

describe('a table in a pipe', () => {
  // escape, other controls, and spaces that pad the end of a line would all be noise in a pipe
  const noise = /[^\P{Cc}\n]|[ ]\n/u;

  it.each(TABLES)('pit %s prints plain text', async (line, shows) => {
    const text = await pit.done(line);
    expect(text).toMatch(shows);
    expect(text).not.toMatch(noise);
    expect(text.endsWith('\n') && !text.endsWith('\n\n')).toBe(true);
  });

  it('rounds the share of each balance to the nearest', async () => {
    const rows = (await pit.done('balance --in usdt')).trimEnd().split('\n').slice(1);
    const numbers = rows.map((row) => {
      const [value = '', share = ''] = row.trim().split(/\s+/).slice(-2);
      return { value: Number(value.replaceAll(',', '')), share: Number(share.replace('%', '')) };
    });
    const sum = numbers.at(-1)?.value ?? 0;
    expect(numbers.length).toBeGreaterThan(2);
    for (const { value, share } of numbers) expect(Math.abs((100 * value) / sum - share)).toBeLessThan(0.00501);
  });

  it('prints plain errors, too', async () => {
    expect((await pit.run('depth btc_usd')).stderr).not.toMatch(noise);
  });

  it('prints colours with CLICOLOR_FORCE, but not against NO_COLOR', async () => {
    const forced = { CLICOLOR_FORCE: '1' };
    expect(await pit.done('depth btc_usdt', { environment: forced })).toContain('\u001b[');
    expect(await pit.done('depth btc_usdt --no-color', { environment: forced })).not.toContain('\u001b');
    expect(await pit.done('depth btc_usdt', { environment: { ...forced, NO_COLOR: '1' } })).not.toContain('\u001b');
  });

  it('marks buys and sells by sign and word', async () => {
    const text = await pit.done('orders btc_usdt --state all');
    expect(text).toMatch(/\+ BUY/);
    expect(text).toMatch(/- SELL|− SELL/);
    expect(await pit.done(`order show btc_usdt ${order}`)).toMatch(/side +\+ BUY/);
  });

  it('prints the same rows as CSV and JSON', async () => {
    const rows = await pit.json<{ market: string; tickSize: string }[]>('markets');
    const lines = (await pit.done('markets')).trimEnd().split('\n').slice(1);
    expect(lines.map((line) => line.split(/ +/).slice(0, 2))).toEqual(rows.map((row) => [row.market, row.tickSize]));
    expect((await pit.csv('markets')).rows).toEqual(rows.map((row) => Object.values(row).join(',')));
  });
});

describe('a reader that closes the pipe', () => {
  function shell(script: string): Promise<{ stdout: string; stderr: string }> {
    const env = { ...plainEnvironment(pit.home), PIT: PIT_IN_SHELL };
    return new Promise((resolve, reject) => {
      execFile('/bin/sh', ['-c', script], { env }, (error, stdout, stderr) =>
        error ? reject(error) : resolve({ stdout, stderr }),
      );
    });
  }

  beforeAll(async () => {
    // a purchase makes three bills: the payment, the coins and the fee; so many fill more than a page
    for (let count = 0; count < 20; count += 1) await place(pit, 'buy btc_usdt 0.001 --at ask+1% --ioc');
  });

  it.each([
    'trades btc_usdt',
    'trades btc_usdt --csv',
    'kline btc_usdt --type 1min --size 1000 --json',
    'bills --all',
    'bills --all --csv',
    'bills --all --json',
  ])('ends pit %s with exit code 0', async (line) => {
    const { stdout, stderr } = await shell(`{ eval "$PIT ${line}"; echo "exit $?" >&2; } | head -c 1`);
    expect({ stdout: stdout.length, stderr }).toEqual({ stdout: 1, stderr: 'exit 0\n' });
  });
});
