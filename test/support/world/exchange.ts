import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../../../src/errors.js';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { adminHandlers } from '../../../src/sandbox/admin/calls.js';
import { AdminRefusal } from '../../../src/sandbox/admin/http.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import type { ReplayGenesis } from '../../../src/sandbox/exchange/state.js';
import { Faults } from '../../../src/sandbox/faults/faults.js';
import { FaultLog } from '../../../src/sandbox/faults/log.js';
import { AdminError } from '../../../src/sandbox/lifecycle/admin-client.js';
import { DataDirectory } from '../../../src/sandbox/lifecycle/data-directory.js';
import { filesIn, keepSettings, newKeys, publish, type SandboxAddress } from '../../../src/sandbox/lifecycle/files.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import type { ServedAnswer } from '../../../src/sandbox/rehearsal/private-sandbox.js';
import { Activity } from '../../../src/sandbox/server/http.js';
import { DOCUMENTED_LIMITS, keptLimits } from '../../../src/sandbox/server/limits.js';
import { RequestHandler } from '../../../src/sandbox/server/request-handler.js';
import type { KlineSince } from '../../../src/sandbox/server/served-operation.js';
import { StreamServer } from '../../../src/sandbox/streams/stream-server.js';
import { SHORT_HISTORY_MS, writeGenesis } from '../genesis.js';
import type { WorldClock } from './clock.js';
import { connected } from './connected.js';
import { runOutside } from './processes.js';

/** The best prices of a market that stands still, with so much at each. */
export interface Quote {
  readonly bid: string;
  readonly ask: string;
  /** Default: 100. */
  readonly amount?: string;
}

export interface ExchangeTerms {
  /** The folder of the sandbox of a home, in which it is published. */
  readonly directory: string;
  readonly clock: WorldClock;
  readonly seed: number;
  readonly tolerance: number | undefined;
  readonly limits: typeof DOCUMENTED_LIMITS | undefined;
  /** The zone of its dates, in minutes ahead of UTC. */
  readonly zone: number | undefined;
  /** How long before it the history of prices begins, in ms (default: an hour). */
  readonly historyMs: number | undefined;
  /** Which of more candles than asked for come after `since`. */
  readonly klineSince: KlineSince | undefined;
  /** Markets that stand still, which are all that there are; absent: those of the sandbox, with its simulated traders. */
  readonly markets: Readonly<Record<string, Quote>> | undefined;
  /** What the account has, by coin; absent: some of every coin. */
  readonly balances: Readonly<Record<string, string>> | undefined;
}

/** Where nothing listens. */
const HOST = 'http://127.0.0.1:1';

/** The sandbox of a world: its exchange, its faults, its streams and its administration, without a port. */
export class WorldExchange {
  readonly address: SandboxAddress;
  readonly #clock: WorldClock;
  readonly #data: DataDirectory;
  readonly #faults: Faults;
  readonly #handler: RequestHandler;
  readonly #calls: ReturnType<typeof adminHandlers>;
  readonly #server = createServer();
  readonly #streams: StreamServer;
  readonly #connections = new Set<Duplex>();

  private constructor(
    { directory, clock, seed, tolerance, zone, klineSince, limits = DOCUMENTED_LIMITS }: ExchangeTerms,
    data: DataDirectory,
  ) {
    this.#clock = clock;
    this.#data = data;
    const files = filesIn(directory);
    const { now } = clock;
    const sleep = (ms: number) => clock.sleep(ms);
    this.#faults = new Faults(seed, new FaultLog(files.faults), { now, sleep });
    const activity = new Activity();
    const log = () => undefined;
    const exchange = () => data.exchange;
    this.#handler = new RequestHandler({
      get exchange() {
        return exchange();
      },
      ...{ now, tolerance, zone, klineSince, limits: keptLimits(limits), log },
    });
    const { subscriptions: subscriptionsPerSecond } = limits;
    this.#streams = new StreamServer({ exchange, now, subscriptionsPerSecond, activity, faults: this.#faults, log });
    data.onReplace(() => this.#streams.startOver());
    this.#server.on('upgrade', (request, socket, head) => this.#streams.upgrade(request, socket as Socket, head));
    const { accessKey, secretKey, safePwd } = data.keys;
    this.address = {
      ...{ baseUrl: HOST, tradeUrl: HOST, wsUrl: `${HOST.replace('http', 'ws')}/websocket`, adminUrl: HOST },
      ...{ accessKey, secretKey, safePwd, pid: process.pid, adminToken: 'world' },
    };
    const running = { address: this.address, isStaying: true, close: async () => undefined };
    const dialect = 'document';
    const served = { data, files, activity, faults: this.#faults, streams: this.#streams };
    this.#calls = adminHandlers({ ...served, dialect, running: () => running });
    keepSettings(files.settings, { keys: data.keys, port: 1, dialect });
    publish(files.running, this.address);
  }

  static async open(terms: ExchangeTerms): Promise<WorldExchange> {
    const { directory, clock, seed, markets, balances, historyMs = SHORT_HISTORY_MS } = terms;
    const names = markets === undefined ? undefined : Object.keys(markets);
    const genesis =
      names === undefined ? undefined : { time: clock.now(), emptyMarkets: names, markets: [], isAlone: true };
    const openExchange = (
      folder: string,
      firstAccount: ReturnType<typeof newKeys>,
      replayGenesis: ReplayGenesis | undefined = genesis,
    ) =>
      SandboxExchange.open({
        ...{ directory: folder, seed, now: clock.now, firstAccount, firstBalances: balances, replayGenesis },
        ...{ historyMs, isTemporary: markets !== undefined },
      });
    const { exchange: folder } = filesIn(directory);
    if (markets === undefined)
      await writeGenesis(folder, JSON.stringify(['world', seed, clock.now(), balances, historyMs]), () =>
        openExchange(folder, newKeys('sandbox')),
      );
    const data = await DataDirectory.open(folder, openExchange, newKeys('sandbox'));
    const exchange = new WorldExchange(terms, data);
    if (markets === undefined) return exchange;
    data.exchange.clock.run(1);
    data.exchange.clock.start();
    for (const [market, quote] of Object.entries(markets)) exchange.quote(market, quote);
    return exchange;
  }

  /** The exchange itself, to compare with. */
  get state(): SandboxExchange {
    return this.#data.exchange;
  }

  /** What its clock shows, by which it dates its answers. */
  get time(): number {
    return this.#handler.clock.now();
  }

  /** Sets the best prices of a market that stands still. */
  quote(market: string, { bid, ask, amount = '100' }: Quote): void {
    const time = this.#clock.now();
    const event = { kind: 'depth', time, date: time, market, file: 'world', line: 1 } as const;
    const level = (price: string) => [{ price, amount }];
    runOutside(() => this.state.replay.take({ ...event, bids: level(bid), asks: level(ask) }));
  }

  /** A public trade in a market that stands still. It fills what it reaches. */
  trade(market: string, side: 'buy' | 'sell', price: string, amount: string): void {
    const time = this.#clock.now();
    const event = { kind: 'trade', time, date: time, market, file: 'world', line: 1, id: null, isPast: false } as const;
    runOutside(() => this.state.replay.take({ ...event, side, price, amount }));
  }

  /** Carries out a call of the administration. A refusal is Failure `usage`, as a command gets it. */
  async administer(call: AdminCallName, input: object = {}): Promise<unknown> {
    try {
      return await runOutside(async () => this.#calls.get(call)?.(input as Readonly<Record<string, unknown>>));
    } catch (thrown) {
      if (!(thrown instanceof AdminRefusal) && !(thrown instanceof RequestRefused)) throw thrown;
      const { hint = null, reason = null } = thrown instanceof AdminRefusal ? thrown : {};
      const cause = new AdminError(400, thrown.message, hint, reason);
      throw new Failure('usage', thrown.message, { hint: hint ?? undefined, cause });
    }
  }

  /** Answers a request by its path and query, as the faults say. */
  answer(url: string): Promise<ServedAnswer> {
    return runOutside(async () => {
      const request = { method: 'GET', url, address: '127.0.0.1' };
      const fault = this.#faults.match(url);
      if (fault !== undefined) return this.#faults.carryOut(fault, request, this.#handler);
      const { body } = await this.#handler.answer(request);
      return { reply: { kind: 'whole', status: 200, type: '', body, headers: {} }, skew: 0 } as const;
    });
  }

  /** Opens a connection to the streams. */
  connect(): Socket {
    const [client, server] = connected();
    for (const end of [client, server]) {
      this.#connections.add(end);
      end.on('error', () => undefined).on('close', () => this.#connections.delete(end));
    }
    runOutside(() => this.#server.emit('connection', server));
    return client as unknown as Socket;
  }

  /** Breaks every connection of the streams. */
  cutStreams(): void {
    for (const end of [...this.#connections]) end.destroy();
  }

  async close(): Promise<void> {
    this.cutStreams();
    await this.#streams.close();
    await this.#data.close();
  }
}
