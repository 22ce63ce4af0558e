import { type Consent, requireConsent } from '../../cli/consent.js';
import type { Globals } from '../../cli/context.js';
import type { ShownFacts } from '../../cli/fact-list.js';
import { Failure, type Interruption, suggest } from '../../errors.js';
import { haltText, LIFT_HALT } from '../../exchange/exchange.js';
import type { Host } from '../../platform/host.js';
import type { TimeBudget } from '../../platform/time-budget.js';
import type { Answer } from '../../terminal/answer.js';
import type { Output } from '../../terminal/output.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record } from '../../terminal/table.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Agent } from '../session/agent.js';
import type { Context } from '../session/command.js';
import type { Session } from '../session/session.js';
import { type DryRequest, type DryRun, dryAnswer } from './dry-run.js';
import { type Interruptible, interruptible } from './interruptible.js';
import { guardTexts, type Warned } from './preview-facts.js';

/*
 * Every command that writes to the exchange describes its write, of one request or of many, as `WriteSteps`. `runWrite` carries it out:
 *
 *   plan ─→ dry run: its answer, nothing sent
 *     │
 *     ├──→ preview, or its warnings alone ─→ ask ─→ plan again, compare ─→ run
 *     │                                                     │
 *     └─────── shown and asked again, as it has changed ────┘
 *
 * A signal in any of these steps is reported by `interruptible`: nothing was sent, or what was done so far, what may have been done
 * and the command that finds out. Orders add the market and the guards: `order/guarded-orders.ts`.
 */

/** What a write works with. A command's terminal or the market screen asks and reports, each in its own way. */
export interface WriteContext {
  readonly host: Host;
  readonly globals: Pick<Globals, 'yes' | 'dryRun' | 'verbose'>;
  readonly budget: TimeBudget;
  readonly session: Pick<Session, 'connection' | 'currentSettings' | 'markets'>;
  readonly trading: TradingContext;
  readonly consent: Consent;
  readonly output: Pick<
    Output,
    'preview' | 'note' | 'warn' | 'answer' | 'interrupted' | 'textOf' | 'live' | 'errorScreen'
  >;
  /** Whether the user sees a preview; otherwise its warnings alone. */
  readonly isPreviewed: boolean;
  /** The agent that sends it. Absent: the user does. */
  readonly agent?: Agent | undefined;
}

/**
 * The context of a command's write. By default a write is previewed before its question, and in a dry run. Throws Failure
 * `credentials`.
 */
export async function openWrite(
  { host, globals, budget, session, consent, output, agent }: Context,
  isPreviewed = globals.dryRun || !globals.yes,
): Promise<WriteContext> {
  return { host, globals, budget, session, consent, output, trading: await session.trading(), isPreviewed, agent };
}

/** As {@link openWrite}, for a write that asks. Throws Failure `declined` if no question can be asked, before any request. */
export function openWithConsent(context: Context): Promise<WriteContext> {
  requireConsent(context);
  return openWrite(context);
}

/** How a question is asked. */
interface Asking {
  /** Whether it is asked again because something has changed, so that it names the new terms. */
  readonly isAgain: boolean;
  /** The age of what was read for it, in milliseconds. */
  readonly ageMs: () => number;
}

/** One request, or several with a document each. */
export type Requests = DryRequest | readonly DryRequest[];

/** What a dry run prints for them. */
type DryRunOf<Dry extends Requests> = Dry extends readonly DryRequest[] ? readonly DryRun[] : DryRun;

/** A write to the exchange. */
export interface WriteSteps<Plan extends Warned, Data = unknown, Dry extends Requests = Requests>
  extends Pick<Interruptible, 'soFar'> {
  /**
   * Reads what the write depends on, and checks it. Throws Failure: nothing was sent.
   * @param confirmed given once the user has replied, to plan the same again in the current market
   */
  readonly plan: (confirmed?: Plan) => Promise<Plan>;
  /** A cancellation, which leaves while the account is halted. */
  readonly passesHalt?: true;
  /** What it will do, as facts show it. Its warnings alone are shown if no preview is. */
  readonly preview: (plan: Plan) => ShownFacts;
  /** What `--dry-run` prints for programs. Absent for a part of a command that prints its own. */
  readonly dryRun?: (plan: Plan) => Dry;
  /** Asks for consent. Throws Failure `declined` unless it is given. Absent if the write asks nothing. */
  readonly ask?: (plan: Plan, asking: Asking) => Promise<void>;
  /**
   * Compares what was confirmed with the same planned again. Returns what to send; with a reason, what to show and ask about again.
   * Absent if it is sent as it was confirmed.
   * @param ageMs the age of what was confirmed when the user replied
   */
  readonly compare?: (
    confirmed: Plan,
    current: Plan,
    ageMs: number,
  ) => Promise<{ readonly plan: Plan; readonly reason?: string }>;
  /** Sends it, and returns what became of it. Throws the Failure of a write that was not done. */
  readonly run: (plan: Plan, signal: AbortSignal) => Promise<Answer<Data>>;
  /** What a signal leaves of it while it runs, as in {@link Interruptible}. One of many is also waited for, and has `soFar`. */
  readonly left: (plan: Plan) => Interruption | null;
  /** What was done before this write, for a signal that comes before it is sent. Absent if nothing was. */
  readonly doneBefore?: Interruption;
}

/** Plans a write, has it confirmed, runs it once and returns its outcome. Throws Failure as its steps do. */
export async function runWrite<Plan extends Warned, Data, Dry extends Requests>(
  context: WriteContext,
  write: WriteSteps<Plan, Data, Dry>,
): Promise<Answer<Data | DryRunOf<Dry>>> {
  const { globals, output, host, isPreviewed, session, trading } = context;
  const { soFar, doneBefore } = write;
  const beforeIt = { left: () => doneBefore ?? null, soFar: doneBefore === undefined ? undefined : soFar };
  if (globals.dryRun) return interruptible(context, beforeIt, () => dryRunOf(context, write));
  const confirmed = await interruptible(context, beforeIt, async () => {
    trading.client.prepareWrite();
    let readAt = host.monotonic();
    let plan = await write.plan();
    for (let isAgain = false; ; isAgain = true) {
      if (write.passesHalt !== true) await requireNotHalted(context);
      if (isPreviewed) output.preview(await previewText(context, write.preview(plan), plan));
      else for (const { text } of plan.warnings) output.warn(text);
      const shownAt = readAt;
      await write.ask?.(plan, { isAgain, ageMs: () => host.monotonic() - shownAt });
      if (write.compare === undefined || globals.yes) break;
      readAt = host.monotonic();
      const compared = await write.compare(plan, await write.plan(plan), readAt - shownAt);
      plan = compared.plan;
      if (compared.reason === undefined) break;
      output.warn(`Not sent yet. ${compared.reason}`);
    }
    // what was shown is still what is configured
    await session.currentSettings();
    return plan;
  });
  const running = { left: () => write.left(confirmed), soFar, isWaitedFor: soFar !== undefined };
  return interruptible(context, running, (signal) => write.run(confirmed, signal));
}

async function dryRunOf<Plan extends Warned, Dry extends Requests>(
  context: WriteContext,
  write: WriteSteps<Plan, unknown, Dry>,
): Promise<Answer<DryRunOf<Dry>>> {
  const { plan, show } = await previewOf(context, write);
  const halted = (await context.trading.client.halt()) !== undefined;
  const documentOf = (request: DryRequest) => ({ dryRun: true, ...request, halted });
  const requests: Requests = write.dryRun?.(plan) ?? [];
  const data = 'preview' in requests ? documentOf(requests) : requests.map(documentOf);
  return dryAnswer(data as DryRunOf<Dry>, show, 'sent');
}

/** Plans a write and draws its preview, for a dry run. Throws Failure as its plan. */
export async function previewOf<Plan extends Warned>(
  context: WriteContext,
  write: Pick<WriteSteps<Plan>, 'plan' | 'preview'>,
): Promise<{ readonly plan: Plan; readonly show: (screen: Screen) => string }> {
  const plan = await write.plan();
  return { plan, show: await previewText(context, write.preview(plan), plan) };
}

/** A preview as text: what the write does, where it goes, and what it warns of. */
export async function previewText(
  context: Pick<WriteContext, 'session' | 'trading' | 'globals'>,
  { above, lines }: ShownFacts,
  warned: Warned,
): Promise<(screen: Screen) => string> {
  const exchange = await exchangeText(context);
  // the question lists the guards itself
  const guards = context.globals.dryRun ? guardTexts(warned) : [];
  const warnings = warned.warnings.flatMap(({ text, isFact }) => (isFact ? [] : [text]));
  return (screen) => {
    const facts = record(screen, [
      ...lines(screen),
      ['exchange', exchange],
      ...guards.map((guard): RecordLine => ['guard', guard, (shown, paint) => paint.bad(shown)]),
      ...warnings.map((warning): RecordLine => ['warning', warning, (shown, paint) => paint.warn(shown)]),
    ]);
    return [above(screen), facts].filter((part) => part !== '').join('\n');
  };
}

/** Before the question. The latch is asked again when the request would leave. Throws Failure `usage`. */
export async function requireNotHalted({ trading }: Pick<WriteContext, 'trading'>): Promise<void> {
  const halt = await trading.client.halt();
  if (halt === undefined) return;
  const message = `halted blocks this: the account is ${haltText(halt)}. Nothing was sent.`;
  throw new Failure('usage', message, { hint: LIFT_HALT, halted: true });
}

/** The destination of a write, as the user confirms it: the trade host and the profile. */
async function exchangeText({ session, trading }: Pick<WriteContext, 'session' | 'trading'>): Promise<string> {
  const { profile } = await session.connection();
  return `${trading.client.hosts.tradeUrl} (profile ${profile})`;
}

/** What a signal leaves of a write that may have been sent, and the command that finds out. */
export function mayBeDone(what: string, clientId: string): Interruption {
  return { advice: [what, suggest('Find out', 'resolve', clientId)], clientId };
}
