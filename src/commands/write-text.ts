import type { Context } from '../cli/context.js';
import { Failure, type FailureKind, suggest } from '../errors.js';
import type { ExchangeClient } from '../exchange/exchange-client.js';

/** The destination of a write, as the user confirms it: the trade host and the profile. */
export async function exchangeText(
  { session }: Pick<Context, 'session'>,
  { hosts }: Pick<ExchangeClient, 'hosts'>,
): Promise<string> {
  const { profile } = await session.connection();
  return `${hosts.tradeUrl} (profile ${profile})`;
}

/** A write that was not sent. */
interface NotSent {
  readonly reason: string;
  readonly failure: FailureKind;
}

/** The failure of a write that was not sent; `what` is "The order" or the like. */
export function notSent(what: string, { reason, failure }: NotSent, clientId: string): Failure {
  const hint = failure === 'unreachable' ? { hint: suggest('Check the host and the network', 'profile', 'show') } : {};
  return new Failure(failure, `${what} was not sent: ${reason}.`, { clientId, ...hint });
}
