import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { CandleType } from '../../domain/candle.js';
import { channels, type NamedChannel, PROTOCOL, readChannel } from '../../exchange/channels/index.js';
import type { Account } from '../accounts/accounts.js';
import type { SandboxExchange } from '../exchange/exchange.js';
import type { Faults } from '../faults/faults.js';
import { RequestRefused } from '../refusals.js';
import { toJsonText } from '../server/bodies.js';
import type { Activity, Upgrades } from '../server/http.js';
import { CHANNEL_PERMISSIONS, STREAMS } from '../server/interface-details.js';
import { Verifier } from '../server/verify.js';
import { CLOSE, StreamConnection } from './connection.js';
import type { ServedFeed } from './feed.js';
import { StreamHub } from './hub.js';
import { isMarketChannel, MARKET_FEEDS, marketsMessage } from './market-feeds.js';
import { fieldText, readFields, requestIn, type Scalar, signedText, wantsZip } from './requests.js';
import { ASSETS, AssetsFeed, ORDERS, requestedMarket } from './user-feeds.js';

export interface StreamServerOptions {
  /** Throws {@link RequestRefused} while it is being replaced. */
  readonly exchange: () => SandboxExchange;
  /** The machine's clock, for limits. */
  readonly now: () => number;
  /** Subscriptions of one connection within a second; null for no limit. */
  readonly subscriptionsPerSecond: number | null;
  readonly activity: Activity;
  readonly faults: Faults;
  readonly log: (line: string) => void;
}

type Fields = ReadonlyMap<string, Scalar>;

/** How often connections are checked, in ms: one timer for all is cheaper than one for each. */
const CHECK = 5_000;

/** How long a stopping server waits for clients to answer a close, in ms. */
const CLOSE_TIMEOUT = 500;

/** Serves the streams, from the opening handshake on. */
export class StreamServer implements Upgrades {
  readonly #options: StreamServerOptions;

  readonly #connections = new Set<StreamConnection>();
  readonly #verifier = new Verifier();
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: STREAMS.messageSize,
    // a pong waits like every other frame
    autoPong: false,
  });
  #hub: StreamHub | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamServerOptions) {
    this.#options = options;

    this.#webSockets.on('headers', (headers) => headers.push(...this.#nameHeader()));
  }

  /** Observed: the address that one client uses ends with the coin that it is interested in. */
  isPath(path: string): boolean {
    return (
      path === STREAMS.path ||
      (path.startsWith(`${STREAMS.path}/`) && /^[a-z0-9]{1,20}$/.test(path.slice(STREAMS.path.length + 1)))
    );
  }

  get hasRoom(): boolean {
    return this.#options.activity.streams < STREAMS.connections;
  }

  /** Answers a request to open a WebSocket. */
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      const { subscriptionsPerSecond, faults } = this.#options;
      const connection = new StreamConnection({
        socket,
        webSocket,
        faults,
        subscriptionsPerSecond,
        receive: (from, text) => this.#receive(from, text),
      });
      webSocket.on('close', () => this.#closed(connection));
      this.#opened(connection);
    });
  }

  /** Disconnects all clients because the exchange is replaced by another one, or deleted. They may come back at once. */
  startOver(): void {
    this.#hub?.close();
    this.#hub = undefined;
    for (const connection of this.#connections) connection.close(CLOSE.startedOver, 'the exchange starts over');
  }

  /** Disconnects all clients, and resolves when they are gone. */
  async close(): Promise<void> {
    this.#hub?.close();
    for (const connection of this.#connections) connection.close(CLOSE.goingAway, 'the sandbox stops');
    const end = performance.now() + CLOSE_TIMEOUT;
    while (this.#connections.size > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 5));
    for (const connection of this.#connections) connection.end('the sandbox stops');
  }

  /** None while the exchange is being replaced. */
  #nameHeader(): string[] {
    try {
      return [`${PROTOCOL.exchangeHeader}: ${this.#options.exchange().name}`];
    } catch (error) {
      if (error instanceof RequestRefused) return [];
      throw error;
    }
  }

  #opened(connection: StreamConnection): void {
    this.#options.activity.streamOpened();
    this.#connections.add(connection);
    this.#timer ??= setInterval(() => this.#check(), CHECK).unref();
  }

  #closed(connection: StreamConnection): void {
    this.#options.activity.streamClosed();
    this.#connections.delete(connection);
    for (const name of [...connection.subscriptions.keys()]) this.#hub?.unsubscribe(connection, name);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.check(now);
  }

  #receive(connection: StreamConnection, text: string): void {
    if (text === PROTOCOL.ping) {
      connection.reply(PROTOCOL.pong, 'pong');
      return;
    }
    let fields: Fields = new Map();
    try {
      fields = readFields(text);
      this.#handleMessage(connection, fields);
    } catch (error) {
      connection.reply(this.#errorMessage(fields, error), 'error');
    }
  }

  #handleMessage(connection: StreamConnection, fields: Fields): void {
    const { event, channel } = requestIn(fields);
    if (channel === PROTOCOL.ping) {
      connection.reply(
        toJsonText({
          no: requestNumber(fields),
          code: 1000,
          success: true,
          channel: PROTOCOL.pong,
          message: 'success',
        }),
        'pong',
      );
      return;
    }
    if (connection.rate?.admit(this.#options.now()) === false)
      throw new RequestRefused(
        'tooFrequent',
        `more than ${this.#options.subscriptionsPerSecond} subscriptions a second`,
      );
    const named = readChannel(channel);
    if (named === undefined) throw new RequestRefused('emptyChannel', channel.slice(0, 60));
    if (event === PROTOCOL.unsubscribe) this.#unsubscribe(connection, channel, fields);
    else if (isMarketChannel(named.name))
      this.#subscribeMarket(connection, channel, named, MARKET_FEEDS[named.name], fields);
    else if (channels[named.name].signed) this.#subscribeUser(connection, channel, fields);
    else connection.reply(marketsMessage(this.#options.exchange()).text, 'markets');
  }

  #subscribeMarket(
    connection: StreamConnection,
    channel: string,
    named: NamedChannel,
    feedOf: (typeof MARKET_FEEDS)[keyof typeof MARKET_FEEDS],
    fields: Fields,
  ): void {
    const market = marketOf(this.#options.exchange(), named.values.market ?? '');
    const length = named.name === 'quickDepth' ? lengthOf(fields) : STREAMS.quickDepth;
    this.#requireRoom(connection, [channel]);
    const request = { type: named.values.type as CandleType, length };
    this.#subscribe(connection, channel, `${channel}/${length}`, fields, (exchange) =>
      feedOf({ exchange, market, channel }, request),
    );
  }

  #subscribeUser(connection: StreamConnection, channel: string, fields: Fields): void {
    const exchange = this.#options.exchange();
    const account = this.#accountOf(exchange, channel, fields);
    const assets = ASSETS[channel];
    if (assets !== undefined) {
      const name = `${channel}/${account.id}`;
      this.#requireRoom(connection, [name]);
      this.#subscribe(connection, name, name, fields, () => new AssetsFeed({ exchange, account, channel }, assets));
      return;
    }
    const asked = fieldText(fields, 'market');
    const markets = asked === '' ? [...exchange.markets.keys()] : [marketOf(exchange, requestedMarket(asked))];
    const name = (market: string) => `${channel}/${account.id}/${market}`;
    this.#requireRoom(connection, markets.map(name));
    const feedOf = ORDERS[channel as keyof typeof ORDERS];
    for (const market of markets) {
      this.#subscribe(connection, name(market), name(market), fields, () =>
        feedOf({ exchange, account, market, channel }),
      );
    }
  }

  #subscribe(
    connection: StreamConnection,
    name: string,
    key: string,
    fields: Fields,
    feed: (exchange: SandboxExchange) => ServedFeed,
  ): void {
    const exchange = this.#options.exchange();
    exchange.advance();
    this.#hub ??= new StreamHub(exchange, this.#options.log);
    this.#hub.subscribe(connection, name, key, wantsZip(fields), () => feed(exchange));
  }

  /** Ends the subscription of a channel. That of a user's channel is ended for all accounts, and without a market for all markets. */
  #unsubscribe(connection: StreamConnection, channel: string, fields: Fields): void {
    const asked = fieldText(fields, 'market');
    const market = asked === '' ? undefined : marketOf(this.#options.exchange(), requestedMarket(asked));
    for (const name of [...connection.subscriptions.keys()]) {
      const isMeant = name === channel || (name.startsWith(`${channel}/`) && (!market || name.endsWith(`/${market}`)));
      if (isMeant) this.#hub?.unsubscribe(connection, name);
    }
  }

  /** Throws {@link RequestRefused} if the connection would have too many subscriptions. */
  #requireRoom({ subscriptions }: StreamConnection, names: readonly string[]): void {
    const fresh = names.filter((name) => !subscriptions.has(name)).length;
    if (subscriptions.size + fresh > STREAMS.subscriptions)
      throw new RequestRefused('tooFrequent', `more than ${STREAMS.subscriptions} subscriptions`);
  }

  /** The account that signed a message. Throws {@link RequestRefused}. */
  #accountOf(exchange: SandboxExchange, channel: string, fields: Fields): Account {
    const [accessKey, sign] = [fieldText(fields, 'accesskey'), fieldText(fields, 'sign')];
    if (accessKey === '') throw new RequestRefused('badParameter', 'accesskey is missing');
    if (sign === '') throw new RequestRefused('badParameter', 'sign is missing');
    const account = exchange.customers.byAccessKey(accessKey);
    if (account === undefined) throw new RequestRefused('noUser', 'the access key is not known');
    this.#verifier.checkText(account, signedText(fields), sign);
    const permission = CHANNEL_PERMISSIONS[channel];
    if (permission !== undefined && !account.permissions[permission]) throw new RequestRefused('noPermission');
    return account;
  }

  /** Observed: `{"no", "code", "success": false, "message"}`, with the channel if there is one. */
  #errorMessage(fields: Fields, thrown: unknown): string {
    if (!(thrown instanceof RequestRefused))
      this.#options.log(`internal error in a stream: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    const { code, message } = thrown instanceof RequestRefused ? thrown : new RequestRefused('internal');
    const channel = fieldText(fields, 'channel').slice(0, 60);
    const named = channel === '' ? {} : { channel };
    return toJsonText({ no: requestNumber(fields), code, success: false, message, ...named });
  }
}

/** Observed: it is echoed. */
function requestNumber(fields: Fields): string {
  return fieldText(fields, 'no').slice(0, 60) || '0';
}

/** The market of a name without underscore. Throws {@link RequestRefused} if there is none. */
function marketOf(exchange: SandboxExchange, joined: string): string {
  for (const market of exchange.markets.keys()) if (market.replace('_', '') === joined) return market;
  throw new RequestRefused('unknownMarket', joined.slice(0, 40));
}

/** Observed: "5", "10" or "20", as text or number. */
function lengthOf(fields: Fields): number {
  const length = fieldText(fields, 'length');
  if (length === '') return STREAMS.quickDepth;
  if (!['5', '10', '20'].includes(length)) throw new RequestRefused('badParameter', 'length is not 5, 10 or 20');
  return Number(length);
}
