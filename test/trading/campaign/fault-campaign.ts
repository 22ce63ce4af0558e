import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { type Passing, type RunningProxy, startProxy, type Treatment } from '../../support/proxy.js';
import type { Action, Fixture } from './action.js';
import { openIn } from './archived.js';
import { type Change, changeOrders } from './changed-meanwhile.js';
import { chosen, drawOf, weighted } from './draw.js';
import { evidenceOf, finish } from './evidence.js';
import { Exchange } from './exchange.js';
import { KINDS, keyOf, kindOf } from './kinds/index.js';
import { MARKET_NAMES } from './kinds/terms.js';
import { Network } from './network.js';
import { Program, type Run } from './program.js';
import { isFromTheFuture, Report } from './report.js';
import { addSandboxFaults } from './sandbox-faults.js';
import { setTolerance, settleByUser } from './settle-by-user.js';

export interface FaultOptions {
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
export const TOLERANCE = 3_000;
/** Time budgets of a command in seconds, from hardly enough to enough for certainty. */
const TIMEOUTS = [2, 3, 5, 12];

/** The exchange of a campaign, and where its homes are. */
export interface Stage extends Fixture {
  readonly options: Pick<FaultOptions, 'seed'>;
  readonly port: number;
  readonly folder: string;
}

/** Actions that share a PIT_HOME and a network. */
export interface Block {
  readonly home: string;
  /** Before the actions were planned: some plans place orders. In ms since the Unix epoch. */
  readonly since: number;
  readonly actions: readonly Action[];
  readonly network: CampaignNetwork;
  /** How many commands run at once. */
  readonly lanes: number;
  /** Whether the exchange itself has faults too. */
  readonly hasSandboxFaults: boolean;
  /** What happens beside the actions. */
  readonly beside?: Beside;
  /** The network's proxy, if several homes use it: an exchange is known by its address. The caller closes it. */
  readonly proxy?: RunningProxy;
}

/** Something that happens while actions run. */
export interface Beside {
  /** Called before the first action. */
  prepare(program: Program): Promise<void>;
  /** Called with the first action; its end is waited for before anything is settled. */
  during(program: Program, actions: Promise<unknown>): Promise<void>;
  /** Called when all is settled, before unfinished actions are finished. */
  afterSettling(program: Program): Promise<void>;
}

/** The treatment of each request. */
export interface CampaignNetwork {
  /** If calm, everything passes. */
  isCalm: boolean;
  readonly treat: (request: Passing) => Treatment;
  /** What is added to the environment of an action's command. */
  readonly environmentOf?: (action: Action) => Readonly<Record<string, string>> | undefined;
}

/**
 * Runs many built programs at once against a sandbox behind a network that loses, holds, repeats and cuts off messages, and
 * compares the reported outcomes with the exchange. The seed decides the actions and their treatment.
 */
export async function faultCampaign(options: FaultOptions): Promise<Report> {
  return onStage(options, async (stage, report) => {
    for (let start = 0; start < options.actions; start += BLOCK) {
      const end = Math.min(options.actions, start + BLOCK);
      const since = Date.now() - 1_000;
      const actions = await planned(stage, start, end);
      const network = new Network(options.seed, { tolerance: TOLERANCE }, keyOf);
      for (const action of actions) network.expect(action);
      const block = { home: `home${start}`, since, actions, network, lanes: LANES, hasSandboxFaults: true };
      await runBlock(stage, block, report);
      options.tell?.(`${end} of ${options.actions}: ${report.line}`);
    }
    if (report.actions !== options.actions) report.complain(`only ${report.actions} actions were judged`);
    if (report.unknown === 0) report.complain('too few actions: no outcome was unknown');
    if (report.duplicates === 0) report.complain('too few actions: the network made no duplicate');
  });
}

/** Serves a sandbox, lets a campaign use it, and returns its report. */
export async function onStage(
  options: Stage['options'],
  run: (stage: Stage, report: Report) => Promise<void>,
): Promise<Report> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-faults-'));
  const limits = `key=off,address=off,kline=off,reqTime=${TOLERANCE / 1_000}s`;
  const served = await serveProcess(path.join(folder, 'exchange'), ['--limit', limits]);
  const exchange = new Exchange(served.address);
  const report = new Report();
  try {
    // ten thousand actions use up what an account begins with
    await exchange.administer('/deposit', { coin: 'btc', amount: '50' });
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
    await run(stage, report);
    return report;
  } finally {
    exchange.close();
    await killProcess(served);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs the actions of a block, settles what is unknown, and judges them. Returns the commands that ran. */
export async function runBlock(
  stage: Stage,
  { home, since, actions, network, lanes, hasSandboxFaults, beside, proxy: shared }: Block,
  report: Report,
): Promise<ReadonlyMap<Action, readonly Run[]>> {
  const { exchange, folder } = stage;
  const proxy = shared ?? (await startProxy({ port: stage.port, treat: network.treat }));
  const program = new Program(path.join(folder, home), exchange.address, proxy.url);
  try {
    await setTolerance(program, TOLERANCE);
    await beside?.prepare(program);
    if (hasSandboxFaults) await addSandboxFaults(exchange);
    // a machine whose clock is off has learned that before, from the exchange's answers
    const [first] = actions;
    const environment = first === undefined ? undefined : network.environmentOf?.(first);
    if (environment !== undefined) await program.run(['orders', 'btc_usdt', '--json'], '', environment);
    const changes = new Map<Action, Change>();
    const running = inLanes(actions, lanes, async (action) => {
      const { words, timeout, input, copies = 1 } = action;
      const line = [...words, '--json', '--timeout', String(timeout)];
      const environment = network.environmentOf?.(action);
      const left = Array.from({ length: copies }).values();
      const all: Run[] = [];
      const repeat = async () => {
        for (const _ of left) all.push(await program.run(line, input, environment));
      };
      await Promise.all(Array.from({ length: lanes }, repeat));
      await kindOf(action).afterCommand?.(action, stage);
      const change = await changeOrders(action, stage, program);
      if (change !== undefined) changes.set(action, change);
      return all;
    });
    await Promise.all([running, beside?.during(program, running)]);
    const runs = await running;
    await settle(stage, program, network, () => proxy.settled(), home);
    await beside?.afterSettling(program);
    const finished = await finish(actions, program);
    // a job that was continued may have got no answer in time
    await program.run(['resolve', '--json', '--timeout', '60']);
    const evidence = await evidenceOf({ stage, since, runs, finished, program, requests: proxy.requests });
    for (const action of actions) {
      const found = evidence(action);
      report.add(action, kindOf(action).judge(action, found), found, changes.get(action));
    }
    // what a clock ahead has dated may still be executed when its time comes
    const left = proxy.requests.some(isFromTheFuture) ? [] : openIn(program.home).records;
    if (left.length > 0) report.complain(`still open in ${home}: ${left.join(', ')}`);
    if (program.leaks) report.complain('a command printed a key');
    return runs;
  } finally {
    if (shared === undefined) await proxy.close();
  }
}

/** The actions with these numbers. */
export async function planned(stage: Stage, from: number, to: number): Promise<Action[]> {
  const actions: Action[] = [];
  for (let number = from; number < to; number += 1) {
    const draw = drawOf(stage.options.seed, 'action', number);
    const action = await weighted(draw, KINDS).plan(number, draw, stage);
    actions.push({ ...action, timeout: chosen(draw, TIMEOUTS) });
  }
  return actions;
}

async function inLanes(
  actions: readonly Action[],
  lanes: number,
  run: (action: Action) => Promise<readonly Run[]>,
): Promise<Map<Action, readonly Run[]>> {
  const runs = new Map<Action, readonly Run[]>();
  const left = actions.values();
  const lane = async () => {
    for (const action of left) runs.set(action, await run(action));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return runs;
}

/**
 * Settles every unknown write: first twice at once on the bad network, which may fail, then on a calm one. In some
 * markets another command comes first, which has to report what was executed again meanwhile.
 */
async function settle(
  { exchange, options }: Stage,
  program: Program,
  network: CampaignNetwork,
  arrived: () => Promise<void>,
  home: string,
): Promise<void> {
  await Promise.all([1, 2].map(() => program.run(['resolve', '--json', '--timeout', '4'])));
  await arrived();
  // from then on the exchange accepts no earlier request
  await delay(TOLERANCE + 1_000);
  await exchange.administer('/faults/clear');
  network.isCalm = true;
  const draw = drawOf(options.seed, 'settle', home);
  for (const market of MARKET_NAMES) if (draw() < 0.5) await program.run(['orders', market, '--json']);
  await program.run(['resolve', '--json', '--timeout', '60']);
  await settleByUser(program);
}
