import fs from 'node:fs';
import { systemErrorCode } from '../errors.js';

/** How long to wait for the next piece of a pasted text: before the first one, and after each. */
const QUIET_MS = { before: 30, after: 150 };
/** A key that is held down never stops. */
const LONGEST_MS = 3_000;
const BLOCK = 65_536;

/**
 * Discards what waits at a terminal when the program ends: text that was pasted for pit must not run as commands of the shell.
 * Does nothing if pit has not read from the terminal: what was typed is then meant for the next program.
 *
 * Node cannot flush a terminal, and at exit nothing can be awaited. So this opens the terminal once more, without waiting.
 */
export function discardUnreadInput(input: Pick<NodeJS.ReadStream, 'isTTY' | 'readableFlowing' | 'setRawMode'>): void {
  if (input.isTTY !== true || input.readableFlowing === null) return;
  let terminal: number | undefined;
  try {
    terminal = fs.openSync('/dev/tty', fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY);
    // or an unfinished line could not be read, and the terminal would show what still comes
    input.setRawMode(true);
    readUntilQuiet(terminal);
    input.setRawMode(false);
  } catch {
    // the terminal is gone
  } finally {
    if (terminal !== undefined) fs.closeSync(terminal);
  }
}

function readUntilQuiet(terminal: number): void {
  const block = Buffer.allocUnsafe(BLOCK);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const start = Date.now();
  let [last, quietMs] = [start, QUIET_MS.before];
  while (Date.now() - last < quietMs && Date.now() - start < LONGEST_MS) {
    if (readSome(terminal, block)) [last, quietMs] = [Date.now(), QUIET_MS.after];
    else Atomics.wait(pause, 0, 0, 5);
  }
}

/** Whether anything waited there. */
function readSome(terminal: number, block: Buffer): boolean {
  try {
    return fs.readSync(terminal, block) > 0;
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return false;
    throw error;
  }
}
