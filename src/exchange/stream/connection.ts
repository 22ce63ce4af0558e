import { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { asInteger, parseJson, scalarText } from '../../platform/json.js';
import { PROTOCOL } from '../channels/index.js';
import { SUCCESS } from '../requests/observed-codes.js';
import { type Credentials, requireCertificateChecks, requireSafeHost } from '../requests/request.js';
import { reasonText } from '../requests/response.js';
import { signMessage } from '../requests/signing.js';
import { Network } from '../requests/transport.js';
import { type Channel, isPrivate, type StateEvent } from './events.js';
import type { Feed } from './feed.js';
import { NotConnected, Socket, STARTED_OVER } from './socket.js';

export interface ConnectionOptions {
  readonly host: Host;
  /** Returns the address of the WebSocket; asked before each connection. */
  readonly address: () => Promise<string>;
  /** Returns the keys, or throws a Failure `credentials`. Asked only for channels of an account. */
  readonly credentials: () => Credentials;
  /** Absent: no proxy, and the well-known authorities. */
  readonly network?: Network | undefined;
  /** How long the first connection may take, in milliseconds, before it fails. Absent: for ever. */
  readonly connectMs?: number | undefined;
  /** Takes a line about each connection and subscription, secrets already masked. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** What a connection is for. */
export interface ConnectionUser {
  /** All that are followed, and those of a name on the wire. */
  readonly feeds: () => Iterable<Feed>;
  readonly named: (wire: string) => readonly Feed[];
  /** The state of the connection has changed. */
  readonly enter: (state: StateEvent['state'], reason: string | null) => void;
  /** All that is known is of an exchange that is gone. Takes when the last frame came, by the wall clock. */
  readonly startOver: (lastFrame: number, reason: string) => void;
  /** The exchange rejected a subscription. */
  readonly refused: (channel: Channel | null, code: number | null, message: string) => void;
  /** Takes what is a mistake of pit. */
  readonly fail: (thrown: unknown) => void;
  /** Ends the connection. */
  readonly ending: AbortSignal;
}

const PING_MS = PROTOCOL.pingSeconds * 1_000;
/** If nothing came for so many heartbeats, the connection is given up. */
const SILENT_MS = 3 * PING_MS;
/** The pauses between two connections, before part of each is made random. */
const CONNECT_BACKOFF_MS = { first: 500, longest: 30_000 };
const SECOND_MS = 1_000;
/** Which channels are confirmed to be subscribed to when a heartbeat is answered. */
interface Heartbeat {
  readonly sentAt: number;
  readonly feeds: readonly Feed[];
}

/**
 * One WebSocket after another, for all feeds. A subscription is confirmed by a heartbeat: the exchange answers it after the
 * messages before it.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #user: ConnectionUser;

  readonly #network: Network;
  #socket: Socket | undefined;
  /** Sent and not answered, oldest first. */
  #heartbeats: Heartbeat[] = [];
  /** When the last subscriptions were sent, on the monotonic clock. */
  #sent: number[] = [];
  #sending: Promise<void> = Promise.resolve();
  /** How a sandbox names the exchange that was connected to last; undefined for any other, and once that has started over. */
  #exchange: string | undefined;
  #lastFrame = 0;
  /** The same by the wall clock. */
  #lastFrameTime = 0;
  /** How long the last heartbeat took to be answered, in milliseconds; null before the first. */
  latencyMs: number | null = null;
  /** How many frames could not be read or belonged to nothing that was subscribed to. */
  unreadable = 0;

  constructor(options: ConnectionOptions, user: ConnectionUser) {
    this.#options = options;
    this.#user = user;

    this.#network = options.network ?? new Network();
  }

  /** Stays connected until it is ended. Throws Failure `unreachable` or `credentials` if there is no use in going on. */
  async run(): Promise<void> {
    const { host } = this.#options;
    const { ending } = this.#user;
    const start = host.monotonic();
    let wasConnected = false;
    for (let attempt = 0; !ending.aborted; ) {
      this.#user.enter('connecting', null);
      const reason = await this.#connect().then(
        async (socket) => {
          wasConnected = true;
          return this.#follow(socket);
        },
        (thrown: unknown) => {
          const isTransient = thrown instanceof Failure && thrown.kind === 'unreachable' && wasConnected;
          if (isTransient) return thrown.message;
          if (!(thrown instanceof NotConnected)) throw thrown;
          if (!wasConnected && !ending.aborted) this.#giveUpIfFinal(thrown, start);
          return thrown.message;
        },
      );
      if (ending.aborted) break;
      this.#user.enter('reconnecting', reason);
      // a connection that lost nothing in the end was a good one
      if ([...this.#user.feeds()].every(({ isSettled }) => isSettled)) attempt = 0;
      for (const feed of this.#user.feeds()) feed.disconnected(this.#lastFrameTime, reason);
      await host.sleep(backoffMs(attempt, CONNECT_BACKOFF_MS) * (0.5 + host.random() / 2), ending);
      attempt += 1;
    }
    await this.#sending;
  }

  /** Sends the messages that subscribe, if there is a connection. */
  subscribe(feeds: readonly Feed[]): void {
    if (this.#socket === undefined) return;
    for (const feed of feeds) feed.subscribing();
    let sent: Feed[] = [];
    const confirm = () => {
      if (sent.length > 0) this.#ping(sent);
      sent = [];
    };
    const send = (feed: Feed) => {
      this.#send(feed, PROTOCOL.subscribe);
      sent.push(feed);
    };
    this.#paced(feeds, send, confirm);
  }

  /** Sends the message that subscribes once more. The feed stays as it is. */
  subscribeAgain(feed: Feed): void {
    this.#paced([feed], () => this.#send(feed, PROTOCOL.subscribe));
  }

  /** Ends a subscription, unless other feeds have it too. */
  unsubscribe(feed: Feed): void {
    const message = JSON.stringify(feed.message);
    const isShared = this.#user.named(feed.wire).some((other) => JSON.stringify(other.message) === message);
    if (!isShared) this.#paced([feed], () => this.#send(feed, PROTOCOL.unsubscribe));
  }

  /** Throws Failure `unreachable` if it is of no use to go on before there ever was a connection. */
  #giveUpIfFinal({ message, hint, isFinal }: NotConnected, start: number): void {
    const { host, connectMs = Number.POSITIVE_INFINITY } = this.#options;
    if (!isFinal && host.monotonic() - start < connectMs) return;
    throw new Failure('unreachable', `There is no connection to the streams: ${message}.`, { hint });
  }

  async #connect(): Promise<Socket> {
    const { address, host } = this.#options;
    const url = await address();
    // the rules for hosts are those of HTTP, to which a WebSocket begins as a request
    const asHttp = url.replace(/^ws/, 'http');
    requireSafeHost(asHttp);
    if ([...this.#user.feeds()].some(({ channel }) => isPrivate(channel)))
      requireCertificateChecks(asHttp, host.environment);
    const text = (frame: string) => this.#onText(frame);
    const binary = () => this.#markAllIncomplete('a frame of bytes');
    const socket = await Socket.connect(url, this.#network, { text, binary }, this.#user.ending);
    this.#trace(`connected to ${url}`);
    const { exchange = this.#exchange } = socket;
    if (this.#exchange !== undefined && exchange !== this.#exchange) this.#startOver();
    this.#exchange = exchange;
    return socket;
  }

  #startOver(): void {
    this.#exchange = undefined;
    this.#user.startOver(this.#lastFrameTime, STARTED_OVER);
  }

  /** Follows a connection until it ends. Resolves with the reason. */
  async #follow(socket: Socket): Promise<string> {
    const { ending } = this.#user;
    this.#socket = socket;
    this.#heartbeats = [];
    this.#alive();
    this.#user.enter('connected', null);
    const over = new AbortController();
    const close = () => void socket.close();
    ending.addEventListener('abort', close, { once: true });
    if (ending.aborted) close();
    this.subscribe([...this.#user.feeds()]);
    const beating = this.#beat(socket, over.signal);
    const reason = await socket.ended;
    this.#socket = undefined;
    over.abort();
    ending.removeEventListener('abort', close);
    await beating;
    this.#trace(`connection ended: ${reason}`);
    if (socket.hasStartedOver) this.#startOver();
    return reason;
  }

  async #beat(socket: Socket, over: AbortSignal): Promise<void> {
    const { host } = this.#options;
    for (;;) {
      await host.sleep(PING_MS, over);
      if (over.aborted) return;
      const now = host.monotonic();
      if (this.#giveUpIfSilent(socket)) return;
      // some answer no heartbeat, though they send: then a subscription counts as confirmed after a while
      for (const { sentAt, feeds } of this.#heartbeats)
        if (now - sentAt >= PING_MS) for (const feed of feeds) feed.confirmed(this.#lastFrame > sentAt);
      this.#heartbeats = this.#heartbeats.filter(({ sentAt }) => now - sentAt < SILENT_MS);
      this.#ping([]);
    }
  }

  #giveUpIfSilent(socket: Socket): boolean {
    if (this.#options.host.monotonic() - this.#lastFrame < SILENT_MS) return false;
    const reason = `nothing came for ${SILENT_MS / SECOND_MS} s`;
    this.#user.enter('silent', reason);
    socket.giveUp(reason);
    return true;
  }

  #ping(feeds: readonly Feed[]): void {
    this.#heartbeats.push({ sentAt: this.#options.host.monotonic(), feeds });
    this.#socket?.send(PROTOCOL.ping);
  }

  /**
   * Sends for one after the other, at most 60 a second.
   * @param rest called before each pause and at the end
   */
  #paced(feeds: readonly Feed[], send: (feed: Feed) => void, rest: () => void = () => undefined): void {
    const { host } = this.#options;
    const { ending } = this.#user;
    const socket = this.#socket;
    const work = async () => {
      for (const feed of feeds) {
        const [oldest] = this.#sent;
        if (this.#sent.length >= PROTOCOL.subscriptionsPerSecond && oldest !== undefined) {
          rest();
          const waitMs = oldest + SECOND_MS - host.monotonic();
          if (waitMs > 0) await host.sleep(waitMs, ending);
          this.#sent.shift();
        }
        if (this.#socket !== socket || ending.aborted) return;
        this.#sent.push(host.monotonic());
        send(feed);
      }
      rest();
    };
    this.#sending = this.#sending.then(work).catch((thrown: unknown) => this.#user.fail(thrown));
  }

  #send({ channel, message, key }: Feed, event: string): void {
    const whole = { ...message, event };
    this.#trace(`${event} ${key}`);
    this.#socket?.send(JSON.stringify(isPrivate(channel) ? this.#signed(whole) : whole));
  }

  #signed(message: Readonly<Record<string, string>>): Record<string, string> {
    const { host, credentials } = this.#options;
    const { accessKey, secretKey } = credentials();
    const whole = { ...message, [PROTOCOL.accessKey]: accessKey };
    const sign = signMessage(whole, secretKey);
    for (const secret of [accessKey, secretKey]) host.redaction.addSecret(secret);
    host.redaction.addSignature(sign);
    return { ...whole, [PROTOCOL.sign]: sign };
  }

  #alive(): void {
    const { host } = this.#options;
    this.#lastFrame = host.monotonic();
    this.#lastFrameTime = host.now();
  }

  #onText(text: string): void {
    // after a machine was asleep, what waited in between is old
    if (this.#socket !== undefined && this.#giveUpIfSilent(this.#socket)) return;
    const before = this.#lastFrameTime;
    this.#alive();
    if (text === PROTOCOL.pong) this.#onPong();
    else if (text === PROTOCOL.ping) this.#socket?.send(PROTOCOL.pong);
    else this.#onMessage(text, before);
  }

  #onPong(): void {
    const heartbeat = this.#heartbeats.shift();
    if (heartbeat === undefined) return;
    this.latencyMs = this.#options.host.monotonic() - heartbeat.sentAt;
    for (const feed of heartbeat.feeds) feed.confirmed();
  }

  #onMessage(text: string, before: number): void {
    const frame = read(text);
    if (frame === undefined) this.#markAllIncomplete('a frame could not be read', before);
    else if (frame.channel === PROTOCOL.pong) this.#onPong();
    else this.#onFrame(frame, text, before);
  }

  #onFrame(frame: Frame, text: string, before: number): void {
    const feeds = this.#user.named(scalarText(frame.channel) ?? '');
    if (isRefusal(frame)) this.#onRefusal(frame, feeds);
    else if (isConfirmation(frame)) return;
    else if (typeof frame.channel !== 'string') this.#markAllIncomplete('a frame named no channel', before);
    else if (feeds.length === 0) this.unreadable += 1;
    else for (const feed of feeds) if (!feed.push(frame, text, before)) this.unreadable += 1;
  }

  #onRefusal(frame: Frame, feeds: readonly Feed[]): void {
    const { host } = this.#options;
    const code = asInteger(frame.code) ?? null;
    const message = host.redaction.apply(reasonText(scalarText(frame.message)));
    const market = scalarText(frame.market);
    const refused = feeds.filter((one) => market === undefined || one.message.market === market);
    for (const feed of refused) feed.refused();
    for (const channel of refused.length === 0 ? [null] : refused.map((feed) => feed.channel))
      this.#user.refused(channel, code, message);
  }

  /** A frame was lost, of an unknown channel. */
  #markAllIncomplete(reason: string, before = this.#lastFrameTime): void {
    this.#alive();
    this.unreadable += 1;
    for (const feed of this.#user.feeds()) feed.markIncomplete(reason, before);
  }

  #trace(line: string): void {
    const { trace, host } = this.#options;
    trace?.(host.redaction.apply(`WebSocket: ${line}`));
  }
}

type Frame = Readonly<Record<string, unknown>>;

/** The object that a frame holds; undefined for anything else. */
function read(text: string): Frame | undefined {
  try {
    const value = parseJson(text);
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
