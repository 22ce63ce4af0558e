import { usage } from '../../errors.js';
import type { Chain } from './chain-choice.js';

/**
 * The destination of a withdrawal: on a chain with memos, the account that receives for many, and the memo of the recipient.
 */
export interface Destination {
  readonly address: string;
  readonly memo: string | null;
}

/** What no memo holds, or is longer than. */
const MEMO = /^[!-~](?:[ -~]{0,118}[!-~])?$/;

/** Splits an address that was given as `<account>_<memo>`, if the coin has a chain of that form. */
export function destinationOf(given: string, memo: string | undefined, chains: readonly Chain[]): Destination {
  if (memo !== undefined) return { address: given, memo };
  const [, account, rest] = /^([^_]+)_(.+)$/.exec(given) ?? [];
  const isJoined = account !== undefined && rest !== undefined && chains.some(({ usesMemo }) => usesMemo === true);
  return isJoined ? { address: account, memo: rest } : { address: given, memo: null };
}

/** As the exchange takes it: "for account-plus-memo chains the format is `<account>_<remark>`". */
export function receiveAddress({ address, memo }: Destination): string {
  return memo === null ? address : `${address}_${memo}`;
}

/** Throws Failure `usage` for a memo that is missing, unneeded, or invalid. */
export function checkMemo(coin: string, { chain, usesMemo }: Chain, { memo }: Destination): void {
  if (memo !== null && !MEMO.test(memo))
    throw usage(
      'The memo is not valid: it must be 1 to 120 printable ASCII characters.',
      'Copy it from the source again.',
    );
  if (usesMemo === true && memo === null)
    throw usage(
      `${coin} on ${chain} needs a memo: without it the coins are lost.`,
      'Give it with --memo; the recipient shows it beside the address, as memo, tag or remark.',
    );
  if (usesMemo === false && memo !== null)
    throw usage(`${coin} on ${chain} takes no memo.`, 'Leave out --memo, or check the chain of the address.');
}
