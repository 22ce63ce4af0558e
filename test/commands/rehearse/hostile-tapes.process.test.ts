import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { depthLine, RULES, textOf, trade, tradesLine } from '../../sandbox/replay/tape-lines.js';
import { pitLine } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { plainEnvironment, temporaryHome } from '../../support/pit.js';
import { runProgram } from '../../support/program.js';
import { PitHome } from '../pit-home.js';

const pit = new PitHome(temporaryHome());
beforeAll(() => pit.serve());

const folder = temporaryHome();

const good = [
  { markets: [RULES] },
  depthLine(0, [['99.00', '5']], [['100.00', '5']]),
  tradesLine(1_000, [trade('5')]),
  tradesLine(600_000, [trade('6')]),
];
const text = textOf(good);

function tapeOf(content: string | Buffer, name = 'tape.ndjson'): string {
  const file = path.join(mkdtempSync(path.join(folder, 'tape-')), name);
  writeFileSync(file, content);
  return file;
}

/** What both commands say of it. Each of them has to end with exit code 2, without a result. */
async function refusals(file: string): Promise<string[]> {
  const lines = [`rehearse ${file} -- order buy btc_usdt 0.1 --at 99`, `sandbox replay ${file} --yes`];
  const left = mkdtempSync(path.join(folder, 'left-'));
  const messages = [];
  vi.stubEnv('TMPDIR', left);
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const line of lines) messages.push((await pit.failure(line, 2)).message.replaceAll(file, 'TAPE'));
  expect(readdirSync(left)).toEqual([]);
  return messages;
}

describe('a tape that cannot be replayed', () => {
  it('is refused in one sentence by pit rehearse and pit sandbox replay, with the file and the line', async () => {
    const backwards = textOf([{ markets: [RULES] }, depthLine(600_000, [], []), depthLine(0, [], [])]);
    for (const said of await refusals(tapeOf(backwards)))
      expect(said).toMatch(/^TAPE: line 3 goes back in time, from /);
  });

  it.skipIf(process.getuid?.() === 0)('is a file that the user may not read', async () => {
    const file = tapeOf(text);
    chmodSync(file, 0);
    for (const said of await refusals(file)) expect(said).toBe('Cannot read TAPE: EACCES.');
  });
});

async function rehearsed(
  file: string,
  input = '',
): Promise<{ fills: number; tape: { documents: number; gaps: number } }> {
  const words = ['rehearse', file, '--json', '--', 'order', 'buy', 'btc_usdt', '0.1', '--at', '100'];
  const { code, stdout, stderr } = await runProgram(words, { home: folder, input });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('a tape with a flaw that exchanges and recorders make', () => {
  it('is replayed if its book crosses itself for a moment', async () => {
    const crossed = depthLine(2_000, [['101.00', '5']], [['100.00', '5']]);
    const file = tapeOf(textOf([...good.slice(0, 3), crossed, depthLine(3_000, [['99.00', '5']], [['100.00', '5']])]));
    expect(await rehearsed(file)).toMatchObject({ fills: 1, tape: { documents: 4, gaps: 0 } });
  });

  it.each(['plain', 'gzip'])('is replayed up to where its recorder was killed, which is a gap: %s', async (form) => {
    const [first, second] = [textOf(good.slice(0, 3)), textOf(good.slice(3))];
    const whole = form === 'plain' ? Buffer.from(first + second) : Buffer.concat([gzipSync(first), gzipSync(second)]);
    expect(await rehearsed(tapeOf(whole.subarray(0, -20)))).toMatchObject({
      fills: 1,
      tape: { documents: 2, gaps: 1 },
    });
  });
});

describe('a tape from a pipe', () => {
  const shell = (line: string) => {
    const [command = '', ...words] = pitLine('rehearse');
    return execFileSync('bash', ['-c', `set -o pipefail; ${line}`, ...['bash', command, ...words]], {
      env: plainEnvironment(folder, { TMPDIR: mkdtempSync(path.join(folder, 'piped-')) }),
    }).toString();
  };
  const ORDER = '--json -- order buy btc_usdt 0.1 --at 100';

  it.each([
    ['cat TAPE | "$@" - ', text],
    ['cat TAPE | "$@" /dev/stdin ', text],
    ['cat TAPE | "$@" - ', gzipSync(text)],
    ['"$@" <(cat TAPE) ', text],
    ['P=$(mktemp -u); mkfifo "$P"; cat TAPE > "$P" & "$@" "$P" ', text],
  ])('gives the same report as a file: %s', (line, content) => {
    const [file, plain] = [tapeOf(content), tapeOf(text)];
    const expected = shell(`"$@" ${plain} ${ORDER}`);
    expect(JSON.parse(expected)).toMatchObject({ fills: 1 });
    expect(shell(`${line.replaceAll('TAPE', file)} ${ORDER}`)).toBe(expected);
  });

  it('is named as stdin in what is said of it', async () => {
    const words = ['rehearse', '-', '--', 'order', 'buy', 'btc_usdt', '0.1', '--at', '100'];
    const { code, stderr } = await runProgram(words, { home: folder, input: `${text}{"channel":1}\n` });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('stdin: line 5 is no document of a tape.'),
    });
  });
});

describe('a rehearsal that is killed', () => {
  it('has its folder removed by the next rehearsal, which leaves that of a running one and those of others alone', async () => {
    const left = mkdtempSync(path.join(folder, 'killed-'));
    const program = path.join(folder, 'waits.mjs');
    writeFileSync(program, 'console.log("runs as", process.pid, "now"); setTimeout(() => undefined, 600_000)');
    const tape = tapeOf(text);
    const start = async () => {
      const before = readdirSync(left);
      const [command = '', ...words] = pitLine('rehearse', tape, '--', process.execPath, program);
      const child = spawn(command, words, {
        env: plainEnvironment(folder, { TMPDIR: left }),
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let printed = '';
      child.stderr.setEncoding('utf8').on('data', (part: string) => {
        printed += part;
      });
      const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      await eventually(() => expect(printed).toMatch(/runs as \d+ now/));
      const [, pid] = /runs as (\d+) now/.exec(printed) ?? [];
      onTestFinished(() => void execFileSync('bash', ['-c', `kill -9 ${pid} 2>&1 || true`]));
      const [made = ''] = readdirSync(left).filter((name) => !before.includes(name));
      return { child, ended, made };
    };
    const [running, killed] = [await start(), await start()];
    killed.child.kill('SIGKILL');
    await killed.ended;
    // one without an owner, and one whose owner is on another machine
    for (const [name, owner] of [
      ['pit-rehearse-nobody', undefined],
      ['pit-rehearse-elsewhere', '1\nother-host\n\n'],
    ] as const) {
      mkdirSync(path.join(left, name), { mode: 0o700 });
      if (owner !== undefined) writeFileSync(path.join(left, name, 'owner'), owner);
    }
    expect(readdirSync(left)).toEqual(expect.arrayContaining([running.made, killed.made]));
    const { code } = await runProgram(['rehearse', tape, '--', process.execPath, '-e', '0'], {
      home: folder,
      environment: { TMPDIR: left },
    });
    expect({ code, left: readdirSync(left).sort() }).toEqual({
      code: 0,
      left: [running.made, 'pit-rehearse-elsewhere', 'pit-rehearse-nobody'].sort(),
    });
    expect(readFileSync(path.join(left, running.made, 'owner'), 'utf8')).toMatch(/^\d+\n/);
    running.child.kill('SIGINT');
    await running.ended;
    expect(readdirSync(left)).not.toContain(running.made);
  });
});
