import { type EndingSignal, Failure, Interrupted, type Interruption } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import type { Answer } from '../../terminal/answer.js';
import type { Output } from '../../terminal/output.js';

/** How long a signal waits for the answers to what was sent, in milliseconds. */
const PATIENCE_MS = 5_000;

/** What a signal leaves of work. */
export interface Interruptible {
  /** Cancels requests that have not left, and returns what may have been done; null if nothing was sent. */
  readonly left: () => Interruption | null;
  /** What was done so far, as the answer of the command; undefined if nothing was. Absent if what is left says it all. */
  readonly soFar?: (() => Answer | undefined) | undefined;
  /** Whether a signal gives what was sent a moment to be answered. */
  readonly isWaitedFor?: boolean;
}

/**
 * Does work that a signal ends, or Ctrl-C at a question: nothing more is sent, what was done so far is printed, and what is left is
 * reported. A second signal does not wait for answers. Throws Interrupted after a signal, and whatever the work throws.
 * @param work sends nothing more once the signal is aborted
 */
export async function interruptible<Value>(
  { host, output }: { readonly host: Host; readonly output: Pick<Output, 'answer' | 'interrupted'> },
  { left, soFar, isWaitedFor = false }: Interruptible,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ending = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  let reporting: Promise<void> | undefined;
  const report = async (signal: EndingSignal) => {
    const interruption = left();
    const done = soFar?.();
    // a reader that is gone must not hide the interruption
    if (done !== undefined) await output.answer(done).catch(() => undefined);
    output.interrupted(signal, interruption);
  };
  const removeHandler = host.onInterrupt(
    (signal) => {
      ending.abort(new Interrupted(signal));
      reporting = isWaitedFor ? endOrPatience(host, running).then(() => report(signal)) : report(signal);
      return reporting;
    },
    (signal) => output.interrupted(signal, left()),
  );
  try {
    const ended = work(ending.signal);
    running = ended;
    const value = await ended;
    ending.signal.throwIfAborted();
    return value;
  } catch (error) {
    if (!(error instanceof Interrupted || error instanceof Failure)) throw error;
    if (ending.signal.aborted) {
      // the process ends with this error, which must not cut off the report
      await reporting;
      throw ending.signal.reason;
    }
    if (error instanceof Interrupted) await report(error.signal);
    throw error;
  } finally {
    removeHandler();
  }
}

async function endOrPatience(host: Pick<Host, 'sleep'>, running: Promise<unknown>): Promise<void> {
  const end = new AbortController();
  await Promise.race([running.catch(() => undefined), host.sleep(PATIENCE_MS, end.signal)]);
  end.abort();
}
