import { createHash } from 'node:crypto';
import type { ChainRules } from '../markets/chains.js';

/** Where coins are sent to; `memo` is null where the chain has none. */
export interface ChainAddress {
  readonly chain: ChainRules;
  /** On chains with a memo this is the account. */
  readonly address: string;
  readonly memo: string | null;
}

/** Whose account of the exchange receives on chains with a memo. */
const EXCHANGE = 'exchange';

/** Where an account receives a coin. It follows from the account and the chain, so it is the same for ever. */
export function depositAddress(account: string, chain: ChainRules): ChainAddress {
  if (!chain.usesMemo) return { chain, address: addressOf(account, chain), memo: null };
  return { chain, address: addressOf(EXCHANGE, chain), memo: memoOf(account, chain) };
}

/** Where somebody receives who is not at this exchange. */
export function foreignAddress(owner: string, chain: ChainRules): ChainAddress {
  const address = addressOf(`foreign ${owner}`, chain);
  return { chain, address, memo: chain.usesMemo ? memoOf(`foreign ${owner}`, chain) : null };
}

/** As one text: "for account-plus-memo chains the format is `<account>_<remark>`". */
export function addressText({ address, memo }: Pick<ChainAddress, 'address' | 'memo'>): string {
  return memo === null ? address : `${address}_${memo}`;
}

/** What a transaction on a chain is called; `name` tells it apart from all others. */
export function transactionHash(name: string): string {
  return digest(`transaction ${name}`).toString('hex');
}

/** The coins of one main chain share an address, as they do in life. */
function addressOf(owner: string, { mainChain, look: { prefix, alphabet, length } }: ChainRules): string {
  const bytes = Buffer.concat([0, 1].map((part) => digest(`address ${part} ${mainChain} ${owner}`)));
  return prefix + Array.from(bytes.subarray(0, length), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

/** Twelve digits, so that two accounts hardly ever have the same. */
function memoOf(owner: string, { mainChain }: ChainRules): string {
  const number = digest(`memo ${mainChain} ${owner}`).readBigUInt64BE() % 900_000_000_000n;
  return String(number + 100_000_000_000n);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
