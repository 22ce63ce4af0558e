import { confirm } from '../../cli/consent.js';
import { shownOf } from '../../cli/fact-list.js';
import { type Advice, Failure, suggest, usage, withoutPeriod } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { ageText } from '../../terminal/time.js';
import type { AgentLimits } from '../../trading/guards/agent-limits.js';
import { PREPARED_FOR } from '../../trading/prepared/prepared-folder.js';
import { PreparedStore } from '../../trading/prepared/prepared-store.js';
import {
  isUnchanged,
  leavesRecord,
  type PreparedWrite,
  type WorkedOut,
} from '../../trading/prepared/prepared-write.js';
import type { TradingContext } from '../../trading/trading-context.js';
import type { Agent } from '../session/agent.js';
import type { Context } from '../session/command.js';
import { interruptible } from '../writes/interruptible.js';
import { openWrite, previewText, type WriteContext } from '../writes/write.js';
import { readLine, runLine } from './agent-line.js';
import { isAlgoChange, madeAlgo, workOutChange } from './algo-changes.js';
import { PREPARED_FACTS } from './prepared-facts.js';
import { isRecorded, refuseUnreported } from './unreported.js';

/**
 * The prepared write of an id, if it may be committed now with this profile and account. Throws Failure `usage` that says why it may
 * not, and what became of it.
 */
export async function findPrepared(context: WriteContext, id: string): Promise<PreparedWrite> {
  const { session, trading, host } = context;
  const store = new PreparedStore(host);
  const kept = store.find(id);
  if (kept === 'changed')
    throw usage(`The file of ${id} was changed after it was prepared, so it was not sent.`, AGAIN);
  if (kept === 'older') throw usage(`${id} was prepared by an older release of pit, so it was not sent.`, AGAIN);
  if (kept === undefined)
    throw usage(`Nothing is prepared as ${id}.`, [
      `A prepared write can be committed once, within ${PREPARED_FOR}.`,
      suggest('List prepared writes', 'commit'),
    ]);
  const { prepared } = kept;
  const { profile } = await session.connection();
  if (prepared.profile !== profile)
    throw usage(
      `${id} was prepared for the profile ${prepared.profile}, not for ${profile}.`,
      suggest('Commit it there', 'commit', id, '--profile', prepared.profile),
    );
  if (prepared.account !== trading.journal.folder)
    throw usage(
      `${id} was prepared for another account: the hosts or keys of ${profile} have changed. Nothing was sent.`,
      AGAIN,
    );
  if (kept.isTaken || isRecorded(trading, id)) throw alreadyCommitted(trading, kept);
  if (!store.isInTime(prepared))
    throw usage(
      `${id} expired ${ageText(host.now() - prepared.expires)} ago: it could be committed for ${PREPARED_FOR}. Nothing was sent.`,
      AGAIN,
    );
  return prepared;
}

/**
 * Takes a prepared write, and runs its command line on the ordinary path: it is checked again in the current market, asked about unless
 * `--yes` is given, and sent. Whatever comes of it, it cannot be committed again. Throws Failure as its command does, and `usage` if it
 * would do anything else than what was shown.
 */
export async function commitPrepared(
  context: Context,
  { trading, host }: WriteContext,
  prepared: PreparedWrite,
  limits: AgentLimits,
): Promise<Answer> {
  const { id, write } = prepared;
  const line = await readLine(context, write.kind, write.argv);
  const agent: Agent = { id, limits, ifBlocked: IF_BLOCKED, workedOut: (now) => requireUnchanged(now.write, write) };
  if (context.globals.dryRun) return runLine(context, line, agent);
  const store = new PreparedStore(host);
  if (!store.take(prepared)) throw alreadyCommitted(trading, store.find(id));
  let why = 'it was interrupted before anything was sent';
  try {
    refuseUnreported(trading, store, write, id);
    if (isAlgoChange(write.kind))
      agent.workedOut(workOutChange(trading, limits, { kind: write.kind, market: write.market, line }));
    if (!leavesRecord(write.kind)) await confirmPrepared(context, prepared);
    return await runLine(context, line, agent);
  } catch (error) {
    if (error instanceof Failure) why = error.message;
    throw error;
  } finally {
    // what was never sent needs no `resolve`
    if (!isRecorded(trading, id) && leavesRecord(write.kind)) store.report(id, why, false);
  }
}

function requireUnchanged(now: WorkedOut, prepared: WorkedOut): void {
  if (isUnchanged(now, prepared)) return;
  throw usage('It would do something else now than what was prepared, so nothing was sent.', AGAIN);
}

/** Shows what was prepared, and asks: the command of a cancellation or of a change of algo orders asks nothing. */
async function confirmPrepared(context: Context, prepared: PreparedWrite): Promise<void> {
  const { write, estimates } = prepared;
  const opened = await openWrite(context);
  const { globals, output } = opened;
  const warnings = estimates.warnings.map((text) => ({ text }));
  if (globals.yes) for (const { text } of warnings) output.warn(text);
  else output.preview(await previewText(opened, shownOf(PREPARED_FACTS, prepared), { warnings }));
  const question = `${write.text.charAt(0).toUpperCase()}${write.text.slice(1)}?`;
  await interruptible(opened, { left: () => null }, () => confirm(opened, question));
}

/** Runs a commit, and records that its outcome was reported. An unknown one is reported once it is known, by resolve. */
export async function reporting(
  { host, trading, globals }: WriteContext,
  { id }: PreparedWrite,
  commit: () => Promise<Answer>,
): Promise<Answer> {
  const report = (outcome: string) => {
    if (!globals.dryRun && trading.journal.findUnsettled(id) === undefined)
      new PreparedStore(host).report(id, outcome, true);
  };
  try {
    const answer = await commit();
    report(answer.failure?.message ?? 'it was done');
    return answer;
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'unknown') report(error.message);
    throw error;
  }
}

const AGAIN = 'Prepare it again.';

const IF_BLOCKED: Advice = 'The market or the limits have changed since it was prepared. Prepare it again.';

/** The Failure for a write that was committed before. Its kind is `unknown` while the outcome is. */
function alreadyCommitted(trading: TradingContext, kept: ReturnType<PreparedStore['find']>): Failure {
  if (kept === undefined || typeof kept === 'string')
    return usage('It was committed already. Nothing was sent this time.', suggest('See your orders', 'orders'));
  const { prepared, isUnderWay, reported } = kept;
  const { journal } = trading;
  const { id, write } = prepared;
  if (madeAlgo(trading, id) !== undefined)
    return new Failure('usage', `${id} was committed already. Nothing was sent this time.`, {
      clientId: id,
      hint: suggest('See the algo order', 'algo', 'show', id),
    });
  const failed = (what: string, hint: Advice) =>
    new Failure('usage', `${id} was committed already: ${what}. Nothing was sent this time.`, { clientId: id, hint });
  const neverSent = (why: string) =>
    new Failure('usage', `${id} was not sent and cannot be committed again: ${why}.`, { clientId: id, hint: AGAIN });
  const underWay = (what: string) =>
    new Failure('unknown', `${id} was committed already: ${what}. Nothing was sent this time.`, {
      clientId: id,
      hint: !leavesRecord(write.kind)
        ? suggest(
            'See what is open',
            write.kind === 'cancel' ? 'orders' : 'algo',
            write.kind === 'cancel' ? write.market : 'list',
          )
        : suggest('See what became of it', 'resolve', id),
    });
  if (journal.findUnsettled(id) !== undefined) return underWay('its outcome is not known yet');
  const settled = journal.archive.find(id);
  if (settled !== undefined) {
    const { outcome, id: order } = settled;
    return failed(
      order === null ? outcome : `${outcome}, order ${order}`,
      suggest('See what became of it', 'resolve', id),
    );
  }
  if (reported !== null) {
    const outcome = withoutPeriod(reported);
    // a write that was sent has a record, except a cancellation
    return leavesRecord(write.kind) ? neverSent(outcome) : failed(outcome, AGAIN);
  }
  // what leaves no record, as cancellations, may have been sent by a process that died
  if (isUnderWay || !leavesRecord(write.kind))
    return underWay(leavesRecord(write.kind) ? 'it is being committed now' : 'what came of it is not known yet');
  return neverSent('its process ended before anything was sent');
}
