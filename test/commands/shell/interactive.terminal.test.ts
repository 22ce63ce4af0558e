import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { pitLine } from '../../support/command.js';
import { startInProcess } from '../../support/in-process.js';
import { plainEnvironment, runPit, type ServedSandbox, serveSandbox, temporaryHome } from '../../support/pit.js';
import { onTerminal, type PtyStep } from '../../support/pty.js';
import { FakeTerminal } from '../../support/terminal.js';
import { requires } from '../../support/tools.js';
import type { OrderRow } from '../order/order-rows.js';

const home = temporaryHome();
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const UP = '\u001b[A';

let served: ServedSandbox;
beforeAll(async () => {
  served = await serveSandbox(home);
});

async function openOrders(): Promise<OrderRow[]> {
  const { stdout } = await runPit(['orders', 'btc_usdt', '--json'], { home });
  return JSON.parse(stdout) as OrderRow[];
}

/** A shell in this process. */
function startShell(environment: Readonly<Record<string, string>> = {}) {
  const terminal = new FakeTerminal();
  const all = plainEnvironment(home, { TERM: 'xterm', NO_COLOR: '1', ...environment });
  const command = startInProcess(['shell'], all, {
    input: terminal.keys,
    columns: 100,
    onPrinted: (text) => terminal.show(text),
  });
  const ended = command.ended.finally(() => terminal.end());
  return { terminal, ended, interrupt: () => command.interrupt('SIGINT') };
}

describe('pit shell at a terminal', () => {
  it('shows profile, market and live price, and the exit code of a command that failed', async () => {
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: 'sandbox > ', type: 'use eth_usdt\r' },
      { await: 'sandbox eth_usdt', type: 'depth nope_usdt\r' },
      { await: '[2] sandbox eth_usdt' },
      // the price comes from the stream
      { await: '1,', type: CTRL_D },
    ]);
    expect(await ended).toBe(0);
    expect(terminal.screen).toMatch(/sandbox eth_usdt 1,\d{3}\.?\d*/);
    expect(terminal.isRaw).toBe(false);
  });

  it('shows in the prompt that the account is halted, with the reason, until that is over', async () => {
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: 'sandbox > ', type: 'halt --reason news\r' },
      { await: 'sandbox HALTED (news) > ', type: 'halt --lift --confirm sandbox\r' },
      { await: 'Lifted the halt' },
      { await: 'sandbox > ', type: CTRL_D },
    ]);
    expect(await ended).toBe(0);
  });

  it('prints above the prompt what an own order fills, and keeps what is being typed', async () => {
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: 'sandbox', type: 'use btc_usdt\r' },
      { await: 'sandbox btc_usdt', type: 'markets --cs' },
    ]);
    // what fills before the orders have been read is no news
    const line = /Filled {2}buy 0\.01 btc at [\d,.]+ in btc_usdt, order \d+, all filled/;
    while (!line.test(terminal.screen))
      await runPit(['order', 'buy', 'btc_usdt', '0.01', '--at', 'ask+1%', '--ioc', '--yes'], { home });
    await terminal.follow([
      { await: 'markets --cs', type: 'v\r' },
      { await: 'market,base', type: CTRL_D },
    ]);
    expect(await ended).toBe(0);
  });

  it('runs pasted lines one after another, and no line of them confirms a write', async () => {
    const before = await openOrders();
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: ' > ', type: 'order buy btc_usdt 0.01 --at bid-5%\ry\rbalance btc --csv\rexit' },
      { await: '[y/N]', type: 'n\r' },
      { await: "unknown command 'y'" },
      { await: 'coin,name' },
      // what was not finished stands at the next prompt
      { await: 'exit', type: '\r' },
    ]);
    expect(await ended).toBe(0);
    expect(await openOrders()).toEqual(before);
  });

  it('cancels at Ctrl-C what is running, and goes on', async () => {
    const placed = await runPit(['order', 'buy', 'btc_usdt', '0.01', '--at', 'bid-5%', '--yes', '--json'], { home });
    const { id } = JSON.parse(placed.stdout) as { readonly id: string };
    const { terminal, ended, interrupt } = startShell();
    await terminal.follow([{ await: ' > ', type: `order show btc_usdt ${id} --wait filled\r` }, { await: 'open, 0' }]);
    await interrupt();
    await terminal.follow([
      { await: '[130] sandbox', type: 'markets --csv\r' },
      { await: 'market,base', type: 'exit\r' },
    ]);
    expect(await ended).toBe(0);
  });

  it('leaves an order whose answer was not awaited to pit resolve, also in the same shell', async () => {
    await runPit(['sandbox', 'fault', 'add', 'delay', '--delay', '60000', '--operation', 'order'], { home });
    const { terminal, ended, interrupt } = startShell();
    await terminal.follow([{ await: ' > ', type: 'order buy btc_usdt 0.02 --at bid-5% --yes --verbose\r' }]);
    await arrived('order');
    await interrupt();
    await terminal.follow([
      { await: 'The order may have been placed' },
      { await: '[130] sandbox', type: 'sandbox fault clear\r' },
      { await: 'Removed', type: 'resolve\r' },
      { await: 'placed as', type: 'exit\r' },
    ]);
    expect(await ended).toBe(0);
    expect(terminal.screen).not.toContain('still under way');
  });

  /** Resolves when the sandbox has met the fault of an operation. */
  async function arrived(operation: string): Promise<void> {
    for (;;) {
      const { stdout } = await runPit(['sandbox', 'fault', 'log', '--json'], { home });
      if (stdout.includes(`"${operation}"`)) return;
    }
  }

  it('gives up at Ctrl-C what is being typed', async () => {
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: ' > ', type: 'cancel btc_usdt --all --yes' },
      { await: '--yes', type: CTRL_C },
      { await: ' > ', type: 'exit\r' },
    ]);
    expect(await ended).toBe(0);
    expect(terminal.screen).not.toContain('Cancelled');
  });

  it('completes at two Tabs that come at once what it would at one after the other', async () => {
    const { terminal, ended } = startShell();
    await terminal.follow([
      { await: ' > ', type: 'profi\t\t' },
      // the second Tab lists what may follow
      { await: 'unset', type: 'list --csv\r' },
      { await: 'name,', type: 'exit\r' },
    ]);
    expect(await ended).toBe(0);
  });

  it('gives what is typed after Ctrl-C to the prompt, also if the command was reading it', async () => {
    const { terminal, ended, interrupt } = startShell();
    await terminal.follow([
      { await: ' > ', type: 'profile add typed --base-url http://127.0.0.1:1 --trade-url http://127.0.0.1:1\r' },
      { await: 'Added typed', type: 'keys set --profile typed --stdin\r' },
    ]);
    while (!terminal.screen.includes('[130]')) {
      await delay(5);
      await interrupt();
    }
    await terminal.follow([
      { await: '[130]', type: `markets --csv | head -n 1${' '.repeat(4_100)}\r` },
      { await: 'market,base', type: 'exit\r' },
    ]);
    expect(await ended).toBe(0);
    expect(terminal.screen).not.toContain('bug');
  });

  it('a command that Ctrl-C reaches while it is loaded does nothing', async () => {
    const ended = new AbortController();
    ended.abort(new Interrupted('SIGINT'));
    const { code, stdout } = await runPit(['markets', '--csv'], { home, host: { endSignal: ended.signal } });
    expect([code, stdout]).toEqual([130, '']);
  });

  it('reads whole lines on a terminal that cannot move its cursor', async () => {
    const { terminal, ended } = startShell({ TERM: 'dumb' });
    await terminal.follow([
      { await: ' > ', type: 'ticker btc_usdt --csv\n' },
      { await: 'market,time', type: 'exit\n' },
    ]);
    expect(await ended).toBe(0);
    expect(terminal.screen).not.toContain('\u001b');
  });

  it.runIf(requires('python3'))(
    'edits, completes, repeats and confirms on a real terminal, and leaves it as it was',
    async () => {
      const steps: PtyStep[] = [
        { await: ' > ', type: 'tick\t' },
        { await: 'ticker ', type: 'btc\t' },
        { await: 'btc_usdt ', type: '--csv\r' },
        { await: 'market,time' },
        { await: ' > ', type: UP },
        { await: 'ticker btc_usdt --csv', type: CTRL_C },
        { await: ' > ', type: 'order buy btc_usdt 0.03 --at bid-5%\r' },
        { await: '[y/N]', type: 'y\r' },
        { await: 'Placed' },
        { await: ' > ', type: 'stream ticker:btc_usdt\r' },
        { await: 'btc_usdt', type: CTRL_C },
        { await: '[130]', type: CTRL_D },
      ];
      const environment = plainEnvironment(home, { NO_COLOR: '1' });
      const { status, echoes, late } = await onTerminal({
        command: pitLine('shell'),
        steps,
        environment,
      });
      expect({ status, echoes, late }).toEqual({ status: 0, echoes: true, late: false });
      expect(await openOrders()).toContainEqual(expect.objectContaining({ amount: '0.030000' }));
      expect(served.address.tradeUrl).toContain('127.0.0.1');
    },
  );
});
