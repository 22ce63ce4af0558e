import { type Advice, Failure, suggest, usage } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import { ageText } from '../../terminal/time.js';
import { PREPARED_FOR } from '../../trading/prepared/prepared-folder.js';
import { type Kept, PreparedStore } from '../../trading/prepared/prepared-store.js';
import { algoIn, leavesRecord, type PreparedWrite } from '../../trading/prepared/prepared-write.js';
import { cancelPrepared } from '../cancel/cancel.js';
import { createPreparedAlgo } from '../order/algo-order.js';
import { sendPreparedLadder } from '../order/batch.js';
import { sendPreparedOrder } from '../order/order.js';
import { sendPreparedReplacement } from '../order/replace.js';
import type { Context } from '../session/command.js';
import type { WriteContext } from '../writes/write.js';
import { changePrepared, madeAlgo } from './algo-changes.js';
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
  if (kept.isTaken || isRecorded(trading, id)) throw alreadyCommitted(context, kept);
  if (!store.isInTime(prepared))
    throw usage(
      `${id} expired ${ageText(host.now() - prepared.expires)} ago: it could be committed for ${PREPARED_FOR}. Nothing was sent.`,
      AGAIN,
    );
  return prepared;
}

/**
 * Takes a prepared write, checks it again in the current market, asks, and sends exactly what was prepared. Whatever comes of it,
 * it cannot be committed again. Throws Failure as its command does.
 */
export async function commitPrepared(
  command: Context,
  context: WriteContext,
  prepared: PreparedWrite,
): Promise<Answer> {
  const { host, trading, globals } = context;
  if (globals.dryRun) return send(command, context, prepared);
  const { id, write } = prepared;
  const store = new PreparedStore(host);
  if (!store.take(prepared)) throw alreadyCommitted(context, store.find(id));
  let why = 'it was interrupted before anything was sent';
  try {
    refuseUnreported(trading, store, write, id);
    return await send(command, context, prepared);
  } catch (error) {
    if (error instanceof Failure) why = error.message;
    throw error;
  } finally {
    // what was never sent needs no `resolve`
    if (!isRecorded(trading, id) && leavesRecord(write.kind)) store.report(id, why, false);
  }
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

function send(command: Context, context: WriteContext, { id, write }: PreparedWrite): Promise<Answer> {
  switch (write.kind) {
    case 'order':
      return sendPreparedOrder(context, id, write.terms, IF_BLOCKED);
    case 'ladder':
      return sendPreparedLadder(context, id, write.terms, IF_BLOCKED);
    case 'replace':
      return sendPreparedReplacement(context, id, write, IF_BLOCKED);
    case 'cancel':
      return cancelPrepared(context, write.terms);
    case 'algo':
      return createPreparedAlgo(command, context, id, algoIn(write.terms).terms, IF_BLOCKED);
    case 'algoCancel':
    case 'algoPause':
    case 'algoResume':
      return changePrepared(command, context, write);
  }
}

/** The Failure for a write that was committed before. Its kind is `unknown` while the outcome is. */
function alreadyCommitted({ trading }: WriteContext, kept: Kept | 'changed' | undefined): Failure {
  if (kept === undefined || kept === 'changed')
    return usage('It was committed already. Nothing was sent this time.', suggest('See your orders', 'orders'));
  const { prepared, isUnderWay, reported } = kept;
  const { journal } = trading;
  const { id, write } = prepared;
  if (write.kind === 'algo' && madeAlgo(trading, id) !== undefined)
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
            write.kind === 'cancel' ? write.terms.market : 'list',
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
    const outcome = reported.replace(/\.$/, '');
    // a write that was sent has a record, except a cancellation
    return leavesRecord(write.kind) ? neverSent(outcome) : failed(outcome, AGAIN);
  }
  if (isUnderWay)
    // of cancellations, an unknown outcome has no record
    return underWay(leavesRecord(write.kind) ? 'it is being committed now' : 'what came of it is not known yet');
  return neverSent('its process ended before anything was sent');
}
