import { suggest, usage } from '../../errors.js';
import { addressComplaint, hasFormOf } from './address-form.js';

/** A chain over which a coin can leave, with the exchange's own terms. */
export interface Chain {
  readonly chain: string;
  readonly mainChain: string;
  /** Decimal text in the coin. */
  readonly fee: string;
  readonly canWithdraw: boolean;
  /** Whether an address there is an account with a memo; null if the exchange does not report it. */
  readonly usesMemo: boolean | null;
}

interface ChainChoice {
  readonly chain: Chain;
  /** Others on which the very same address would be valid: coins sent over the wrong one are lost. */
  readonly alsoOn: readonly string[];
}

/**
 * The chain that is meant. The interface has no parameter for it, so the choice only decides which fee and which address
 * format are checked; the exchange uses the chain of the verified address.
 * @param name as the user gave it; undefined if only the address can tell
 * @throws Failure `usage` for an unknown or suspended chain, for an address that matches none, and if several match
 */
export function chooseChain(
  coin: string,
  chains: readonly Chain[],
  address: string,
  name: string | undefined,
): ChainChoice {
  if (chains.length === 0)
    throw usage(`The exchange lists no chain for ${coin}.`, suggest('List fees and chains', 'fees'));
  const chain = name === undefined ? byAddress(coin, chains, address) : byName(coin, chains, name);
  if (!chain.canWithdraw) {
    const open = chains.filter(({ canWithdraw }) => canWithdraw).map((one) => one.chain);
    const hint = open.length === 0 ? 'No chain of this coin is open for withdrawals.' : `Open: ${open.join(', ')}.`;
    throw usage(`Withdrawals of ${coin} over ${chain.chain} are suspended.`, hint);
  }
  const complaint = addressComplaint(address, chain);
  if (complaint !== undefined) throw usage(`This is not a valid ${chain.chain} address: ${complaint}.`, COPY_AGAIN);
  const others = chains.filter((one) => one !== chain && hasFormOf(address, one));
  return { chain, alsoOn: others.map((one) => one.chain) };
}

const COPY_AGAIN = 'Copy it from the source again; nothing was sent.';

function byName(coin: string, chains: readonly Chain[], name: string): Chain {
  const wanted = name.toUpperCase();
  const exact = chains.find(({ chain }) => chain.toUpperCase() === wanted);
  const main = chains.filter(({ mainChain }) => mainChain.toUpperCase() === wanted);
  const found = exact ?? (main.length === 1 ? main[0] : undefined);
  if (found !== undefined) return found;
  throw usage(`${coin} has no chain ${name}.`, `It has ${chains.map(({ chain }) => chain).join(', ')}.`);
}

function byAddress(coin: string, chains: readonly Chain[], address: string): Chain {
  const [only] = chains;
  if (chains.length === 1 && only !== undefined) return only;
  const fitting = chains.filter((chain) => hasFormOf(address, chain));
  const [first, ...more] = fitting.filter(({ canWithdraw }) => canWithdraw);
  if (first !== undefined && more.length === 0) return first;
  const names = (some: readonly Chain[]) => some.map(({ chain }) => chain).join(', ');
  if (first === undefined && fitting[0] !== undefined) return fitting[0];
  const why =
    first === undefined ? 'matches none of its chains' : `matches several of its chains (${names([first, ...more])})`;
  throw usage(`${coin} has several chains, and the address ${why}.`, `Name one: --chain ${names(chains)}`);
}
