import type { Resolved } from './action.js';
import { documentOf, type Program } from './program.js';

/**
 * Settles each withdrawal that a calm `pit resolve` leaves to the user: as the first of the records that pit names, or as not sent
 * if it names none.
 */
export async function settleByUser(program: Program): Promise<void> {
  const run = await program.run(['resolve', '--json', '--timeout', '60']);
  for (const { operation, outcome, clientId, timeline } of documentOf<Resolved[]>(run) ?? []) {
    if (operation !== 'withdraw' || outcome !== 'unknown') continue;
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
