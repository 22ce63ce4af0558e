import { commandLine } from '../../cli/hints.js';
import { counted } from '../../domain/decimal.js';
import { tryRead } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { openAlgos } from '../../trading/algos/algo-folder.js';
import { isUnprotected } from '../../trading/algos/snapshot.js';
import { AlgoStore, unwatchedAccounts, unwritableAccounts } from '../../trading/algos/store.js';

/** What keeps algo orders from being protected, a line for each account; none if nothing does, or it cannot be found out. */
export async function unprotectedText(host: Host): Promise<string[]> {
  return [...unwritableText(host), ...(await unwatchedText(host)), ...(await pausedText(host))];
}

/** A line for each account whose records of algo orders cannot be written. */
export function unwritableText({ directories }: Host): string[] {
  return unwritableAccounts(directories.state).map(({ folder, ids, code }) => {
    const orders = counted(ids.length, 'algo order');
    return `NOT PROTECTED: ${folder} cannot be written (${code}), so no order of ${orders} is placed, not even by a reached stop. Make it writable: pit then continues.`;
  });
}

/** A line for each account with algo orders that no process watches; none if all are watched, or it cannot be found out. */
export async function unwatchedText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  const lines = await Promise.all(
    unwatchedAccounts(state).map(async ({ account, ids, stopped }) => {
      const store = new AlgoStore(host, state, account);
      const records = await tryRead(async () => ids.flatMap((id) => store.read(id) ?? []));
      // one that has ended stays among the open ones until a process puts it away
      const ended = records?.filter(({ facts }) => facts?.ended != null) ?? [];
      if (ended.length === ids.length) return [];
      const orders = counted(ids.length - ended.length, 'algo order');
      const danger = 'so no stop triggers and no order is placed';
      if (stopped !== undefined) {
        const { pid } = stopped;
        return `NOT WATCHED: process ${pid}, which watches ${orders}, is stopped, ${danger}. ${continueText(pid)}`;
      }
      const profile = records?.find(({ facts }) => facts !== undefined)?.facts?.began.terms.profile;
      const words = ['algo', 'run', ...(profile === undefined ? [] : ['--profile', profile])];
      return `NOT WATCHED: no process watches ${orders}, ${danger}. Run: ${commandLine(host.arguments, words)}`;
    }),
  );
  return lines.flat();
}

/** How a process that was stopped goes on. */
export function continueText(pid: number): string {
  return `Continue it: kill -CONT ${pid}, or fg in its shell.`;
}

/** Lines for each account with algo orders that are watched, and whose stop is not sent all the same: they are paused, or its order was rejected. */
export async function pausedText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  const lines = openAlgos(state).map(async ({ account, ids }) => {
    const store = new AlgoStore(host, state, account);
    // those that nobody watches are reported as such
    if (ids.length === 0 || !store.isWatched) return [];
    const open = (await tryRead(async () => ids.flatMap((id) => unprotectedIn(store, id)))) ?? [];
    const paused = open.filter(({ isPaused }) => isPaused);
    const rejected = open.filter(({ isPaused }) => !isPaused);
    const run = (words: readonly string[]) =>
      commandLine(host.arguments, ['algo', ...words, '--profile', open[0]?.profile ?? '']);
    const resume = run(['resume', ...paused.map(({ id }) => id)]);
    const what =
      paused.length === 1
        ? '1 algo order is paused, so its stop is not sent'
        : `${paused.length} algo orders are paused, so their stops are not sent`;
    return [
      ...(paused.length === 0 ? [] : [`NOT PROTECTED: ${what}. Run: ${resume}`]),
      ...rejected.map(
        ({ id }) => `NOT PROTECTED: the stop of ${id} is reached and not sent. Run: ${run(['show', id])}`,
      ),
    ];
  });
  return (await Promise.all(lines)).flat();
}

interface UnprotectedAlgo {
  readonly id: string;
  readonly profile: string;
  readonly isPaused: boolean;
}

function unprotectedIn(store: AlgoStore, id: string): UnprotectedAlgo[] {
  const facts = store.read(id)?.facts;
  if (facts === undefined) return [];
  const { terms } = facts.began;
  const note = store.noteOf(id);
  const isCurrent = note?.resumed === (facts.resumed?.time ?? null);
  const state = note !== undefined && isCurrent ? note.state : 'waiting';
  return isUnprotected({ terms, facts, state })
    ? [{ id, profile: terms.profile, isPaused: facts.paused !== null }]
    : [];
}
