import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TerminalInput } from '../platform/host.js';

/** The first may end before the terminal is looked at; the second brings whatever waits there. */
const TURNS = 2;

/**
 * Drops what was typed before a question stood there: nobody can have meant it as the answer. inquirer drops it only
 * where it happens to be read before the first drawing, and keeps the letters of a line that has not ended.
 */
export async function dropTypeAhead(input: TerminalInput): Promise<void> {
  const drop = (): void => {};
  // A line that has not ended is not given out until then.
  input.setRawMode?.(true);
  input.on('data', drop).resume();
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
  input.off('data', drop);
  input.pause();
  input.setRawMode?.(false);
}
