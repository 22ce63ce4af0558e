import { setMaxListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { type EndingSignal, Interrupted } from '../../errors.js';
import type { Host, TerminalInput, TerminalOutput, TextOutput } from '../host.js';

/** The streams of a command, if they are not those of the program. */
interface CommandStreams {
  readonly input?: Host['input'];
  readonly output?: TerminalOutput;
  readonly errors?: TerminalOutput;
}

/**
 * Gives one of many commands in this process a host of its own. After the command has ended, whatever it started reads
 * nothing, prints nothing, asks nothing and sends nothing, as if its process had ended.
 */
export class CommandHost {
  readonly host: Host;
  readonly #ended = new AbortController();
  readonly #interruptHandlers = new Map<Parameters<Host['onInterrupt']>[0], Parameters<Host['onInterrupt']>[1]>();
  /** Removes the handlers that the command added to this process, and runs its work for the exit. */
  readonly #cleanups = new Set<() => void>();
  readonly #input: CommandInput;
  readonly #outputs: CommandStream[];
  #isInterrupted = false;

  constructor(parent: Host, args: readonly string[], streams: CommandStreams = {}) {
    const ended = this.#ended.signal;
    // every request and every wait of the command listens
    setMaxListeners(0, ended);
    const output = new CommandStream(streams.output ?? parent.output);
    const errors = new CommandStream(streams.errors ?? parent.errors);
    this.#input = new CommandInput(streams.input ?? parent.input);
    this.#outputs = [output, errors];
    this.host = {
      ...parent,
      arguments: args,
      input: this.#input,
      output,
      errors,
      endSignal: ended,
      sleep: (milliseconds, signal) => sleepUntil(parent, ended, milliseconds, signal),
      onInterrupt: (work, onSecondSignal) => {
        this.#interruptHandlers.set(work, onSecondSignal);
        return () => this.#interruptHandlers.delete(work);
      },
      redirectInterrupts: () => () => undefined,
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
   * Runs the interrupt handlers of the command and then ends it with {@link Interrupted}. A second call does not wait for the
   * handlers.
   */
  async interrupt(signal: EndingSignal): Promise<void> {
    if (this.#isInterrupted) for (const onSecondSignal of this.#interruptHandlers.values()) onSecondSignal?.(signal);
    else {
      this.#isInterrupted = true;
      await Promise.allSettled([...this.#interruptHandlers.keys()].map(async (work) => work(signal)));
    }
    this.#ended.abort(new Interrupted(signal));
  }

  /** Call it when the command has ended. */
  end(): void {
    this.#ended.abort(new Interrupted('SIGTERM'));
    for (const undo of this.#cleanups) undo();
    this.#input.destroy();
    for (const stream of this.#outputs) stream.close();
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

/**
 * Sleeps. Once the command has ended it never resolves, unless the caller's own signal is aborted: nothing may continue, and nothing
 * would catch an error.
 */
async function sleepUntil(host: Host, ended: AbortSignal, milliseconds: number, cut?: AbortSignal): Promise<void> {
  if (!ended.aborted) await host.sleep(milliseconds, cut === undefined ? ended : AbortSignal.any([cut, ended]));
  if (ended.aborted && !cut?.aborted) await new Promise(() => undefined);
}

/**
 * The program's input for as long as a command runs. Whatever the command does to it, and however it stops reading, the
 * program can go on reading.
 */
class CommandInput extends Readable implements TerminalInput {
  readonly #source: TerminalInput;

  constructor(source: TerminalInput) {
    super();
    this.#source = source;

    source.on('end', this.#onEnd).on('close', this.#onEnd).on('error', this.#onEnd);
    // reading that stops in the middle fails the stream; the reader knows why
    this.on('error', () => undefined);
  }

  get isTTY(): boolean {
    return this.#source.isTTY === true;
  }

  setRawMode(raw: boolean): this {
    this.#source.setRawMode?.(raw);
    return this;
  }

  override _read(): void {
    this.#leave();
    if (this.#source.readableEnded || this.#source.destroyed) this.#onEnd();
    else this.#source.on('data', this.#onData).resume();
  }

  override resume(): this {
    // the stream still waits for what it asked for before it was paused
    this._read();
    return super.resume();
  }

  /** What is not asked for stays where it is. */
  override pause(): this {
    this.#leave();
    return super.pause();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#leave();
    this.#source.off('end', this.#onEnd).off('close', this.#onEnd).off('error', this.#onEnd);
    done(error);
  }

  readonly #onData = (chunk: Buffer | string): void => {
    if (!this.push(chunk)) this.#leave();
  };

  readonly #onEnd = (): void => void this.push(null);

  #leave(): void {
    this.#source.off('data', this.#onData).pause();
  }
}

/** The events of a stream that a command may wait for. */
const EVENTS = ['resize', 'drain'] as const;

/** A stream of the program for as long as a command runs. Its listeners go with the command, so that they do not add up. */
class CommandStream extends Writable implements TerminalOutput {
  readonly #target: TextOutput | TerminalOutput;

  readonly #forward = EVENTS.map((event) => ({ event, listener: () => void this.emit(event) }));
  #isClosed = false;

  constructor(target: TextOutput | TerminalOutput) {
    super();
    this.#target = target;

    if (target instanceof Writable) for (const { event, listener } of this.#forward) target.on(event, listener);
  }

  get isTTY(): boolean {
    return this.#target.isTTY === true;
  }

  get columns(): number | undefined {
    return this.#target.columns;
  }

  get rows(): number | undefined {
    return this.#target.rows;
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    if (!this.#isClosed)
      return (this.#target.write as (...all: unknown[]) => unknown).call(this.#target, chunk, ...rest) !== false;
    const written = rest.at(-1);
    if (typeof written === 'function') queueMicrotask(() => written(null));
    return true;
  }

  /** Does nothing: a question ends the stream on which it was drawn, but the program still needs it. */
  override end(): this {
    return this;
  }

  close(): void {
    this.#isClosed = true;
    const target = this.#target;
    if (target instanceof Writable) for (const { event, listener } of this.#forward) target.off(event, listener);
  }
}
