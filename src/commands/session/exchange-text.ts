import type { Context } from '../../cli/context.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';

/** Where a write goes, as the one who is asked about it reads it: the trade host and the profile. */
export async function exchangeText(
  { session }: Pick<Context, 'session'>,
  { hosts }: Pick<ExchangeClient, 'hosts'>,
): Promise<string> {
  const { profile } = await session.connection();
  return `${hosts.tradeUrl} (profile ${profile})`;
}
