import path from 'node:path';
import type { Program } from '../../cli/run.js';
import type { Side } from '../../domain/order.js';
import { Failure } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { RunningProgram } from '../../platform/programs/running-program.js';
import { REHEARSAL_CLOCK, writeClock } from '../../platform/rehearsal-clock.js';
import type { FaultKind } from '../../sandbox/faults/rules.js';
import { newKeys } from '../../sandbox/lifecycle/files.js';
import type { FeeRates } from '../../sandbox/orders/order-service.js';
import { PrivateSandbox } from '../../sandbox/rehearsal/private-sandbox.js';
import type { CandlePath } from '../../sandbox/replay/candle-path.js';
import { emptyPart } from '../../sandbox/replay/load-tape.js';
import { isPast } from '../../sandbox/replay/tape-event.js';
import { isoTime } from '../../terminal/time.js';
import type { AlgoDocument } from '../algo/view/algo-fields.js';
import { AccountRecord } from './account-record.js';
import { ExitCandles } from './exit-candles.js';
import type { MarketPicture } from './picture.js';
import { CommandWorld, homeIn } from './rehearsed-command.js';
import type { TapeReader } from './tape.js';
import { VirtualClock } from './virtual-clock.js';
import { WorsePath } from './worse-path.js';

/*
 * A rehearsal: a tape, an exchange that replays it, and a command that trades on it.
 *
 * A command of pit runs in this process on a clock that jumps. At each moment everything runs until it waits (`VirtualClock.quiet`);
 * then the clock moves to the next event of the tape or to the end of the next wait, whichever is first. Requests are answered by the
 * exchange's own handler (`CommandWorld`), the streams show its state (`ServedStreams`), and random numbers have a fixed seed. So the
 * same tape and the same command give the same result, to the digit, however fast the machine is.
 *
 * A program in any language runs beside this process. The exchange listens on a port, and its clock starts with the first request and
 * runs as fast as was asked for; the events of the tape happen when it shows their time.
 */

export interface RehearsalTerms {
  readonly funds: Readonly<Record<string, string>> | undefined;
  readonly faults: readonly FaultKind[];
  readonly latencyMs: number;
  /** How many times faster than real time, for a program. */
  readonly speed: number;
  /** In millionths; absent: as the sandbox. */
  readonly fees?: Partial<FeeRates> | undefined;
  /** Within candles. */
  readonly path: CandlePath;
  /** The coin of all values. */
  readonly unit: string;
}

/** Always the same, so that files have the same names. They are worth nothing outside the folder. */
const KEYS = {
  accessKey: 'rehearsal-access-key',
  secretKey: 'rehearsal-secret-key',
  safePwd: 'rehearsal',
  username: 'rehearsal',
};

/** What both kinds of rehearsal share. */
abstract class Rehearsal {
  isStopped = false;
  protected readonly picture: MarketPicture | undefined;
  readonly exitCandles: ExitCandles;
  readonly #worse: WorsePath | undefined;

  protected constructor(
    readonly tape: TapeReader,
    readonly sandbox: PrivateSandbox,
    readonly record: AccountRecord,
    { picture, terms }: RehearsalParts,
    /** Of the command, if it has one. */
    side?: Side,
  ) {
    record.begin();
    sandbox.exchange.orders.setFees(terms.fees);
    this.picture = picture;
    this.exitCandles = new ExitCandles(record);
    this.#worse = terms.path.kind === 'worst' ? new WorsePath(sandbox, side) : undefined;
  }

  /** Applies the next event of the tape. */
  protected takeEvent(): void {
    const taken = this.tape.take();
    if (taken === undefined) return;
    const event = this.#worse?.choose(taken) ?? taken;
    const isTraded = (event.kind === 'trade' || event.kind === 'candle') && !isPast(event);
    // at the prices before this event
    this.record.measureIfTraded();
    if (isTraded) this.record.countVolume(event);
    this.sandbox.take(event);
    if (event.kind === 'candle') this.exitCandles.add(event);
    if (event.kind !== 'trade' && event.kind !== 'candle') return;
    this.record.priced(event.market);
    if (!isPast(event)) this.picture?.add(event, this.record);
  }

  /** Applies the events of the tape's first moment. Throws Failure `usage` if nothing happens after it. */
  protected async takeBeginning(): Promise<void> {
    const beginning = this.tape.next?.time ?? 0;
    for (let next = this.tape.next; next !== undefined && next.time <= beginning; next = this.tape.next) {
      this.takeEvent();
      await this.tape.read();
    }
    if (this.tape.from === undefined && this.tape.next === undefined) throw emptyPart();
  }

  /** Ends it early. */
  abstract stop(): void;
}

export interface RehearsalParts {
  readonly host: Host;
  readonly folder: string;
  readonly tape: TapeReader;
  readonly terms: RehearsalTerms;
  readonly picture: MarketPicture | undefined;
  /** Takes what the command prints. */
  readonly printed: (text: string) => void;
}

/** A command of pit, in this process. */
export class CommandRehearsal extends Rehearsal {
  readonly #clock: VirtualClock;
  readonly #world: CommandWorld;
  readonly #program: Program;

  private constructor(
    parts: RehearsalParts,
    program: Program,
    words: readonly string[],
    clock: VirtualClock,
    sandbox: PrivateSandbox,
  ) {
    const side = words.find((word) => word === 'buy' || word === 'sell');
    super(parts.tape, sandbox, new AccountRecord(sandbox, parts.terms.unit), parts, side);
    this.#clock = clock;
    this.#program = program;
    const { host, folder, printed, terms } = parts;
    const { latencyMs } = terms;
    this.#world = new CommandWorld({ host, clock, sandbox, keys: KEYS, home: homeIn(folder), latencyMs, printed });
  }

  static async open(parts: RehearsalParts, program: Program, words: readonly string[]): Promise<CommandRehearsal> {
    const { folder, tape, terms } = parts;
    const time = tape.next?.time ?? 0;
    const clock = new VirtualClock(time);
    const { funds, faults } = terms;
    const sandbox = await PrivateSandbox.open({
      ...{ directory: path.join(folder, 'sandbox'), keys: KEYS, time, funds, faults },
      // the link to the exchange adds it
      latencyMs: 0,
      ...{ markets: tape.markets, rules: tape.rules },
      ...{ now: clock.now, sleep: (ms: number) => clock.sleep(ms) },
    });
    sandbox.start(1);
    return new CommandRehearsal(parts, program, words, clock, sandbox);
  }

  /** Rehearses a command line to the end of the tape. Returns its failure. Throws Failure `usage` for a fault of the tape. */
  async run(words: readonly string[]): Promise<Failure | undefined> {
    const { tape } = this;
    await this.takeBeginning();
    await this.#reachBook(words);
    let failure: Failure | undefined;
    let isOver = false;
    const ended = this.#world.run(this.#program, ['--yes', ...words]).then((found) => {
      failure = found;
      isOver = true;
    });
    let isQuiet = false;
    while (!this.isStopped && tape.next !== undefined && !(isOver && failure !== undefined)) {
      if (!isQuiet && this.#world.isBusy) await this.#world.quiet();
      isQuiet = !this.#step(tape.next.time);
      if (tape.needsRead) await tape.read();
    }
    const wasCutOff = !this.isStopped && !isOver;
    if (this.isStopped || tape.next === undefined) this.#world.interrupt();
    await this.#world.settle();
    await ended;
    if (failure === undefined && wasCutOff && this.record.orders === 0 && (await this.algo()) === null)
      throw this.#nothingTried('before the command has placed an order');
    return failure;
  }

  /** Replays until the market of the command has a book. Throws Failure `partial` if the tape ends before, and for a fault of the tape. */
  async #reachBook(words: readonly string[]): Promise<void> {
    const { tape, sandbox } = this;
    const market = words.map((word) => word.toLowerCase()).find((word) => tape.markets.includes(word));
    if (market === undefined) return;
    const { exchange } = sandbox;
    const hasBook = () => {
      const { bid, ask } = exchange.market.best(market);
      return bid !== null && ask !== null;
    };
    while (!hasBook() && !this.isStopped) {
      if (tape.next === undefined) throw this.#nothingTried(`and shows no book of ${market} with both sides before`);
      this.#clock.move(tape.next.time);
      this.takeEvent();
      await tape.read();
    }
  }

  #nothingTried(why: string): Failure {
    const end = isoTime(this.tape.to ?? this.#clock.now());
    return new Failure('partial', `Nothing was tried: the tape ends at ${end}, ${why}.`, {
      hint: 'Give a longer tape, or an earlier --from.',
    });
  }

  override stop(): void {
    this.isStopped = true;
  }

  /** The algo order that the command has made, as it is now; null if it has made none. Throws its Failure. */
  async algo(): Promise<AlgoDocument | null> {
    const made = (await this.#world.ask(this.#program, ['algo', 'list', '--all'])) as readonly AlgoDocument[];
    return made[0] ?? null;
  }

  /** Moves to the next event of the tape or the end of the next wait, whichever is first. Returns whether a command has something to do. */
  #step(time: number): boolean {
    if (this.#clock.next < time) return this.#clock.move(this.#clock.next);
    const hasWoken = this.#clock.move(time);
    this.takeEvent();
    return this.#world.streams.push() || hasWoken;
  }
}

/** How long a program may take to end after SIGTERM. */
const GRACE_MS = 5_000;
/** How long requests wait at most while many events are due, in milliseconds. */
const BUSY_MS = 20;

/** A program in any language, beside this process. */
export class ProgramRehearsal extends Rehearsal {
  readonly #parts: RehearsalParts;
  #stopped: () => void = () => undefined;
  readonly #isStopping: Promise<void>;

  private constructor(parts: RehearsalParts, sandbox: PrivateSandbox) {
    super(parts.tape, sandbox, new AccountRecord(sandbox, parts.terms.unit), parts);
    this.#parts = parts;

    this.#isStopping = new Promise((resolve) => {
      this.#stopped = resolve;
    });
  }

  static async open(parts: RehearsalParts): Promise<ProgramRehearsal> {
    const { folder, tape, terms, host } = parts;
    const { funds, faults } = terms;
    const sandbox = await PrivateSandbox.open({
      ...{
        directory: path.join(folder, 'sandbox'),
        keys: newKeys('rehearsal'),
        time: tape.next?.time ?? 0,
        funds,
        faults,
      },
      ...{ markets: tape.markets, rules: tape.rules },
      ...{ latencyMs: terms.latencyMs, now: host.now, sleep: (ms: number) => host.sleep(ms) },
    });
    return new ProgramRehearsal(parts, sandbox);
  }

  /**
   * Runs a program until it ends or the tape does. Returns its exit code; null if it was ended because the tape was over, or by a signal.
   * Throws Failure `usage` for a program that does not exist, and for a fault of the tape.
   */
  async run(words: readonly string[]): Promise<number | null> {
    const { host, folder, terms } = this.#parts;
    const { sandbox } = this;
    await this.takeBeginning();
    const clock = path.join(folder, 'clock');
    const { now } = sandbox.exchange.clock;
    const listener = await sandbox.listen(() => {
      if (!sandbox.start(terms.speed)) return;
      const { shown, real } = sandbox.exchange.clock.state;
      writeClock(clock, { exchange: listener.url, shown, real, speed: terms.speed });
    });
    writeClock(clock, { exchange: listener.url, shown: now(), real: null, speed: terms.speed });
    const { accessKey, secretKey } = sandbox.exchange.customers.secretsOfFirst;
    const variables = {
      ...{ PIT_HOME: homeIn(folder), PIT_BASE_URL: listener.url, PIT_TRADE_URL: listener.url },
      ...{ PIT_WS_URL: sandbox.streamsOf(listener), PIT_ACCESS_KEY: accessKey, PIT_SECRET_KEY: secretKey },
      [REHEARSAL_CLOCK]: clock,
    };
    try {
      const program = await RunningProgram.start(host, words, variables);
      const tapeEnded = this.#replay();
      const ended = await Promise.race([program.ended, tapeEnded.then(() => null), this.#isStopping.then(() => null)]);
      this.isStopped = true;
      if (ended === null) await program.stop(GRACE_MS);
      return ended;
    } finally {
      this.isStopped = true;
      await listener.close();
    }
  }

  override stop(): void {
    this.isStopped = true;
    this.#stopped();
  }

  /** Applies each event when the exchange's clock shows its time. */
  async #replay(): Promise<void> {
    const { tape, sandbox } = this;
    const { clock } = sandbox.exchange;
    let began = performance.now();
    while (tape.next !== undefined && !this.isStopped) {
      if (clock.now() < tape.next.time) {
        await Promise.race([clock.reaches(tape.next.time), this.#isStopping]);
        began = performance.now();
      } else if (performance.now() - began > BUSY_MS) {
        await this.#parts.host.sleep(1);
        began = performance.now();
      }
      if (!this.isStopped) this.takeEvent();
      if (tape.needsRead) await tape.read();
    }
  }
}
