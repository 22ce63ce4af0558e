import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { startProxy } from '../../support/proxy.js';
import type { Action, Fixture } from './action.js';
import { chosen, drawOf, weighted } from './draw.js';
import { evidenceOf, finish } from './evidence.js';
import { Exchange } from './exchange.js';
import { KINDS, keyOf, kindOf } from './kinds/index.js';
import { MARKET_NAMES } from './kinds/terms.js';
import { Network } from './network.js';
import { Program, type Run } from './program.js';
import { Report } from './report.js';
import { addSandboxFaults } from './sandbox-faults.js';

export interface FaultOptions {
  /** The program: `bin/pit.js`. */
  readonly pit: string;
  readonly seed: number;
  readonly actions: number;
  /** Reports progress. */
  readonly tell?: (words: string) => void;
}

/** How many commands run at once. */
const LANES = 16;
/** How many actions share a PIT_HOME and are settled together. */
const BLOCK = 500;
/** The tolerance of the exchange, in ms: a test cannot wait a minute. */
const TOLERANCE = 3_000;
/** Time budgets of a command in seconds, from hardly enough to enough for certainty. */
const TIMEOUTS = [2, 3, 5, 12];

interface Stage extends Fixture {
  readonly options: FaultOptions;
  readonly port: number;
  readonly folder: string;
}

/**
 * Runs many built programs at once against a sandbox behind a network that loses, holds, repeats and cuts off messages, and
 * compares the reported outcomes with the exchange. The seed decides the actions and their treatment.
 */
export async function faultCampaign(options: FaultOptions): Promise<Report> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-faults-'));
  const limits = `key=off,address=off,kline=off,reqTime=${TOLERANCE / 1_000}s`;
  const served = await serveProcess(options.pit, path.join(folder, 'exchange'), ['--limit', limits]);
  const exchange = new Exchange(served.address);
  const report = new Report();
  try {
    const prices = new Map(
      await Promise.all(MARKET_NAMES.map(async (name) => [name, await exchange.best(name)] as const)),
    );
    const stage = {
      options,
      exchange,
      prices,
      ownIds: 0.3,
      batches: [2, 2, 3, 4, 21, 25],
      folder,
      port: Number(new URL(served.address.tradeUrl).port),
    };
    for (let start = 0; start < options.actions; start += BLOCK) {
      await block(stage, start, Math.min(options.actions, start + BLOCK), report);
      options.tell?.(`${Math.min(options.actions, start + BLOCK)} of ${options.actions}: ${report.line}`);
    }
    return report;
  } finally {
    exchange.close();
    await killProcess(served);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the actions `from` to `to` (exclusive) with their own PIT_HOME and network. */
async function block(stage: Stage, from: number, to: number, report: Report): Promise<void> {
  const { exchange, folder, options } = stage;
  const since = Date.now() - 1_000;
  const actions = await planned(stage, from, to);
  const network = new Network(options.seed, { tolerance: TOLERANCE }, keyOf);
  for (const action of actions) network.expect(action);
  const proxy = await startProxy({ port: stage.port, treat: network.treat });
  const program = new Program(options.pit, path.join(folder, `home${from}`), exchange.address, proxy.url);
  try {
    await addSandboxFaults(exchange);
    const runs = await inLanes(actions, async (action) => {
      const { words, timeout, input } = action;
      const run = await program.run([...words, '--json', '--timeout', String(timeout)], input);
      await kindOf(action).afterCommand?.(action, stage);
      return run;
    });
    await settle(stage, program, network, () => proxy.settled(), from);
    const finished = await finish(actions, program);
    const evidence = await evidenceOf({ stage, since, runs, finished, program, requests: proxy.requests });
    for (const action of actions) report.add(action, kindOf(action).judge(action, evidence(action)), evidence(action));
    if (program.leaks) report.complain('a command printed a key');
  } finally {
    await proxy.close();
  }
}

async function planned(stage: Stage, from: number, to: number): Promise<Action[]> {
  const actions: Action[] = [];
  for (let number = from; number < to; number += 1) {
    const draw = drawOf(stage.options.seed, 'action', number);
    const action = await weighted(draw, KINDS).plan(number, draw, stage);
    actions.push({ ...action, timeout: chosen(draw, TIMEOUTS) });
  }
  return actions;
}

async function inLanes(actions: readonly Action[], run: (action: Action) => Promise<Run>): Promise<Map<Action, Run>> {
  const runs = new Map<Action, Run>();
  const left = actions.values();
  const lane = async () => {
    for (const action of left) runs.set(action, await run(action));
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return runs;
}

/**
 * Settles every unknown write: first twice at once on the bad network, which may fail, then on a calm one. In some
 * markets another command comes first, which has to report what was executed again meanwhile.
 */
async function settle(
  { exchange, options }: Stage,
  program: Program,
  network: Network,
  arrived: () => Promise<void>,
  from: number,
): Promise<void> {
  await Promise.all([1, 2].map(() => program.run(['resolve', '--json', '--timeout', '4'])));
  await arrived();
  // from then on the exchange accepts no earlier request
  await delay(TOLERANCE + 1_000);
  await exchange.administer('/faults/clear');
  network.isCalm = true;
  const draw = drawOf(options.seed, 'settle', from);
  for (const market of MARKET_NAMES) if (draw() < 0.5) await program.run(['orders', market, '--json']);
  await program.run(['resolve', '--json', '--timeout', '60']);
  await program.run(['resolve', '--json', '--timeout', '60']);
}
