import { hash } from 'node:crypto';
import { type ChainRules, chainNamed, chainRules, chainsOf } from '../markets/coins.js';
import { RequestRefused } from '../refusals.js';

/** An address that an account may withdraw to, as in `receiveAddr`. */
interface VerifiedAddress {
  readonly text: string;
  readonly chain: string;
}

/** An address to be verified for withdrawals. */
export interface NewAddress {
  readonly coin: string;
  readonly address: string;
  /** Required on chains with a memo, not allowed on others. */
  readonly memo?: string | undefined;
  /** Default: the coin's first chain. */
  readonly chain?: string | undefined;
  /** Makes it the one that getWithdrawAddress returns. */
  readonly preferred?: boolean | undefined;
}

/** A part of the exchange's state. */
export interface AddressState {
  /** By account and coin, the default one first. */
  readonly verified: Map<string, readonly VerifiedAddress[]>;
  /** The accounts and coins for which a deposit address was obtained. */
  readonly obtained: Map<string, true>;
}

/** The deposit addresses that accounts obtained, and the withdrawal addresses that they verified. */
export class AddressBook {
  readonly #state: AddressState;

  constructor(state: AddressState) {
    this.#state = state;
  }

  /** A deposit address for each coin, and a verified address elsewhere on each of its chains. */
  seed(account: string, coins: Iterable<string>): void {
    for (const coin of coins) {
      this.obtain(account, coin);
      for (const rules of chainsOf(coin)) {
        const { address, memo } = foreignAddress(account, rules);
        this.verify(account, { coin, chain: rules.chain, address, memo: memo ?? undefined });
      }
    }
  }

  /** "The address must first be obtained in the application or website." */
  obtain(account: string, coin: string): void {
    this.#state.obtained.set(`${account}/${coin}`, true);
  }

  /** The address on the coin's main chain. Throws {@link RequestRefused} if it was not obtained. */
  single(account: string, coin: string): DepositAddress {
    if (!this.#state.obtained.has(`${account}/${coin}`)) throw new RequestRefused('noAddress', coin);
    return depositAddress(account, chainsOf(coin)[0]);
  }

  /** Throws {@link RequestRefused} for an unknown chain, and for a missing or unexpected memo. */
  verify(account: string, { coin, address, memo, chain: name, preferred = false }: NewAddress): void {
    const chain = name === undefined ? chainsOf(coin)[0] : chainNamed(coin, name);
    if (chain === undefined)
      throw new RequestRefused('badParameter', `${coin} has no chain ${String(name).slice(0, 40)}`);
    if (chain.usesMemo !== (memo !== undefined)) throw new RequestRefused('missingMemo', coin);
    const entry = { text: addressText({ address, memo: memo ?? null }), chain: chain.chain };
    const others = this.#list(account, coin).filter(({ text }) => text !== entry.text);
    this.#state.verified.set(`${account}/${coin}`, preferred ? [entry, ...others] : [...others, entry]);
  }

  /** What getWithdrawAddress returns. Throws {@link RequestRefused} if none is verified. */
  default(account: string, coin: string): string {
    const [first] = this.#list(account, coin);
    if (first === undefined) throw new RequestRefused('noAddress', coin);
    return first.text;
  }

  /** The verified address of a `receiveAddr`, with its chain. Throws {@link RequestRefused}. */
  find(
    account: string,
    coin: string,
    text: string,
  ): { readonly text: string; readonly chain: ReturnType<typeof chainRules> } {
    const found = this.#list(account, coin).find((verified) => verified.text === text);
    if (found !== undefined) return { text, chain: chainRules(coin, found.chain) };
    const memo = chainsOf(coin).every(({ usesMemo }) => usesMemo);
    throw new RequestRefused(memo && !/^[^_]+_./.test(text) ? 'missingMemo' : 'unverifiedAddress');
  }

  #list(account: string, coin: string): readonly VerifiedAddress[] {
    return this.#state.verified.get(`${account}/${coin}`) ?? [];
  }
}

/** A receiving address. `memo` is null on chains without one. */
export interface DepositAddress {
  readonly chain: ChainRules;
  /** On chains with a memo, the account. */
  readonly address: string;
  readonly memo: string | null;
}

/** Owner of the account that receives on chains with a memo. */
const EXCHANGE = 'exchange';

/** Where an account receives a coin. It is derived from the account and the chain, so it never changes. */
export function depositAddress(account: string, chain: ChainRules): DepositAddress {
  if (!chain.usesMemo) return { chain, address: addressOf(account, chain), memo: null };
  return { chain, address: addressOf(EXCHANGE, chain), memo: memoOf(account, chain) };
}

/** An address outside this exchange. */
function foreignAddress(owner: string, chain: ChainRules): DepositAddress {
  const address = addressOf(`foreign ${owner}`, chain);
  return { chain, address, memo: chain.usesMemo ? memoOf(`foreign ${owner}`, chain) : null };
}

/** As one text: "for account-plus-memo chains the format is `<account>_<remark>`". */
export function addressText({ address, memo }: Pick<DepositAddress, 'address' | 'memo'>): string {
  return memo === null ? address : `${address}_${memo}`;
}

/** A made-up transaction hash. Different names give different hashes. */
export function transactionHash(name: string): string {
  return digest(`transaction ${name}`).toString('hex');
}

/** Coins of the same main chain share an address, as in reality. */
function addressOf(owner: string, { mainChain, addressFormat: { prefix, alphabet, length } }: ChainRules): string {
  const bytes = Buffer.concat([0, 1].map((part) => digest(`address ${part} ${mainChain} ${owner}`)));
  return prefix + Array.from(bytes.subarray(0, length), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

/** Twelve digits, so that two accounts practically never share one. */
function memoOf(owner: string, { mainChain }: ChainRules): string {
  const number = digest(`memo ${mainChain} ${owner}`).readBigUInt64BE() % 900_000_000_000n;
  return String(number + 100_000_000_000n);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
