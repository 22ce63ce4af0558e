import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { type Program, run } from '../../cli/run.js';
import { asFailure, type Failure, Interrupted } from '../../errors.js';
import { type SendRequest, TransportError } from '../../exchange/connect.js';
import { directoriesOf } from '../../platform/files/directories.js';
import type { Host } from '../../platform/host.js';
import { CommandHost } from '../../platform/programs/command-host.js';
import type { PrivateSandbox, ServedAnswer } from '../../sandbox/rehearsal/private-sandbox.js';
import type { ExchangeLink } from '../session/exchange-link.js';
import { ServedStreams } from './served-stream.js';
import type { VirtualClock } from './virtual-clock.js';

/** The hosts of a rehearsed command. No request leaves this process. */
const HOST = 'http://127.0.0.1:1';
const SECOND_MS = 1_000;
/** Of the random numbers, the same in each rehearsal. */
const SEED = 0x2545_f491;

interface WorldOptions {
  readonly host: Host;
  readonly clock: VirtualClock;
  readonly sandbox: PrivateSandbox;
  readonly keys: { readonly accessKey: string; readonly secretKey: string };
  /** The folder that is the `PIT_HOME` of the commands. */
  readonly home: string;
  /** How long a request takes to the exchange, and a push from it, in milliseconds. */
  readonly latencyMs: number;
  /** Takes what the commands print. */
  readonly printed: (text: string) => void;
}

/**
 * Commands of pit on a virtual clock, with the exchange in the same process. They have their own time, waits, random numbers, files and
 * connection to the exchange. A request takes only the latency.
 */
export class CommandWorld {
  readonly #options: WorldOptions;
  readonly streams: ServedStreams;
  readonly #running = new Set<RunningCommand>();
  #isMuted = false;
  #watching: Promise<Failure | undefined> | undefined;
  readonly #host: Host;

  constructor(options: WorldOptions) {
    this.#options = options;

    const { host, clock, sandbox, keys, home, latencyMs } = options;
    this.streams = new ServedStreams(sandbox, clock, latencyMs);
    const random = randomFrom(SEED);
    this.#host = {
      ...host,
      environment: {
        ...{ PIT_HOME: home, PIT_BASE_URL: HOST, PIT_TRADE_URL: HOST },
        ...{ PIT_ACCESS_KEY: keys.accessKey, PIT_SECRET_KEY: keys.secretKey },
      },
      directories: directoriesOf(home),
      now: clock.now,
      monotonic: clock.monotonic,
      sleep: clock.sleep,
      random,
      // a watching process asks for a hundred thousand, and Uint8Array.from takes three times as long
      randomBytes: (count) => new Uint8Array(count).map(() => Math.floor(random() * 256)),
      // a limit of memory would make everything slower
      holdProgram: () => undefined,
      limitMemory: () => Promise.resolve(),
      onInterrupt: () => () => undefined,
      redirectInterrupts: () => () => undefined,
      onExit: () => () => undefined,
      jobControl: { onStop: () => () => undefined, press: () => undefined },
    };
  }

  /** Whether a command runs. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Runs a command line. Resolves with its failure when it has ended. @param printed takes its stdout */
  async run(
    program: Program,
    words: readonly string[],
    printed: (text: string) => void = this.#options.printed,
  ): Promise<Failure | undefined> {
    const command: RunningCommand = {
      waits: 0,
      host: new CommandHost(
        { ...this.#host, sleep: (ms, signal) => waiting(command, () => this.#host.sleep(ms, signal)) },
        words,
        {
          input: Readable.from([]),
          output: printing(printed),
          errors: printing((text) => {
            if (!this.#isMuted) this.#options.printed(text);
          }),
        },
      ),
    };
    this.#running.add(command);
    try {
      await run(command.host.host, { ...program, createContext: (base) => this.#context(command, program, base) });
      return undefined;
    } catch (thrown) {
      return thrown instanceof Interrupted ? undefined : asFailure(thrown);
    } finally {
      command.host.end();
      this.#running.delete(command);
    }
  }

  /**
   * Resolves when each command waits for the clock or the exchange. One that waits for neither does something that the event loop does
   * not show, such as loading a module.
   */
  async quiet(): Promise<void> {
    for (;;) {
      await this.#options.clock.quiet();
      if ([...this.#running].every(({ waits }) => waits > 0)) return;
      await this.#options.host.sleep(1);
    }
  }

  /** Lets the commands that still run end: the clock moves from wait to wait, without events of the tape. */
  async settle(): Promise<void> {
    const { clock } = this.#options;
    await this.quiet();
    while (this.isBusy && clock.next < Number.POSITIVE_INFINITY) {
      clock.move(clock.next);
      await this.quiet();
    }
  }

  /** Runs a command that only reads, while nothing else happens. Returns its document. Throws its failure. */
  async ask(program: Program, words: readonly string[]): Promise<unknown> {
    let text = '';
    const asked = this.run(program, ['--json', ...words], (printed) => {
      text += printed;
    });
    await this.settle();
    const failure = await asked;
    // it comes with the document
    if (failure !== undefined && failure.kind !== 'partial') throw failure;
    return JSON.parse(text);
  }

  /** Ends all commands as a signal does. What they print about it is dropped, because the whole rehearsal ends. */
  interrupt(): void {
    this.#isMuted = true;
    for (const { host } of this.#running) void host.interrupt('SIGTERM');
  }

  async #context(command: RunningCommand, program: Program, base: Parameters<Program['createContext']>[0]) {
    const { createContext } = await import('../session/context.js');
    const link: ExchangeLink = {
      isAlone: true,
      send: (url, options) => waiting(command, () => this.#send(url, options)),
      stream: (channels, signal) => this.streams.open(channels, signal, (work) => waiting(command, work)),
      watchAlgos: () => {
        this.#watching ??= this.run(program, ['algo', 'run']).finally(() => {
          this.#watching = undefined;
        });
      },
    };
    return createContext(base, program.commands, link);
  }

  /** Answers a request as the network would. */
  readonly #send: SendRequest = async (url, { timeoutMs, signal, onResponse }) => {
    const { clock, sandbox, latencyMs } = this.#options;
    const { pathname, search } = new URL(url);
    if (latencyMs > 0) await clock.sleep(latencyMs);
    const late = new AbortController();
    const answered = sandbox.answer(`${pathname}${search}`);
    const answer = await Promise.race([
      answered,
      clock.sleep(timeoutMs, late.signal).then(() => undefined),
      aborted(signal, late.signal),
    ]);
    // without a reason, an exception with a stack is made for each request
    late.abort('answered');
    this.streams.push();
    if (answer === undefined) throw new TransportError('timeout', true, 'no answer in time');
    if (latencyMs > 0) await clock.sleep(latencyMs);
    onResponse?.();
    return responseOf(answer, clock.now());
  };
}

/** A command, and for how many things of its world it waits. */
interface RunningCommand {
  readonly host: CommandHost;
  waits: number;
}

async function waiting<Value>(command: RunningCommand, work: () => Promise<Value>): Promise<Value> {
  command.waits += 1;
  try {
    return await work();
  } finally {
    command.waits -= 1;
  }
}

function responseOf({ reply, skew }: ServedAnswer, now: number) {
  if (reply.kind === 'closed') throw new TransportError('reset', true, 'the connection broke before an answer came');
  if (reply.kind === 'cut') throw new TransportError('truncated', true, 'the connection broke within the answer');
  const date = Math.floor((now + skew) / SECOND_MS) * SECOND_MS;
  return { status: reply.status, body: reply.body, date, ageMs: 0, retryAfter: null, certificateExpires: null };
}

/** Rejects when a command has ended. */
function aborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new TransportError('cancelled', true, 'the request was cancelled'));
    signal?.addEventListener('abort', abort, { once: true });
    over.addEventListener('abort', () => signal?.removeEventListener('abort', abort), { once: true });
  });
}

function printing(printed: (text: string) => void): PassThrough {
  const stream = new PassThrough();
  stream.setEncoding('utf8').on('data', printed);
  return stream;
}

/** Numbers from 0 to below 1 that look random: the same after the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The folder of the commands in the folder of a rehearsal. */
export function homeIn(folder: string): string {
  return path.join(folder, 'home');
}
