import path from 'node:path';
import { commandLine } from '../../cli/hints.js';
import type { BestPrices } from '../../domain/book.js';
import { counted, Decimal } from '../../domain/decimal.js';
import { Failure, suggest, tryRead, usage } from '../../errors.js';
import { haltText, LIFT_HALT } from '../../exchange/exchange.js';
import { boundedLog } from '../../platform/files/bounded-log.js';
import { makeOwnFolder, rememberFoldersAbove } from '../../platform/files/private-files.js';
import { BackgroundProgram, startFailed } from '../../platform/programs/background.js';
import { sleepOfMarket } from '../../platform/rehearsal-clock.js';
import { TimeBudget } from '../../platform/time-budget.js';
import { isoTime } from '../../terminal/time.js';
import { findAlerts } from '../../trading/alerts/find-alerts.js';
import type { AlgoTerms } from '../../trading/algos/plan/terms.js';
import { ALGO_FOLDER } from '../../trading/algos/record/algo-folder.js';
import { type AlgoFact, isHeldBack, type PauseCause } from '../../trading/algos/record/facts.js';
import { type AlgoSnapshot, duplicateIds, snapshotOf } from '../../trading/algos/record/snapshot.js';
import { AlgoStore, type FactRecord, type Watcher } from '../../trading/algos/record/store.js';
import type { AlgoEvent } from '../../trading/algos/run/algo-voice.js';
import { type ChildOrder, ChildrenInJournal, readChild, settleChild } from '../../trading/algos/run/child-order.js';
import type { MetCondition } from '../../trading/algos/run/market-sight.js';
import { AlgoRunner } from '../../trading/algos/run/runner.js';
import { cancelOrders } from '../../trading/cancel/cancel-orders.js';
import { guardLimits } from '../../trading/guards/limits.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { AlertActions, execWords } from '../alert/actions.js';
import { parseCondition } from '../alert/parse-condition.js';
import type { Context } from '../session/command.js';
import { continueText } from './unwatched.js';

/** An algo order, as it is shown. */
export interface AlgoView extends AlgoSnapshot {
  /** Whether a process watches it: one that is living and not stopped. */
  readonly isWatched: boolean;
  /** Whether the network made an order of it twice and the user has not seen it. */
  readonly hasUnseenDuplicates: boolean;
  /** What could not be read: filled amounts are at least those that are shown. */
  readonly problems: readonly string[];
}

/** Something that happened to an algo order while it was watched. */
export interface AlgoEventView extends Omit<AlgoEvent, 'snapshot'> {
  readonly view: AlgoView;
}

/** Set for `pit algo run` that a command has started in the background. */
const BACKGROUND_VARIABLE = 'PIT_ALGO_BACKGROUND';

/** A keychain that nobody unlocks, and a busy machine, take this long to say so. In milliseconds. */
const START_MS = 45_000;

/** The time for one step of an algo order, in milliseconds. What waits for an outcome takes longer. */
const STEP_MS = 30_000;

/** Between two looks at what another process does, in milliseconds. */
const POLL_MS = 250;

async function storeOf({ host, session }: Context): Promise<AlgoStore> {
  return new AlgoStore(host, host.directories.state, (await session.journal()).folder);
}

export interface CreatedAlgo {
  readonly id: string;
  readonly watched: boolean;
  /** Why no process watches it; null if one does. */
  readonly unwatchedBecause: Failure | null;
}

/** How an algo order is made that an agent has prepared. */
export interface AgentCreation {
  /** The id under which it was prepared. */
  readonly id: string;
  /** Throws Failure if a limit of the agent is exceeded. No other algo order is made meanwhile. */
  readonly requireRoom: () => Promise<void>;
}

/**
 * Makes an algo order, and has it watched: by the process that watches already, or by a new one in the background.
 * @param terms for the id that it gets
 * @param prices the best prices now
 * @throws Failure `usage` if its record cannot be written: there is no algo order then
 */
export async function createAlgo(
  context: Context,
  terms: (id: string) => AlgoTerms,
  { bid, ask }: BestPrices,
  prepared?: AgentCreation,
): Promise<CreatedAlgo> {
  const store = await storeOf(context);
  const client = await context.session.signedExchange();
  const id = await store.alone(async () => {
    await prepared?.requireRoom();
    return store.create((made) => ({ fact: 'began', time: client.now(), terms: terms(made), bid, ask }), prepared?.id);
  });
  const unwatchedBecause = await ensureWatched(context, store);
  return { id, watched: unwatchedBecause === null, unwatchedBecause };
}

/** Not inherited: settings of Node for one command must not stay with a process for days. The certificates of the user may be needed. */
const DROPPED = /^(NODE_(?!EXTRA_CA_CERTS).*|DEBUG)$/;

/** Starts a process that watches, unless one does. Returns why none does; null if one does. */
async function ensureWatched({ host, globals, link }: Context, store: AlgoStore): Promise<Failure | null> {
  const watcher = store.watcher();
  if (watcher !== undefined) return watcher.isStopped ? stoppedFailure(watcher) : null;
  if (link !== undefined) {
    link.watchAlgos();
    for (let waited = 0; store.watcher() === undefined && waited < START_MS; waited += POLL_MS)
      await host.sleep(POLL_MS);
    return null;
  }
  const { command, arguments: args } = host.self;
  const profile = globals.profile === undefined ? [] : ['--profile', globals.profile];
  const folder = host.directories.state;
  makeOwnFolder(folder);
  const program = BackgroundProgram.start(
    host,
    { command, args: [...args, 'algo', 'run', '--json', ...profile] },
    {
      folder,
      inherits: (name) => !DROPPED.test(name),
      variables: { [BACKGROUND_VARIABLE]: '1' },
      detached: true,
    },
  );
  try {
    const found = await program.started(host, START_MS, () => store.watcher());
    if (typeof found === 'object') return null;
    const hint = suggest('Watch it in this terminal', 'algo', 'run');
    if (found === 'ended') return startFailed('The watching process', program, hint);
    return new Failure('unreachable', `The watching process did not start within ${START_MS / 1_000} s.`, { hint });
  } finally {
    program.release();
  }
}

/** Another process cannot take over from one that is stopped: it may be continued at any moment. */
function stoppedFailure({ pid }: Watcher): Failure {
  return new Failure(
    'unreachable',
    `Process ${pid} has claimed the algo orders of this account and is stopped, so none is watched.`,
    {
      hint: continueText(pid),
    },
  );
}

/**
 * The algo orders that have not ended, newest first; with `all`, those too that have ended and are kept.
 * @throws Failure `usage` if the records cannot be read, and `credentials`
 */
export async function listAlgos(context: Context, { all }: { readonly all: boolean }): Promise<AlgoView[]> {
  const store = await storeOf(context);
  const ids = [...store.openIds(), ...(all ? store.endedIds() : [])];
  const views = (await viewsOf(context, store, ids)).filter(({ facts }) => all || facts.ended === null);
  return views.sort((one, other) => other.facts.began.time - one.facts.began.time);
}

/**
 * The algo orders that have not ended, newest first, by what is on the disk alone: what the exchange has filled since is not in it. It
 * sends no request, so that a screen can ask every few seconds.
 * @throws Failure `usage` if the records cannot be read, and `credentials`
 */
export async function recordedAlgos(context: Context): Promise<AlgoView[]> {
  const store = await storeOf(context);
  const views = await viewsOf(context, store, store.openIds(), 'records');
  return views
    .filter(({ facts }) => facts.ended === null)
    .sort((one, other) => other.facts.began.time - one.facts.began.time);
}

/** The open duplicates that pit does not cancel: those that may be the user's own, and those of an algo order that has ended. */
export function openDuplicates({ orders, facts }: AlgoView): readonly string[] {
  return orders.flatMap(({ order, duplicate }) => {
    const isLeft = duplicate === 'unproven' || (duplicate === 'proven' && facts.ended !== null);
    return isLeft && order?.state === 'open' ? order.id : [];
  });
}

/** Names them with the command that cancels them. */
export function warnOfOpenDuplicates({ output }: Context, views: readonly AlgoView[]): void {
  for (const view of views) {
    const ids = openDuplicates(view);
    if (ids.length === 0) continue;
    const { id, facts, terms } = view;
    const isStopHeld = facts.exitTriggered !== null && facts.ended === null;
    output.warn([
      `${isStopHeld ? 'NOT PROTECTED: ' : ''}${duplicateText(id, ids)}`,
      suggest('Cancel it', 'cancel', terms.market.market, ...ids),
    ]);
  }
}

export function duplicateText(id: string, ids: readonly string[]): string {
  return ids.length === 1
    ? `Order ${ids[0]} is open and may be a duplicate of an order of ${id}.`
    : `Orders ${ids.join(', ')} are open and may be duplicates of orders of ${id}.`;
}

/** One algo order. Its duplicates count as seen then. Throws Failure `usage` for an id that there is not. */
export async function showAlgo(context: Context, id: string): Promise<AlgoView> {
  const store = await storeOf(context);
  const problem = store.read(id)?.problem ?? null;
  if (problem !== null) throw unreadableAlgo(id, problem);
  const [view] = await viewsOf(context, store, [id]);
  if (view === undefined) throw noAlgo(id);
  store.duplicatesSeen(id);
  return view;
}

function noAlgo(id: string): Failure {
  return usage(`There is no algo order ${id}.`, suggest('List them', 'algo', 'list', '--all'));
}

function unreadableAlgo(id: string, problem: string): Failure {
  const hint = suggest('Its orders may be open at the exchange. See them, then remove the record', 'orders');
  return usage(`Nothing is done for the algo order ${id}: ${problem}.`, hint);
}

/** Why algo orders that have not ended cannot be shown, a clause for each; empty if all can. */
export async function unshownAlgos(context: Context): Promise<string[]> {
  const store = await storeOf(context);
  return store.openIds().flatMap((id) => {
    const problem = store.read(id)?.problem ?? null;
    return problem === null ? [] : `nothing is done for ${id}: ${problem}`;
  });
}

/** @param from `records` reads no order of the exchange, and warns of nothing */
async function viewsOf(
  context: Context,
  store: AlgoStore,
  ids: readonly string[],
  from: 'exchange' | 'records' = 'exchange',
): Promise<AlgoView[]> {
  const records = ids.flatMap((id) => store.read(id) ?? []);
  // of the same moment as the records: one that was written while orders were read would be a state without the children that led to it
  const notes = new Map(records.map(({ id, facts }) => [id, facts && store.currentNoteOf(id, facts)]));
  const { isWatched } = store;
  const unseen = store.withUnseenDuplicates();
  const views: AlgoView[] = [];
  let journal: ChildrenInJournal | undefined;
  for (const record of records) {
    const { facts } = record;
    if (facts === undefined) {
      if (from === 'records') continue;
      context.output.warn(`The algo order ${record.id} is not shown, and nothing is done for it: ${record.problem}.`);
      continue;
    }
    journal ??= await openChildren(context, records);
    const orders = journal.of(record);
    // of one that has ended, a duplicate may be open
    const problems = from === 'records' ? [] : await readOrders(context, facts.began.terms, orders);
    const isOpen = facts.ended === null;
    views.push({
      ...snapshotOf(facts, orders, record.said, notes.get(record.id)),
      isWatched: isOpen && isWatched,
      hasUnseenDuplicates: unseen.includes(record.id),
      problems: [...tornText(record), ...problems],
    });
  }
  return withLiftedHalt(context, views);
}

/** What a halt has paused stays so when the halt is lifted, and is not halted any more: only the user resumes it. */
async function withLiftedHalt({ session }: Context, views: readonly AlgoView[]): Promise<AlgoView[]> {
  const isHalted = views.some(({ state }) => state === 'halted');
  const halt = isHalted
    ? await tryRead(async () => ({ now: await (await session.signedExchange()).halt() }))
    : undefined;
  // if it cannot be asked, the account may be halted
  if (halt === undefined || halt.now !== undefined) return [...views];
  return views.map((view) => (view.state === 'halted' ? { ...view, state: 'paused', reason: HALT_LIFTED } : view));
}

const HALT_LIFTED = 'The halt that paused it is lifted; it stays paused until it is resumed';

function tornText({ torn }: FactRecord): string[] {
  if (torn === 0) return [];
  return [
    torn === 1
      ? 'a line of its record was cut off and is ignored'
      : `${torn} lines of its record were cut off and are ignored`,
  ];
}

async function openChildren({ host, session }: Context, records: readonly FactRecord[]): Promise<ChildrenInJournal> {
  const began = records.flatMap(({ facts }) => facts?.began.time ?? []);
  return new ChildrenInJournal(await session.journal(), Math.min(host.now(), ...began));
}

/** Reads the orders that may have changed. Returns what could not be read. */
async function readOrders(context: Context, terms: AlgoTerms, orders: readonly ChildOrder[]): Promise<string[]> {
  const open = orders.filter(({ unfinishedIds }) => unfinishedIds.length > 0);
  if (open.length === 0) return [];
  try {
    const trading = await context.session.trading();
    for (const child of open) await readChild(trading, terms.market.market, child);
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [`its orders could not be read: ${error.message}`];
  }
}

/** Whether a fact of the user still changes something. */
const CHANGES: Readonly<Record<'paused' | 'resumed', (record: FactRecord) => boolean>> = {
  paused: ({ facts }) => facts !== undefined && !isHeldBack(facts, 'stop'),
  resumed: ({ facts }) => facts !== undefined && facts.paused !== null,
};

/** Algo orders that the user wants paused or resumed. */
export interface ChangedAlgos {
  readonly changed: readonly AlgoView[];
  /** Those that were so before. */
  readonly unchanged: readonly AlgoView[];
}

/**
 * Pauses algo orders: what is open at the exchange stays there, and nothing else is placed. A request that asked before this may still be
 * on its way.
 * @param settled called once all are paused, before they are read
 * @throws Failure `usage` for one that is not open, or that cannot be recorded: the others are paused
 */
export function pauseAlgos(
  context: Context,
  ids: readonly string[] | 'all',
  cause: Extract<PauseCause, 'user' | 'halt'>,
  reason: string,
  settled: () => Promise<void> = async () => undefined,
): Promise<ChangedAlgos> {
  const fact = (time: number) => ({ fact: 'paused', time, cause, reason, role: null }) as const;
  return addFacts(context, ids, fact, CHANGES.paused, settled);
}

/**
 * Lets paused algo orders go on, and has them watched.
 * @throws Failure `usage` for one that is not open, and while the account is halted
 */
export async function resumeAlgos(context: Context, ids: readonly string[] | 'all'): Promise<ChangedAlgos> {
  const halt = await (await context.session.exchange()).halt();
  if (halt !== undefined) throw usage(`Nothing is resumed: the account is ${haltText(halt)}.`, LIFT_HALT);
  const resumed = await addFacts(context, ids, (time) => ({ fact: 'resumed', time }), CHANGES.resumed);
  const { changed } = resumed;
  const unwatched = changed.length === 0 ? null : await ensureWatched(context, await storeOf(context));
  if (unwatched === null) return { ...resumed, changed: changed.map((view) => ({ ...view, isWatched: true })) };
  context.output.warn([`NOT WATCHED: ${unwatched.message}`, ...unwatched.hints]);
  return resumed;
}

async function addFacts(
  context: Context,
  ids: readonly string[] | 'all',
  fact: (time: number) => AlgoFact,
  changes: (record: FactRecord) => boolean,
  settled: () => Promise<void> = async () => undefined,
): Promise<ChangedAlgos> {
  const store = await storeOf(context);
  const client = await context.session.exchange();
  const chosen = chosenIds(store, ids);
  const changing = chosen.filter((id) => {
    const record = store.read(id);
    return record !== undefined && changes(record);
  });
  const failures: Failure[] = [];
  for (const id of changing) {
    try {
      store.add(id, fact(client.now()));
    } catch (error) {
      // the others are changed all the same
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
    }
  }
  await settled();
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  const views = await viewsOf(context, store, chosen);
  const isChanged = ({ id }: AlgoView) => changing.includes(id);
  return { changed: views.filter(isChanged), unchanged: views.filter((view) => !isChanged(view)) };
}

/** Throws Failure `usage` for ids that there are not, or that have ended. */
function chosenIds(store: AlgoStore, ids: readonly string[] | 'all'): readonly string[] {
  const open = store.openIds();
  if (ids === 'all') return open;
  const chosen = [...new Set(ids)];
  const wrong = chosen.flatMap((id) => {
    // one that has ended stays among the open ones for a moment
    const { facts, problem = null } = store.read(id) ?? {};
    if (problem !== null) return `Nothing is done for the algo order ${id}: ${problem}.`;
    const ended = facts?.ended ?? null;
    if (ended !== null) return `The algo order ${id} has ended (${ended.outcome}).`;
    return open.includes(id) ? [] : `There is no algo order ${id}.`;
  });
  if (wrong.length > 0) throw usage(wrong.join(' '), suggest('List them', 'algo', 'list', '--all'));
  return chosen;
}

export interface CancelledAlgo {
  readonly view: AlgoView;
  /** Whether it has ended: none of its orders is open. */
  readonly isDone: boolean;
  /** Why it could not be recorded as cancelled; null if it was. */
  readonly failure: Failure | null;
  /** Whether its orders were cancelled all the same. */
  readonly hasCancelled: boolean;
}

/** Ends algo orders: cancels their orders and waits for the outcomes, within the time of the command. */
export async function cancelAlgos(context: Context, ids: readonly string[] | 'all'): Promise<CancelledAlgo[]> {
  const store = await storeOf(context);
  const trading = await context.session.trading();
  const chosen = chosenIds(store, ids);
  const unrecorded = new Map<string, Failure>();
  for (const id of chosen) {
    if (store.read(id)?.facts?.cancelled != null) continue;
    try {
      store.add(id, { fact: 'cancelled', time: trading.client.now(), reason: 'you cancelled it' });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      unrecorded.set(id, error);
    }
  }
  const recorded = chosen.filter((id) => !unrecorded.has(id));
  const cancelledOnly = new Set<string>();
  // what could not be recorded is cancelled all the same
  for (const [id, failure] of unrecorded) {
    context.output.warn([
      `${id} is not recorded as cancelled: ${failure.message} Its orders are cancelled now, but it may place others and still trade: cancel it again once it can be recorded.`,
      ...failure.hints,
    ]);
    if (await cancelChildren(context, trading, store, id)) cancelledOnly.add(id);
  }
  if (recorded.length > 0) await untilEnded(context, trading, store, recorded);
  const views = await viewsOf(context, store, chosen);
  return views.map((view) => {
    const failure = unrecorded.get(view.id) ?? null;
    return { view, isDone: view.facts.ended !== null, failure, hasCancelled: cancelledOnly.has(view.id) };
  });
}

/** Waits until these have ended, and ends them itself if no process does. */
async function untilEnded(
  context: Context,
  trading: TradingContext,
  store: AlgoStore,
  ids: readonly string[],
): Promise<void> {
  const { host, budget } = context;
  const left = () => ids.filter((id) => store.read(id)?.facts?.ended === null);
  while (left().length > 0 && budget.allows(POLL_MS)) {
    const watcher = store.watcher();
    if (watcher?.isStopped === true) {
      const { message, hints } = stoppedFailure(watcher);
      context.output.warn([`${message} Their orders are cancelled now; they end when it continues.`, ...hints]);
      for (const id of left()) await cancelChildren(context, trading, store, id);
      return;
    }
    if (watcher === undefined) {
      host.holdProgram();
      const runner = await makeRunner(context, {
        only: new Set(left()),
        report: () => undefined,
        other: () => undefined,
      });
      const outOfTime = new AbortController();
      void host.sleep(budget.remainingMs, outOfTime.signal).then(() => {
        if (!outOfTime.signal.aborted) void runner.stop();
      });
      const forget = host.onInterrupt(() => runner.stop());
      try {
        await runner.run();
      } finally {
        outOfTime.abort();
        forget();
      }
    }
    if (left().length > 0) await host.sleep(POLL_MS);
  }
}

/**
 * Cancels the open orders of an algo order that no process can end: its record cannot be written, or the one that watches is stopped.
 * Returns whether any was open.
 */
async function cancelChildren(
  context: Context,
  trading: TradingContext,
  store: AlgoStore,
  id: string,
): Promise<boolean> {
  const record = store.read(id);
  if (record?.facts === undefined) return false;
  const { market } = record.facts.began.terms.market;
  const children = (await openChildren(context, [record])).of(record);
  for (const child of children) {
    if (child.sending === 'unknown') await tryRead(() => settleChild(trading, market, child));
    await tryRead(() => readChild(trading, market, child));
  }
  const open = children.flatMap(({ unfinishedIds }) => unfinishedIds.map((one) => ({ id: one })));
  // one that could not be cancelled is shown as open
  if (open.length > 0) await tryRead(() => cancelOrders(trading, market, open));
  return open.length > 0;
}

export interface RunCallbacks {
  readonly onEvent: (event: AlgoEventView) => void;
  /** Another process watches already: this one waits for its end. Called again when the other one was stopped or continued. */
  readonly onOther: (watcher: Watcher) => void;
}

/** The process that watches tells what happens; commands say what could not be read, and what was not seen. */
const NO_PROBLEMS = { hasUnseenDuplicates: false, problems: [] } as const;

/** What `--exec` and `--notify` are told of. */
const TOLD: ReadonlySet<AlgoEvent['event']> = new Set([
  ...(['triggered', 'filled', 'blind', 'seen', 'paused', 'rejected', 'unprotected', 'note', 'ended'] as const),
]);

/** What a runner says, to the log or to the user, and to the actions. */
function saying(
  { output }: Context,
  { onEvent, onOther }: RunCallbacks,
  log: ((text: string) => void) | undefined,
  actions: AlgoActions,
): Required<Pick<RunnerChoices, 'report' | 'other' | 'warn' | 'note'>> {
  return {
    report: (event) => {
      const { snapshot, ...rest } = event;
      log?.(`${event.id} ${event.market} ${event.event}: ${event.text}`);
      onEvent({ ...rest, view: { ...snapshot, ...NO_PROBLEMS, isWatched: snapshot.facts.ended === null } });
      actions.take(event);
    },
    other: (watcher) => {
      if (log === undefined) onOther(watcher);
    },
    warn: (message) => {
      log?.(message);
      output.warn(message);
    },
    note: (message) => (log === undefined ? output.note(message) : log(message)),
  };
}

/** Logs it if the process ends without a logged reason. Returns a function to call once a reason is logged. */
function explainingEnd({ host }: Context, log: ((text: string) => void) | undefined): () => void {
  return host.onExit(() => log?.('The process ends without having said why.'));
}

function warnOfUnwatched({ host }: Context, left: number, warn: (message: string) => void): void {
  if (left === 0) return;
  const what = `${counted(left, 'algo order')} ${left === 1 ? 'is' : 'are'} not watched any more; what is open at the exchange stays there`;
  warn(`${what}. Continue with: ${commandLine(host.arguments, ['algo', 'run'])}`);
}

/**
 * Watches and trades all algo orders of the account until none is left, or a signal ends it: then what is open at the exchange stays
 * there. `--timeout` ends it as a signal does. Throws Failure `credentials` without keys, and `usage` if the disk fails.
 */
export async function runAlgos(context: Context, { onEvent, onOther }: RunCallbacks): Promise<void> {
  const { host, budget, globals, session } = context;
  const isBackground = host.environment[BACKGROUND_VARIABLE] === '1';
  await session.signedExchange();
  // the user may stop the sandbox for good
  session.keepSandboxStopped();
  host.holdProgram();
  await host.limitMemory();
  const bind = budget.disableDeadline();
  const log = isBackground ? await openLog(context) : undefined;
  const actions = new AlgoActions(context, log);
  const explained = explainingEnd(context, log);
  const said = saying(context, { onEvent, onOther }, log, actions);
  const { warn, note } = said;
  const runner = await makeRunner(context, { ...said, isBackground });
  const store = await storeOf(context);
  // one that has ended stays there for a moment
  const open = runner.openIds.filter((id) => store.read(id)?.facts?.ended == null).length;
  if (open > 0 && store.watcher() === undefined) note(`Watching ${counted(open, 'algo order')}.`);
  if (open === 0 && !isBackground) {
    note('No algo orders to watch.');
    bind();
    return;
  }
  const stop = async () => {
    await runner.stop();
    // another process may watch, for which this one has waited
    if (store.watcher() === undefined) warnOfUnwatched(context, runner.openIds.length, warn);
    actions.announceRest();
    await actions.done();
    // a signal ends the process as soon as this is done
    log?.('This process was ended.');
    explained();
  };
  let stopping: Promise<void> | undefined;
  const stopOnce = () => {
    stopping ??= stop();
    return stopping;
  };
  const forget = host.onInterrupt(stopOnce, () => actions.leave());
  const over = new AbortController();
  if (globals.isTimeoutGiven)
    void sleepOfMarket(host)(globals.timeoutMs, over.signal).then(() => (over.signal.aborted ? undefined : stopOnce()));
  const forgetFolders = rememberFoldersAbove();
  try {
    await runner.run();
    // what is not watched any more is said before the command ends
    await stopping;
    if (stopping === undefined) log?.('This process ends: nothing is left for it to watch.');
    await actions.done();
  } catch (error) {
    log?.(`This process ends: ${error instanceof Error ? error.message : String(error)}`);
    throw error;
  } finally {
    explained();
    forgetFolders();
    over.abort();
    forget();
    bind();
  }
}

interface RunnerChoices {
  readonly report: (event: AlgoEvent) => void;
  readonly other: (watcher: Watcher) => void;
  readonly warn?: (message: string) => void;
  readonly note?: (message: string) => void;
  readonly isBackground?: boolean;
  readonly only?: ReadonlySet<string>;
}

async function makeRunner(
  context: Context,
  { report, other, warn, note = () => undefined, isBackground = false, only }: RunnerChoices,
): Promise<AlgoRunner> {
  const { host, session, output, link } = context;
  const open = () => session.trading({ budget: new TimeBudget(STEP_MS, host.monotonic), output });
  const say = warn ?? ((message: string) => output.warn(message));
  return new AlgoRunner({
    host,
    store: await storeOf(context),
    open,
    limits: async () => guardLimits(await session.currentSettings()),
    follow: (channels, signal) => session.stream(channels, { signal, reads: 'polls' }),
    waitForCondition: (terms, met, signal) => waitForCondition(context, terms, met, say, signal),
    report,
    warn: say,
    note,
    other,
    waitsForOther: !isBackground && only === undefined,
    isSeen: !isBackground,
    only,
    isAlone: link?.isAlone === true,
  });
}

/** Calls back each time that a condition of an entry holds; one of several is enough. */
async function waitForCondition(
  { host, session }: Context,
  { market: { market }, when }: AlgoTerms,
  met: (condition: MetCondition) => void,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const conditions = when.map((text) => parseCondition(text));
  const budget = new TimeBudget(STEP_MS, host.monotonic);
  while (!signal.aborted) {
    try {
      const client = await session.signedExchange(budget);
      const follow = (channels: Parameters<typeof session.stream>[0]) =>
        session.stream(channels, { signal, reads: 'polls' });
      const source = { market, conditions, isRepeated: false, client, budget, follow, sleep: host.sleep, warn };
      for await (const { condition, late } of findAlerts(source)) met({ condition: condition.text, late });
      return;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(`The conditions of an entry in ${market} cannot be followed: ${error.message}`);
      budget.restart();
      await host.sleep(STEP_MS, signal);
    }
  }
}

/** What a process in the background says, in a private file of bounded size. */
async function openLog({ host, session }: Context): Promise<(line: string) => void> {
  const { folder } = await session.journal();
  const write = boundedLog(path.join(host.directories.state, ALGO_FOLDER, folder, 'run.log'));
  return (line) => write(host.redaction.apply(line));
}

/** Runs the program of each algo order, and shows notifications, for what happens to it. */
class AlgoActions {
  readonly #context: Context;
  readonly #log: ((line: string) => void) | undefined;
  readonly #actions = new Map<string, Promise<AlertActions | undefined>>();

  /** @param log takes what programs print, where nobody reads stderr */
  constructor(context: Context, log: ((line: string) => void) | undefined) {
    this.#context = context;
    this.#log = log;
  }

  take({ id, market, time, event, text, snapshot }: AlgoEvent): void {
    const { exec, notify } = snapshot.terms;
    if ((exec === null && !notify) || !TOLD.has(event)) return;
    const made = this.#actions.get(id) ?? this.#prepare(exec, notify);
    this.#actions.set(id, made);
    const document = {
      id,
      market,
      time: isoTime(time),
      event,
      text,
      state: snapshot.state,
      duplicates: duplicateIds(snapshot),
    };
    void made.then((actions) => actions?.start({ document, title: `${id} ${market}`, text }));
  }

  async #prepare(exec: string | null, notify: boolean): Promise<AlertActions | undefined> {
    const line = { hide: () => undefined, show: () => undefined };
    try {
      const words = exec === null ? undefined : execWords(exec);
      return await AlertActions.prepare(this.#context, { exec: words, notify }, line, this.#log);
    } catch (error) {
      // an algo order goes on without its program
      const message = error instanceof Error ? error.message : String(error);
      this.#context.output.warn(message);
      this.#log?.(message);
      return undefined;
    }
  }

  async done(): Promise<void> {
    for (const actions of await Promise.all(this.#actions.values())) await actions?.done();
  }

  announceRest(): void {
    for (const made of this.#actions.values()) void made.then((actions) => actions?.announceRest());
  }

  leave(): void {
    for (const made of this.#actions.values()) void made.then((actions) => actions?.leave());
  }
}

/** Each algo order that has not ended, and then each whenever something of it changes; until the signal aborts. */
export async function* changes(context: Context, signal: AbortSignal): AsyncGenerator<AlgoView> {
  const { host, budget } = context;
  host.holdProgram();
  const bind = budget.disableDeadline();
  const shown = new Map<string, string>();
  const store = await storeOf(context);
  try {
    while (!signal.aborted) {
      budget.restart();
      const ids = [...new Set([...store.openIds(), ...shown.keys()])];
      for (const view of await viewsOf(context, store, ids)) {
        const text = JSON.stringify(view, (_, value: unknown) => (value instanceof Decimal ? String(value) : value));
        if (shown.get(view.id) === text) continue;
        shown.set(view.id, text);
        yield view;
      }
      await host.sleep(WATCH_MS, signal);
    }
  } finally {
    bind();
  }
}

/** How often a watch looks for changes, in milliseconds. */
const WATCH_MS = 1_000;
