import type { Passing } from '../../support/proxy.js';
import type { Action } from './action.js';
import { drawOf } from './draw.js';
import { onStage, runBlock, type Stage, TOLERANCE } from './fault-campaign.js';
import { CAMPAIGN_FAULTS, type CampaignFault, meets, OPERATIONS, type Operation } from './fault-kinds.js';
import { KindNetwork } from './kind-network.js';
import { keyOf, kindOf } from './kinds/index.js';
import type { Run } from './program.js';
import type { Report } from './report.js';

interface KindOptions {
  readonly seed: number;
  /** Whether each kind meets one operation, in turn, instead of all that it can meet. */
  readonly isSlice: boolean;
  /** Only the kinds whose name contains this text. */
  readonly only?: string;
  /** Reports progress. */
  readonly tell?: (words: string) => void;
}

/** How many kinds each operation met. */
export type Coverage = ReadonlyMap<Operation, number>;

interface Task {
  readonly operation: Operation;
  readonly fault: CampaignFault;
}

/** How many commands run at once in a home, and how many homes at once. */
const LANES = 8;
const HOMES = 3;
/** A read that comes late on a busy machine, or a write that is refused before it leaves, is tried again. */
const TRIES = 3;
/** The home of the kinds that need none of their own. */
const SHARED = 'shared';
/** Enough for certainty, as the exchange accepts a request for 3 s: a refusal or a look-up in time. */
const TIMEOUT = 12;

/** Runs each kind of fault against each operation that it can meet, and compares the outcomes with the exchange. */
export async function kindCampaign(options: KindOptions): Promise<{ report: Report; coverage: Coverage }> {
  const tasks = tasksOf(options);
  const coverage = new Map<Operation, number>();
  const report = await onStage(options, async (stage, into) => {
    let numbers = 0;
    // a kind that is tried again alone may need the answer to an earlier write
    const done: Passing[] = [];
    const run = async (some: readonly Task[], home: string, tries = TRIES): Promise<void> => {
      const since = Date.now() - 1_000;
      const planned = new Map<Action, Task>();
      for (const task of some) {
        numbers += 1;
        planned.set(await plan(stage, task, numbers), task);
      }
      const faults = new Map([...planned].map(([action, { fault }]) => [action, fault]));
      const network = new KindNetwork(faults, stage.exchange, TOLERANCE, keyOf, done);
      const block = { home, since, actions: [...faults.keys()], network, lanes: LANES, hasSandboxFaults: false };
      const before = into.broken.length;
      const leftBefore = into.settledByUser.length;
      const runs = await runBlock(stage, block, into);
      options.tell?.(`${home}: ${some.length} actions done, ${into.broken.length} broken so far`);
      for (const { action, breaches } of into.broken.slice(before))
        options.tell?.(`  "${faults.get(action)?.name}", pit ${action.words.join(' ')}: ${breaches.join(', ')}`);
      for (const action of into.settledByUser.slice(leftBefore))
        options.tell?.(`  "${faults.get(action)?.name}", pit ${action.words.join(' ')}: settled by the user`);
      const missed = [...planned].filter(([action]) => !network.applied.has(action));
      for (const [action, { operation }] of planned)
        if (network.applied.has(action)) coverage.set(operation, (coverage.get(operation) ?? 0) + 1);
      if (missed.length === 0) return;
      if (tries > 1) {
        const again = missed.map(([, task]) => task);
        return run(again, `${home} again ${tries - 1}`, tries - 1);
      }
      for (const [action, { operation, fault }] of missed)
        into.complain(`"${fault.name}" never met ${operation}: ${runs.get(action)?.map(shown).join('\n')}`);
    };
    const groups = groupsOf(tasks);
    const shared = groups.get(SHARED);
    groups.delete(SHARED);
    if (shared !== undefined) await run(shared, SHARED);
    const left = groups.entries();
    const inHomes = async () => {
      for (const [home, some] of left) await run(some, home);
    };
    await Promise.all(Array.from({ length: HOMES }, inHomes));
  });
  return { report, coverage };
}

function tasksOf({ isSlice, only = '' }: KindOptions): Task[] {
  let turn = 0;
  return CAMPAIGN_FAULTS.filter(({ name }) => name.includes(only)).flatMap((fault) => {
    const operations = OPERATIONS.filter((operation) => meets(fault, operation));
    turn += 1;
    const chosen = isSlice ? operations.slice(turn % operations.length, (turn % operations.length) + 1) : operations;
    return chosen.map((operation) => ({ operation, fault }));
  });
}

function shown({ words, code, stdout, stderr }: Run): string {
  return `pit ${words.join(' ')}: exit ${code} ${stdout.trim()} ${stderr.trim()}`;
}

/** The tasks by the home that they need. */
function groupsOf(tasks: readonly Task[]): Map<string, Task[]> {
  const groups = new Map<string, Task[]>();
  for (const task of tasks) {
    const { home = SHARED } = task.fault;
    groups.set(home, [...(groups.get(home) ?? []), task]);
  }
  return groups;
}

async function plan(stage: Stage, { operation }: Task, number: number): Promise<Action> {
  const action = await kindOf({ kind: operation }).plan(number, drawOf(stage.options.seed, 'kind', number), stage);
  return { ...action, timeout: TIMEOUT };
}
