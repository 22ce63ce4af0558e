import { describe, expect, it, onTestFinished } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { eventually } from '../../support/eventually.js';
import { FOLLOWS_TRADES, READS_SELLS } from '../../support/wire.js';
import type { StartOptions } from '../../support/world/world.js';
import { document, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ limits: UNLIMITED });

interface Alert {
  readonly condition: string;
  readonly value: string;
  readonly late: boolean;
  readonly order: string | null;
}

/** Starts an alert, and waits until it follows what it is about. */
async function waiting(words: readonly string[], options: StartOptions = {}) {
  const command = pit.world.start(['alert', ...words, '--verbose'], options);
  onTestFinished(() => command.kill());
  const alerts = () => {
    const lines = command.printed.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Alert);
  };
  await eventually(
    () => expect(command.printed.stderr).toMatch(FOLLOWS_TRADES),
    () => command.isOver,
  );
  return { ...command, alerts, code: async () => (await pit.finish(command.ended)).code };
}

const price = async () => Number((await pit.json<{ last: string }[]>('ticker eth_usdt'))[0]?.last);
const movePrice = (to: number) => pit.done(`sandbox price eth_usdt ${to.toFixed(2)}`);

describe('pit alert', () => {
  it('ends at once with 0 if a condition holds already, and names the one that does', async () => {
    const alert = await pit.json<Alert>('alert btc_usdt last>1000000 bid>1');
    expect(alert).toMatchObject({ market: 'btc_usdt', condition: 'bid>1', late: false, order: null });
    expect(await pit.done('alert BTC/USDT last<1,000,000.5')).toMatch(
      /^\S+ \S+ \(UTC\) {2}btc_usdt last<1000000.5: [\d,.]+\n$/,
    );
  });

  it('without --repeat counts nothing that was before the command: neither a price nor a candle', async () => {
    const start = await price();
    await movePrice(start * 1.03);
    await eventually(async () => expect(await price()).toBeGreaterThan(start * 1.02));
    await movePrice(start);
    await eventually(async () => expect(await price()).toBeLessThan(start * 1.01));
    const words = ['eth_usdt', `last>${(start * 1.02).toFixed(2)}`, '--timeout', '2'];
    const { code, printed } = await waiting(words);
    expect([await code(), printed.stdout]).toEqual([10, '']);
  });

  it('waits without an end until a price crosses its level', async () => {
    const above = (await price()) * 1.02;
    const { code, printed } = await waiting(['eth_usdt', `last>${above.toFixed(2)}`, '--json']);
    await movePrice(above * 1.01);
    expect(await code()).toBe(0);
    const alert = document<Alert>(printed.stdout);
    expect(await schemaViolations('alert', alert)).toEqual([]);
    expect(Number(alert.value)).toBeGreaterThan(above);
  });

  it('--repeat leaves out what holds at the start, and goes on after each crossing until Ctrl-C', async () => {
    const [level, start] = [(await price()) * 0.99, await price()];
    const alert = await waiting(['eth_usdt', `last>${level.toFixed(2)}`, '--repeat', '--json']);
    for (const time of [1, 2]) {
      await movePrice(level * 0.98);
      await eventually(async () => expect(await price()).toBeLessThan(level * 0.99));
      await movePrice(start);
      await eventually(() => expect(alert.alerts()).toHaveLength(time));
    }
    await pit.finish(alert.interrupt('SIGINT'));
    await alert.code();
    expect(alert.alerts().map(({ condition }) => condition)).toEqual([1, 2].map(() => `last>${level.toFixed(2)}`));
  });

  it('--repeat --csv prints one header and a row for each', async () => {
    const [{ last = '0' } = {}] = await pit.json<{ last: string }[]>('ticker ltc_usdt');
    const start = Number(last);
    const levels = [1.02, 1.03].map((factor) => factor * start);
    const conditions = levels.map((level) => `last>${level.toFixed(2)}`);
    const { printed } = await waiting(['ltc_usdt', ...conditions, '--repeat', '--csv']);
    await pit.done(`sandbox price ltc_usdt ${(start * 1.04).toFixed(2)}`);
    await eventually(() => expect(printed.stdout.trimEnd().split('\n')).toHaveLength(3));
    expect(printed.stdout).toMatch(/^market,condition,time,value,late,order\nltc_usdt,\S+,\S+,[\d.]+,false,\n/);
  });

  it('holds for another market, for the day and for a trail, and names the market in which it holds', async () => {
    const high = await pit.json<Alert>('alert btc_usdt last>1000000 ETH/USDT:high>1');
    expect(high).toMatchObject({ market: 'eth_usdt', condition: 'eth_usdt:high>1', late: false });
    const start = await price();
    const trail = await waiting(['btc_usdt', 'eth_usdt:trail<-1%', '--json']);
    await movePrice(start * 0.97);
    expect(await trail.code()).toBe(0);
    const alert = document<Alert>(trail.printed.stdout);
    expect(await schemaViolations('alert', alert)).toEqual([]);
    expect(alert).toMatchObject({ market: 'eth_usdt', condition: 'eth_usdt:trail<-1%' });
    expect(Number(alert.value)).toBeLessThan(-1);
    await movePrice(start);
  });

  it('--timeout ends it with 10, unlike a lost connection, and with an empty stdout', async () => {
    const error = await pit.failure('alert btc_usdt last>1000000 --timeout 0.5', 10);
    expect(error).toMatchObject({ kind: 'overdue', message: 'No condition held within 0.5 seconds.' });
  });

  it('polls if the profile has no stream', async () => {
    const above = (await price()) * 1.02;
    const words = ['eth_usdt', `last>${above.toFixed(2)}`];
    const { code, printed } = await waiting(words, { environment: pit.served.environment });
    await movePrice(above * 1.01);
    expect([await code(), printed.stdout]).toEqual([0, expect.stringContaining(' eth_usdt last>')]);
    expect(printed.stderr).not.toContain('WebSocket');
  });

  it.each([
    ['', 'pit alert needs CONDITION.'],
    ['last', 'The condition "last" has nothing to compare with.'],
    ['last>', 'The condition "last>" has no number.'],
    ['last>1,5', 'The condition "last>1,5" has "1,5" in place of a number.'],
    ['last=5', 'There is no condition "last=5".'],
    ['lsat>5', 'There is no condition "lsat>5". Did you mean last?'],
    ['bid>-5', 'The condition "bid>-5" has a number below zero.'],
    ['bid>5%', 'The condition "bid>5%" has a %.'],
    ['spread>5', 'The condition "spread>5" has no %.'],
    ['close>5', 'The condition "close>5" names no candles.'],
    ['close:2min>5', 'The candle type of "close:2min>5" must be one of'],
    ['last:15min>5', 'There is no condition "last:15min>5". Did you mean last?'],
    ['trail<2%', 'The condition "trail<2%" holds at once.'],
    ['trail>0%', 'The condition "trail>0%" has no distance.'],
    ['trail<-100%', 'The condition "trail<-100%" can never hold.'],
    ['trail<-2', 'The condition "trail<-2" has no %.'],
    ['btc_:last>5', '"btc_" is not a market name.'],
    ['eth_usdtt:last>5', 'eth_usdtt'],
    ['fill:', 'The condition "fill:" names no order.'],
    ['filled', 'The condition "filled" names no order.'],
    ['filled:', 'The condition "filled:" names no order.'],
    ['fill:a-b', 'The client order id "a-b" has other characters than letters and digits.'],
  ])('refuses the condition "%s"', async (condition, message) => {
    const error = await pit.failure(`alert btc_usdt ${condition}`.trim(), 2);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  });

  it('runs no program in a dry run', async () => {
    const { message } = await pit.failure('alert btc_usdt last>1 --exec true --dry-run', 2);
    expect(message).toBe('--exec and --dry-run exclude each other.');
  });

  it('refuses an unknown market', async () => {
    expect((await pit.failure('alert btc_usdtt last>1', 2)).message).toContain('btc_usdtt');
    expect((await pit.failure('alert btc_usdtt fill', 2)).message).toContain('btc_usdtt');
  });

  it('shows on a terminal what it waits for, with the price and its age, and removes that line at the end', async () => {
    const words = ['alert', 'btc_usdt', 'last>1000000', 'spread>90%'];
    const { printed, interrupt, ended } = pit.world.start(words, { columns: 120 });
    const line = /btc_usdt · last [\d,.]+ · spread [\d.]+% · .* old · waiting for last>1000000 or spread>90%/;
    await eventually(() => expect(printed.stderr).toMatch(line));
    await pit.finish(interrupt('SIGINT'));
    await pit.finish(ended);
    expect([printed.stdout, printed.stderr]).toEqual(['', expect.stringMatching(/\r\u001b\[2K$/)]);
  });
});

describe('pit alert on fills', () => {
  const placed = async (line: string) => (await pit.json<{ id: string }>(`order ${line} --yes`)).id;

  it('reports each fill in the market, also of an order that is placed later', async () => {
    const alert = await waiting(['eos_usdt', 'fill', '--repeat', '--json']);
    await eventually(() => expect(alert.printed.stderr).toMatch(READS_SELLS));
    const id = await placed('buy eos_usdt 10 --at ask+1%');
    await eventually(() =>
      expect(alert.alerts().at(-1)).toMatchObject({ condition: 'fill', order: id, value: '10.00' }),
    );
  });

  it('holds at once for an order that is filled already, by its id or your own', async () => {
    const id = await placed('buy eos_usdt 10 --at ask+1% --id alert0001');
    expect(await pit.json(`alert eos_usdt fill:${id}`)).toMatchObject({ condition: `fill:${id}`, order: id });
    expect(await pit.done('alert eos_usdt fill:alert0001')).toContain(
      `eos_usdt fill:alert0001: bought 10 of 10 eos at `,
    );
  });

  it('filled:ID waits for the whole order, and holds at once if it is filled already', async () => {
    const id = await placed('buy eos_usdt 10 --at ask+1% --id alert0002');
    expect(await pit.json(`alert eos_usdt filled:${id}`)).toMatchObject({ condition: `filled:${id}`, value: '10.00' });
    const open = await placed('buy eos_usdt 10 --at bid-5%');
    expect((await pit.failure(`alert eos_usdt filled:${open} --timeout 1`, 10)).kind).toBe('overdue');
    await pit.done(`cancel eos_usdt ${open}`);
    expect((await pit.failure(`alert eos_usdt filled:${open}`, 9)).message).toContain(`filled:${open}`);
  });

  it('ends with 9 once the order is cancelled, and refuses one that does not exist', async () => {
    const id = await placed('buy eos_usdt 10 --at bid-5%');
    const alert = await waiting(['eos_usdt', `fill:${id}`]);
    await pit.done(`cancel eos_usdt ${id}`);
    expect(await alert.code()).toBe(9);
    expect(alert.printed.stderr).toContain(`Nothing more can fill, so fill:${id} cannot hold any more.`);
    expect((await pit.failure('alert eos_usdt fill:17', 3)).message).toContain('not found');
  });
});
