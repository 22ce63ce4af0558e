import { Failure } from '../errors.js';
import type { TradingAccount } from './account.js';
import { type Intent, isOf } from './journal/intent.js';
import { newClientId } from './orders/terms.js';

/**
 * The oldest request that is tried to measure the tolerance; if the exchange accepts it, the tolerance counts as unlimited. Higher
 * than {@link LONGEST_TOLERANCE_MS}, so that a tolerance up to that one is always measured.
 */
export const LONGEST_PROBED_MS = 900_000;
const STEP_MS = 1_000;

/** The tolerance until it is measured. */
const USUAL_TOLERANCE_MS = 60_000;
/** The most that is assumed: an exchange without a limit would keep every request open for ever. */
const LONGEST_TOLERANCE_MS = 600_000;

/** For how long after its `reqTime` a request may be executed, in milliseconds: as measured, within bounds. */
export function assumedTolerance({ tolerance }: Pick<TradingAccount, 'tolerance'>): number {
  return Math.min(tolerance.known ?? USUAL_TOLERANCE_MS, LONGEST_TOLERANCE_MS);
}

/**
 * Whether the exchange accepts this `reqTime`, asked with a read. The read depends on the write: a key that may withdraw may
 * lack the permission for orders.
 */
export type Probe = (account: TradingAccount, reqTime: number) => Promise<boolean>;

/** Asks for an order that does not exist. */
export function orderProbe(market: string): Probe {
  return ({ client, host }, reqTime) => client.acceptsForOrders(market, newClientId(host), reqTime);
}

/** Asks for a withdrawal record. */
function recordProbe(coin: string): Probe {
  return ({ client }, reqTime) => client.acceptsForWithdrawals(coin, reqTime);
}

/** The tolerance check for a write that can be looked up. */
export function probeOf(intent: Exclude<Intent, Intent<'call'>>): Probe {
  return isOf(intent, 'withdraw') ? recordProbe(intent.terms.coin) : orderProbe(intent.terms.market);
}

/**
 * How long after its `reqTime` the exchange accepts a request: milliseconds, rounded up to a second; Infinity if it accepted
 * every age tried. Found by bisection, then remembered. Throws Failure as the client's `read`.
 */
export async function toleranceOf(account: TradingAccount, probe: Probe): Promise<number> {
  const { tolerance, client, host } = account;
  if (tolerance.known !== undefined) return tolerance.known;
  const accepts = (age: number) => probe(account, client.now() - age);
  if (!(await accepts(0))) {
    const hint = "Check this machine's clock.";
    throw new Failure('refused', 'The exchange rejects requests that carry the current time.', { hint });
  }
  if (await accepts(LONGEST_PROBED_MS)) return Number.POSITIVE_INFINITY;
  let [accepted, refused] = [0, LONGEST_PROBED_MS];
  while (refused - accepted > STEP_MS) {
    const middle = Math.round((accepted + refused) / 2);
    const start = host.monotonic();
    if (await accepts(middle)) accepted = middle;
    else {
      // a request that was delayed in the network was older when the exchange refused it
      const most = middle + (host.monotonic() - start);
      if (most >= refused) break;
      refused = most;
    }
  }
  const found = Math.ceil(refused / STEP_MS) * STEP_MS;
  await tolerance.keep(found);
  return found;
}
