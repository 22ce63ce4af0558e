import { describe, expect, it } from 'vitest';
import { instead, PASS } from '../support/world/network.js';
import { testWorld, type World } from '../support/world/world.js';
import { lastError } from './pit-home.js';

const MARKETS = { btc_usdt: { bid: '31000.50', ask: '31001.50' } };
const SHOWN: readonly string[] = ['markets', 'depth'];

/** A command in a world that refuses to answer signed requests. From the first of them on, its pauses take for ever. */
async function withoutEnd(line: string, first: string) {
  const faults = ({ operation }: { readonly operation: string }) =>
    SHOWN.includes(operation) ? PASS : instead('', 502);
  const world: World = await testWorld({ markets: MARKETS, faults });
  const sleep = (ms: number, signal?: AbortSignal) =>
    world.sent(first).length > 0 ? new Promise<void>(() => undefined) : world.clock.sleep(ms, signal);
  return { ...(await world.run(`${line} --json --timeout 30`, { host: { sleep } })), world };
}

describe('a command that goes on after its time', () => {
  it('a read ends with exit code 5', async () => {
    const { code, stdout, stderr } = await withoutEnd('balance', 'getAccountInfo');
    expect([code, stdout]).toEqual([5, '']);
    expect(lastError(stderr)).toMatchObject({
      kind: 'unreachable',
      message: 'The command did not end within its 30 seconds and was stopped.',
      hint: 'Give it more time with --timeout SECONDS.',
    });
  });

  it('a command with a recorded write ends with exit code 6, and names the command that settles it', async () => {
    const { code, stderr, world } = await withoutEnd('order buy btc_usdt 0.01 --at 31000 --yes', 'order');
    expect(code, stderr).toBe(6);
    expect(world.sent('order')).toHaveLength(1);
    expect(lastError(stderr)).toMatchObject({
      kind: 'unknown',
      message: expect.stringMatching(
        /^The command did not end within its 30 seconds and was stopped: the outcome of pit[0-9a-f]{24} is unknown\.$/,
      ),
      hint: expect.stringMatching(/Find out: pit resolve pit[0-9a-f]{24}$/),
      clientId: expect.stringMatching(/^pit/),
    });
  });

  it('a list ends with exit code 5', async () => {
    const { code, stdout, stderr } = await withoutEnd('bills --all', 'getSpotBills');
    expect([code, stdout, lastError(stderr).kind]).toEqual([5, '', 'unreachable']);
  });
});

describe('a command is not ended', () => {
  // longer than the time and its grace together
  const LONG_MS = 4_000;

  it('pit keeps holding a timer for a program', async () => {
    const world = await testWorld({ markets: MARKETS });
    const host = {
      isProgram: () => Promise.resolve(true),
      run: async () => {
        await world.clock.sleep(LONG_MS);
        return 7;
      },
    };
    const ran = await world.run('cancel-after btc_usdt --hold --yes --timeout 1.5 -- bot', { host });
    expect(ran).toMatchObject({ code: 7 });
  });
});
