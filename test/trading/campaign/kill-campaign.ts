import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { PASS, type Passing } from '../../support/proxy.js';
import type { Action } from './action.js';
import { jobsIn } from './archived.js';
import { type Change, changeOrders } from './changed-meanwhile.js';
import { type Draw, drawOf, weighted } from './draw.js';
import { evidenceOf, finish } from './evidence.js';
import { Exchange } from './exchange.js';
import { blindTreatment, KILL_POINTS, type KillPoint, killedTreatment } from './kill-points.js';
import { KINDS, keyOf, kindOf } from './kinds/index.js';
import { MARKET_NAMES } from './kinds/terms.js';
import { type Lane, openLane } from './lane.js';
import { type Run, wasKilled } from './program.js';
import { Report } from './report.js';
import { setTolerance, settleByUser } from './settle-by-user.js';

export interface KillOptions {
  readonly seed: number;
  /** Kills per point. */
  readonly kills: number;
}

/** The state after the kills at a point, which shows that the points live up to their names. */
export interface PointTally {
  readonly point: string;
  kills: number;
  /** How often the command ended before the kill. */
  tooLate: number;
  /** How often its record was open. */
  open: number;
  /** How often its write had reached the network. */
  sent: number;
}

export interface Killed {
  readonly report: Report;
  readonly tallies: readonly PointTally[];
  /** The number of leftover drafts of records. */
  readonly drafts: number;
}

/** The tolerance of the exchange, in ms: a test cannot wait a minute. */
const TOLERANCE = 3_000;
const LANES = 6;
/** On a slow machine commands end without having sent anything: so many times the kills are tried at a point after sending. */
const MOST_TRIES = 4;

type Stage = Parameters<typeof evidenceOf>[0]['stage'];

/**
 * Kills the built program at each of the points, settles everything with `pit resolve`, and compares the reported outcomes
 * with the exchange.
 */
export async function killCampaign({ seed, kills }: KillOptions): Promise<Killed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-killed-'));
  const limits = `key=off,address=off,kline=off,reqTime=${TOLERANCE / 1_000}s`;
  const served = await serveProcess(path.join(folder, 'exchange'), ['--limit', limits]);
  const exchange = new Exchange(served.address);
  const tallies = KILL_POINTS.map(({ name }) => ({ point: name, kills: 0, tooLate: 0, open: 0, sent: 0 }));
  const killed = { report: new Report(), tallies, drafts: 0 };
  try {
    const prices = new Map(
      await Promise.all(MARKET_NAMES.map(async (name) => [name, await exchange.best(name)] as const)),
    );
    const left = numbersOf(kills, tallies);
    const lanes = Array.from({ length: LANES }, async (_, index) => {
      const lane = await openLane(path.join(folder, `home${index}`), exchange);
      try {
        await inLane({ exchange, prices, ownIds: 1, batches: [2, 3, 45] }, lane, left, seed, killed);
      } finally {
        await lane.close();
      }
    });
    // the others use the folder until they have ended
    for (const ended of await Promise.allSettled(lanes)) if (ended.status === 'rejected') throw ended.reason;
    for (const [index, { name, isAfterSending }] of KILL_POINTS.entries()) {
      const tally = tallies[index];
      const { kills: tried = 0, sent = 0 } = tally ?? {};
      if (tried < kills) killed.report.complain(`${name}: ${tried} kills instead of ${kills}`);
      if (isAfterSending && sent < kills)
        killed.report.complain(`${name}: only ${sent} of ${tried} had sent a request, not ${kills}`);
    }
    return killed;
  } finally {
    exchange.close();
    await killProcess(served);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The kills, each with its number: so many at each point, and more where too few of the killed commands had sent something. */
function* numbersOf(kills: number, tallies: readonly PointTally[]): Generator<number> {
  for (let number = 0; number < kills * KILL_POINTS.length; number += 1) yield number;
  for (let round = kills; round < MOST_TRIES * kills; round += 1)
    for (const [index, { isAfterSending }] of KILL_POINTS.entries())
      if (isAfterSending && (tallies[index]?.sent ?? 0) < kills) yield round * KILL_POINTS.length + index;
}

async function inLane(
  stage: Stage,
  lane: Lane,
  numbers: Iterable<number>,
  seed: number,
  killed: { report: Report; tallies: PointTally[]; drafts: number },
): Promise<void> {
  const since = Date.now() - 1_000;
  const runs = new Map<Action, Run>();
  const changes = new Map<Action, Change>();
  await setTolerance(lane.program, TOLERANCE);
  await lane.program.run(['order', 'buy', 'btc_usdt', '0.0006', '--at', '9000', '--yes']);
  lane.watchJournal();
  for (const number of numbers) {
    const draw = drawOf(seed, 'kill', number);
    const point = KILL_POINTS[number % KILL_POINTS.length];
    const tally = killed.tallies[number % KILL_POINTS.length];
    if (point === undefined || tally === undefined) throw new Error('there is no such point');
    const kinds = KINDS.filter(({ name }) => point.kind === undefined || point.kind === name);
    const fixture = { ...stage, batches: point.batches ?? stage.batches };
    const action = { ...(await weighted(draw, kinds).plan(number, draw, fixture)), timeout: 10 };
    const { run, change } =
      point.of === 'action'
        ? await killAction(stage, lane, point, action, draw, tally)
        : await killResolve(stage, lane, point, action, draw, tally);
    runs.set(action, run);
    if (change !== undefined) changes.set(action, change);
  }
  await settle(lane);
  const finished = await finish(runs.keys(), lane.program);
  killed.drafts += lane.open().drafts;
  const evidence = await evidenceOf({
    stage,
    since,
    runs: new Map([...runs].map(([action, run]) => [action, [run]])),
    finished,
    program: lane.program,
    requests: lane.proxy.requests,
  });
  for (const action of runs.keys()) {
    const found = evidence(action);
    killed.report.add(action, kindOf(action).judge(action, found), found, changes.get(action));
  }
  const { records } = lane.open();
  if (records.length > 0) killed.report.complain(`still open: ${records.join(', ')}`);
}

/** The run of an action, and what was done with its orders afterwards. */
interface KilledAction {
  readonly run: Run;
  readonly change: Change | undefined;
}

async function killAction(
  stage: Stage,
  lane: Lane,
  point: KillPoint,
  action: Action,
  draw: Draw,
  tally: PointTally,
): Promise<KilledAction> {
  const treatment = killedTreatment(draw, TOLERANCE);
  lane.treat = (request) => (isOf(action, request) ? treatment : PASS);
  const before = lane.open().records;
  const run = await killAt(lane, point, words(action), draw, action.input);
  count(lane, action, run, before, tally);
  const change = await changeOrders(action, stage, lane.program);
  if (point.kind === 'batch' && draw() < 0.6) await resume(lane, action);
  return { run, change };
}

/** Resumes at once, while requests of the killed command may still be on their way. */
async function resume(lane: Lane, action: Action): Promise<void> {
  lane.treat = () => PASS;
  const words = kindOf(action).finish?.(action, jobsIn(lane.home));
  if (words !== undefined) await lane.program.run([...words, '--json', '--timeout', '10']);
}

/** Runs an action whose outcome stays unknown, and kills `pit resolve`. */
async function killResolve(
  stage: Stage,
  lane: Lane,
  point: KillPoint,
  action: Action,
  draw: Draw,
  tally: PointTally,
): Promise<KilledAction> {
  const before = lane.open().records;
  lane.treat = blindTreatment(draw, TOLERANCE);
  const run = await lane.program.run([...action.words, '--json', '--timeout', '1'], action.input);
  lane.treat = () => PASS;
  const change = await changeOrders(action, stage, lane.program);
  const killed = await killAt(lane, point, ['resolve', '--json', '--timeout', '10'], draw);
  count(lane, action, killed, before, tally);
  return { run, change };
}

function isOf({ keys }: Action, request: Passing): boolean {
  return keys.includes(keyOf(request) ?? '');
}

function words(action: Action): string[] {
  return [...action.words, '--json', '--timeout', String(action.timeout)];
}

async function killAt(lane: Lane, point: KillPoint, line: readonly string[], draw: Draw, input?: string): Promise<Run> {
  const moment = point.moment(lane, draw);
  const { child, done } = lane.program.start(line, input);
  await Promise.race([moment, done]);
  child.kill(point.signal ?? 'SIGKILL');
  return done;
}

function count(lane: Lane, action: Action, run: Run, before: readonly string[], tally: PointTally): void {
  tally.kills += 1;
  if (!wasKilled(run)) tally.tooLate += 1;
  if (lane.open().records.some((id) => !before.includes(id))) tally.open += 1;
  if (lane.proxy.requests.some((request) => isOf(action, request))) tally.sent += 1;
}

async function settle(lane: Lane): Promise<void> {
  lane.treat = () => PASS;
  await lane.proxy.settled();
  // from then on the exchange accepts no earlier request
  await delay(TOLERANCE + 1_000);
  // the batches of all lanes make long lists, which each job reads
  for (let time = 0; time < 2; time += 1) await lane.program.run(['resolve', '--json', '--timeout', '240']);
  await settleByUser(lane.program);
}
