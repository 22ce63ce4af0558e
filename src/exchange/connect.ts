/*
 * What a session makes an exchange of: its clients, its limits and its latch, its streams and its feeds. Rarely used modules are
 * loaded on demand.
 */
import { type Cache, marketsKey } from '../config/cache.js';
import type { ProfileConnection } from '../config/connection.js';
import { passwordsOf, redisProblem, shareOf } from '../config/settings.js';
import type { Failure } from '../errors.js';
import type { Host } from '../platform/host.js';
import { RehearsalClock } from '../platform/rehearsal-clock.js';
import type { TimeBudget } from '../platform/time-budget.js';
import type { ApiOptions } from './exchange-api.js';
import type { Exchange } from './exchange-client.js';
import { cachedOffset, ExchangeClock, type OffsetStore } from './exchange-clock.js';
import { Latch } from './limiter/latch.js';
import { Redis } from './limiter/redis-store.js';
import { clearLimits, hostKey, type Sharing } from './limiter/shared-limits.js';
import type { LimiterState } from './limiter/state.js';
import { type Network, TransportError } from './requests/transport.js';
import type { ConnectionUser } from './stream/connection.js';
import type { Channel, ExchangeStream } from './stream/events.js';
import type { Feeds, FeedsOptions } from './stream/feeds.js';
import { type OrderPushes, OrderPushStreams } from './stream/order-pushes.js';

export { type ClientOptions, ExchangeClient } from './exchange-client.js';
export type { ExchangeClock } from './exchange-clock.js';
export type { Latch, SetHalt } from './limiter/latch.js';
export type { RateLimits } from './limiter/limiter.js';
export { type Sharing, sharedRateLimits } from './limiter/shared-limits.js';
export { Network, requireCertificates, type SendRequest, TransportError } from './requests/transport.js';
export { isPrivate } from './stream/events.js';
export type { OrderPushes } from './stream/order-pushes.js';

/** What is kept of the sandbox has one name wherever it listens. */
const SANDBOX = 'sandbox';

/**
 * With which processes the limits are shared: those of this `PIT_HOME` and, over the profile's Redis, those of other
 * machines.
 *
 * @param keyDigest returns the digest of the access key, or throws Failure `credentials` without keys
 * @param onUnshared called once when limits are no longer shared
 */
export function sharingOf(
  host: Host,
  { baseUrl, tradeUrl, settings }: Pick<ProfileConnection, 'baseUrl' | 'tradeUrl' | 'settings'>,
  keyDigest: () => string,
  onUnshared: (message: string) => void,
): Sharing {
  const { limiter, limiterShare } = settings;
  if (limiter !== undefined) for (const password of passwordsOf(limiter)) host.redaction.addSecret(password);
  const limitKey = (url: string | null) => (url === null ? SANDBOX : hostKey(url));
  return {
    root: host.directories.state,
    now: host.now,
    monotonic: host.monotonic,
    share: shareOf(limiterShare),
    keyDigest,
    hosts: { base: limitKey(baseUrl), trade: limitKey(tradeUrl) },
    ...(limiter === undefined ? {} : { redisUrl: limiter, redisProblem: redisProblem(limiter, host.environment) }),
    onUnshared,
  };
}

/**
 * The latch of an account, for all that share its limits.
 * @param account the name by which its latch is known
 * @param secretKey that of the account, asked for when other machines are to believe that a halt was lifted
 */
export function latchOf(
  { root, now, monotonic, redisUrl, redisProblem: problem }: Sharing,
  account: string,
  secretKey: () => Promise<string>,
): Latch {
  const redis = redisUrl === undefined ? undefined : new Redis(redisUrl, problem);
  return new Latch({ root, account, redis, now, monotonic, secretKey });
}

/** The state of the limits, and with whom they are shared. Asks the exchange nothing. */
export async function limiterState(sharing: Sharing): Promise<LimiterState> {
  return (await import('./limiter/state.js')).limiterState(sharing);
}

/**
 * Waits until every request that is on its way was answered or was not sent. Returns how many still are when the time is over,
 * or why that is unknown.
 */
export async function waitForRequests(
  sharing: Sharing,
  latch: Latch,
  host: Host,
  budget: TimeBudget,
): Promise<number | string> {
  return (await import('./limiter/under-way.js')).waitForRequests(sharing, latch, host, budget);
}

/** Channels, and how they are followed. */
export interface Following extends Pick<FeedsOptions, 'host' | 'channels' | 'clientOf' | 'orderMarkets'> {
  readonly credentials: ApiOptions['credentials'];
  /** Asked for the names of its markets. */
  readonly exchange: () => Promise<Exchange>;
  /** Returns the address of the WebSocket; asked before each connection. Null if the exchange has no streams. */
  readonly address: (() => Promise<string>) | null;
  readonly network: Network;
  /** Shows each connection and subscription. */
  readonly trace?: ((line: string) => void) | undefined;
}

/** What a command chooses about its streams. */
export interface StreamChoices extends Pick<FeedsOptions, 'signal' | 'reads' | 'wantedSince'> {
  /** How long the first connection may take, in milliseconds. Absent: no limit. */
  readonly connectMs?: number;
}

/** Follows channels until it is closed. Throws Failure `credentials` without a key for a channel. */
export async function openStream(following: Following, choices: StreamChoices): Promise<ExchangeStream> {
  const { StreamClient } = await import('./stream/stream-client.js');
  const { connectMs, signal, reads, wantedSince } = choices;
  return new StreamClient({
    ...(await feedsOptions(following, connectMs)),
    ...(reads === undefined ? {} : { reads }),
    wantedSince,
    signal: AbortSignal.any([following.host.endSignal, signal].filter((one) => one !== undefined)),
  });
}

/**
 * Keeps channels current until it is closed: from the stream, and by polling within the shared limits while there is none.
 * Connects in the background.
 */
export async function openFeeds(following: Following): Promise<Feeds> {
  const { Feeds } = await import('./stream/feeds.js');
  return new Feeds({ ...(await feedsOptions(following)), signal: following.host.endSignal });
}

async function feedsOptions(following: Following, connectMs?: number) {
  const { host, channels, clientOf, orderMarkets, credentials, exchange, address, network, trace } = following;
  return {
    ...{ host, channels, clientOf, orderMarkets },
    requireKeys: credentials,
    marketNamed: await marketsByPushedName(channels, exchange),
    connection: address === null ? null : await connectionOf({ host, address, credentials, network, connectMs, trace }),
  };
}

/** Pushes of a channel that covers all markets name them without the underscore. */
async function marketsByPushedName(channels: readonly Channel[], exchange: () => Promise<Exchange>) {
  const isAll = channels.some((channel) => channel.kind === 'orders' && channel.market === undefined);
  const markets = isAll ? await (await exchange()).markets.all() : [];
  const byName = new Map(markets.map(({ market }) => [market.replace('_', ''), market]));
  return (name: string) => byName.get(name);
}

async function connectionOf(options: ConstructorParameters<typeof import('./stream/connection.js').Connection>[0]) {
  const { Connection } = await import('./stream/connection.js');
  return (user: ConnectionUser) => new Connection(options, user);
}

/**
 * Signals when the exchange pushes a change of an order of a market, so that a wait may read again. It never fails.
 * @param open opens a stream of the orders of a market
 */
export function followOrderPushes(
  open: (market: string, signal: AbortSignal) => Promise<ExchangeStream>,
): (market: string) => OrderPushes {
  let streams: OrderPushStreams | undefined;
  return (market) => {
    streams ??= new OrderPushStreams(open);
    return streams.of(market);
  };
}

/** The clock of the market-data host for all clients of a session: what one of them reads shows the time to the others. */
export function marketClockOf(host: Host): ExchangeClock {
  return new ExchangeClock(host, undefined, RehearsalClock.of(host));
}

/** Keeps the offset of an exchange's clock for later commands. @param tradeUrl null for the sandbox */
export function offsetStoreOf(cache: Cache, tradeUrl: string | null, host: Host): OffsetStore {
  return cachedOffset(cache, clockKey(tradeUrl), host);
}

/** Caches how far the sandbox's clock is ahead of this machine's, in milliseconds; null: it follows this machine's. */
export async function keepSandboxOffset(cache: Cache, host: Host, offsetMs: number | null): Promise<void> {
  if (offsetMs === null) await cache.remove(clockKey(null));
  else offsetStoreOf(cache, null, host).write(offsetMs);
}

function clockKey(tradeUrl: string | null): string {
  return `offset ${tradeUrl ?? SANDBOX}`;
}

/** Forgets the markets of a sandbox whose exchange may have other ones now. */
export async function forgetMarkets(cache: Cache, baseUrl: string): Promise<void> {
  await cache.remove(marketsKey(baseUrl));
}

/** Forgets what a sandbox that has ended had counted against its limits. @param root the folder of pit's state */
export function clearSandboxLimits(root: string): void {
  clearLimits(root, SANDBOX);
}

/** Why a host could not be reached, if that is why a request failed. */
export function networkFault({ cause }: Failure): Pick<TransportError, 'fault' | 'message' | 'hint'> | undefined {
  return cause instanceof TransportError ? cause : undefined;
}

/** The host and port of the proxy that a URL is reached through; undefined without one. */
export async function proxyOf(url: string): Promise<string | undefined> {
  const { proxyFor } = await import('./network/proxy.js');
  return proxyFor(new URL(url))?.host;
}
