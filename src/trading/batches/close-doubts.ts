import type { TradingAccount } from '../account.js';
import { quietly } from '../quietly.js';
import { type Doubt, isTurnedAway } from './doubt.js';
import type { BatchFact } from './facts.js';
import type { Job } from './job.js';
import { recordKey } from './lines.js';
import { match, type Sighting } from './match.js';

/**
 * What was answered is done with: a line of it that is not there was refused, where the list shows the others of the same
 * request. What was turned away may come still.
 */
export function closeAnswered(job: Job): void {
  for (const doubt of [...job.doubts.values()]) {
    const { answer, ids, isShown, reason } = doubt;
    if (answer === 'short' && ids.size === 0 && isShown) close(job, doubt, { outcome: 'refused', reason, code: null });
    else if (typeof answer === 'object' && !isTurnedAway(doubt)) closeRefused(job, doubt, answer.code);
  }
}

/** What the exchange refused for the orders, the key or the account is not sent again. */
export function closeRefused(job: Job, doubt: Doubt, code: number | null): void {
  close(job, doubt, { outcome: 'refused', reason: doubt.reason, code });
}

/** Nothing of it can come any more: whatever kept it from being placed, it may be sent. */
export function closeLate(job: Job): void {
  for (const doubt of [...job.doubts.values()]) {
    const { answer, reason } = doubt;
    if (answer === 'lost') close(job, doubt, { outcome: 'notSent', reason: TOO_LATE, code: null });
    else if (typeof answer === 'object' && isTurnedAway(doubt))
      close(job, doubt, { outcome: 'notSent', reason, code: answer.code });
  }
}

const TOO_LATE = 'the exchange would not take the request any more, and has no such order';

/**
 * Asks by their ids for orders that an answer named and no list shows, when nothing can come of the request any more. Where
 * the exchange does not have them by their ids either, the lines that are left were refused. Where it has one, the list
 * lacks orders that are there, and proves nothing of these lines: a later one has to show it first. One that is not like any
 * of them stays in doubt: which line it is nobody knows.
 */
export async function closeNamed(account: TradingAccount, job: Job): Promise<void> {
  for (const doubt of [...job.doubts.values()].filter(({ answer }) => answer === 'short')) {
    const answers = await Promise.all([...doubt.ids].map((id) => askFor(account, job, id)));
    const there = answers.flatMap((answer) => answer ?? []);
    const { found } = match(there, [doubt], [], (line) => job.keys[line] ?? '');
    if (found.length > 0) job.tell(`found ${counted(found.length)} by their ids`, { kind: 'found', orders: found });
    if (answers.includes(undefined) || there.length > 0 || !doubt.isShown) continue;
    if (doubt.ids.size > 0) warnOf(account, doubt);
    closeRefused(job, doubt, null);
  }
}

function warnOf({ warn }: TradingAccount, { ids }: Doubt): void {
  warn(`The exchange accepted orders that it does not have: ${[...ids].join(', ')}. Their lines count as refused.`);
}

/** The order by its id, none where there is no such, or undefined where the exchange could not be asked. */
async function askFor({ client }: TradingAccount, { terms }: Job, id: string): Promise<Sighting[] | undefined> {
  const record = await quietly(async () => (await client.findOrder(terms.market, { id })) ?? 'nothing');
  if (record === undefined || record === 'nothing') return record && [];
  return [{ id, key: recordKey(record, terms.side) ?? '', time: record.time }];
}

type Close = Omit<Extract<BatchFact, { kind: 'closed' }>, 'kind' | 'request'>;

function close(job: Job, { request, lines }: Doubt, fate: Close): void {
  const words = `${counted(lines.size)} ${fate.outcome === 'refused' ? 'refused' : 'not sent'}`;
  job.tell(`request ${request}: ${words}: ${fate.reason}`, { kind: 'closed', request, ...fate });
}

export function counted(orders: number): string {
  return orders === 1 ? '1 order' : `${orders} orders`;
}
