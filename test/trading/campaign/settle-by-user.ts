import type { Resolved } from './action.js';
import { documentOf, type Program } from './program.js';

/**
 * Settles what a calm `pit resolve` leaves to the user. A withdrawal as the first of the records that pit names, or as not sent if it
 * names none. An order whose answer named an id as not sent: the exchange has no such order.
 */
export async function settleByUser(program: Program): Promise<void> {
  const run = await program.run(['resolve', '--json', '--timeout', '60']);
  for (const { operation, outcome, clientId, id: namedId, timeline } of documentOf<Resolved[]>(run) ?? []) {
    const isLeft = operation === 'withdraw' || (operation !== 'orderMoreV2' && namedId !== null);
    if (outcome !== 'unknown' || !isLeft) continue;
    const named = timeline.findLast(({ event }) => event.startsWith('read the withdrawals: '))?.event ?? '';
    const [, id] = /it may be withdrawal (\d+)/.exec(named) ?? [];
    const as = id === undefined ? 'notSent' : `placed=${id}`;
    await program.run(['resolve', clientId, '--as', as, '--json', '--timeout', '60']);
  }
}

/** Has pit wait for what the exchange of a campaign accepts; a host of the environment has the settings of the profile in use. */
export async function setTolerance(program: Program, milliseconds: number): Promise<void> {
  await program.run(['profile', 'set', 'sandbox', 'reqTimeTolerance', `${milliseconds / 1_000}s`]);
}
