import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { onTestFinished, TestRunner, vi } from 'vitest';
import { commands, PROGRAM } from '../../../src/commands/index.js';
import { createContext } from '../../../src/commands/session/context.js';
import type { ExchangeLink } from '../../../src/commands/session/exchange-link.js';
import { FOLDER_MODE, makeOwnFolder } from '../../../src/platform/files/private-files.js';
import type { Host } from '../../../src/platform/host.js';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { sandboxFiles } from '../../../src/sandbox/lifecycle/files.js';
import type { ServedAnswer } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import { afterFile } from '../after-file.js';
import { moveTimeBy } from '../eventually.js';
import { type CommandInProcess, type ProcessOptions, startInProcess } from '../in-process.js';
import { plainEnvironment, type Ran, sandboxEnvironment } from '../pit.js';
import { randomNumbers } from '../random.js';
import { FakeTerminal, type TerminalStep } from '../terminal.js';
import { REAL, WorldClock, wrapDelays } from './clock.js';
import { type ExchangeTerms, type Quote, WorldExchange } from './exchange.js';
import { answerOfHost } from './hosts.js';
import { type Passed, type Treatment, WorldNetwork } from './network.js';
import {
  closeFiles,
  currentProcess,
  endProcess,
  type Identity,
  installProcesses,
  newProcess,
  runAs,
  wrapFiles,
} from './processes.js';

export interface WorldOptions {
  /** Markets that stand still, which are all that there are; absent: those of the sandbox, with its simulated traders. */
  readonly markets?: Readonly<Record<string, Quote>>;
  /** What the account has, by coin (default: some of every coin). */
  readonly balances?: Readonly<Record<string, string>>;
  /** What the network does with each request (default: it passes). */
  readonly faults?: (request: Passed) => Treatment;
  /** How long a request takes to the exchange, and its answer back, in ms (default: no time). */
  readonly latencyMs?: number;
  /** When the world begins, in ms since the Unix epoch (default: a Monday at noon). */
  readonly time?: number;
  readonly seed?: number;
  /** How far reqTime may be from the exchange's clock, in ms (default: a minute). */
  readonly tolerance?: number;
  /** The exchange's limits of requests (default: the documented ones). */
  readonly limits?: ExchangeTerms['limits'];
  /** The zone of the exchange's dates, in minutes ahead of UTC (default: UTC). */
  readonly zone?: number;
  /** How long before it the history of prices begins, in ms (default: an hour). */
  readonly historyMs?: number;
  /** Which of more candles than asked for come after `since` (default: as the sandbox's). */
  readonly klineSince?: ExchangeTerms['klineSince'];
}

export interface StartOptions extends Pick<ProcessOptions, 'columns' | 'rows' | 'pipedOutput' | 'host' | 'onPrinted'> {
  /** Another `PIT_HOME` than that of the world: a machine of its own. */
  readonly home?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** A stream goes on while the world is awaited, as long as it is not ended. */
  readonly input?: string | Readable;
  /** Starts the process that watches algo orders (default: `algo run`). */
  readonly watchAlgos?: () => unknown;
  /** What a person at a terminal awaits and types. */
  readonly steps?: readonly TerminalStep[];
  /** Called before and after each change of a file, with the function and the file: `renameSync /…/latch`. Returns whether to kill the process there. */
  readonly kill?: (when: 'before' | 'after', change: string) => boolean;
}

/** A process of pit in a world. */
export interface WorldProcess extends Pick<CommandInProcess, 'interrupt' | 'printed'> {
  readonly pid: number;
  /** How it ended. The clock of the world only moves while the world is awaited. */
  readonly ended: Promise<Ran>;
  /** All that its terminal has shown. */
  readonly screen: string;
  /** Whether its terminal shows what is typed, as it did before. */
  readonly echoes: boolean;
  readonly isOver: boolean;
  /** Ends it at once, as SIGKILL does: it changes no file, prints nothing and sends nothing any more. */
  kill(): void;
}

const MONDAY_NOON = Date.UTC(2026, 0, 5, 12);
/** How long in real time nothing may happen before a test fails that waits for something the world does not have. */
const STUCK_MS = 10_000;
/** How long a world goes on for something that does not happen, in its own time. */
const LONGEST_MS = 3_600_000;

/** An exchange, the network to it, and processes of pit, in this process and on a clock that jumps to what comes next. See README.md. */
export class World {
  readonly clock: WorldClock;
  readonly home: string;
  readonly exchange: WorldExchange;
  readonly network: WorldNetwork;
  readonly #processes = new Set<Identity & { busy: number }>();
  #pumping: Promise<void> | undefined;
  #quieting: Promise<void> | undefined;
  readonly #awaited = new Set<() => boolean>();
  #failure: unknown;

  /** Ends it, with all that it has on the disk. */
  readonly close: () => Promise<void>;

  constructor(parts: Pick<World, 'clock' | 'home' | 'exchange' | 'network' | 'close'>) {
    ({ clock: this.clock, home: this.home, exchange: this.exchange, network: this.network } = parts);
    this.close = parts.close;
  }

  /** Runs a command line to its end. Words in single quotes are one. */
  async run(line: string | readonly string[], options: StartOptions = {}): Promise<Ran & { readonly screen: string }> {
    const process = this.start(line, options);
    await this.until(() => process.isOver);
    return { ...(await process.ended), screen: process.screen };
  }

  /** The JSON document of a command that exits with 0. */
  async json<Document>(line: string, options?: StartOptions): Promise<Document> {
    const { code, stdout, stderr } = await this.run(`${line} --json`, options);
    if (code !== 0) throw new Error(`pit ${line} exited with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Document;
  }

  /** Starts a command line. It goes on while the world is awaited: by `run`, `until` or `pass`. */
  start(line: string | readonly string[], options: StartOptions = {}): WorldProcess {
    const {
      home = this.home,
      environment = {},
      input = '',
      steps,
      kill,
      host = {},
      columns,
      watchAlgos,
      onPrinted,
      ...others
    } = options;
    const words = typeof line === 'string' ? wordsOf(line) : line;
    const identity: Identity & { busy: number } = Object.assign(newProcess(), { busy: 0 });
    const state = { isOver: false };
    const terminal = steps === undefined ? undefined : new FakeTerminal();
    const elsewhere = home === this.home ? {} : sandboxEnvironment(this.exchange.address);
    const whole = plainEnvironment(home, { ...elsewhere, ...(terminal && { TERM: 'xterm' }), ...environment });
    const command = runAs(identity, () =>
      startInProcess(words, whole, {
        ...others,
        ...(columns === undefined && terminal === undefined ? {} : { columns: columns ?? 80 }),
        input: terminal?.keys ?? (typeof input === 'string' ? input : readHere(input)),
        host: { ...this.#hostOf(identity), ...host },
        program: {
          ...PROGRAM,
          createContext: async (base) => createContext(base, commands, this.#link(home, watchAlgos)),
        },
        onPrinted: (text, name) => {
          if (identity.isDead) return;
          if (others.pipedOutput !== true || name === 'stderr') terminal?.show(text);
          onPrinted?.(text, name);
        },
      }),
    );
    this.#processes.add(identity);
    let resolveKilled: (ran: Ran) => void = () => undefined;
    const killed = new Promise<Ran>((resolve) => {
      resolveKilled = resolve;
    });
    const end = () => {
      endProcess(identity);
      this.#processes.delete(identity);
      terminal?.end();
      state.isOver = true;
    };
    const killNow = () => {
      if (state.isOver) return;
      const printed = { ...command.printed };
      end();
      closeFiles(identity);
      resolveKilled({ code: null, signal: 'SIGKILL', ...printed });
    };
    if (kill !== undefined)
      identity.onChange = (when, change) => {
        if (kill(when, change)) killNow();
      };
    const ran = command.ended.then(
      (code): Ran => {
        const printed = { ...command.printed };
        end();
        return { code, signal: null, ...printed };
      },
      (thrown: unknown) => {
        if (!identity.isDead) this.#failure ??= thrown;
        return new Promise<Ran>(() => undefined);
      },
    );
    if (terminal !== undefined)
      void terminal.follow(steps ?? []).catch((thrown: unknown) => (this.#failure ??= thrown));
    return {
      ...{ pid: identity.pid, printed: command.printed, ended: Promise.race([ran, killed]), kill: killNow },
      interrupt: (signal) => runAs(identity, () => command.interrupt(signal)),
      get screen() {
        return terminal?.screen ?? '';
      },
      get echoes() {
        return terminal?.isRaw !== true;
      },
      get isOver() {
        return state.isOver;
      },
    };
  }

  /** Lets the world go on until a check is true. Fails after an hour of its time, and when nothing can happen any more. */
  async until(check: () => boolean, longestMs = LONGEST_MS): Promise<void> {
    const end = this.clock.now() + longestMs;
    const isOver = () => check() || this.clock.now() >= end;
    this.#awaited.add(isOver);
    try {
      while (!isOver()) {
        this.#pumping ??= this.#pump().finally(() => {
          this.#pumping = undefined;
        });
        await this.#pumping;
      }
    } finally {
      this.#awaited.delete(isOver);
    }
    if (!check()) throw new Error(`It did not happen within ${longestMs / 1_000} s of the world's time.`);
  }

  /** Lets the world go on until work is done that waits for it, and returns what comes of it. */
  async finish<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const ended = work.finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    await this.until(() => isOver);
    return ended;
  }

  /** Does work in a process of its own that runs no command line, with its host and its way to the exchange. */
  async work<Result>(work: (host: Partial<Host>, link: ExchangeLink) => Promise<Result>): Promise<Result> {
    const identity = Object.assign(newProcess(), { busy: 0 });
    try {
      return await this.finish(runAs(identity, () => work(this.#hostOf(identity), this.#link(this.home))));
    } finally {
      endProcess(identity);
    }
  }

  /** Lets so much time pass, in ms. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.now() + ms;
    void this.clock.sleep(ms);
    await this.until(() => this.clock.now() >= end, ms + 1);
    await this.#quiet();
  }

  /** A call of the sandbox's administration, such as `POST /faults/add`. */
  administer<Answer = unknown>(call: AdminCallName, input: object = {}): Promise<Answer> {
    return this.exchange.administer(call, input) as Promise<Answer>;
  }

  /** Another machine of the same account: a `PIT_HOME` of its own. */
  otherHome(name: string): string {
    const home = path.join(path.dirname(this.home), name);
    makeOwnFolder(home);
    return home;
  }

  /** The body of the exchange's answer to a request that is not sent by pit, by its path and query or its URL. */
  async fetch(url: string): Promise<string> {
    const { pathname, search } = new URL(url, this.exchange.address.tradeUrl);
    const { reply } = await this.exchange.answer(`${pathname}${search}`);
    return reply.kind === 'closed' ? '' : reply.body;
  }

  /** The requests of an operation that were sent. */
  sent(operation: string): readonly Passed[] {
    return this.network.requests.filter((request) => request.operation === operation);
  }

  /** Moves from moment to moment until something that is awaited is there. */
  async #pump(): Promise<void> {
    let idleSince = REAL.performanceNow();
    while (![...this.#awaited].some((isOver) => isOver())) {
      await this.#quiet();
      if (this.#failure !== undefined) throw this.#failure;
      if ([...this.#awaited].some((isOver) => isOver())) return;
      if (this.clock.next < Number.POSITIVE_INFINITY) {
        this.clock.move(this.clock.next);
        idleSince = REAL.performanceNow();
      } else if (REAL.performanceNow() - idleSince > STUCK_MS)
        throw new Error('Everything waits, and nothing will happen.');
      else await realPause();
    }
  }

  /** Resolves when everything waits for the clock. Who finds that out is not quiet itself: all wait for one. */
  #quiet(): Promise<void> {
    this.#quieting ??= this.#untilQuiet().finally(() => {
      this.#quieting = undefined;
    });
    return this.#quieting;
  }

  async #untilQuiet(): Promise<void> {
    for (;;) {
      await this.clock.quiet();
      if (isImporting()) await vi.dynamicImportSettled();
      else if ([...this.#processes].some(({ busy }) => busy > 0)) await realPause();
      else return;
    }
  }

  #hostOf(identity: Identity & { busy: number }): Partial<Host> {
    const { clock } = this;
    const never = () => new Promise<never>(() => undefined);
    const sleep: Host['sleep'] = async (ms, signal) => {
      if (!identity.isDead) await clock.sleep(ms, signal);
      if (identity.isDead) await never();
    };
    const random = randomNumbers(identity.pid);
    return {
      ...{ now: clock.now, monotonic: clock.monotonic, sleep, random },
      randomBytes: (count) => new Uint8Array(count).map(() => Math.floor(random() * 256)),
    };
  }

  #link(home: string, watchAlgos: () => unknown = () => this.start('algo run', { home })): ExchangeLink {
    const identity = currentProcess();
    return {
      isAlone: false,
      send: async (url, options) => {
        const isDead = () => identity?.isDead === true;
        if (isDead()) return new Promise(() => undefined);
        try {
          return await this.network.send(url, options);
        } finally {
          // what was killed does not learn the answer
          if (isDead()) await new Promise(() => undefined);
        }
      },
      connect: () => this.exchange.connect(),
      administer: (call, input) => this.exchange.administer(call, input),
      watchAlgos: () => void watchAlgos(),
    };
  }
}

/** What comes in by a stream, read in the process that calls this: what is written to it elsewhere is worked on there. */
function readHere(input: Readable): PassThrough {
  const read = new PassThrough();
  const pass = async () => {
    for await (const chunk of input) read.write(chunk);
    read.end();
  };
  void pass();
  return read;
}

wrapDelays();
wrapFiles();
syncBuiltinESMExports();

/** Whether there is a world. */
let isOpen = false;

/** Makes a world, for as long as the test or the file that makes it. Fails if there is one. */
export async function testWorld(options: WorldOptions = {}): Promise<World> {
  const { faults, latencyMs = 0, time = MONDAY_NOON, seed = 7 } = options;
  const { markets, balances, tolerance, limits, zone, historyMs, klineSince } = options;
  if (isOpen) throw new Error('There is a world already, and two would both wrap the file system.');
  isOpen = true;
  const clock = new WorldClock(time);
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-world-'));
  const home = path.join(folder, 'home');
  const restoreTimers = clock.install(() => currentProcess()?.isDead === true);
  const restoreProcesses = installProcesses();
  const { directory } = sandboxFiles({ state: path.join(home, 'state') });
  // a folder of the user's own already, within which nothing is to be checked
  mkdirSync(directory, { recursive: true, mode: FOLDER_MODE });
  const exchange = await WorldExchange.open({
    ...{ directory, clock, seed, markets, balances, tolerance, limits, zone, historyMs, klineSince },
  });
  const network = new WorldNetwork(
    clock,
    (url) => answerAt(exchange, url),
    latencyMs,
    () => exchange.time,
  );
  if (faults !== undefined) network.treat = faults;
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    isOpen = false;
    moveTimeBy(undefined);
    restoreTimers();
    restoreProcesses();
    await exchange.close();
    removeFolder(folder);
  };
  const world = new World({ clock, home, exchange, network, close });
  moveTimeBy((ms) => world.pass(ms));
  if (TestRunner.getCurrentTest() === undefined) afterFile(close);
  else onTestFinished(close);
  return world;
}

/** Removes a folder after what is in it: Node tries to remove each folder first, which takes longer. */
function removeFolder(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const inside = path.join(folder, entry.name);
      if (entry.isDirectory()) removeFolder(inside);
      else unlinkSync(inside);
    }
    rmdirSync(folder);
  } catch {
    // something may still write there
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The answer of the exchange, or of another host of this process. Throws as a network does where nothing listens. */
async function answerAt(exchange: WorldExchange, url: string): Promise<ServedAnswer> {
  const { origin, pathname, search } = new URL(url);
  if (origin.replace('localhost', '127.0.0.1') === exchange.address.tradeUrl)
    return exchange.answer(`${pathname}${search}`);
  const { body, status = 200, date } = await answerOfHost(url);
  const skew = typeof date === 'number' ? date - exchange.time : 0;
  return { reply: { kind: 'whole', status, type: '', body, headers: {} }, skew };
}

interface WorkerState {
  readonly resolvingModules: ReadonlySet<string>;
  readonly evaluatedModules: {
    readonly idToModuleMap: ReadonlyMap<string, { promise?: unknown; evaluated?: boolean }>;
  };
}

/** Whether a module is being loaded, which the event loop does not show. */
function isImporting(): boolean {
  const { resolvingModules, evaluatedModules } = (globalThis as unknown as { __vitest_worker__: WorkerState })
    .__vitest_worker__;
  if (resolvingModules.size > 0) return true;
  for (const { promise, evaluated } of evaluatedModules.idToModuleMap.values())
    if (promise !== undefined && evaluated !== true) return true;
  return false;
}

function realPause(): Promise<void> {
  return new Promise((resolve) => REAL.setTimeout(resolve, 1));
}

/** The words of a command line; those in single quotes are one. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
