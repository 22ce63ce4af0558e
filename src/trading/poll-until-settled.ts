import { clockTime, tryRead } from '../errors.js';
import { backoffMs } from '../platform/backoff.js';
import type { TradingAccount } from './account.js';
import { Pauses } from './pauses.js';
import { expiresAt } from './reconcile.js';
import { type ReqTimeCheck, requestLifetimeOf } from './request-lifetime.js';

const PAUSES_MS = { first: 300, longest: 5_000 };
/** A wait is shown once it has lasted this long. */
const SHOWN_AFTER_MS = 1_000;

/** A request that was sent and got no answer. */
interface UnansweredRequest {
  /** What may be asked to find out for how long the exchange accepts it. */
  readonly checkReqTime: ReqTimeCheck;
  /** Milliseconds since the Unix epoch, by the exchange's clock, as all moments here. */
  readonly reqTime: number;
  /** Whose orders it may change; undefined for a withdrawal. */
  readonly market?: string;
}

export interface PollResult<Outcome> {
  readonly settled: Outcome | undefined;
  /** The last moment at which the exchange accepts the request; undefined if that is unknown. */
  readonly expiresAt: number | undefined;
  /** Why the last read proved nothing; undefined if the exchange answered it. */
  readonly unanswered?: string | undefined;
}

/**
 * Reads repeatedly, with longer and longer pauses, while the budget lasts, and early if the exchange pushes a
 * change in the market. A read gives the outcome, `none` if there is none yet, or undefined if the exchange could not be
 * asked. `onExpired` is called only after a read that found nothing and began after the exchange refused this reqTime as
 * expired: until then, a request that is delayed in the network can still be executed.
 */
export async function pollUntilSettled<Outcome>(
  account: TradingAccount,
  request: UnansweredRequest,
  read: () => Promise<Outcome | 'none' | undefined>,
  onExpired: () => Promise<Outcome | undefined>,
): Promise<PollResult<Outcome>> {
  const pauses = new Pauses(account, request.market);
  const wait = new ShownWait(account);
  try {
    return await poll(account, request, { pauses, wait }, read, onExpired);
  } finally {
    wait.end();
    pauses.close();
  }
}

/** A wait that is shown to the user once it lasts. */
class ShownWait {
  #hide: (() => void) | undefined;
  readonly #start: number;
  /** The last moment at which the exchange accepts the request; undefined while it is unknown. */
  expires: number | undefined;

  constructor(private readonly account: TradingAccount) {
    this.#start = account.host.monotonic();
  }

  showIfLong(): void {
    const { host, client, budget, showWait } = this.account;
    if (this.#hide !== undefined || host.monotonic() - this.#start < SHOWN_AFTER_MS) return;
    const expiresInMs = () => (this.expires === undefined ? undefined : Math.max(0, this.expires - client.now()));
    this.#hide = showWait?.({ expiresInMs, leftMs: () => budget.remainingMs });
  }

  end(): void {
    this.#hide?.();
  }
}

async function poll<Outcome>(
  account: TradingAccount,
  request: UnansweredRequest,
  { pauses, wait }: { readonly pauses: Pauses; readonly wait: ShownWait },
  read: () => Promise<Outcome | 'none' | undefined>,
  onExpired: () => Promise<Outcome | undefined>,
): Promise<PollResult<Outcome>> {
  const { client, budget, host } = account;
  const { checkReqTime, reqTime } = request;
  let isExpired = false;
  for (let count = 0; ; ) {
    isExpired ||= await isRejectedAsExpired(account, request);
    const start = host.monotonic();
    const found = await read();
    // the answer corrects what is known of the exchange's clock: before, that may be a day old
    const readAt = client.now() - (host.monotonic() - start);
    if (found !== 'none' && found !== undefined) return { settled: found, expiresAt: undefined };
    const lifetime = found === 'none' ? await tryRead(() => requestLifetimeOf(account, checkReqTime)) : undefined;
    const end = lifetime === undefined ? undefined : expiresAt(reqTime, lifetime);
    const settled = isExpired && end !== undefined && readAt > end ? await onExpired() : undefined;
    if (settled !== undefined) return { settled, expiresAt: end };
    const usual = nextPause(count, end === undefined ? undefined : end - client.now());
    // half of what is left, so that the last read comes near the end
    const pause = Math.min(usual, budget.remainingMs / 2);
    const isOver = pause < Math.min(usual, PAUSES_MS.first) || isLockedUntilTheEnd(account);
    if (isOver)
      return {
        settled: undefined,
        expiresAt: end,
        unanswered: found === 'none' ? undefined : whyUnanswered(client),
      };
    wait.expires = end ?? wait.expires;
    wait.showIfLong();
    count += (await pauses.wait(pause)) ? 0 : 1;
  }
}

/**
 * Whether the exchange, asked once the request must have expired, refuses its very `reqTime`. The remembered lifetime may
 * be of another day or another node: if the exchange still accepts the request, the lifetime is measured again. Asked
 * before a read, so that nothing is executed between them.
 */
async function isRejectedAsExpired(
  account: TradingAccount,
  { checkReqTime, reqTime }: UnansweredRequest,
): Promise<boolean> {
  const { requestLifetime, client, reportProgress } = account;
  const isOver = () =>
    requestLifetime.measuredMs !== undefined && client.now() > expiresAt(reqTime, requestLifetime.measuredMs);
  if (!isOver()) return false;
  const isAccepted = await tryRead(() => checkReqTime(account, reqTime));
  // again: the answer corrects what is known of the exchange's clock, and another one may have been here first
  if (isAccepted === true && isOver()) {
    reportProgress("The exchange's time tolerance has changed; measuring it again.");
    await requestLifetime.clear();
  }
  return isAccepted === false;
}

/** Nothing that is asked before the budget ends would be answered. */
function isLockedUntilTheEnd({ client: { lockedUntil }, budget, host }: TradingAccount): boolean {
  return lockedUntil !== undefined && lockedUntil > host.now() + budget.remainingMs;
}

function whyUnanswered({ lockedUntil }: TradingAccount['client']): string {
  if (lockedUntil === undefined) return 'the exchange could not be read';
  return `the exchange has locked this machine's address until ${clockTime(lockedUntil)}`;
}

/** When the outcome is certain, by this machine's clock in ms since the Unix epoch; null if unknown. */
export function decidableAt({ client, host }: TradingAccount, end: number | undefined): number | null {
  return end !== undefined && Number.isFinite(end) ? host.now() + (end - client.now()) : null;
}

/** The same for requests that were looked up before, by the remembered lifetime: for all of them. */
export function allDecidableAt(
  account: TradingAccount,
  requests: readonly Pick<UnansweredRequest, 'reqTime'>[],
): number | null {
  const { measuredMs } = account.requestLifetime;
  return measuredMs === undefined
    ? null
    : decidableAt(account, expiresAt(Math.max(...requests.map(({ reqTime }) => reqTime)), measuredMs));
}

/** Doubles with each read, and ends with the wait. */
function nextPause(count: number, untilCertain: number | undefined): number {
  const usual = backoffMs(count, PAUSES_MS);
  return untilCertain !== undefined && untilCertain >= 0 ? Math.min(usual, untilCertain + 1) : usual;
}
