import fs from 'node:fs';
import { isatty } from 'node:tty';
import { type EndingSignal, Interrupted } from '../../errors.js';
import { runExitWork } from './exit-work.js';
import { isSuspended } from './job-control.js';

type SignalHandler = (signal: EndingSignal) => void | Promise<void>;

/** One handler for all signals. A program that pit runs may take them over. */
export interface Signals {
  /**
   * Runs the work when a signal ends the program, before it exits. Returns a function that cancels this.
   *
   * @param onSecondSignal runs at a second signal, which does not wait for the work
   */
  readonly onInterrupt: (work: SignalHandler, onSecondSignal?: (signal: EndingSignal) => void) => () => void;
  /** Passes Ctrl-C to the handler alone, until the returned function is called. */
  readonly redirectInterrupts: (handler: () => void) => () => void;
  /** Passes all signals except SIGHUP to the handler alone, until the returned function is called. */
  readonly redirectSignals: (handler: (signal: EndingSignal) => void) => () => void;
}

/** @param wasSuspended the signal woke a stopped program, which is still in the background */
function end(signal: EndingSignal, wasSuspended: boolean): void {
  // at exit Node restores the terminal, and a program in the background that does so is stopped again
  if (signal !== 'SIGHUP' && !wasSuspended) process.exit(new Interrupted(signal).exitCode);
  if (!wasSuspended) runExitWork();
  endBy(signal);
}

/** Ends the program as the signal ends any other. */
function endBy(signal: EndingSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** How long the signal may take to end the program. */
const HANG_UP_MS = 1_000;

/** Whether a descriptor is a device other than `/dev/null`. To ask whether it is a terminal takes longer. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const file = fs.fstatSync(descriptor);
    return file.isCharacterDevice() && !isNullDevice(file);
  } catch {
    return false;
  }
}

/** Whether it is `/dev/null`. */
export function isNullDevice(file: fs.Stats): boolean {
  return file.isCharacterDevice() && file.rdev === fs.statSync('/dev/null').rdev;
}

/**
 * At exit Node restores the terminal, and crashes if it was closed: the memory it would leave in a core file holds keys. So
 * a program whose terminal is closed ends by SIGHUP.
 */
function hangUpOnClosedTerminals(): void {
  const terminals = [0, 1, 2].filter((descriptor) => mayBeTerminal(descriptor) && isatty(descriptor));
  if (terminals.length === 0) return;
  process.on('exit', () => {
    if (terminals.every((descriptor) => isatty(descriptor))) return;
    runExitWork();
    endBy('SIGHUP');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HANG_UP_MS);
  });
}

/**
 * Ends the program with 128 plus the signal's number after all work is done. A second signal does not wait. The handlers
 * stay to the end: libraries that clean up at exit would otherwise kill the program and cut off the work.
 */
export function installSignalHandlers(): Signals {
  hangUpOnClosedTerminals();
  const handlers = new Map<SignalHandler, ((signal: EndingSignal) => void) | undefined>();
  let ending = false;
  let redirectedSignals: ((signal: EndingSignal) => void) | undefined;
  let redirectedInterrupts: (() => void) | undefined;
  const take = async (signal: EndingSignal) => {
    // every program on a closed terminal gets SIGHUP itself
    if (redirectedSignals !== undefined && signal !== 'SIGHUP') return redirectedSignals(signal);
    if (redirectedInterrupts !== undefined && signal === 'SIGINT') return redirectedInterrupts();
    const wasSuspended = isSuspended();
    if (ending) for (const onSecondSignal of handlers.values()) onSecondSignal?.(signal);
    else {
      ending = true;
      await Promise.allSettled([...handlers.keys()].map(async (work) => work(signal)));
    }
    end(signal, wasSuspended);
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => take(signal));
  return {
    onInterrupt: (work, onSecondSignal) => {
      handlers.set(work, onSecondSignal);
      return () => handlers.delete(work);
    },
    redirectInterrupts: (to) => {
      redirectedInterrupts = to;
      return () => {
        redirectedInterrupts = undefined;
      };
    },
    redirectSignals: (to) => {
      redirectedSignals = to;
      return () => {
        redirectedSignals = undefined;
      };
    },
  };
}
