import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PIT } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { plainEnvironment, runPit, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';
import { useRehearsals } from './rehearsals.js';

// Rehearsed programs, which are processes of their own, and what processes leave behind.

const { home, folder, candles, rehearse, reportOf, HILL } = useRehearsals();

/** A program of the test, by its text. */
function program(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return `${process.execPath} ${file}`;
}

/** Asks for the ticker once, so that the clock runs. */
const BEGIN = 'await fetch(process.env.PIT_BASE_URL + "/data/v1/ticker?market=btc_usdt");';

/** Half a day of a wave. */
const WAVE = candles(
  'wave.ndjson',
  Array.from({ length: 720 }, (_, minute) => 20_000 * (1 + 0.03 * Math.sin(minute / 20))),
);

describe('a program in another language', () => {
  it('finds hosts, keys and streams in its environment, and no other variable of pit', async () => {
    const names = 'Object.keys(process.env).filter((name) => name.startsWith("PIT_")).sort().join()';
    const command = program('names.mjs', `console.error(${names}); console.error(process.env.PIT_HOME)`);
    const { code, stderr } = await runPit(['rehearse', WAVE, '--', ...command.split(' ')], {
      home,
      environment: { PIT_PROFILE: 'live', PIT_ACCESS_KEY: 'a-key-of-the-user', PIT_SECRET_KEY: 'a-secret-of-the-user' },
    });
    expect(code).toBe(0);
    const [shown, ownHome] = stderr.trimEnd().split('\n');
    expect(shown).toBe(
      'PIT_ACCESS_KEY,PIT_BASE_URL,PIT_CLOCK,PIT_ENDS_WITH_PROGRAM,PIT_HOME,PIT_SECRET_KEY,PIT_TRADE_URL,PIT_WS_URL',
    );
    expect(ownHome).not.toContain(home);
  });

  it('may run pit, which finds the streams in the same variables', async () => {
    const command = program(
      'streams.mjs',
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'stream', 'depth:btc_usdt', '--count', '1', '--json'])};
      const { status, stdout, stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log("streamed", status, stdout, stderr);`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 60 --json`, command);
    expect(stderr).toMatch(/^streamed 0 \{"channel":"depth:btc_usdt"/m);
  });

  it('may run pit, which waits by the clock of the rehearsal', async () => {
    const lines = [
      'alert btc_usdt close:15min>1 --timeout 7200 --json',
      'alert btc_usdt last<1 --timeout 600 --json',
      'stream depth:btc_usdt --for 10m --json',
      'order sell btc_usdt 0.1 --at 30000 --for 5m --yes --json',
      'alert btc_usdt last<1 --timeout 1800 --json',
      'order sell btc_usdt 0.1 --at 30000 --wait filled --timeout 1800 --yes --json',
      'algo list --all --json',
    ].map((line) => line.split(' '));
    const command = program(
      'waits.mjs',
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      for (const words of ${JSON.stringify(lines)}) {
        const { status, stdout } = spawnSync(${JSON.stringify(PIT.command)}, [...${JSON.stringify(PIT.arguments)}, ...words], { encoding: "utf8" });
        console.log(status, words[0], stdout.trim().split("\\n").at(-1));
      }`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 600 --json`, command);
    const shown = stderr
      .trim()
      .split('\n')
      .filter((line) => /^\d+ (alert|stream|order|algo) ?/.test(line));
    expect(shown.map((line) => line.split(' ', 2).join(' '))).toEqual([
      '0 alert',
      '10 alert',
      '0 stream',
      '0 order',
      '10 alert',
      '9 order',
      '0 algo',
    ]);
    expect(Date.parse(JSON.parse(shown[0]?.slice(8) ?? '{}').time) % (15 * 60_000)).toBe(0);
    const [ended] = JSON.parse(shown[6]?.slice(7) ?? '[]') as { state: string; started: string; ended: string }[];
    expect(ended?.state).toBe('cancelled');
    expect(Date.parse(ended?.ended ?? '') - Date.parse(ended?.started ?? '')).toBeGreaterThanOrEqual(5 * 60_000);
  });

  it('may not have pit hold a timer on a faster clock: the minute of the exchange would end too early', async () => {
    const command = program(
      'hold.mjs',
      `const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'cancel-after', 'btc_usdt', '--hold', '--yes'])};
      const { status, stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log("held", status, stderr);`,
    );
    const { stderr } = await rehearse(`${WAVE} --speed 60 --json`, command);
    expect(stderr).toContain('held 2 pit: --hold cannot keep a timer in a rehearsal that runs 60 times as fast.');
  });

  it('is ended by SIGTERM when the tape is over, and the report has the whole tape', async () => {
    const short = candles('short.ndjson', [20_000, 20_100, 20_200]);
    const command = program('endless.mjs', `${BEGIN} setInterval(() => {}, 1000)`);
    const report = await reportOf(`${short} --speed 1000`, command);
    expect(report.tape).toMatchObject({ to: '2026-01-05T00:02:00.000Z', documents: 3 });
  });

  it('is reported with its exit code if it fails', async () => {
    const command = program('failing.mjs', `${BEGIN} process.exit(3)`);
    const { code, stdout, stderr } = await rehearse(`${WAVE} --json`, command);
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ orders: 0, fills: 0 });
    expect(stderr).toContain('ended with exit code 3');
  });

  it('has its requests that only read and were refused counted in the report', async () => {
    const asks = 'fetch(process.env.PIT_BASE_URL + "/data/v1/kline?market=btc_usdt&type=1min")';
    const text = `for (let i = 0; i < 3; i += 1) await (await ${asks}).text();`;
    const report = await reportOf(`${WAVE} --speed 0.001`, program('reads.mjs', text));
    expect(report).toMatchObject({ refused: 0, refusedReads: 2 });
  });

  it('does not begin before its first request', async () => {
    const command = program('late.mjs', 'setTimeout(() => {}, 300)');
    expect((await reportOf(`${WAVE} --speed 100000`, command)).tape.documents).toBeLessThan(5);
  });

  it('the grid bot of the documentation trades on a tape', async () => {
    const page = readFileSync('docs/rehearsal.md', 'utf8');
    const [, bot = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
    expect(bot.split('\n').length).toBeLessThan(100);
    const report = await reportOf(`${WAVE} --to 2026-01-05T05:00 --speed 2400`, program('grid.mjs', bot));
    expect(report.orders).toBeGreaterThanOrEqual(8);
    expect(report.fills).toBeGreaterThan(0);
    expect(report.refused).toBe(0);
  });

  it('a client that was not made for pit follows the streams with nothing but hosts and keys', async () => {
    const bot = path.resolve('test/commands/rehearse/foreign-bot.mjs');
    const { code, stderr } = await rehearse(`${WAVE} --speed 600 --json`, `${process.execPath} ${bot}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"symbol":"BTC/USDT"') });
    expect(stderr).toContain('"traded":true');
  });
});

describe('what is left', () => {
  it('is nothing after a rehearsal that ended, of a command or of a program', async () => {
    const left = temporaryHome();
    const commands = ['order sell btc_usdt 1 --trail 1%', `${process.execPath} -e 0`, 'order buy btc_usdt 0.1'];
    for (const command of commands)
      await runProgram(['rehearse', HILL, '--', ...command.split(' ')], { home, environment: { TMPDIR: left } });
    expect(readdirSync(left)).toEqual([]);
  });

  it.each([
    ['a command', 'order sell btc_usdt 1 --trail 90%', 'Watching 1 algo order.'],
    ['a program', program('long.mjs', `${BEGIN} console.log("pid", process.pid); setInterval(() => {}, 1000)`), 'pid '],
  ])('is nothing after Ctrl-C, which reports so far: %s', async (_, command, printed) => {
    const left = temporaryHome();
    const long = _ === 'a command' ? 'sandbox' : WAVE;
    const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', long, '--', ...command.split(' ')];
    const child = spawn(first, rest, {
      env: plainEnvironment(home, { TMPDIR: left }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await eventually(() => expect(stderr).toContain(printed));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stdout).toContain('interrupted');
    expect(readdirSync(left)).toEqual([]);
    const pid = /^pid (\d+)$/m.exec(stderr)?.[1];
    if (pid !== undefined) expect(() => process.kill(Number(pid), 0)).toThrow();
  });

  /** The processes that have this temporary folder, as far as the system shows it. One that watches would make the folder again. */
  function processesIn(temporary: string): string[] {
    if (!existsSync('/proc')) return [];
    const hasIt = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${temporary}`);
      } catch {
        return false;
      }
    };
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasIt(name));
  }

  /** Has pit make an algo order that is watched in the background, says so, and goes on as `then` says. */
  const algoProgram = (name: string, then: string) =>
    program(
      name,
      `${BEGIN} const { spawnSync } = await import("node:child_process");
      const words = ${JSON.stringify([...PIT.arguments, 'order', 'sell', 'btc_usdt', '0.1', '--trail', '90%', '--yes'])};
      const { stderr } = spawnSync(${JSON.stringify(PIT.command)}, words, { encoding: "utf8" });
      console.log(stderr, "made"); ${then}`,
    );

  it('is nothing after a program whose algo order is watched in the background, and nothing watches it', async () => {
    const left = temporaryHome();
    const command = algoProgram('algo.mjs', 'console.log("done");');
    const { stderr } = await runProgram(['rehearse', WAVE, '--', ...command.split(' ')], {
      home,
      environment: { TMPDIR: left },
    });
    expect(stderr).toContain('made');
    await eventually(() => expect(processesIn(left)).toEqual([]));
    expect(readdirSync(left)).toEqual([]);
  });

  it.each([1, 2])(
    'is nothing after %i hangups, with an algo order that is watched in the background',
    async (count) => {
      const left = temporaryHome();
      const command = algoProgram(`hangup-${count}.mjs`, 'setInterval(() => {}, 1000)');
      const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', WAVE, '--', ...command.split(' ')];
      const child = spawn(first, rest, {
        env: plainEnvironment(home, { TMPDIR: left }),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text;
      });
      await eventually(() => expect(stderr).toContain('made'));
      if (existsSync('/proc')) expect(processesIn(left)).toContain(String(child.pid));
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      for (let sent = 0; sent < count; sent++) child.kill('SIGHUP');
      expect(await ended).toBe('SIGHUP');
      await eventually(() => expect(processesIn(left)).toEqual([]));
      expect(readdirSync(left)).toEqual([]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'gives no process that it starts the keys of the environment, also under other names',
    async () => {
      const [accessKey, secretKey] = ['an-access-key-of-the-user', 'a-secret-key-of-the-user'];
      const text = `${BEGIN} const { readFileSync, readdirSync } = await import("node:fs");
      const env = (pid) => { try { return readFileSync("/proc/" + pid + "/environ", "utf8") } catch { return "" } };
      const parent = (pid) => { try { return /^PPid:\\s*(\\d+)/m.exec(readFileSync("/proc/" + pid + "/status", "utf8"))?.[1] } catch { return "" } };
      const pids = readdirSync("/proc").filter((name) => parent(name) === String(process.ppid));
      console.log("children", pids.length, pids.map(env).join("").includes("of-the-user"));`;
      const command = program('environments.mjs', text);
      const { stderr } = await runProgram(['rehearse', WAVE, '--', ...command.split(' ')], {
        home,
        environment: { PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey, COPY_OF_KEY: `x ${secretKey}` },
      });
      expect(stderr).toMatch(/^children [2-9] false$/m);
    },
  );

  it('is no program after the rehearsal was killed', async () => {
    const endless = program('orphan.mjs', `${BEGIN} console.log("pid", process.pid); setInterval(() => {}, 1000)`);
    const [first = '', ...rest] = [PIT.command, ...PIT.arguments, 'rehearse', WAVE, '--', ...endless.split(' ')];
    const child = spawn(first, rest, {
      env: plainEnvironment(home, { TMPDIR: temporaryHome() }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await eventually(() => expect(stderr).toMatch(/^pid \d+$/m));
    const pid = Number(/^pid (\d+)$/m.exec(stderr)?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    child.kill('SIGKILL');
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
  });
});
