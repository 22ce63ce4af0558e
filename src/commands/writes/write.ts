import { type Consent, requireConsent } from '../../cli/consent.js';
import type { Globals } from '../../cli/context.js';
import { type EndingSignal, Failure, Interrupted, type Interruption, suggest } from '../../errors.js';
import { haltText, LIFT_HALT, type PlannedWrite } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { Answer } from '../../terminal/answer.js';
import type { Output } from '../../terminal/output.js';
import type { Screen } from '../../terminal/screen.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Context } from '../session/command.js';
import type { Session } from '../session/session.js';
import { NO_PREVIEW, type PreviewJson } from './dry-run.js';

/*
 * The core of every command that writes to the exchange. A `Write` says what is different; `carryOut` does what is the same:
 *
 *   prepare ─→ dry run: its answer, nothing sent
 *      │
 *      ├──→ preview, or its warnings alone ─→ confirm ─→ recheck ─→ send ─→ result
 *      │                                                    │
 *      └──────── asked again, because it has changed ───────┘
 *
 * A signal in any of these steps is reported by one handler: nothing was sent, or what may have been done and the command
 * that finds out. Orders add the market, the guards and the preview's table: `order/send-orders.ts`.
 */

/** What a write works with. A command's terminal or the market screen asks and reports, each in its own way. */
export interface WriteContext {
  readonly host: Host;
  readonly globals: Pick<Globals, 'yes' | 'dryRun' | 'verbose'>;
  readonly budget: TimeBudget;
  readonly session: Pick<Session, 'connection' | 'currentSettings' | 'markets'>;
  readonly trading: TradingContext;
  readonly consent: Consent;
  readonly output: Pick<Output, 'preview' | 'note' | 'warn' | 'interrupted' | 'textOf' | 'live' | 'errorScreen'>;
  /** Prints the answer of the command before it ends, for a signal. The market screen has none. */
  readonly printAnswer: (answer: Answer) => Promise<void>;
  /** Whether the user sees a preview; otherwise its warnings alone. */
  readonly isPreviewed: boolean;
  /** What an agent may send, if one does. Absent: the limits of the profile hold alone. */
  readonly agentLimits?: AgentLimits | undefined;
}

/**
 * The context of a command's write. By default a write is previewed before its question, and in a dry run. Throws Failure
 * `credentials`.
 */
export async function openWrite(
  { host, globals, budget, session, consent, output }: Context,
  isPreviewed = globals.dryRun || !globals.yes,
): Promise<WriteContext> {
  const printAnswer = (answer: Answer) => output.answer(answer);
  return {
    host,
    globals,
    budget,
    session,
    consent,
    output,
    trading: await session.trading(),
    printAnswer,
    isPreviewed,
  };
}

/** As {@link openWrite}, for a write that asks. Throws Failure `declined` if no question can be asked, before any request. */
export function openWithConsent(context: Context): Promise<WriteContext> {
  requireConsent(context);
  return openWrite(context);
}

/** What is known before the question. */
interface Prepared {
  /** Shown if no preview is. */
  readonly warnings: readonly { readonly text: string }[];
}

/** How a question is asked. */
interface Asking {
  /** Whether it is asked again because something has changed, so that it names the new terms. */
  readonly isAgain: boolean;
  /** The age of what was read for it, in milliseconds. */
  readonly ageMs: () => number;
}

/** A write to the exchange, step by step. */
export interface WriteSteps<Ready extends Prepared, Sent> {
  /** Reads what the write depends on, and checks it. Throws Failure: nothing was sent. */
  readonly prepare: () => Promise<Ready>;
  /** A cancellation, which leaves while the account is halted. */
  readonly passesHalt?: true;
  /** What it will do, and where it goes. */
  readonly preview: (ready: Ready) => Promise<(screen: Screen) => string>;
  /** The answer of `--dry-run` for programs. */
  readonly dryRun: (ready: Ready) => unknown;
  /** Asks the user. Throws Failure `declined` unless it is confirmed. Absent if the write asks nothing. */
  readonly confirm?: (ready: Ready, asking: Asking) => Promise<void>;
  /**
   * Checks what was confirmed once more. Returns what to send; with a reason, what to show and ask about again.
   * @param ageMs the age of the earlier reading when the user replied
   */
  readonly recheck?: (confirmed: Ready, ageMs: number) => Promise<{ readonly ready: Ready; readonly reason?: string }>;
  readonly send: (ready: Ready) => Promise<Sent>;
  /** Called for a signal while it is being sent. Cancels unsent requests, and returns what may have been done; null if nothing was sent. */
  readonly interrupted: (ready: Ready) => Interruption | null;
  /** Sends nothing more, and waits a moment for the answers to what was sent. */
  readonly stop?: () => Promise<void>;
  /** For a signal: prints what was done so far, as the answer of the command; undefined if nothing was. */
  readonly printSoFar?: () => Promise<void> | undefined;
  /** What was done before this write, for a signal that comes before it is sent. Absent if nothing was. */
  readonly doneBefore?: Interruption;
  /** Throws the Failure of a write that was not done. */
  readonly result: (ready: Ready, sent: Sent) => Answer | Promise<Answer>;
}

/** Prepares a write, has it confirmed, sends it once and returns its outcome. Throws Failure as its steps do. */
export async function carryOut<Ready extends Prepared, Sent>(
  context: WriteContext,
  write: WriteSteps<Ready, Sent>,
): Promise<Answer> {
  let sending: Ready | undefined;
  let isCancelled = false;
  const interrupted = () => {
    isCancelled = sending === undefined;
    return sending === undefined ? (write.doneBefore ?? null) : write.interrupted(sending);
  };
  const stop = () => (sending === undefined ? undefined : write.stop?.());
  const printSoFar = () => (sending === undefined && write.doneBefore === undefined ? undefined : write.printSoFar?.());
  const signals = { interrupted, stop, ...(write.printSoFar === undefined ? {} : { printSoFar }) };
  return reportingSignals(context, signals, async () => {
    const confirmed = await confirmedWrite(context, write);
    if ('answer' in confirmed) return confirmed.answer;
    // it was reported that nothing was sent
    if (isCancelled) throw new Interrupted('SIGINT');
    // what was shown is still what is configured
    await context.session.currentSettings();
    sending = confirmed.ready;
    return write.result(sending, await write.send(sending));
  });
}

/** What a signal does to a write. */
interface Interruptible {
  /** Cancels unsent requests, and returns what may have been done; null if nothing was sent. */
  interrupted(): Interruption | null;
  /** Sends nothing more, and waits a moment for the answers to what was sent; undefined if there is nothing to wait for. */
  stop(): Promise<void> | undefined;
  /** Prints what was done so far, as the answer of the command; undefined if nothing was. Absent if the interruption says it all. */
  printSoFar?(): Promise<void> | undefined;
}

/**
 * Runs a part of a write. If a signal ends it, or Ctrl-C at a question, reports what that leaves. A second signal does not
 * wait for answers.
 */
export async function reportingSignals<Value>(
  { host, output }: Pick<WriteContext, 'host' | 'output'>,
  write: Interruptible,
  work: () => Promise<Value>,
): Promise<Value> {
  let signalled: EndingSignal | undefined;
  let reporting: Promise<void> | undefined;
  const report = async (signal: EndingSignal) => {
    const interruption = write.interrupted();
    // a reader that is gone must not hide the interruption
    const printing = write.printSoFar?.();
    if (printing !== undefined) await printing.catch(() => undefined);
    output.interrupted(signal, interruption);
  };
  const removeHandler = host.onInterrupt(
    (signal) => {
      signalled = signal;
      const stopping = write.stop();
      reporting = stopping === undefined ? report(signal) : stopping.then(() => report(signal));
      return reporting;
    },
    (signal) => output.interrupted(signal, write.interrupted()),
  );
  try {
    const value = await work();
    // what was done is reported already
    if (signalled === undefined || write.printSoFar === undefined) return value;
    await reporting;
    throw new Interrupted(signalled);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    if (signalled === undefined) await report(error.signal);
    // the process ends with this error, which must not cut off the report
    else await reporting;
    throw signalled === undefined ? error : new Interrupted(signalled);
  } finally {
    removeHandler();
  }
}

async function confirmedWrite<Ready extends Prepared, Sent>(
  context: WriteContext,
  { prepare, passesHalt, preview, dryRun, confirm, recheck }: WriteSteps<Ready, Sent>,
): Promise<{ readonly answer: Answer } | { readonly ready: Ready }> {
  const { globals, output, host, isPreviewed, trading } = context;
  if (!globals.dryRun) trading.client.prepareWrite();
  let readAt = host.monotonic();
  let ready = await prepare();
  for (let isAgain = false; ; isAgain = true) {
    if (globals.dryRun) {
      const isHalted = (await context.trading.client.halt()) !== undefined;
      return { answer: dryAnswer(withHalted(dryRun(ready), isHalted), await preview(ready)) };
    }
    if (passesHalt !== true) await requireNotHalted(context);
    if (isPreviewed) output.preview(await preview(ready));
    else for (const { text } of ready.warnings) output.warn(text);
    const shownAt = readAt;
    await confirm?.(ready, { isAgain, ageMs: () => host.monotonic() - shownAt });
    if (recheck === undefined) return { ready };
    readAt = host.monotonic();
    const checked = await recheck(ready, readAt - shownAt);
    if (checked.reason === undefined) return checked;
    output.warn(`Not sent yet. ${checked.reason}`);
    ready = checked.ready;
  }
}

/** Before the question. The latch is asked again when the request would leave. Throws Failure `usage`. */
export async function requireNotHalted({ trading }: Pick<WriteContext, 'trading'>): Promise<void> {
  const halt = await trading.client.halt();
  if (halt === undefined) return;
  const message = `halted blocks this: the account is ${haltText(halt)}. Nothing was sent.`;
  throw new Failure('usage', message, { hint: LIFT_HALT, halted: true });
}

/** Each request of a dry run, with whether the account is halted. */
function withHalted(data: unknown, halted: boolean): unknown {
  if (Array.isArray(data)) return data.map((one) => withHalted(one, halted));
  return typeof data === 'object' && data !== null && 'dryRun' in data ? { ...data, halted } : data;
}

function dryAnswer(data: unknown, show: (screen: Screen) => string): Answer {
  return { data, show: (screen) => `${show(screen)}\n${screen.paint.faint('Dry run: nothing was sent.')}` };
}

/** The request of a dry run with its secrets masked, and its preview. */
export function dryRequest(
  { trading }: Pick<WriteContext, 'trading'>,
  write: PlannedWrite,
  preview: PreviewJson = NO_PREVIEW,
) {
  return { dryRun: true, ...trading.client.requestOf(write), preview };
}

/** The destination of a write, as the user confirms it: the trade host and the profile. */
export async function exchangeText({ session, trading }: Pick<WriteContext, 'session' | 'trading'>): Promise<string> {
  const { profile } = await session.connection();
  return `${trading.client.hosts.tradeUrl} (profile ${profile})`;
}

/** What a signal leaves of a write that may have been sent, and the command that finds out. */
export function mayBeDone(what: string, clientId: string): Interruption {
  return { advice: [what, suggest('Find out', 'resolve', clientId)], clientId };
}
