import { toggle } from '../../cli/definition.js';
import type { AccountInfo } from '../../domain/account.js';
import { grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import { PastPrices, priceStore } from '../../trading/pnl/past-prices.js';
import {
  AccountReader,
  type AccountReading,
  type HistoryOptions,
  type ReadHistory,
} from '../../trading/pnl/read-history.js';
import type { TradingContext } from '../../trading/trading-context.js';
import { permissionHint } from '../account/permissions.js';
import { unknownCoin } from '../funds/refusal.js';
import type { Context } from '../session/command.js';

/** The flag of every command that reads the history of the account. */
export const REFRESH = toggle('--refresh', 'read every list to its end, whatever pit has kept of it');

/** What is known of an account before its history is read. */
interface KnownAccount {
  /** The markets that were asked about. */
  readonly markets: readonly string[];
  /** As it is; undefined if that could not be read. */
  readonly account: AccountInfo | undefined;
  /** Whether every list is read to its end, whatever is kept. */
  readonly isWhole: boolean | undefined;
}

/** Reads the history of the account with progress on a terminal. */
export async function readAccount(
  context: Context,
  trading: TradingContext,
  client: Exchange,
  known: KnownAccount,
): Promise<ReadHistory> {
  return withReader(context, trading, client, known, (reader) => reader.history());
}

/** Reads a part of the account with progress on a terminal. */
export async function withReader<Part extends AccountReading>(
  context: Context,
  trading: TradingContext,
  client: Exchange,
  known: KnownAccount,
  read: (reader: AccountReader) => Promise<Part>,
): Promise<Part> {
  const { output, host } = context;
  let progress = { orders: 0, bills: 0 };
  const hide = output.live(
    () =>
      `Reading your account: ${grouped(String(progress.orders))} orders, ${grouped(String(progress.bills))} bills …`,
  );
  const release = host.onInterrupt(() => hide());
  try {
    const onProgress: HistoryOptions['onProgress'] = (count) => {
      progress = count;
    };
    const found = await read(new AccountReader({ trading, client, ...known, onProgress }));
    if (found.unlisted.length > 0)
      output.warn(`The exchange lists no orders of ${found.unlisted.join(', ')}, and no bill shows any.`);
    return found;
  } catch (error) {
    if (!(error instanceof Failure) || error.refusal !== 'noPermission') throw error;
    throw error.hinting(permissionHint('pnl'));
  } finally {
    hide();
    release();
  }
}

/** The prices of the past, with those that earlier commands have kept. */
export async function pastPrices(
  { session }: Context,
  client: Exchange,
  markets: readonly Market[],
): Promise<PastPrices> {
  const { baseUrl } = await session.connection();
  return new PastPrices(client, markets, priceStore(session.cache, baseUrl ?? 'sandbox'));
}

/** Throws Failure `usage` for a coin that the exchange does not have. */
export function requireCoin(unit: string, markets: readonly Market[]): void {
  const coins = [...new Set(markets.flatMap(({ base, quote }) => [base, quote]))];
  if (!coins.includes(unit)) throw unknownCoin(unit, coins);
}
