import { Failure } from '../errors.js';
import type { ExchangeClient } from './exchange-client.js';
import { OBSERVED } from './observed-codes.js';

/** What a withdrawal over a chain costs, and whether the chain is open. */
export interface ChainFee {
  readonly coin: string;
  readonly chain: string;
  readonly mainChain: string;
  /** A decimal text in the coin. */
  readonly fee: string;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
}

/** The chains of a coin, or of all coins as observed. It needs no key. Throws Failure as {@link ExchangeClient.read}. */
export async function readFees(client: ExchangeClient, coin?: string): Promise<ChainFee[]> {
  const { result } = await read(client, coin);
  return Object.entries(result).flatMap(([name, entries]) =>
    entries.map(({ chainName, mainChainName, fee, canDeposit, canWithdraw }) => ({
      ...{ coin: name.toLowerCase(), chain: chainName, mainChain: mainChainName },
      ...{ fee, canDeposit, canWithdraw },
    })),
  );
}

async function read(client: ExchangeClient, currency: string | undefined) {
  try {
    return await client.read('getFeeInfo', { currency });
  } catch (error) {
    // observed in place of an empty answer
    if (error instanceof Failure && error.code === OBSERVED.noRecord) return { result: {} };
    throw error;
  }
}
