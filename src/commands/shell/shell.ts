import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { type Program, reportLost, runAndReport } from '../../cli/run.js';
import * as shape from '../../cli/shapes.js';
import { chooseConnection, type ProfileConnection } from '../../config/connection.js';
import { CommandEnded, Failure, Interrupted, suggest, tryRead, usage } from '../../errors.js';
import { CommandHost } from '../../platform/programs/command-host.js';
import type { Answer } from '../../terminal/answer.js';
import { LineReader } from '../../terminal/asking/line-reader.js';
import { safe } from '../../terminal/text.js';
import { builtTree } from '../completion/built-tree.js';
import { knownNames } from '../completion/known-names.js';
import { typedCommand } from '../completion/typed-command.js';
import { marketName } from '../inputs/parsers.js';
import type { CommandTree } from '../reference/command-tree.js';
import { type Context, define } from '../session/command.js';
import { createContext } from '../session/context.js';
import type { Session } from '../session/session.js';
import { completeLine } from './complete.js';
import { marketOf, withMarket } from './current-market.js';
import { ShellHistory } from './history.js';
import { readLine } from './line.js';
import { LiveFills } from './live-fills.js';
import { LivePrice } from './live-price.js';
import { PROMPT_REDRAW_MS, promptText } from './prompt.js';

/** The command that runs the other commands of a program. */
export const shellCommand = (program: Program) =>
  define({
    summary: 'Type commands without pit, at a live prompt',
    // both are for one command
    excludes: ['--yes', '--fields'],
    timeout: 'stop each command after this time; the shell itself has no limit',
    examples: ['shell', 'shell --profile live', 'shell --dry-run'],
    output: shape.anything,
    async run(context) {
      const { budget, prompts, host } = context;
      host.holdProgram();
      const shell = new Shell(context, program);
      await budget.withoutDeadline(() => (prompts.available ? shell.converse() : shell.runScript()));
      return undefined;
    },
  });

const HELP = `
In this shell:
  use MARKET         choose the market of the prompt; depth, trades and other reads use it if you name none
  COMMAND | PROGRAM  send the answer to a program of your own shell, such as less
  COMMAND > FILE     write the answer to a file; >> appends
  help, exit         Ctrl-C cancels a command, Ctrl-D leaves
A write always names its market.`;

/** The exit code of an interrupted command. */
const INTERRUPTED = new Interrupted('SIGINT').exitCode;

/** Commands one after another in one process. */
class Shell {
  readonly #context: Context;
  readonly #program: Program;

  readonly #history: ShellHistory;
  readonly #price = new LivePrice();
  readonly #fills = new LiveFills((text) => this.#report(text));
  /** What has filled while no line was being typed. */
  readonly #unreported: string[] = [];
  readonly #reader: LineReader;
  readonly #tree: CommandTree;
  /** The session of the prompt; each command has its own. */
  #session: Session;
  #connection: ProfileConnection | undefined;
  #market: string | undefined;
  #running: CommandHost | undefined;
  #exitCode = 0;
  #halted: string | null = null;
  #isLeft = false;

  constructor(context: Context, program: Program) {
    this.#context = context;

    const { host, session } = context;
    this.#program = {
      ...program,
      createContext: async (base) => createContext(base, program.commands, context.link),
      correct: (args, line) => program.correct(args, line, this.#market),
    };
    this.#session = session;
    this.#history = new ShellHistory(host.directories.state, host.redaction);
    this.#reader = new LineReader(host);
    this.#tree = builtTree(host);
  }

  /** Runs what a person types, until they leave. */
  async converse(): Promise<void> {
    const { host } = this.#context;
    const release = host.redirectInterrupts(() => this.#interrupt());
    const forget = this.#endWithProgram();
    const redrawing = setInterval(() => {
      // another process may have halted the account meanwhile
      void this.#lookAtHalt();
      this.#reader.redraw();
    }, PROMPT_REDRAW_MS);
    redrawing.unref();
    let rest = '';
    try {
      await this.#locate();
      while (!this.#isLeft) {
        await this.#lookAtHalt();
        for (const text of this.#unreported.splice(0)) host.errors.write(`${text}\n`);
        const typed = await this.#reader.read({ ...this.#prompting(), initial: rest });
        if (typed === undefined) return;
        ({ rest } = typed);
        for (const [index, line] of typed.lines.entries()) {
          if (this.#isLeft) return;
          // what came with an earlier line was drawn before that line's answer
          if (index > 0) host.errors.write(`${this.#promptText()}${line}\n`);
          await this.#run(line, host.input);
          if (line.trim() !== '') this.#history.add(line);
          // who interrupts a command does not want what comes after it
          if (this.#exitCode === INTERRUPTED) break;
        }
      }
    } finally {
      clearInterval(redrawing);
      release();
      forget();
      await Promise.all([this.#price.stop(), this.#fills.stop()]);
    }
  }

  /** Runs the lines of a file or a pipe, until one fails: then throws CommandEnded with its exit code. */
  async runScript(): Promise<void> {
    const { host, output } = this.#context;
    const forget = this.#endWithProgram();
    let number = 0;
    try {
      await this.#locate();
      for await (const line of createInterface({ input: host.input, crlfDelay: Number.POSITIVE_INFINITY })) {
        number += 1;
        // a command must not read the lines that follow it
        await this.#run(line, Readable.from([]));
        if (this.#isLeft) return;
        if (this.#exitCode === 0) continue;
        if (output.format !== 'json') output.note(`Stopped at line ${number}.`);
        throw new CommandEnded(this.#exitCode);
      }
    } finally {
      forget();
    }
  }

  /** Runs a line and keeps its exit code. */
  async #run(line: string, input: Context['host']['input']): Promise<void> {
    try {
      const { words, outside } = readLine(line);
      if (words.length > 0) this.#exitCode = await this.#runWords(words, outside, input);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#context.output.error(error);
      this.#exitCode = error.exitCode;
    }
  }

  async #runWords(words: readonly string[], outside: string | null, input: Context['host']['input']): Promise<number> {
    const [first = '', ...rest] = words;
    const isAlone = rest.length === 0 && outside === null;
    if (['exit', 'quit'].includes(first) && isAlone) {
      this.#isLeft = true;
      return 0;
    }
    if (first === 'use') return this.#use(rest);
    if (first === 'shell' && !rest.includes('--help'))
      throw usage('You are in the shell already.', 'Type a command, or exit.');
    const command = typedCommand(words, this.#tree);
    const whole = [...this.#ownFlags(command.flags), ...withMarket(words, command, this.#market)];
    const code = await this.#runCommand(whole, outside, input);
    const market = code === 0 ? marketOf(command) : undefined;
    if (market !== undefined && market !== this.#market) await this.#follow(market);
    await this.#locate();
    if (first === 'help' && isAlone) await this.#context.output.answer({ data: null, show: () => HELP });
    return code;
  }

  /** Runs a command as the program does. What a pipe leads to decides the exit code if the command itself was done. */
  async #runCommand(
    words: readonly string[],
    outside: string | null,
    input: Context['host']['input'],
  ): Promise<number> {
    const { host } = this.#context;
    const piped = outside === null ? undefined : await host.pipeTo(outside);
    // a reader that has ended wanted no more
    piped?.input.on('error', () => undefined);
    const command = new CommandHost(host, words, { input, ...(piped === undefined ? {} : { output: piped.input }) });
    const written: Answer[] = [];
    const program: Program = { ...this.#program, onWriteAnswered: (answer) => void written.push(answer) };
    this.#running = command;
    try {
      const code = await runAndReport(command.host, program);
      piped?.input.end();
      const outsideCode = (await piped?.ended) ?? 0;
      // it may have read everything and then failed, as cat does on a full disk
      if (outsideCode !== 0) for (const answer of written) reportLost(answer, command.host);
      return code === 0 ? outsideCode : code;
    } finally {
      this.#running = undefined;
      command.end();
    }
  }

  async #use([word, ...others]: readonly string[]): Promise<number> {
    if (word === undefined || others.length > 0)
      throw usage(
        word === undefined ? 'The market is missing.' : 'There is more than one market.',
        suggest('List the markets', 'markets'),
      );
    const { market } = await (await this.#session.markets()).find(marketName(word));
    await this.#follow(market);
    return 0;
  }

  /** The flags that this shell was started with, for each of its commands. */
  #ownFlags(given: ReadonlySet<string>): string[] {
    const { profile, color, verbose, dryRun, format, isTimeoutGiven, timeoutMs } = this.#context.globals;
    return [
      ...(profile === undefined || given.has('--profile') ? [] : ['--profile', profile]),
      ...(isTimeoutGiven && !given.has('--timeout') ? ['--timeout', String(timeoutMs / 1_000)] : []),
      ...(format === 'table' || given.has('--json') || given.has('--csv') ? [] : [`--${format}`]),
      ...(color ? [] : ['--no-color']),
      ...(verbose ? ['--verbose'] : []),
      ...(dryRun ? ['--dry-run'] : []),
    ];
  }

  /** Ctrl-C: cancels the command, or the line that is being typed. */
  #interrupt(): void {
    if (this.#running === undefined) this.#reader.interrupt();
    else void this.#running.interrupt('SIGINT');
  }

  /** Passes a signal that ends the program on to the command that runs. */
  #endWithProgram(): () => void {
    const interrupt = () => this.#running?.interrupt('SIGTERM');
    return this.#context.host.onInterrupt(interrupt, () => void interrupt());
  }

  /** Says what has filled: above the line that is being typed, or before the next. */
  #report(fill: string): void {
    const text = this.#context.output.errorScreen.paint.good(safe(fill));
    if (!this.#reader.printAbove(text)) this.#unreported.push(text);
  }

  /** Asks no keychain and no other machine: the prompt is drawn all the time. */
  async #lookAtHalt(): Promise<void> {
    const halt = await tryRead(() => this.#session.localHalt());
    this.#halted = halt === undefined ? null : safe(halt.problem ?? halt.reason ?? '');
  }

  /** Chooses the exchange of the prompt again: a command may have changed the profile in use. */
  async #locate(): Promise<void> {
    const { host, globals, output, commands } = this.#context;
    const before = this.#connection;
    this.#connection = await tryRead(() => chooseConnection(globals, host.environment, this.#session));
    if (addressOf(this.#connection) === addressOf(before)) return;
    if (before !== undefined) this.#session = createContext({ host, globals, output }, commands).context.session;
    await this.#fills.stop();
    await this.#follow(await tryRead(() => this.#session.recentMarket()));
  }

  /** Makes a market the current one. */
  async #follow(market: string | undefined): Promise<void> {
    this.#market = market;
    await this.#price.stop();
    if (market === undefined || !this.#context.prompts.available) return;
    // starts the sandbox if it does not run; what is wrong with the exchange is for the commands to say
    await tryRead(() => this.#session.exchange());
    await this.#price.follow(this.#session, market);
    if (!this.#fills.isFollowing) await this.#fills.follow(this.#session);
  }

  #prompting() {
    const { host, output } = this.#context;
    return {
      prompt: () => this.#promptText(),
      history: this.#history.newestFirst,
      complete: async (line: string) =>
        completeLine(line, this.#tree, await knownNames(host, this.#connection?.profile)),
      // the line may be an order, which should wait for no handshake
      onFirstKey: () => void tryRead(async () => (await this.#session.exchange()).prepareWrite()),
      isEditable: output.errorScreen.symbols && host.input.isTTY === true,
    };
  }

  #promptText(): string {
    const { output, globals } = this.#context;
    const profile = this.#connection?.profile ?? globals.profile ?? '';
    const state = {
      profile,
      market: this.#market,
      price: this.#price.price,
      exitCode: this.#exitCode,
      halted: this.#halted,
    };
    return promptText(output.errorScreen, state);
  }
}

/** Where a connection leads. */
function addressOf(connection: ProfileConnection | undefined): string | undefined {
  if (connection === undefined) return undefined;
  const { profile, baseUrl, tradeUrl, wsUrl } = connection;
  return [profile, baseUrl, tradeUrl, wsUrl].join(' ');
}
