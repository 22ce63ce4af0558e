import { setTimeout as delay } from 'node:timers/promises';
import { type Passing, startProxy } from '../../support/proxy.js';
import type { Action } from './action.js';
import { between, chosen, type Draw, drawOf } from './draw.js';
import { type Beside, onStage, planned, runBlock, TOLERANCE } from './fault-campaign.js';
import { keyOf } from './kinds/index.js';
import { Network } from './network.js';
import { documentOf, type Program } from './program.js';
import type { Report } from './report.js';
import { requiring } from './required-module.js';

export interface HaltOptions {
  readonly seed: number;
  /** How many writes have to leave. */
  readonly writes: number;
  /** The Redis that two machines share; absent: there is one machine. */
  readonly redis?: string;
  /** Reports progress. */
  readonly tell?: (words: string) => void;
}

export interface Halted {
  readonly report: Report;
  /** How often the account was halted, and how often nothing was on its way any more when that returned. */
  readonly falls: number;
  readonly complete: number;
  /** Writes that left although `pit halt` had returned. */
  readonly late: number;
  /** Commands that a halt stopped. */
  readonly refused: number;
  /** Cancellations that left while it was halted. */
  readonly cancellations: number;
}

const NOTHING = { falls: 0, complete: 0, late: 0, refused: 0, cancellations: 0 };

/** How many commands run at once, on all machines together. */
const LANES = 8;
/** How many actions share a PIT_HOME and are settled together. */
const BLOCK = 120;

/**
 * Runs actions on a bad network while the account is halted and lifted again and again. Between the return of `pit halt` and
 * the start of `pit halt --lift`, no write may leave but cancellations; and what had left before is judged as in the campaign of
 * faults. The account stays halted until everything is settled.
 */
export async function haltCampaign({ seed, writes, redis, tell }: HaltOptions): Promise<Halted> {
  const counts = { ...NOTHING };
  const report = await onStage({ seed }, async (stage, into) => {
    // a small campaign has small blocks
    const size = Math.min(BLOCK, 2 * writes);
    for (let start = 0; into.writes < writes; start += size) {
      const since = Date.now() - 1_000;
      const actions = await planned(stage, start, start + size);
      const network = new HesitantNetwork(seed, { tolerance: TOLERANCE }, keyOf);
      for (const action of actions) network.expect(action);
      const proxy = await startProxy({ port: stage.port, treat: network.treat });
      const halts = new Halts(drawOf(seed, 'halts', start), redis);
      const machines = redis === undefined ? ['home'] : ['one', 'other'];
      const blocks = machines.map((name, index) => ({
        home: `${name}${start}`,
        since,
        actions: actions.filter(({ number }) => number % machines.length === index),
        network,
        lanes: LANES / machines.length,
        hasSandboxFaults: index === 0,
        beside: halts,
        proxy,
      }));
      await Promise.all(blocks.map((block) => runBlock(stage, block, into))).finally(() => proxy.close());
      halts.judge(proxy.requests);
      for (const words of halts.complaints) into.complain(words);
      for (const name of Object.keys(NOTHING) as (keyof typeof NOTHING)[]) counts[name] += halts.counts[name];
      tell?.(`${into.writes} of ${writes}: ${into.line}`);
    }
    if (counts.falls === 0) into.complain('the account was never halted');
    if (counts.complete !== counts.falls)
      into.complain(
        `after ${counts.falls - counts.complete} of ${counts.falls} halts, requests may have been on their way`,
      );
  });
  return { report, ...counts };
}

/** A network to which most commands connect slowly, so that the latch falls between the last check and the first byte. */
class HesitantNetwork extends Network {
  readonly environmentOf = ({ number }: Action): Readonly<Record<string, string>> | undefined =>
    number % 4 === 0 ? undefined : requiring(HESITANT_MODULE);
}

/** Delays each connection to the exchange by up to two seconds, but not the first, which is that of the reads. */
const HESITANT_MODULE = `
  const { Socket } = require('node:net');
  const port = new URL(process.env.PIT_TRADE_URL).port;
  const { connect } = Socket.prototype;
  let isFirst = true;
  Socket.prototype.connect = function (...given) {
    const [options] = Array.isArray(given[0]) ? given[0] : given;
    if (String(options.port) !== port || isFirst) {
      isFirst &&= String(options.port) !== port;
      return connect.apply(this, given);
    }
    // what is written waits for the connection
    this.connecting = true;
    setTimeout(() => this.destroyed || connect.apply(this, given), 2_000 * Math.random());
    return this;
  };
`;

/** A time in which nothing may leave, in ms since the Unix epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Halts and lifts the account at moments of chance, on a machine of chance, while the actions of all machines run. */
class Halts implements Beside {
  readonly #draw: Draw;
  readonly #redis: string | undefined;

  readonly counts = { ...NOTHING };
  readonly complaints: string[] = [];
  readonly #machines: Program[] = [];
  readonly #spans: Span[] = [];
  #running = 0;
  #isLifted = false;
  #halting: Promise<Span | undefined> | undefined;

  constructor(draw: Draw, redis: string | undefined) {
    this.#draw = draw;
    this.#redis = redis;
  }

  async prepare(program: Program): Promise<void> {
    if (this.#redis !== undefined) await program.run(['profile', 'set', 'sandbox', 'limiter', this.#redis]);
  }

  async during(program: Program, actions: Promise<unknown>): Promise<void> {
    this.#machines.push(program);
    this.#running += 1;
    this.#halting ??= this.#untilAllHaveEnded();
    await actions.finally(() => {
      this.#running -= 1;
    });
    await this.#halting;
  }

  async afterSettling(program: Program): Promise<void> {
    // the first machine to be settled lifts the last halt for all
    const span = await this.#halting;
    if (span !== undefined && !this.#isLifted) this.#spans.push({ ...span, to: Date.now() });
    this.#isLifted = true;
    for (const { words, stderr } of program.runs) {
      if (!stderr.includes('"halted":true')) continue;
      this.counts.refused += 1;
      if (words[0] === 'cancel') this.complaints.push(`a halt refused a cancellation: ${stderr}`);
    }
    await lift(program);
  }

  /** Returns the time from the last halt, which lasts. */
  async #untilAllHaveEnded(): Promise<Span | undefined> {
    for (;;) {
      await delay(between(this.#draw, 500, 5_000));
      const program = chosen(this.#draw, this.#machines);
      const span = await this.#halt(program);
      if (this.#running === 0) return span;
      await delay(between(this.#draw, 200, 1_500));
      if (span !== undefined) this.#spans.push({ ...span, to: Date.now() });
      await lift(chosen(this.#draw, this.#machines));
    }
  }

  /** Returns the time from the halt on; undefined if requests may still have been on their way, which it has to say. */
  async #halt(program: Program): Promise<Span | undefined> {
    const run = await program.run(['halt', '--json', '--timeout', '60']);
    this.counts.falls += 1;
    const isHalted = documentOf<{ halted: boolean }>(run)?.halted === true;
    if (!isHalted || (run.code !== 0 && !run.stderr.includes('may still be on the way')))
      this.complaints.push(`pit halt ended with ${run.code}: ${run.stdout} ${run.stderr}`);
    if (run.code !== 0) return undefined;
    this.counts.complete += 1;
    return { from: run.ended, to: Number.POSITIVE_INFINITY };
  }

  /** Judges what has left of all machines. */
  judge(requests: readonly Passing[]): void {
    for (const request of requests) {
      const { operation, time } = request;
      const span = this.#spans.find(({ from, to }) => time > from && time < to);
      if (span === undefined || keyOf(request) === undefined) continue;
      if (operation === 'cancelOrder') {
        this.counts.cancellations += 1;
        continue;
      }
      this.counts.late += 1;
      this.complaints.push(`${operation} left ${time - span.from} ms after pit halt had returned`);
    }
  }
}

async function lift(program: Program): Promise<void> {
  const { code, stderr } = await program.run(['halt', '--lift', '--confirm', 'sandbox', '--json']);
  if (code !== 0) throw new Error(`the halt was not lifted: ${stderr}`);
}
