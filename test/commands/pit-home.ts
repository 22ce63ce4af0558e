import type { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { SendRequest } from '../../src/exchange/connect.js';
import type { Host } from '../../src/platform/host.js';
import type { AdminCallName } from '../../src/sandbox/admin/calls.js';
import { administer } from '../../src/sandbox/lifecycle/admin-client.js';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';
import { schemaViolations } from '../cli-contract/schema-violations.js';
import { type CommandInProcess, type ProcessOptions, startInProcess } from '../support/in-process.js';
import { expectJsonLines } from '../support/json-lines.js';
import {
  plainEnvironment,
  type Ran,
  runPit,
  type ServedSandbox,
  sandboxEnvironment,
  serveSandbox,
  temporaryHome,
} from '../support/pit.js';
import { runProgram } from '../support/program.js';
import type { PtyResult } from '../support/pty.js';
import { atTerminal, type TerminalStep } from '../support/terminal.js';
import { testWorld, type World, type WorldOptions } from '../support/world/world.js';

export interface Extra {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Runs the built program in its own process. */
  readonly ownProcess?: true;
  /** What differs from the real outside world, in this process. */
  readonly host?: Partial<Host>;
}

interface StartExtra extends Pick<Extra, 'environment' | 'host'>, Pick<ProcessOptions, 'columns' | 'onPrinted'> {
  /** What comes in while it goes on. */
  readonly input?: PassThrough;
}

interface TerminalExtra extends Omit<StartExtra, 'input' | 'onPrinted'> {
  readonly rows?: number;
  readonly steps?: readonly TerminalStep[];
}

interface AtTerminal extends Pick<PtyResult, 'screen' | 'echoes'> {
  readonly status: number;
}

/** Long enough for a machine that does much else, in ms. */
const PATIENCE_MS = 60_000;

export interface CliError {
  readonly kind: string;
  readonly message: string;
  readonly hint: string | null;
  readonly exitCode: number;
  readonly code: number | null;
  readonly clientId: string | null;
  /** The order that has the client id; missing unless one has it. */
  readonly order?: string;
  /** Missing unless a halt stopped the write. */
  readonly halted?: true;
}

/** Runs pit commands with one PIT_HOME in this process, and checks their exit code and output. */
export class PitHome {
  #served: ServedSandbox | undefined;
  /** For all commands, unless one of them has its own. */
  defaults: Pick<Extra, 'host' | 'environment'> & Pick<ProcessOptions, 'program'> = {};

  constructor(private readonly folder: string) {}

  get home(): string {
    return this.folder;
  }

  async serve(words?: readonly string[]): Promise<void> {
    this.#served = await serveSandbox(this.home, words);
  }

  /** The sandbox of this home. */
  get served(): ServedSandbox {
    if (this.#served === undefined) throw new Error('no sandbox was served');
    return this.#served;
  }

  async run(line: string, { ownProcess, ...extra }: Extra = {}): Promise<Ran> {
    const words = line === '' ? [] : line.split(' ');
    const ran = await (ownProcess === true ? runProgram(words, { home: this.home, ...extra }) : this.ran(words, extra));
    // after `--` there is a command with remarks of its own, and the output of Node's debugging is not pit's
    const isOwn = !words.includes('--') && extra.environment?.NODE_DEBUG === undefined;
    if (words.includes('--json') && isOwn) expectJsonLines(line, ran.stderr);
    return ran;
  }

  protected ran(words: readonly string[], extra: Extra): Promise<Ran> {
    return runPit(words, { home: this.home, ...this.defaults, ...extra });
  }

  /** Starts a command that goes on. */
  start(line: string | readonly string[], { environment = {}, ...options }: StartExtra = {}): CommandInProcess {
    return startInProcess(
      typeof line === 'string' ? line.split(' ') : line,
      plainEnvironment(this.home, environment),
      options,
    );
  }

  /** A command at a terminal of 80 columns, and what a person types there. */
  async terminal(line: string, extra: TerminalExtra = {}): Promise<AtTerminal> {
    return atTerminal(line.split(' '), { home: this.home, ...extra });
  }

  /** A call of the administration of its sandbox, such as `POST /faults/add`. */
  administer<Answer = unknown>(call: AdminCallName, input: object = {}): Promise<Answer> {
    return administer(this.served.address, call, input, PATIENCE_MS) as Promise<Answer>;
  }

  /** Waits for work that reaches its sandbox otherwise than by a command. */
  finish<Result>(work: Promise<Result>): Promise<Result> {
    return work;
  }

  /** How requests reach its sandbox otherwise than by its address. */
  get link(): { readonly send?: SendRequest; readonly now: () => number } {
    return { now: Date.now };
  }

  /** The stdout of a command that exits 0. */
  async done(line: string, extra?: Extra): Promise<string> {
    const { code, stdout, stderr } = await this.run(line, extra);
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    return stdout;
  }

  /** The JSON document of a command that exits 0. */
  async json<Document>(line: string, extra?: Extra): Promise<Document> {
    const read = document<Document>(await this.done(`${line} --json`, extra));
    // every test of the real output also checks it against its schema
    expect(await schemaViolations(line, read)).toEqual([]);
    return read;
  }

  /** The CSV header and rows of a command that exits 0. */
  async csv(line: string): Promise<{ header: string; rows: string[] }> {
    const [header = '', ...rows] = (await this.done(`${line} --csv`)).trimEnd().split('\n');
    return { header, rows };
  }

  /** The error object of a command that fails with an empty stdout. */
  async failure(line: string, exitCode: number, extra?: Extra): Promise<CliError> {
    // before the other words: after `--` they are not pit's
    const { code, stdout, stderr } = await this.run(`--json ${line}`, extra);
    const error = lastError(stderr);
    expect({ line, code, error: error.exitCode, stdout }).toEqual({
      line,
      code: exitCode,
      error: exitCode,
      stdout: '',
    });
    return error;
  }
}

/** A home with a sandbox for a test file (default: without limits). */
export function usePitHome(words?: readonly string[]): PitHome {
  const pit = new PitHome(temporaryHome());
  beforeAll(() => pit.serve(words));
  return pit;
}

/** The same in a world of its own: the exchange, the commands and their time are in this process. */
export class WorldHome extends PitHome {
  #world: World | undefined;

  /** @param options of its world */
  constructor(readonly options: WorldOptions) {
    super('');
  }

  get world(): World {
    if (this.#world === undefined) throw new Error('the world is made before the test');
    return this.#world;
  }

  override get home(): string {
    return this.world.home;
  }

  override async serve(): Promise<void> {
    this.#world = await testWorld(this.options);
  }

  override get served(): ServedSandbox {
    const { address } = this.world.exchange;
    return { address, environment: sandboxEnvironment(address) };
  }

  override start(line: string | readonly string[], options: StartExtra = {}): CommandInProcess {
    const { world } = this;
    const command = world.start(line, options);
    const pattern = /\n/;
    return {
      printed: command.printed,
      get ended() {
        return world.finish(command.ended).then(({ code }) => code ?? 1);
      },
      interrupt: (signal) => world.finish(command.interrupt(signal)),
      firstLine: async () => {
        await world.until(() => command.isOver || pattern.test(command.printed.stdout));
        return command.printed.stdout;
      },
    };
  }

  override async terminal(line: string, { steps = [], ...extra }: TerminalExtra = {}): Promise<AtTerminal> {
    const process = this.world.start(line, { ...this.defaults, ...extra, steps });
    const { code } = await this.world.finish(process.ended);
    return { status: code ?? 1, screen: process.screen, echoes: process.echoes };
  }

  override administer<Answer = unknown>(call: AdminCallName, input: object = {}): Promise<Answer> {
    return this.world.finish(this.world.administer<Answer>(call, input));
  }

  override finish<Result>(work: Promise<Result>): Promise<Result> {
    return this.world.finish(work);
  }

  override get link() {
    const { network, clock } = this.world;
    return { send: network.send, now: clock.now };
  }

  protected override ran(words: readonly string[], extra: Extra): Promise<Ran> {
    return this.world.run(words, { ...this.defaults, ...extra });
  }
}

/** A home in a world for a file or a `describe` (default: without limits). What a test leaves there, the next one finds. */
export function useWorld(options: WorldOptions = {}): WorldHome {
  const pit = new WorldHome({ limits: UNLIMITED, ...options });
  beforeAll(() => pit.serve());
  afterAll(() => pit.world.close());
  return pit;
}

/** A home in a world of its own for each test, which finds nothing of the tests before it. */
export function useWorldPerTest(options: WorldOptions = {}): WorldHome {
  const pit = new WorldHome(options);
  beforeEach(() => pit.serve());
  return pit;
}

/** Parses stdout, which must be one JSON document and a newline. */
export function document<Document>(stdout: string): Document {
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Document;
}

export function lastError(stderr: string): CliError {
  const { error, ...others } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: CliError };
  expect(others).toEqual({});
  expect(error).toStrictEqual({
    kind: TEXT,
    message: TEXT,
    hint: error.hint === null ? null : TEXT,
    exitCode: COUNT,
    code: error.code === null ? null : COUNT,
    clientId: error.clientId === null ? null : TEXT,
    ...(error.order === undefined ? {} : { order: ID }),
    ...(error.halted === undefined ? {} : { halted: true }),
  });
  return error;
}

/** Matchers for the kinds of values in JSON output. */
export const DECIMAL: unknown = expect.stringMatching(/^-?\d+(\.\d+)?$/);
export const ID: unknown = expect.stringMatching(/^\d+$/);
export const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const TEXT: unknown = expect.stringMatching(/./);
export const COUNT: unknown = expect.any(Number);
export const FLAG: unknown = expect.any(Boolean);
