import type { Context } from '../../cli/context.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';

/** The destination of a write, as the user confirms it: the trade host and the profile. */
export async function exchangeText(
  { session }: Pick<Context, 'session'>,
  { hosts }: Pick<ExchangeClient, 'hosts'>,
): Promise<string> {
  const { profile } = await session.connection();
  return `${hosts.tradeUrl} (profile ${profile})`;
}
