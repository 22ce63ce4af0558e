import type { Host } from '../../platform/host.js';

/** How long a signal waits for the answers to what was sent, in milliseconds. */
const PATIENCE_MS = 5_000;

/** Work that a signal stops: nothing more is sent, and what was sent gets a moment to be answered. */
export class StoppableWork {
  readonly #host: Pick<Host, 'sleep'>;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(host: Pick<Host, 'sleep'>) {
    this.#host = host;
  }

  /** @param work sends nothing more once the signal is aborted */
  run<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const running = work(this.#stopping.signal);
    this.#running = running.catch(() => undefined);
    return running;
  }

  /** Aborts the signal; resolves when the work has ended, or the moment is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const end = new AbortController();
    await Promise.race([this.#running, this.#host.sleep(PATIENCE_MS, end.signal)]);
    end.abort();
  }
}
