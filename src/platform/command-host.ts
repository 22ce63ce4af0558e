import { setMaxListeners } from 'node:events';
import { Writable } from 'node:stream';
import { Interrupted } from '../errors.js';
import type { Host, TerminalOutput } from './host.js';

/** Where a command's streams are not those of the program. */
interface CommandStreams {
  readonly input?: Host['input'];
  readonly output?: TerminalOutput;
}

/**
 * One of many commands in this process, and the outside world as it sees it. After the command ended, whatever it started
 * prints nothing, asks nothing and sends nothing, as if its process had ended.
 */
export class CommandHost {
  readonly host: Host;
  readonly #ended = new AbortController();
  readonly #interruptHandlers = new Map<Parameters<Host['onInterrupt']>[0], (() => void) | undefined>();
  /** Removes the handlers that the command added to this process, and runs its work for the exit. */
  readonly #cleanups = new Set<() => void>();
  readonly #streams: CommandStream[];
  #isInterrupted = false;

  constructor(parent: Host, args: readonly string[], streams: CommandStreams = {}) {
    const over = this.#ended.signal;
    // every request and every wait of the command listens
    setMaxListeners(0, over);
    const output = new CommandStream(streams.output ?? parent.output);
    const errors = new CommandStream(parent.errors);
    this.#streams = [output, errors];
    this.host = {
      ...parent,
      arguments: args,
      input: streams.input ?? parent.input,
      output,
      errors,
      endSignal: over,
      sleep: (milliseconds, cut) => sleepUntil(parent, over, milliseconds, cut),
      onInterrupt: (work, impatient) => {
        this.#interruptHandlers.set(work, impatient);
        return () => this.#interruptHandlers.delete(work);
      },
      takeInterrupts: () => () => undefined,
      onExit: (work) => {
        const forget = parent.onExit(work);
        return this.#undoneAtEnd(forget, work);
      },
      jobControl: {
        ...parent.jobControl,
        onStop: (stop, resume) => this.#undoneAtEnd(parent.jobControl.onStop(stop, resume)),
      },
    };
  }

  /**
   * Does what the command wants done before a signal ends it, and then ends it with {@link Interrupted}. A second call does
   * not wait for that.
   */
  async interrupt(signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
    if (this.#isInterrupted) for (const impatient of this.#interruptHandlers.values()) impatient?.();
    else {
      this.#isInterrupted = true;
      await Promise.allSettled([...this.#interruptHandlers.keys()].map(async (work) => work(signal)));
    }
    this.#ended.abort(new Interrupted(signal));
  }

  /** The command has ended. */
  end(): void {
    this.#ended.abort(new Interrupted('SIGTERM'));
    for (const undo of this.#cleanups) undo();
    for (const stream of this.#streams) stream.close();
  }

  /** @param work what is still to be done if the command does not cancel it itself */
  #undoneAtEnd(cancel: () => void, work: () => void = () => undefined): () => void {
    const undo = () => {
      cancel();
      work();
    };
    this.#cleanups.add(undo);
    return () => {
      this.#cleanups.delete(undo);
      cancel();
    };
  }
}

/** A wait with a signal of its own never resolves after the command ended: its caller may not expect it to fail. */
async function sleepUntil(host: Host, over: AbortSignal, milliseconds: number, cut?: AbortSignal): Promise<void> {
  over.throwIfAborted();
  await host.sleep(milliseconds, cut === undefined ? over : AbortSignal.any([cut, over]));
  if (!over.aborted || cut?.aborted) return;
  if (cut === undefined) throw over.reason;
  await new Promise(() => undefined);
}

/** The events of a terminal that a command may wait for. */
const EVENTS = ['resize', 'drain'] as const;

/** A stream of the program for as long as a command runs. Its listeners are the command's: nothing adds up over a day. */
class CommandStream extends Writable implements TerminalOutput {
  readonly #forward = EVENTS.map((event) => ({ event, listener: () => void this.emit(event) }));
  #isClosed = false;

  constructor(private readonly target: TerminalOutput) {
    super();
    for (const { event, listener } of this.#forward) target.on(event, listener);
  }

  get isTTY(): boolean {
    return this.target.isTTY === true;
  }

  get columns(): number | undefined {
    return this.target.columns;
  }

  get rows(): number | undefined {
    return this.target.rows;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (!this.#isClosed) return (this.target.write as (...all: unknown[]) => boolean).call(this.target, chunk, ...rest);
    const written = rest.at(-1);
    if (typeof written === 'function') queueMicrotask(() => written(null));
    return true;
  }

  /** Questions end the stream that they were drawn on. */
  override end(): this {
    return this;
  }

  close(): void {
    this.#isClosed = true;
    for (const { event, listener } of this.#forward) this.target.off(event, listener);
  }
}
