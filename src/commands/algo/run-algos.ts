import path from 'node:path';
import { commandLine } from '../../cli/hints.js';
import { counted } from '../../domain/decimal.js';
import { boundedLog } from '../../platform/files/bounded-log.js';
import { sleepOfMarket } from '../../platform/rehearsal-clock.js';
import { ALGO_FOLDER } from '../../trading/algos/record/algo-folder.js';
import type { Watcher } from '../../trading/algos/record/watchers.js';
import type { AlgoEvent } from '../../trading/algos/run/algo-voice.js';
import type { RunnerChoices } from '../../trading/algos/service/algo-service.js';
import type { AlgoView } from '../../trading/algos/service/algo-views.js';
import type { Context } from '../session/command.js';
import { AlgoActions } from './algo-actions.js';
import { algoService } from './algo-service.js';
import { isWatcherProcess } from './watcher-process.js';

/** Something that happened to an algo order while it was watched. */
export interface AlgoEventView extends Omit<AlgoEvent, 'snapshot'> {
  readonly view: AlgoView;
}

export interface RunCallbacks {
  readonly onEvent: (event: AlgoEventView) => void;
  /** Another process watches already: this one waits for its end. Called again when the other one was stopped or continued. */
  readonly onOther: (watcher: Watcher) => void;
}

/** The process that watches tells what happens; commands say what could not be read, and what was not seen. */
const NO_PROBLEMS = { hasUnseenDuplicates: false, problems: [] } as const;

/** What a runner says, to the log or to the user, and to the actions. */
function saying(
  { output }: Context,
  { onEvent, onOther }: RunCallbacks,
  log: ((text: string) => void) | undefined,
  actions: AlgoActions,
): Required<Pick<RunnerChoices, 'report' | 'other' | 'warn'>> {
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
  const isBackground = isWatcherProcess(host);
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
  const note = log ?? ((message: string) => context.output.note(message));
  const service = await algoService(context);
  const { store } = service.options;
  const runner = service.runner({ ...said, isBackground });
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
    if (!store.isWatched) warnOfUnwatched(context, runner.openIds.length, said.warn);
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
    over.abort();
    forget();
    bind();
  }
}

/** What a process in the background says, in a private file of bounded size. */
async function openLog({ host, session }: Context): Promise<(line: string) => void> {
  const { folder } = await session.journal();
  const write = boundedLog(path.join(host.directories.state, ALGO_FOLDER, folder, 'run.log'));
  return (line) => write(host.redaction.apply(line));
}
