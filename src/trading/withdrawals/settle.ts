import type { TradingAccount } from '../account.js';
import type { Entry } from '../journal/entry.js';
import type { Intent } from '../journal/intent.js';
import { allCertainFrom, certainFrom, pollUntilSettled } from '../looking.js';
import type { NotSent, Unknown } from '../orders/settle.js';
import { probeOf, toleranceOf } from '../tolerance.js';
import { tryRead } from '../try-read.js';
import { lookFor } from './look.js';
import { isSighting, type Sighting } from './sighting.js';

interface Left {
  readonly outcome: 'placed';
  /** The record's id; null where only a bill tells of it. */
  readonly id: string | null;
  /** Records of the same withdrawal that the network made besides; null where that could not be looked up. */
  readonly duplicates: readonly string[] | null;
}

/** Nobody knows what became of it. */
interface InDoubt extends Unknown {
  /** What may be it and may be something else, in words: no later look can tell either. */
  readonly doubt?: string;
}

/** What became of a withdrawal that was sent. */
export type WithdrawalFate = Left | NotSent | InDoubt;

/**
 * Finds out what became of a withdrawal that left without an answer, with looks at the records for as long as the budget
 * lasts. Not found counts as not sent once the exchange would not take the request any more. It is never sent again.
 */
export async function settleWithdrawal(account: TradingAccount, entry: Entry<'withdraw'>): Promise<WithdrawalFate> {
  const { intent } = entry;
  let doubt: string | undefined;
  const { fate, end, unanswered } = await pollUntilSettled<WithdrawalFate>(
    account,
    { probe: probeOf(intent), reqTime: intent.reqTime },
    async () => {
      const found = await lookFor(account, entry);
      if (isSighting(found)) return leftAs(account, entry, found);
      doubt = typeof found === 'object' ? found.doubt : undefined;
      if (doubt !== undefined && (await isOver(account, intent))) return inDoubt(doubt);
      return found === 'nothing' ? found : undefined;
    },
    async () => notSent(entry),
  );
  if (fate !== undefined && fate.outcome !== 'unknown') return fate;
  entry.leave();
  if (doubt !== undefined) return inDoubt(doubt);
  const reason = unanswered ?? 'the exchange shows no such withdrawal, and may still get the request';
  return { outcome: 'unknown', reason, certainFrom: certainFrom(account, end) };
}

/** From when on the exchange would not take the request any more, as {@link certainFrom}; asks it where that is not known. */
export async function lateFrom(account: TradingAccount, intent: Intent<'withdraw'>): Promise<number | null> {
  await tryRead(() => toleranceOf(account, probeOf(intent)));
  return allCertainFrom(account, [intent]);
}

/** Whether a later look would find what this one found. */
async function isOver(account: TradingAccount, intent: Intent<'withdraw'>): Promise<boolean> {
  const late = await lateFrom(account, intent);
  return late !== null && late <= account.host.now();
}

function inDoubt(doubt: string): InDoubt {
  return { outcome: 'unknown', reason: doubt, certainFrom: null, doubt };
}

/** Settles a withdrawal that the exchange has; copies that the network made are told. */
export function leftAs(account: TradingAccount, entry: Entry<'withdraw'>, found: Sighting): Left {
  const [id = null, ...duplicates] = found.ids;
  return settleLeft(account, entry, id, duplicates, found.bill === null ? `placed: ${id}` : 'placed, as a bill tells');
}

/** @param duplicates null where they could not be looked up */
export function settleLeft(
  account: TradingAccount,
  entry: Entry<'withdraw'>,
  id: string | null,
  duplicates: readonly string[] | null,
  event: string,
): Left {
  const { id: intent, terms } = entry.intent;
  const ids = duplicates ?? [];
  // before it is noted: who is killed in between is told twice rather than never
  if (ids.length > 0) account.alarmWithdrawals([{ intent, terms, id, ids }]);
  entry.settle({ outcome: 'placed', id, duplicates: ids }, `${event}${ids.length === 0 ? '' : `, and again: ${ids}`}`);
  return { outcome: 'placed', id, duplicates };
}

function notSent(entry: Entry<'withdraw'>): NotSent {
  const reason = 'the exchange would not take the request any more, and has no such withdrawal';
  entry.settle({ outcome: 'notSent', id: null, duplicates: [] }, `not sent: ${reason}`);
  return { outcome: 'notSent', reason, failure: 'unreachable' };
}
