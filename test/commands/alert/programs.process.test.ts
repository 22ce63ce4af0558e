import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Host } from '../../../src/platform/host.js';
import { pitLine } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { type ProcessOptions, startInProcess } from '../../support/in-process.js';
import { plainEnvironment } from '../../support/pit.js';
import { FOLLOWS_TRADES } from '../../support/wire.js';
import { usePitHome } from '../pit-home.js';

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
  await eventually(() => expect(command.printed.stderr).toMatch(FOLLOWS_TRADES));
  return { ...command, alerts };
}

const price = async () => Number((await pit.json<{ last: string }[]>('ticker eth_usdt'))[0]?.last);
const movePrice = (to: number) => pit.done(`sandbox price eth_usdt ${to.toFixed(2)}`);

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
