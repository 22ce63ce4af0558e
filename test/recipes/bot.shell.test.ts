import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { usePitHome } from '../commands/pit-home.js';
import { afterFile } from '../support/after-file.js';
import { PIT_IN_SHELL } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { plainEnvironment, temporaryHome } from '../support/pit.js';
import { type Moment, PASS, type Passing, startProxy, type Treatment } from '../support/proxy.js';
import { requires } from '../support/tools.js';
import { documentedScripts } from './failing-requests.js';

/** When a bot is killed: at a request of one of these operations. */
interface Kill {
  readonly at: 'a request that never arrives' | 'a request that is carried out' | 'an answer that arrives';
  readonly of: readonly string[];
  /** Which of these requests of the run, from 1. */
  readonly nth?: number;
}

const LOOKUPS = ['getOrder', 'getOrders'];

/** In the plan, before and after each kind of order, and between them. */
const BEFORE_THE_FALL: readonly Kill[] = [
  { at: 'a request that never arrives', of: ['ticker'] },
  { at: 'a request that never arrives', of: ['order'] },
  { at: 'a request that is carried out', of: ['order'] },
  { at: 'a request that never arrives', of: LOOKUPS },
  { at: 'an answer that arrives', of: ['order'] },
  { at: 'a request that never arrives', of: ['order'] },
  { at: 'a request that is carried out', of: ['order'] },
  { at: 'an answer that arrives', of: LOOKUPS, nth: 7 },
];
const AFTER_THE_FALL: readonly Kill[] = [
  { at: 'a request that is carried out', of: ['order'] },
  { at: 'a request that never arrives', of: ['order'] },
];

const NEVER_ARRIVES: Treatment = { name: 'lost', forward: [], awaited: 0, reply: { kind: 'nothing', end: 'reset' } };

interface Listed {
  readonly id: string;
  readonly side: string;
  readonly price: string;
}

describe.skipIf(!requires('jq'))('the bot of the recipes', () => {
  const pit = usePitHome();
  const folder = temporaryHome();
  const script = documentedScripts().scripts.find(({ title }) => title === 'Run a bot that survives kills')?.text ?? '';
  const hosts: Record<string, string> = {};
  let killing: { readonly kill: Kill; readonly bot: ChildProcess; seen: number; request?: Passing } | undefined;
  let cwd = '';
  let before = new Set<string>();

  beforeAll(async () => {
    const shim = path.join(folder, 'pit');
    writeFileSync(shim, `#!/bin/sh\nexec ${PIT_IN_SHELL} "$@"\n`);
    chmodSync(shim, 0o755);
    for (const name of ['PIT_BASE_URL', 'PIT_TRADE_URL']) {
      const { port } = new URL(pit.served.environment[name] ?? '');
      const proxy = await startProxy({ port: Number(port), treat, notice });
      afterFile(() => proxy.close());
      hosts[name] = proxy.url;
    }
  });

  beforeEach(async () => {
    cwd = mkdtempSync(path.join(folder, 'bot-'));
    before = new Set((await allOrders()).map(({ id }) => id));
  });

  function treat(request: Passing): Treatment {
    if (killing?.request !== undefined || !killing?.kill.of.includes(request.operation)) return PASS;
    killing.seen += 1;
    if (killing.seen < (killing.kill.nth ?? 1)) return PASS;
    killing.request = request;
    if (killing.kill.at !== 'a request that never arrives') return PASS;
    killBot();
    return NEVER_ARRIVES;
  }

  function notice(moment: Moment, request?: Passing): void {
    if (request === undefined || request !== killing?.request) return;
    const { at } = killing.kill;
    if (moment === 'answered' ? at === 'a request that is carried out' : moment === 'replied') killBot();
  }

  /** With every program that it has started. */
  function killBot(): void {
    const pid = killing?.bot.pid;
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  function start(): { readonly bot: ChildProcess; readonly ended: Promise<unknown>; readonly said: () => string } {
    const environment = plainEnvironment(path.join(cwd, 'home'), { ...pit.served.environment, ...hosts });
    const env = { ...environment, PATH: `${folder}:${environment.PATH}` };
    const bot = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let text = '';
    for (const stream of [bot.stdout, bot.stderr])
      stream.on('data', (piece) => {
        text += piece;
      });
    return { bot, ended: once(bot, 'close'), said: () => text };
  }

  async function killedAt(kill: Kill): Promise<void> {
    const { bot, ended, said } = start();
    killing = { kill, bot, seen: 0 };
    expect({ kill, ended: await ended, said: said() }).toEqual({ kill, ended: [null, 'SIGKILL'], said: said() });
    killing = undefined;
    // what was recorded and not sent cannot be carried out any more
    await pit.done('sandbox clock advance 2m');
  }

  function allOrders(): Promise<Listed[]> {
    return pit.json<Listed[]>('orders btc_usdt --state all --all');
  }

  async function own(): Promise<string[]> {
    const orders = (await allOrders()).filter(({ id }) => !before.has(id));
    return orders.map(({ side, price }) => `${side} ${Number(price)}`).sort();
  }

  function plan(): { readonly buys: readonly string[]; readonly sells: readonly string[] } {
    const lines = readFileSync(path.join(cwd, 'plan'), 'utf8').trim().split('\n');
    const prices = lines.map((line) => line.split(' '));
    return {
      buys: prices.map(([, buy]) => `buy ${buy}`).sort(),
      sells: prices.map(([, , sell]) => `sell ${sell}`).sort(),
    };
  }

  /** The price falls below each buy, and not further than the guards allow. */
  async function fall(): Promise<void> {
    const prices = plan().buys.map((buy) => Number(buy.split(' ')[1]));
    await pit.done(`sandbox price btc_usdt ${Math.floor(Math.min(...prices) * 0.995)}`);
  }

  it('places each order once, although it is killed ten times, and needs no forty lines for it', async () => {
    expect(script.trimEnd().split('\n').length).toBeLessThan(40);
    expect([...BEFORE_THE_FALL, ...AFTER_THE_FALL]).toHaveLength(10);
    for (const kill of BEFORE_THE_FALL) await killedAt(kill);
    expect(await own()).toEqual(plan().buys);
    await fall();
    for (const kill of AFTER_THE_FALL) await killedAt(kill);
    const { ended, said } = start();
    expect({ ended: await ended, said: said() }).toEqual({ ended: [0, null], said: said() });
    expect(await own()).toEqual([...plan().buys, ...plan().sells]);
  }, 600_000);

  it('places each order once, although two of it run at once', async () => {
    const bots = [start(), start()];
    await eventually(async () => expect(await own()).toEqual(plan().buys));
    await fall();
    for (const { ended, said } of bots)
      expect({ ended: await ended, said: said() }).toEqual({ ended: [0, null], said: said() });
    expect(await own()).toEqual([...plan().buys, ...plan().sells]);
  }, 600_000);
});
