import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PIT } from '../../support/command.js';
import { plainEnvironment, type Ran, temporaryHome } from '../../support/pit.js';
import { batchRequest } from '../../support/wire.js';
import { PitHome } from '../pit-home.js';

const home = temporaryHome();
const pit = new PitHome(home);
const pipe = path.join(home, 'pipe');
const ORDERS = '20000,0.01\n20001,0.01\n';
const KEYS = 'aaaaaaaa-1111\nbbbbbbbb-2222\n';
const CANDLES = [0, 1].map((minute) => `${1_677_628_800_000 + minute * 60_000},20,21,19,20,0.5\n`).join('');

beforeAll(async () => {
  await pit.serve();
  spawnSync('mkfifo', [pipe]);
  await pit.done('profile add alice --base-url http://127.0.0.1:1 --trade-url http://127.0.0.1:1');
});

/** Every command that reads a file that the user names. */
const READERS = [
  'order batch buy btc_usdt --dry-run --override price-band --file',
  'keys set --profile alice --file',
  'sandbox import --yes',
  'sandbox replay btc_usdt --yes',
];

describe.concurrent.each(READERS)('pit %s', (command) => {
  it('ends at its --timeout if nobody writes to the pipe that it reads', async () => {
    // no later test writes to it: here the program goes on, and with it the reading
    const silent = path.join(home, `silent-${READERS.indexOf(command)}`);
    spawnSync('mkfifo', [silent]);
    expect(await pit.failure(`${command} ${silent} --timeout 0.1`, 5)).toMatchObject({ kind: 'unreachable' });
  });

  it('refuses a folder and a missing file', async () => {
    for (const name of [home, path.join(home, 'missing')]) {
      const { kind } = await pit.failure(`${command} ${name}`, 2);
      expect(kind).toBe('usage');
    }
  });
});

describe('what a pipe gives', () => {
  const write = (text: string) => {
    const writer = spawn('sh', ['-c', 'cat > "$0"', pipe], { stdio: ['pipe', 'ignore', 'ignore'] });
    writer.stdin.end(text);
  };

  it.each([pipe, '-'])('is read as orders, keys, a recording and an exported sandbox from %s', async (name) => {
    const through = async (line: string, text: string) => {
      if (name === pipe) write(text);
      return pit.json<Record<string, unknown>>(line, { input: name === pipe ? '' : text });
    };
    const batch = 'order batch buy btc_usdt --dry-run --override price-band --file';
    expect(await through(`${batch} ${name}`, ORDERS)).toMatchObject({
      request: batchRequest({
        market: 'btc_usdt',
        side: 'buy',
        lines: [
          [20000, 0.01],
          [20001, 0.01],
        ],
      }),
    });
    expect(await through(`keys set --profile alice --file ${name}`, KEYS)).toMatchObject({ accessKey: '…1111' });
    const state = path.join(home, 'state.ndjson');
    await pit.done(`sandbox export ${state}`);
    expect(await through(`sandbox replay btc_usdt ${name} --yes`, CANDLES)).toMatchObject({ rows: 2, left: 0 });
    expect(await through(`sandbox import ${name} --yes`, fs.readFileSync(state, 'utf8'))).toMatchObject({
      rows: expect.any(Number),
    });
    expect(fs.readdirSync(path.join(home, 'state', 'sandbox')).filter((file) => file.includes('transfer'))).toEqual([]);
  });

  it('is refused under the name of the pipe, not of a file of pit', async () => {
    write('something else\n');
    const { message } = await pit.failure(`sandbox import ${pipe} --yes`, 2);
    expect(message).toMatch(new RegExp(`^${pipe} cannot be read: it does not begin with`));
  });
});

describe('a signal', () => {
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Runs the program in its own process, and sends it the signal when it has opened the pipe. */
  async function signalled(line: string, signal: NodeJS.Signals): Promise<Pick<Ran, 'code' | 'signal'>> {
    const words = `${line} ${pipe}`.split(' ');
    const environment = plainEnvironment(home);
    const child = spawn(PIT.command, [...PIT.arguments, ...words], { env: environment, stdio: 'ignore' });
    children.push(child);
    const ended = new Promise<Pick<Ran, 'code' | 'signal'>>((resolve) => {
      child.on('exit', (code, by) => resolve({ code, signal: by }));
    });
    for (;;) {
      try {
        // succeeds once somebody reads the pipe; it stays open, so that the command waits for data too
        fs.openSync(pipe, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    child.kill(signal);
    return ended;
  }

  it.each([
    ['SIGINT', 130, READERS[0]],
    ['SIGTERM', 143, READERS[1]],
    ['SIGINT', 130, READERS[2]],
    ['SIGTERM', 143, READERS[3]],
  ] as const)('%s ends with %i while a pipe is read by pit %s', async (signal, code, line = '') => {
    expect(await signalled(line, signal)).toEqual({ code, signal: null });
  });
});
