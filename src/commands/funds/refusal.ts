import { nearest } from '../../config/nearest.js';
import { Failure, suggest, tryRead, usage } from '../../errors.js';
import type { Exchange, Pages } from '../../exchange/exchange.js';
import { type PermittedCommand, permissionHint } from '../account/permissions.js';
import type { Context } from '../session/command.js';

/** What a funds operation is about. */
interface Subject {
  readonly coin?: string | undefined;
  /** The command, unless it needs no key. */
  readonly command?: PermittedCommand;
}

/**
 * Performs a funds operation and explains its refusal. Throws Failure `usage` with the nearest names for a coin that the
 * exchange does not list, a hint about the permission that the key lacks, or else what was thrown.
 */
export async function explainRefusal<Value>(
  context: Pick<Context, 'session'>,
  subject: Subject,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw await explanationOf(context, subject, error);
  }
}

/** The same for an operation that reads pages. */
export async function* explainRefusalOfPages<Entry>(
  context: Pick<Context, 'session'>,
  subject: Subject,
  pages: Pages<Entry>,
): Pages<Entry> {
  try {
    return yield* pages;
  } catch (error) {
    throw await explanationOf(context, subject, error);
  }
}

async function explanationOf({ session }: Pick<Context, 'session'>, { coin, command }: Subject, error: unknown) {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error;
  if (error.refusal === 'noPermission' && command !== undefined) return error.hinting(permissionHint(command));
  const coins = coin === undefined ? undefined : await tryRead(async () => coinsOf(await session.exchange()));
  const isUnknown = coin !== undefined && coins !== undefined && coins.length > 0 && !coins.includes(coin);
  return isUnknown ? unknownCoin(coin, coins) : error;
}

async function coinsOf(client: Exchange): Promise<string[]> {
  return [...new Set((await client.fees({})).map(({ coin }) => coin))];
}

/** An unknown coin, with the nearest names. */
export function unknownCoin(coin: string, coins: readonly string[]): Failure {
  const close = nearest(coin, coins);
  return usage(
    `This exchange has no coin ${coin}.`,
    close.length === 0 ? suggest('See the coins', 'balance', '--all') : `Did you mean ${close.join(' or ')}?`,
  );
}
