import type { Context } from '../../cli/context.js';
import { nearest } from '../../config/names.js';
import { Failure, suggest, usage } from '../../errors.js';
import type { ExchangeClient } from '../../exchange/exchange-client.js';
import { OBSERVED } from '../../exchange/observed-codes.js';
import { quietly } from '../../trading/quietly.js';

/** What a funds operation is about, for the words of a refusal. */
interface Subject {
  readonly coin?: string | undefined;
  /** The permission that the interface's words name for it; which operation needs which is not stated. */
  readonly permission: 'asset' | 'money';
}

/**
 * Does something with the account's funds. Only a refusal is looked into: the coin may be a wrong one, or the key may lack
 * a permission. Throws Failure `usage` with the nearest names for a coin that the exchange does not list, otherwise what
 * was thrown.
 */
export async function explained<Value>(
  context: Pick<Context, 'session'>,
  subject: Subject,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw await reasonOf(context, subject, error);
  }
}

/** The same for what comes page by page. */
export async function* explainedPages<Page>(
  context: Pick<Context, 'session'>,
  subject: Subject,
  pages: AsyncIterable<Page>,
): AsyncGenerator<Page> {
  try {
    yield* pages;
  } catch (error) {
    throw await reasonOf(context, subject, error);
  }
}

async function reasonOf({ session }: Pick<Context, 'session'>, { coin, permission }: Subject, error: unknown) {
  if (!(error instanceof Failure) || error.kind !== 'refused') return error;
  if (error.code === OBSERVED.noPermission) return withoutPermission(error, error.code, permission);
  const known = coin === undefined ? undefined : await quietly(async () => coinsOf(await session.client()));
  const isUnknown = coin !== undefined && known !== undefined && known.length > 0 && !known.includes(coin);
  return isUnknown ? unknownCoin(coin, known) : error;
}

async function coinsOf(client: ExchangeClient): Promise<string[]> {
  return [...new Set((await client.fees()).map(({ coin }) => coin))];
}

/** Names the coins that a mistyped one may have meant. */
export function unknownCoin(coin: string, known: readonly string[]): Failure {
  const close = nearest(coin, known);
  return usage(
    `This exchange has no coin ${coin}.`,
    close.length === 0 ? suggest('See the coins', 'balance', '--all') : `Did you mean ${close.join(' or ')}?`,
  );
}

function withoutPermission({ message, cause }: Failure, code: number, permission: string): Failure {
  const hint = [
    `It takes the permission ${permission}.`,
    suggest('See what this key may do', 'account'),
    "The exchange's website makes keys that may do more.",
  ];
  return new Failure('refused', message, { hint, code, cause });
}
