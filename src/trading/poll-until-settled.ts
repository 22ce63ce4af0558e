import { localTimeText, tryRead } from '../errors.js';
import { datedRead } from '../exchange/exchange-clock.js';
import { backoffMs } from '../platform/backoff.js';
import { Pauses } from './pauses.js';
import { expiresAt } from './reconcile.js';
import { type ReqTimeCheck, requestLifetimeOf } from './request-lifetime.js';
import type { TradingContext } from './trading-context.js';

const PAUSES_MS = { first: 300, longest: 5_000 };
/** A wait is shown once it has lasted this long. */
const SHOWN_AFTER_MS = 1_000;

/** A request that was sent and got no answer. */
interface UnansweredRequest {
  /** Asks the exchange whether it accepts a `reqTime`, with a read that the key may make. */
  readonly checkReqTime: ReqTimeCheck;
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The market whose orders it may change; undefined for a withdrawal. */
  readonly market?: string;
}

export interface PollResult<Outcome> {
  readonly settled: Outcome | undefined;
  /** The last moment at which the exchange accepts the request; undefined if that is unknown. */
  readonly expiry: number | undefined;
  /** Why the last read proved nothing; undefined if the exchange answered it. */
  readonly unanswered?: string | undefined;
}

/**
 * Reads again and again until the outcome is found or the budget ends. Each pause is longer than the one before; a push of
 * the exchange ends it early.
 *
 * @param read returns the outcome, `none` if there is none yet, or undefined if the exchange could not be asked
 * @param onExpired called after a read that found nothing and began after the exchange rejected this `reqTime` as expired:
 *   until then, a request that is delayed in the network can still be executed
 */
export async function pollUntilSettled<Outcome>(
  trading: TradingContext,
  request: UnansweredRequest,
  read: () => Promise<Outcome | 'none' | undefined>,
  onExpired: () => Promise<Outcome | undefined>,
): Promise<PollResult<Outcome>> {
  const pauses = new Pauses(trading, request.market);
  const wait = new ShownWait(trading);
  try {
    return await poll(trading, request, { pauses, wait }, read, onExpired);
  } finally {
    wait.end();
    pauses.close();
  }
}

/** A wait that is shown to the user once it has lasted for a second. */
class ShownWait {
  #hide: (() => void) | undefined;
  readonly #start: number;
  /** The last moment at which the exchange accepts the request; undefined while it is unknown. */
  expiry: number | undefined;

  constructor(private readonly trading: TradingContext) {
    this.#start = trading.host.monotonic();
  }

  showIfLong(): void {
    const { host, client, budget, showWait } = this.trading;
    if (this.#hide !== undefined || host.monotonic() - this.#start < SHOWN_AFTER_MS) return;
    const expiresInMs = () => (this.expiry === undefined ? undefined : Math.max(0, this.expiry - client.now()));
    this.#hide = showWait?.({ expiresInMs, leftMs: () => budget.remainingMs });
  }

  end(): void {
    this.#hide?.();
  }
}

async function poll<Outcome>(
  trading: TradingContext,
  request: UnansweredRequest,
  { pauses, wait }: { readonly pauses: Pauses; readonly wait: ShownWait },
  read: () => Promise<Outcome | 'none' | undefined>,
  onExpired: () => Promise<Outcome | undefined>,
): Promise<PollResult<Outcome>> {
  const { client, budget } = trading;
  const { checkReqTime, reqTime } = request;
  let isExpired = false;
  for (let count = 0; ; ) {
    isExpired ||= await isRejectedAsExpired(trading, request);
    const { value: found, began } = await datedRead(trading, read);
    if (found !== 'none' && found !== undefined) return { settled: found, expiry: undefined };
    const lifetime = found === 'none' ? await tryRead(() => requestLifetimeOf(trading, checkReqTime)) : undefined;
    const expiry = lifetime === undefined ? undefined : expiresAt(reqTime, lifetime);
    const settled = isExpired && expiry !== undefined && began > expiry ? await onExpired() : undefined;
    if (settled !== undefined) return { settled, expiry };
    const usual = nextPause(count, expiry === undefined ? undefined : expiry - client.now());
    // half of what is left, so that the last read comes near the end
    const pause = Math.min(usual, budget.remainingMs / 2);
    const isOutOfTime = pause < Math.min(usual, PAUSES_MS.first) || isLockedUntilTheEnd(trading);
    if (isOutOfTime)
      return {
        settled: undefined,
        expiry,
        unanswered: found === 'none' ? undefined : whyUnanswered(client),
      };
    wait.expiry = expiry ?? wait.expiry;
    wait.showIfLong();
    count += (await pauses.wait(pause)) ? 0 : 1;
  }
}

/**
 * Whether the exchange rejects the `reqTime` of this request as expired. pit asks once the measured lifetime is over. If the
 * exchange still accepts the `reqTime`, the lifetime was that of another day or another node, and is measured again. This
 * comes before a read, so that nothing can be executed between the two.
 */
async function isRejectedAsExpired(
  trading: TradingContext,
  { checkReqTime, reqTime }: UnansweredRequest,
): Promise<boolean> {
  const { requestLifetime, client, reportProgress } = trading;
  const isLifetimeOver = () =>
    requestLifetime.measuredMs !== undefined && client.now() > expiresAt(reqTime, requestLifetime.measuredMs);
  if (!isLifetimeOver()) return false;
  const isAccepted = await tryRead(() => checkReqTime(trading, reqTime));
  // checked again: the answer corrects the estimate of the exchange's clock, and a concurrent poll may have cleared the value
  if (isAccepted === true && isLifetimeOver()) {
    reportProgress("The exchange's time tolerance has changed; measuring it again.");
    await requestLifetime.clear();
  }
  return isAccepted === false;
}

/** Whether the exchange's lock lasts longer than the budget, so that no further read would be answered. */
function isLockedUntilTheEnd({ client: { lockedUntil }, budget, host }: TradingContext): boolean {
  return lockedUntil !== undefined && lockedUntil > host.now() + budget.remainingMs;
}

function whyUnanswered({ lockedUntil }: TradingContext['client']): string {
  if (lockedUntil === undefined) return 'the exchange could not be read';
  return `the exchange has locked this machine's address until ${localTimeText(lockedUntil)}`;
}

/** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
export function certainAt({ client, host }: TradingContext, expiry: number | undefined): number | null {
  return expiry !== undefined && Number.isFinite(expiry) ? host.now() + (expiry - client.now()) : null;
}

/** When the outcomes of all these requests are certain, by the lifetime that was measured; null if unknown. */
export function allCertainAt(
  trading: TradingContext,
  requests: readonly Pick<UnansweredRequest, 'reqTime'>[],
): number | null {
  const { measuredMs } = trading.requestLifetime;
  return measuredMs === undefined
    ? null
    : certainAt(trading, expiresAt(Math.max(...requests.map(({ reqTime }) => reqTime)), measuredMs));
}

/** The pause doubles with each read, but never goes beyond the moment at which the outcome is certain. */
function nextPause(count: number, msUntilExpiry: number | undefined): number {
  const usual = backoffMs(count, PAUSES_MS);
  return msUntilExpiry !== undefined && msUntilExpiry >= 0 ? Math.min(usual, msUntilExpiry + 1) : usual;
}
