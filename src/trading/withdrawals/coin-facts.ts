import type { Coin } from '../../domain/account.js';
import type { ChainFee, Withdrawal } from '../../domain/funds.js';
import { tryRead } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import type { Chain, Destination } from './destination.js';
import { isReturned } from './records.js';
import { useOf } from './terms.js';

/** What the exchange reports about a coin and the key that will withdraw it. */
export interface CoinFacts {
  /** The coin's entry in the account; undefined if the exchange has no such coin. */
  readonly entry: Coin | undefined;
  /** All coins that the account can have. */
  readonly known: readonly string[];
  /** Whether the key may withdraw; null if the exchange does not say. */
  readonly permitted: boolean | null;
  readonly chains: readonly Chain[];
  /** The verified address as a withdrawal takes it; null if the exchange reports none. It reports one, and may know more. */
  readonly verified: string | null;
}

/**
 * Reads everything that a withdrawal is checked against, at the same time. Throws Failure `unreachable`, `limited`, `refused`,
 * `credentials` or `internal`.
 */
export async function readCoinFacts(client: Exchange, coin: string): Promise<CoinFacts> {
  const [info, fees, places, verified] = await Promise.all([
    client.account(),
    client.fees({ coin }),
    tryRead(() => client.listedAddresses({ coin })),
    tryRead(() => client.verifiedAddress(coin)),
  ]);
  const { coins } = info;
  const memos = places?.map(({ chain, needsMemo }) => ({ chain, needsMemo })) ?? [];
  return {
    entry: coins.find((one) => one.coin === coin),
    known: coins.map((one) => one.coin),
    permitted: info.permissions.money,
    chains: fees.filter((fee) => fee.coin === coin).map((fee, _, all) => chainOf(fee, memos, all.length === 1)),
    verified: verified ?? null,
  };
}

interface MemoRule {
  readonly chain: string | null;
  readonly needsMemo: boolean;
}

/** What a chain is called that the exchange does not name. */
const UNNAMED = '(unnamed)';

/** The fees do not mention memos. The deposit addresses do, under one or the other of the chain's names. */
function chainOf({ chain, mainChain, fee, canWithdraw }: ChainFee, memos: readonly MemoRule[], isOnly: boolean): Chain {
  const named = (name: string | null) =>
    name === null ? [] : memos.filter((memo) => memo.chain?.toUpperCase() === name.toUpperCase());
  const [byName] = named(chain);
  const [byMain, another] = named(mainChain);
  const lonely = isOnly && memos.length === 1 ? memos[0] : undefined;
  const rule = byName ?? (another === undefined ? byMain : undefined) ?? lonely;
  const name = chain ?? mainChain ?? UNNAMED;
  return { chain: name, mainChain: mainChain ?? name, fee, canWithdraw, usesMemo: rule?.needsMemo ?? null };
}

/** Pages that are read to find an earlier withdrawal to the same address. */
const MAX_PAGES = 10;

/** What the records show about an address. */
export interface EarlierUse {
  /** The newest withdrawal to it that was not returned; undefined if there is none among those read. */
  readonly last: Withdrawal | undefined;
  /** If there is none: whether some went to its account, and the records do not show the memo. */
  readonly isAccountKnown: boolean;
  /** Whether all records were read. */
  readonly isAll: boolean;
}

/** Finds earlier withdrawals of the coin to an address, memo included; undefined if they could not be read. */
export function readEarlierUse(client: Exchange, coin: string, to: Destination): Promise<EarlierUse | undefined> {
  return tryRead(async () => {
    let pages = 0;
    let isAccountKnown = false;
    for await (const page of client.withdrawals({ coin })) {
      const kept = page.filter((record) => !isReturned(record));
      const last = kept.find(({ address }) => useOf(address ?? '', to) === 'whole');
      if (last !== undefined) return { last, isAccountKnown, isAll: true };
      isAccountKnown ||= kept.some(({ address }) => useOf(address ?? '', to) === 'account');
      pages += 1;
      if (pages === MAX_PAGES) return { last, isAccountKnown, isAll: false };
    }
    return { last: undefined, isAccountKnown, isAll: true };
  });
}
