import { localTimeText, tryRead } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import { newClientId } from '../orders/terms.js';
import type { TradingContext } from '../trading-context.js';
import { Pauses } from './pauses.js';
import { expiresAt } from './reconcile.js';

const PAUSES_MS = { first: 300, longest: 5_000 };
/** Left for the last reads, once the request has expired. */
const AFTER_EXPIRY_MS = 30_000;
const ACCEPTS_LONGER = 'the exchange accepts requests for longer than the setting reqTimeTolerance says';
/** A wait is shown once it has lasted this long. */
const SHOWN_AFTER_MS = 1_000;

/** A request whose outcome is looked for. */
interface OpenRequest {
  /** By the exchange's clock, in milliseconds since the Unix epoch. */
  readonly reqTime: number;
  /** The market whose orders it may change, or the coin that it withdraws. */
  readonly of: { readonly market: string } | { readonly coin: string };
}

type Read<Outcome> = (isExpired: boolean) => Promise<Outcome | 'none' | undefined>;

export interface PollResult<Outcome> {
  readonly found: Outcome | undefined;
  /** Why the last read proved nothing, as a part of a sentence; undefined if the request may simply still arrive. */
  readonly unproven?: string | undefined;
}

/**
 * Reads again and again until the outcome is found or the budget ends. Unless the user has set the time, the budget lasts until the
 * request has expired and the exchange was asked after that. Each pause is longer than the one before; a push of the exchange ends it.
 * A request that should have expired long before, and that the exchange still accepts, is read once.
 *
 * @param read returns the outcome, `none` if there is none yet, or undefined if the exchange could not be asked. `isExpired`
 *   says whether the exchange has rejected this `reqTime` as expired: until then, a request that is delayed in the network can
 *   still be executed
 */
export async function pollUntilFound<Outcome>(
  trading: TradingContext,
  request: OpenRequest,
  read: Read<Outcome>,
): Promise<PollResult<Outcome>> {
  const pauses = new Pauses(trading, 'market' in request.of ? request.of.market : undefined);
  const wait = new ShownWait(trading);
  try {
    return await poll(trading, request, { pauses, wait }, read);
  } finally {
    wait.end();
    pauses.close();
  }
}

/** A wait that is shown to the user once it has lasted for a second. */
class ShownWait {
  readonly #trading: TradingContext;

  #hide: (() => void) | undefined;
  readonly #start: number;

  constructor(trading: TradingContext) {
    this.#trading = trading;

    this.#start = trading.host.monotonic();
  }

  showIfLong(): void {
    const { host, budget, showWait } = this.#trading;
    if (this.#hide !== undefined || host.monotonic() - this.#start < SHOWN_AFTER_MS) return;
    this.#hide = showWait?.({ leftMs: () => budget.remainingMs });
  }

  end(): void {
    this.#hide?.();
  }
}

async function poll<Outcome>(
  trading: TradingContext,
  request: OpenRequest,
  { pauses, wait }: { readonly pauses: Pauses; readonly wait: ShownWait },
  read: Read<Outcome>,
): Promise<PollResult<Outcome>> {
  const { client, budget, requestLifetimeMs } = trading;
  const expiry = expiresAt(request.reqTime, requestLifetimeMs);
  const isLate = client.now() > expiry + AFTER_EXPIRY_MS;
  budget.allowFor(Math.max(0, expiry - client.now()) + AFTER_EXPIRY_MS);
  let isAccepted: boolean | undefined;
  for (let count = 0; ; ) {
    // asked before a read, so that nothing can be executed between the two
    if (isAccepted !== false && client.now() > expiry) {
      isAccepted = await tryRead(() => acceptsReqTime(trading, request));
    }
    // the answer may have shown that the clock was ahead
    const found = await read(isAccepted === false && client.now() > expiry);
    if (found !== 'none' && found !== undefined) return { found };
    // the exchange may check no reqTime at all: then waiting decides nothing
    if (isLate && found === 'none' && isAccepted === true) return { found: undefined, unproven: ACCEPTS_LONGER };
    const usual = nextPause(count, expiry - client.now());
    // half of what is left, so that the last read comes near the end
    const pause = Math.min(usual, budget.remainingMs / 2);
    const isOutOfTime = pause < Math.min(usual, PAUSES_MS.first) || isLockedUntilTheEnd(trading);
    if (isOutOfTime)
      return {
        found: undefined,
        unproven: found === 'none' ? (isAccepted === true ? ACCEPTS_LONGER : undefined) : whyUnanswered(client),
      };
    wait.showIfLong();
    count += (await pauses.wait(pause)) ? 0 : 1;
  }
}

/**
 * Whether the exchange still accepts the `reqTime` of this request. Throws the Failure of a read if it does not answer. The read
 * depends on the write, because a key that may withdraw may lack the permission for orders.
 */
export function acceptsReqTime({ client, host }: TradingContext, { of, reqTime }: OpenRequest): Promise<boolean> {
  return 'market' in of
    ? client.acceptsReqTimeForOrders(of.market, newClientId(host), reqTime)
    : client.acceptsReqTimeForWithdrawals(of.coin, reqTime);
}

/** Whether the exchange's lock lasts longer than the budget, so that no further read would be answered. */
function isLockedUntilTheEnd({ client: { lockedUntil }, budget, host }: TradingContext): boolean {
  return lockedUntil !== undefined && lockedUntil > host.now() + budget.remainingMs;
}

function whyUnanswered({ lockedUntil }: TradingContext['client']): string {
  if (lockedUntil === undefined) return 'the exchange could not be read';
  return `the exchange has locked this machine's address until ${localTimeText(lockedUntil)}`;
}

/**
 * When these requests expire according to the setting `reqTimeTolerance`, by this machine's clock in ms since the Unix epoch. From then
 * on their outcomes can be found out, if the exchange rejects what has expired: its interface does not promise that. Null if they
 * should have expired already.
 */
export function localExpiry(
  { client, host, requestLifetimeMs }: TradingContext,
  ...requests: readonly Pick<OpenRequest, 'reqTime'>[]
): number | null {
  const latest = Math.max(...requests.map(({ reqTime }) => reqTime));
  const leftMs = expiresAt(latest, requestLifetimeMs) - client.now();
  return leftMs > 0 ? host.now() + leftMs : null;
}

/** The pause doubles with each read, but never goes beyond the moment at which the request expires. */
function nextPause(count: number, msUntilExpiry: number): number {
  const usual = backoffMs(count, PAUSES_MS);
  return msUntilExpiry >= 0 ? Math.min(usual, msUntilExpiry + 1) : usual;
}
