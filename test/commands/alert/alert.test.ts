import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../src/platform/host.js';
import { schemaViolations } from '../../cli-contract/schema-violations.js';
import { pitLine } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { type ProcessOptions, startInProcess } from '../../support/in-process.js';
import { plainEnvironment } from '../../support/pit.js';
import { document, usePitHome } from '../pit-home.js';
import { alertCampaign } from './alert-campaign.js';

const pit = usePitHome();

interface Alert {
  readonly condition: string;
  readonly value: string;
  readonly late: boolean;
  readonly order: string | null;
}

/** Starts an alert, and waits until it follows what it is about. */
async function waiting(words: readonly string[], options: ProcessOptions = {}, added: Record<string, string> = {}) {
  const environment = plainEnvironment(pit.home, added);
  const command = startInProcess(['alert', ...words, '--verbose'], environment, options);
  onTestFinished(async () => {
    await command.interrupt();
    await command.ended;
  });
  const alerts = () => {
    const lines = command.printed.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Alert);
  };
  await eventually(() => expect(command.printed.stderr).toMatch(/addChannel|GET .*trades/));
  return { ...command, alerts };
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
    const { ended, printed } = await waiting(words);
    expect([await ended, printed.stdout]).toEqual([10, '']);
  });

  it('waits without an end until a price crosses its level', async () => {
    const above = (await price()) * 1.02;
    const { ended, printed } = await waiting(['eth_usdt', `last>${above.toFixed(2)}`, '--json']);
    await movePrice(above * 1.01);
    expect(await ended).toBe(0);
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
    await alert.interrupt('SIGINT');
    await alert.ended;
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
    expect(await trail.ended).toBe(0);
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
    const { ended, printed } = await waiting(words, {}, pit.served.environment);
    await movePrice(above * 1.01);
    expect([await ended, printed.stdout]).toEqual([0, expect.stringContaining(' eth_usdt last>')]);
    expect(printed.stderr).not.toContain('WebSocket');
  });

  it.each([
    ['', 'A condition is missing.'],
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

  it('refuses an unknown market', async () => {
    expect((await pit.failure('alert btc_usdtt last>1', 2)).message).toContain('btc_usdtt');
    expect((await pit.failure('alert btc_usdtt fill', 2)).message).toContain('btc_usdtt');
  });

  it('shows on a terminal what it waits for, with the price and its age, and removes that line at the end', async () => {
    const words = ['alert', 'btc_usdt', 'last>1000000', 'spread>90%'];
    const { printed, interrupt, ended } = startInProcess(words, plainEnvironment(pit.home), { columns: 120 });
    const line = /btc_usdt · last [\d,.]+ · spread [\d.]+% · .* old · waiting for last>1000000 or spread>90%/;
    await eventually(() => expect(printed.stderr).toMatch(line));
    await interrupt('SIGINT');
    await ended;
    expect([printed.stdout, printed.stderr]).toEqual(['', expect.stringMatching(/\r\u001b\[2K$/)]);
  });
});

describe('pit alert on fills', () => {
  const placed = async (line: string) => (await pit.json<{ id: string }>(`order ${line} --yes`)).id;

  it('reports each fill in the market, also of an order that is placed later', async () => {
    const alert = await waiting(['eos_usdt', 'fill', '--repeat', '--json']);
    await eventually(() => expect(alert.printed.stderr).toMatch(/getOrders.*tradeType=0/));
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
    expect(await alert.ended).toBe(9);
    expect(alert.printed.stderr).toContain(`Nothing more can fill, so fill:${id} cannot hold any more.`);
    expect((await pit.failure('alert eos_usdt fill:17', 3)).message).toContain('not found');
  });
});

describe('what an alert does', () => {
  /** A program on the PATH that notes its arguments and its input, and ends with a code. */
  function program(name: string, code = 0) {
    const folder = path.join(pit.home, 'bin');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `${name}-called`);
    const script = `#!/bin/sh\nprintf '%s|' "$@" >> '${file}'\ncat >> '${file}'\necho said\nexit ${code}\n`;
    writeFileSync(path.join(folder, name), script);
    chmodSync(path.join(folder, name), 0o755);
    const environment = { PATH: `${folder}:${process.env.PATH}` };
    return { environment, called: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
  }

  const run = (words: readonly string[], environment: Record<string, string>, columns?: number) => {
    const command = startInProcess(
      ['alert', 'btc_usdt', 'last>1', ...words],
      plainEnvironment(pit.home, environment),
      columns === undefined ? {} : { columns },
    );
    return command.ended.then((code) => ({ code, ...command.printed }));
  };

  it('--exec runs a program with its words and the document on stdin, and without a shell', async () => {
    const { environment, called } = program('on-alert');
    const { code, stdout, stderr } = await run(['--json', '--exec', `on-alert 'two words' $HOME "*"`], environment);
    expect(called()).toBe(`two words|$HOME|*|${stdout}`);
    expect([code, stderr]).toEqual([0, 'said\n']);
  });

  it('a program that fails changes nothing but a warning', async () => {
    const { environment } = program('fails', 3);
    const { code, stdout, stderr } = await run(['--exec', 'fails'], environment);
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('last>1'),
      'said\nWarning: "fails" ended with exit code 3.\n',
    ]);
  });

  it('--exec loses nothing of what a program prints faster than a pipe is read', async () => {
    const program = "sh -c 'sleep 0.2; head -c 1000000 /dev/zero'";
    const line = pitLine('alert', 'btc_usdt', 'last>1', '--exec', program);
    const piped = ['-c', '"$@" 2>&1 >/dev/null | (sleep 1; wc -c)', 'sh', ...line];
    const { stdout } = await promisify(execFile)('sh', piped, { env: plainEnvironment(pit.home) });
    expect(stdout.trim()).toBe('1000000');
  });

  it.each([
    ['no-such-program', 'Program "no-such-program" not found.'],
    ['', '--exec is empty.'],
    ['echo "a', 'A quote is not closed in --exec "echo "a".'],
    ['cat > file', '> has no meaning in --exec "cat > file": no shell runs it.'],
  ])('--exec refuses %j at once', async (exec, message) => {
    const { code, stdout, stderr } = await run(['--exec', exec], {});
    expect([code, stdout, stderr.split('\n')[0]]).toEqual([2, '', `pit: ${message}`]);
  });

  it('--notify shows a notification, and rings the bell of a terminal', async () => {
    const { environment, called } = program('notify-send');
    const only = { PATH: `${environment.PATH.split(':')[0]}:/bin:/usr/bin` };
    const { code, stderr } = await run(['--notify'], only, 80);
    expect([code, stderr.includes('\u0007')]).toEqual([0, true]);
    expect(called()).toMatch(/^--app-name=pit\|btc_usdt last>1\|[\d,.]+\|$/);
  });

  it('--notify gives texts to AppleScript as arguments', async () => {
    const { environment, called } = program('osascript');
    expect(await run(['--notify'], environment)).toMatchObject({ code: 0, stderr: 'said\n' });
    expect(called()).toMatch(/\|-e\|end run\|btc_usdt last>1\|[\d,.]+\|$/);
  });

  it('--notify says what it does without such a program', async () => {
    const why = 'neither notify-send nor osascript is installed.';
    const { code, stderr } = await run(['--notify'], { PATH: '/nowhere' });
    expect([code, stderr]).toEqual([0, `Warning: --notify does nothing: ${why}\n`]);
    expect((await run(['--notify'], { PATH: '/nowhere' }, 120)).stderr).toContain(`only rings the bell: ${why}`);
  });
});

describe('a signal during --repeat --exec', () => {
  /** An alert whose programs take a while, once two alerts were printed. */
  async function twoPrinted(host: ProcessOptions['host'] = {}) {
    const start = await price();
    const levels = [1.02, 1.021].map((factor) => `last>${(start * factor).toFixed(2)}`);
    const file = path.join(pit.home, `programs-${start}`);
    const exec = `sh -c 'sleep 0.5; cat >> ${file}'`;
    const alert = await waiting(['eth_usdt', ...levels, '--repeat', '--exec', exec, '--json'], { host });
    await movePrice(start * 1.03);
    await eventually(() => expect(alert.alerts()).toHaveLength(2));
    return { alert, levels, ran: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0) };
  }

  it('has the program of each alert that was printed run before pit ends', async () => {
    const { alert, ran } = await twoPrinted();
    await alert.interrupt('SIGINT');
    expect(ran()).toBe(2);
    expect(alert.printed.stderr).toContain('interrupt again to leave them out');
  });

  it('a second one does not wait, and pit names the alerts whose program has not run to its end', async () => {
    const handlers: Parameters<Host['onInterrupt']>[] = [];
    const onInterrupt: Host['onInterrupt'] = (...handler) => {
      handlers.push(handler);
      return () => undefined;
    };
    const { alert, levels } = await twoPrinted({ onInterrupt });
    const [[onSignal, onSecondSignal] = []] = handlers;
    const finished = onSignal?.('SIGINT');
    onSecondSignal?.('SIGINT');
    const [, last = ''] = levels;
    expect(alert.printed.stderr).toContain(`The program did not run to its end for eth_usdt ${last}`);
    await finished;
  });
});

describe('pit alert --repeat', () => {
  it('reports each crossing and fill once while its connections are cut, stall and sleep, and the exchange restarts', async () => {
    const report = await alertCampaign({ crossings: 8, seed: 3 });
    expect(report.crossings).toBeGreaterThanOrEqual(8);
  });
});
