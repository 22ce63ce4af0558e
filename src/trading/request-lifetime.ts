import { Failure } from '../errors.js';
import { isKind, type RecordedWrite } from './journal/write.js';
import { newClientId } from './orders/terms.js';
import type { TradingContext } from './trading-context.js';

/**
 * The greatest age that is tried to measure the lifetime. If the exchange accepts it, the lifetime counts as unlimited. It is
 * above {@link LONGEST_LIFETIME_MS}, so that every lifetime up to that one is measured.
 */
export const LONGEST_TRIED_MS = 900_000;
const STEP_MS = 1_000;

/** The lifetime that is assumed until it is measured. */
const USUAL_LIFETIME_MS = 60_000;
/** The longest lifetime that is assumed: without a limit, every request would stay open for ever. */
const LONGEST_LIFETIME_MS = 600_000;

/** For how long after its `reqTime` a request may be executed, in milliseconds: as measured, within bounds. */
export function assumedRequestLifetime({ requestLifetime }: Pick<TradingContext, 'requestLifetime'>): number {
  return Math.min(requestLifetime.measuredMs ?? USUAL_LIFETIME_MS, LONGEST_LIFETIME_MS);
}

/**
 * Asks with a read whether the exchange accepts this `reqTime`. The read depends on the write, because a key that may
 * withdraw may lack the permission for orders.
 */
export type ReqTimeCheck = (trading: TradingContext, reqTime: number) => Promise<boolean>;

/** Asks for an order that does not exist. */
export function orderReqTimeCheck(market: string): ReqTimeCheck {
  return ({ client, host }, reqTime) => client.acceptsReqTimeForOrders(market, newClientId(host), reqTime);
}

/** Asks for a withdrawal record. */
function withdrawalReqTimeCheck(coin: string): ReqTimeCheck {
  return ({ client }, reqTime) => client.acceptsReqTimeForWithdrawals(coin, reqTime);
}

/** The check with the permission that the write itself needs. */
export function reqTimeCheckFor(write: Exclude<RecordedWrite, RecordedWrite<'call'>>): ReqTimeCheck {
  return isKind(write, 'withdraw') ? withdrawalReqTimeCheck(write.terms.coin) : orderReqTimeCheck(write.terms.market);
}

/**
 * How long after its `reqTime` the exchange accepts a request: milliseconds, rounded up to a second; Infinity if it accepted
 * every age tried. It is found by bisection and saved. Throws Failure `refused` if even the current time is rejected;
 * `unreachable`, `limited`, `credentials` or `internal` if the exchange cannot be asked.
 */
export async function requestLifetimeOf(trading: TradingContext, checkReqTime: ReqTimeCheck): Promise<number> {
  const { requestLifetime, client, host } = trading;
  if (requestLifetime.measuredMs !== undefined) return requestLifetime.measuredMs;
  const accepts = (age: number) => checkReqTime(trading, client.now() - age);
  if (!(await accepts(0))) {
    const hint = "Check this machine's clock.";
    throw new Failure('refused', 'The exchange rejects requests that carry the current time.', { hint });
  }
  if (await accepts(LONGEST_TRIED_MS)) return Number.POSITIVE_INFINITY;
  let [accepted, refused] = [0, LONGEST_TRIED_MS];
  while (refused - accepted > STEP_MS) {
    const middle = Math.round((accepted + refused) / 2);
    const start = host.monotonic();
    if (await accepts(middle)) accepted = middle;
    else {
      // a request that was delayed in the network was older when the exchange rejected it
      const max = middle + (host.monotonic() - start);
      if (max >= refused) break;
      refused = max;
    }
  }
  const found = Math.ceil(refused / STEP_MS) * STEP_MS;
  await requestLifetime.save(found);
  return found;
}
