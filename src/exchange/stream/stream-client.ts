import { setMaxListeners } from 'node:events';
import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { asInteger, scalarText } from '../../platform/json.js';
import { TimeBudget } from '../../platform/time-budget.js';
import { PROTOCOL } from '../channels/index.js';
import { plainText, readMessage } from '../channels/messages.js';
import type { ExchangeClient } from '../exchange-client.js';
import { refusalKind, SUCCESS } from '../observed-codes.js';
import { type Credentials, requireCertificateChecks, requireSafeHost } from '../request.js';
import { signMessage } from '../signing.js';
import { Network } from '../transport.js';
import type { SourceContext } from './base-source.js';
import { ChannelRecovery, type HttpReads } from './channel-recovery.js';
import { EventQueue } from './event-queue.js';
import {
  type Channel,
  channelKey,
  type ExchangeStream,
  isPrivate,
  type StateEvent,
  type StreamEvent,
} from './events.js';
import { type StreamProtocol, streamProtocol } from './protocol.js';
import { MAX_BYTES, NotConnected, Socket } from './socket.js';
import { sourceOf } from './sources.js';

export interface StreamOptions {
  readonly host: Host;
  /** Returns the address of the WebSocket; asked before each connection. */
  readonly address: () => Promise<string>;
  readonly channels: readonly Channel[];
  /** Returns the client that reads over HTTP what was missed; the signal ends its requests. */
  readonly clientOf: (budget: TimeBudget, signal: AbortSignal) => ExchangeClient;
  /** Returns the keys, or throws a Failure `credentials`. Asked only for channels of an account. */
  readonly credentials: () => Credentials;
  /** Absent: no proxy, and the well-known authorities. */
  readonly network?: Network | undefined;
  /** The markets whose orders belong to the channel of all orders, in addition to those that were pushed. */
  readonly orderMarkets?: (() => Promise<readonly string[]>) | undefined;
  /** Finds a market by its name without underscore. */
  readonly marketNamed?: ((joined: string) => string | undefined) | undefined;
  /**
   * `always`: at the start, after gaps, and to compare quiet channels. `afterGaps`: without comparisons. `never`: what was
   * missed stays missing. Default: always.
   */
  readonly httpReads?: HttpReads | undefined;
  /** How long the first connection may take, in milliseconds, before the stream fails. Absent: for ever. */
  readonly connectMs?: number | undefined;
  /** Takes a line about each connection and subscription, secrets already masked. */
  readonly trace?: ((line: string) => void) | undefined;
  /** Absent: what most public clients agree on. */
  readonly protocol?: StreamProtocol | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** If not even so many heartbeats were answered, the connection is given up. */
const SILENT_HEARTBEATS = 3;
/** The pauses between two connections, before part of each is made random. */
const CONNECT_BACKOFF_MS = { first: 500, longest: 30_000 };
const SECOND_MS = 1_000;
/** So many reads over HTTP at a time: market data has no limit of its own. */
const MAX_READS = 8;
/** How long a response over HTTP may take before the read is tried again later. */
const READ_MS = 20_000;
/** In characters: no reason is longer. */
const LONGEST_MESSAGE = 2_000;

/** Which channels are confirmed to be subscribed to when a heartbeat is answered. */
interface Heartbeat {
  readonly sentAt: number;
  readonly recoveries: readonly ChannelRecovery[];
}

/**
 * One connection after another. Whatever was missed in between is read over HTTP once the exchange has confirmed the
 * subscriptions: it answers a heartbeat after the messages before it.
 */
export class StreamClient implements ExchangeStream {
  readonly #recoveries = new Map<string, ChannelRecovery>();
  readonly #byWireName = new Map<string, ChannelRecovery[]>();
  readonly #queue: EventQueue;
  readonly #ending = new AbortController();
  readonly #network: Network;
  readonly #budget: TimeBudget;
  readonly #context: SourceContext;
  readonly #protocol: StreamProtocol;
  readonly #silentMs: number;
  readonly #running: Promise<void>;
  #state: ExchangeStream['state'] = 'connecting';
  #socket: Socket | undefined;
  /** Sent and not answered, oldest first. */
  #heartbeats: Heartbeat[] = [];
  /** When the last subscriptions were sent, on the monotonic clock. */
  #sent: number[] = [];
  #subscribing: Promise<void> = Promise.resolve();
  /** Reads over HTTP that are under way, and those that wait for one of them. */
  #reads = 0;
  readonly #waitingReads: (() => void)[] = [];
  #lastFrame = 0;
  /** The same by the wall clock. */
  #lastFrameTime = 0;
  #latencyMs: number | null = null;
  #unreadable = 0;

  constructor(private readonly options: StreamOptions) {
    const { host, clientOf, network, orderMarkets, marketNamed, channels, signal } = options;
    this.#protocol = options.protocol ?? streamProtocol();
    this.#silentMs = SILENT_HEARTBEATS * this.#protocol.pingMs;
    this.#budget = new TimeBudget(READ_MS, host.monotonic);
    const client = clientOf(this.#budget, this.#ending.signal).restartingBudget(this.#budget);
    this.#network = network ?? new Network();
    this.#queue = new EventQueue((key) => this.#recoveries.get(key)?.overflowed());
    this.#context = {
      client,
      now: host.now,
      orderMarkets: orderMarkets ?? (async () => []),
      marketNamed: marketNamed ?? (() => undefined),
      protocol: this.#protocol,
    };
    // each request and each pause listens to it
    setMaxListeners(0, this.#ending.signal);
    for (const channel of channels) this.#add(channel);
    signal?.addEventListener('abort', this.#abort, { once: true });
    this.#running = this.#run();
    if (signal?.aborted) this.#abort();
  }

  readonly #abort = () => void this.close();

  get state(): ExchangeStream['state'] {
    return this.#state;
  }

  get latencyMs(): number | null {
    return this.#latencyMs;
  }

  get unreadable(): number {
    return this.#unreadable;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent> {
    return this.#queue[Symbol.asyncIterator]();
  }

  subscribe(channel: Channel): void {
    const recovery = this.#add(channel);
    if (recovery !== undefined && this.#state === 'connected') this.#subscribe([recovery]);
  }

  unsubscribe(channel: Channel): void {
    const key = channelKey(channel);
    const recovery = this.#recoveries.get(key);
    if (recovery === undefined) return;
    this.#recoveries.delete(key);
    const { wire, message } = recovery.source;
    const others = (this.#byWireName.get(wire) ?? []).filter((one) => one !== recovery);
    if (others.length === 0) this.#byWireName.delete(wire);
    else this.#byWireName.set(wire, others);
    recovery.end();
    this.#queue.drop(key);
    const isShared = others.some(({ source }) => JSON.stringify(source.message) === JSON.stringify(message));
    if (this.#state === 'connected' && !isShared)
      this.#paced([recovery], () => this.#send(recovery, this.#protocol.unsubscribe));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#queue.clear();
    this.options.signal?.removeEventListener('abort', this.#abort);
    this.#budget.restart(0);
    for (const recovery of this.#recoveries.values()) recovery.end();
    await this.#running;
    await Promise.allSettled([this.#subscribing, ...[...this.#recoveries.values()].map(({ reading }) => reading)]);
  }

  #add(channel: Channel): ChannelRecovery | undefined {
    const key = channelKey(channel);
    if (this.#recoveries.has(key)) return undefined;
    const { host, httpReads = 'always' } = this.options;
    const recovery: ChannelRecovery = new ChannelRecovery(sourceOf(channel, this.#context), {
      host,
      emit: (event) => this.#queue.push(event),
      read: (work) => this.#read(work),
      httpReads,
      requestConfirmation: () => this.#ping([recovery]),
      resubscribe: () => this.#subscribe([recovery]),
      reconnect: (reason) => this.#socket?.giveUp(reason),
      fail: (thrown) => this.#fail(thrown),
    });
    this.#recoveries.set(key, recovery);
    this.#byWireName.set(recovery.source.wire, [...(this.#byWireName.get(recovery.source.wire) ?? []), recovery]);
    return recovery;
  }

  /** A few reads over HTTP at a time, each with all of its time. */
  async #read<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#reads < MAX_READS) this.#reads += 1;
    else await new Promise<void>((resolve) => this.#waitingReads.push(resolve));
    try {
      if (!this.#isEnding) this.#budget.restart();
      return await work();
    } finally {
      const next = this.#waitingReads.shift();
      if (next === undefined) this.#reads -= 1;
      else next();
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#stayConnected();
    } catch (thrown) {
      this.#queue.end(thrown);
    } finally {
      this.#state = 'closed';
      this.#queue.end();
    }
  }

  async #stayConnected(): Promise<void> {
    const { host } = this.options;
    const start = host.monotonic();
    let wasConnected = false;
    for (let attempt = 0; !this.#isEnding; ) {
      this.#enter('connecting');
      const reason = await this.#connect().then(
        async (socket) => {
          wasConnected = true;
          return this.#follow(socket);
        },
        (thrown: unknown) => {
          const isTransient = thrown instanceof Failure && thrown.kind === 'unreachable' && wasConnected;
          if (isTransient) return thrown.message;
          if (!(thrown instanceof NotConnected)) throw thrown;
          if (!wasConnected && !this.#isEnding) this.#giveUpIfFinal(thrown, start);
          return thrown.message;
        },
      );
      if (this.#isEnding) return;
      this.#enter('reconnecting', reason);
      // a connection that lost nothing in the end was a good one
      if (this.#wasComplete()) attempt = 0;
      for (const recovery of this.#recoveries.values()) recovery.disconnected(this.#lastFrameTime, reason);
      await host.sleep(backoffMs(attempt, CONNECT_BACKOFF_MS) * (0.5 + host.random() / 2), this.#ending.signal);
      attempt += 1;
    }
  }

  /** Throws Failure `unreachable` if it is of no use to go on before there ever was a connection. */
  #giveUpIfFinal({ message, hint, isFinal }: NotConnected, start: number): void {
    const { host, connectMs = Number.POSITIVE_INFINITY } = this.options;
    if (!isFinal && host.monotonic() - start < connectMs) return;
    throw new Failure('unreachable', `There is no connection to the streams: ${message}.`, { hint });
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  #wasComplete(): boolean {
    return [...this.#recoveries.values()].every(({ isSettled }) => isSettled);
  }

  async #connect(): Promise<Socket> {
    const { address, host } = this.options;
    const url = await address();
    // the rules for hosts are those of HTTP, to which a WebSocket begins as a request
    const asHttp = url.replace(/^ws/, 'http');
    requireSafeHost(asHttp);
    if ([...this.#recoveries.values()].some(({ source }) => isPrivate(source.channel)))
      requireCertificateChecks(asHttp, host.environment);
    const text = (frame: string) => this.#onText(frame);
    const binary = () => this.#markAllIncomplete('a frame of bytes');
    const socket = await Socket.connect(url, this.#network, { text, binary }, this.#ending.signal);
    this.#trace(`connected to ${url}`);
    return socket;
  }

  /** Follows a connection until it ends. Resolves with the reason. */
  async #follow(socket: Socket): Promise<string> {
    this.#socket = socket;
    this.#heartbeats = [];
    this.#alive();
    this.#enter('connected');
    const over = new AbortController();
    const close = () => void socket.close();
    this.#ending.signal.addEventListener('abort', close, { once: true });
    if (this.#isEnding) close();
    this.#subscribe([...this.#recoveries.values()]);
    const beating = this.#beat(socket, over.signal);
    const reason = await socket.ended;
    this.#socket = undefined;
    over.abort();
    this.#ending.signal.removeEventListener('abort', close);
    await beating;
    this.#trace(`connection ended: ${reason}`);
    return reason;
  }

  async #beat(socket: Socket, over: AbortSignal): Promise<void> {
    const { host } = this.options;
    for (;;) {
      await host.sleep(this.#protocol.pingMs, over);
      if (over.aborted) return;
      const now = host.monotonic();
      if (now - this.#lastFrame >= this.#silentMs) {
        const reason = `nothing came for ${this.#silentMs / SECOND_MS} s`;
        this.#enter('silent', reason);
        socket.giveUp(reason);
        return;
      }
      // some answer no heartbeat, though they send: then a subscription counts as confirmed after a while
      for (const { sentAt, recoveries } of this.#heartbeats)
        if (now - sentAt >= this.#protocol.pingMs) for (const recovery of recoveries) recovery.confirmed();
      this.#heartbeats = this.#heartbeats.filter(({ sentAt }) => now - sentAt < this.#silentMs);
      for (const recovery of this.#recoveries.values()) recovery.tick();
      this.#ping([]);
    }
  }

  #ping(recoveries: readonly ChannelRecovery[]): void {
    this.#heartbeats.push({ sentAt: this.options.host.monotonic(), recoveries });
    this.#socket?.send(this.#protocol.ping);
  }

  #subscribe(recoveries: readonly ChannelRecovery[]): void {
    for (const recovery of recoveries) recovery.subscribing();
    let sent: ChannelRecovery[] = [];
    const confirm = () => {
      if (sent.length > 0) this.#ping(sent);
      sent = [];
    };
    const send = (recovery: ChannelRecovery) => {
      this.#send(recovery, this.#protocol.subscribe);
      sent.push(recovery);
    };
    this.#paced(recoveries, send, confirm);
  }

  /**
   * Sends for one after the other, at most 60 a second.
   * @param rest called before each pause and at the end
   */
  #paced(
    recoveries: readonly ChannelRecovery[],
    send: (recovery: ChannelRecovery) => void,
    rest: () => void = () => undefined,
  ): void {
    const { host } = this.options;
    const socket = this.#socket;
    const work = async () => {
      for (const recovery of recoveries) {
        const [oldest] = this.#sent;
        if (this.#sent.length >= PROTOCOL.subscriptionsPerSecond && oldest !== undefined) {
          rest();
          const waitMs = oldest + SECOND_MS - host.monotonic();
          if (waitMs > 0) await host.sleep(waitMs, this.#ending.signal);
          this.#sent.shift();
        }
        if (this.#socket !== socket || this.#isEnding) return;
        this.#sent.push(host.monotonic());
        send(recovery);
      }
      rest();
    };
    this.#subscribing = this.#subscribing.then(work).catch((thrown: unknown) => this.#fail(thrown));
  }

  #send({ source }: ChannelRecovery, event: string): void {
    const message = { ...source.message, event };
    this.#trace(`${event} ${channelKey(source.channel)}`);
    this.#socket?.send(JSON.stringify(isPrivate(source.channel) ? this.#signed(message) : message));
  }

  #signed(message: Readonly<Record<string, string>>): Record<string, string> {
    const { host, credentials } = this.options;
    const { accessKey, secretKey } = credentials();
    const whole = { ...message, [this.#protocol.accessKey]: accessKey };
    const sign = signMessage(whole, secretKey);
    for (const secret of [accessKey, secretKey]) host.redaction.addSecret(secret);
    host.redaction.addSignature(sign);
    return { ...whole, [this.#protocol.sign]: sign };
  }

  /** Nothing can come any more: the reader gets the failure. */
  #fail(thrown: unknown): void {
    this.#queue.end(thrown);
    void this.close();
  }

  #alive(): void {
    const { host } = this.options;
    this.#lastFrame = host.monotonic();
    this.#lastFrameTime = host.now();
  }

  #onText(text: string): void {
    const before = this.#lastFrameTime;
    this.#alive();
    if (text === this.#protocol.pong) this.#onPong();
    else if (text === this.#protocol.ping) this.#socket?.send(this.#protocol.pong);
    else this.#onMessage(text, before);
  }

  #onPong(): void {
    const heartbeat = this.#heartbeats.shift();
    if (heartbeat === undefined) return;
    this.#latencyMs = this.options.host.monotonic() - heartbeat.sentAt;
    for (const recovery of heartbeat.recoveries) recovery.confirmed();
  }

  #onMessage(text: string, before: number): void {
    const frame = read(text);
    if (frame === undefined) this.#markAllIncomplete('a frame could not be read', before);
    else if (frame.channel === this.#protocol.pong) this.#onPong();
    else this.#onFrame(frame, text, before);
  }

  #onFrame(frame: Frame, text: string, before: number): void {
    const recoveries = this.#byWireName.get(scalarText(frame.channel) ?? '');
    if (isRefusal(frame)) this.#onRefusal(frame, recoveries);
    else if (isConfirmation(frame)) return;
    else if (typeof frame.channel !== 'string') this.#markAllIncomplete('a frame named no channel', before);
    else if (recoveries === undefined) this.#unreadable += 1;
    else for (const recovery of recoveries) if (!recovery.push(frame, text, before)) this.#unreadable += 1;
  }

  #onRefusal(frame: Frame, recoveries: readonly ChannelRecovery[] = []): void {
    const { host } = this.options;
    const code = asInteger(frame.code) ?? null;
    const text = host.redaction.apply((scalarText(frame.message) ?? '').slice(0, LONGEST_MESSAGE));
    const message = text === '' ? 'the exchange gave no reason' : text;
    const received = host.now();
    const market = scalarText(frame.market);
    const refused = recoveries.filter((one) => market === undefined || one.source.message.market === market);
    for (const recovery of refused) recovery.refused();
    for (const channel of refused.length === 0 ? [null] : refused.map(({ source }) => source.channel))
      this.#queue.push({ type: 'refused', channel, received, refusal: refusalKind(code), code, message });
  }

  /** A frame was lost, of an unknown channel. */
  #markAllIncomplete(reason: string, before = this.#lastFrameTime): void {
    this.#alive();
    this.#unreadable += 1;
    for (const recovery of this.#recoveries.values()) recovery.markIncomplete(reason, before);
  }

  #enter(state: StateEvent['state'], reason: string | null = null): void {
    this.#state = state;
    this.#queue.push({ type: 'state', state, received: this.options.host.now(), reason });
  }

  #trace(line: string): void {
    const { trace, host } = this.options;
    trace?.(host.redaction.apply(`WebSocket: ${line}`));
  }
}

type Frame = Readonly<Record<string, unknown>>;

/** The object that a frame holds; undefined for anything else. */
function read(text: string): Frame | undefined {
  try {
    const value = readMessage(plainText(text, MAX_BYTES));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Frame) : undefined;
  } catch {
    return undefined;
  }
}

/** As observed: `{"no", "code", "success": false, "message"}`, sometimes with the channel. */
function isRefusal({ success, isSuc, code }: Frame): boolean {
  const number = asInteger(code);
  return success === false || isSuc === false || (number !== undefined && number !== SUCCESS);
}

/** A response to a subscription that carries no data. */
function isConfirmation({ success, code, data, datas }: Frame): boolean {
  return (success === true || asInteger(code) === SUCCESS) && data === undefined && datas === undefined;
}
