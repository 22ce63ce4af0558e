import { quotedName } from '../../domain/quotation.js';
import { suggest, usage } from '../../errors.js';

/** A chain over which a coin can leave, with the exchange's own terms. */
export interface Chain {
  readonly chain: string;
  readonly mainChain: string;
  /** Decimal text in the coin; null if the exchange does not say. */
  readonly fee: string | null;
  /** Null if the exchange does not say. */
  readonly canWithdraw: boolean | null;
  /** Whether an address there is an account with a memo; null if the exchange does not report it. */
  readonly usesMemo: boolean | null;
}

interface ChainChoice {
  readonly chain: Chain;
  /** Others on which the very same address would be valid: coins sent over the wrong one are lost. */
  readonly alsoOn: readonly string[];
  /** Why the address does not look like one of the chain, in words; undefined if it does, or if the chain's format is unknown. */
  readonly doubt: string | undefined;
}

/**
 * The destination of a withdrawal: on a chain with memos, the account that receives for many, and the memo of the recipient.
 */
export interface Destination {
  readonly address: string;
  readonly memo: string | null;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const BECH32 = '[02-9ac-hj-np-z]';

/** The address formats of known chains, by the chain's own name or by that of its main chain. */
const FORMS: readonly { readonly chains: readonly string[]; readonly form: RegExp; readonly words: string }[] = [
  {
    chains: ['ETH', 'ERC20', 'BSC', 'BEP20', 'MATIC', 'POLYGON', 'AVAXC', 'ARBITRUM', 'OPTIMISM', 'ETC', 'HECO'],
    form: /^0x[0-9a-fA-F]{40}$/,
    words: '0x and 40 hexadecimal digits',
  },
  { chains: ['TRX', 'TRC20', 'TRON'], form: new RegExp(`^T${BASE58}{33}$`), words: 'T and 33 characters of base 58' },
  {
    chains: ['BTC', 'OMNI'],
    form: new RegExp(`^([13]${BASE58}{25,34}|bc1${BECH32}{11,71})$`),
    words: '26 to 35 characters of base 58 from 1 or 3 on, or bc1…',
  },
  {
    chains: ['LTC'],
    form: new RegExp(`^([LM3]${BASE58}{26,33}|ltc1${BECH32}{11,71})$`),
    words: '27 to 34 characters of base 58 from L, M or 3 on, or ltc1…',
  },
  {
    chains: ['BCH'],
    form: new RegExp(`^([13]${BASE58}{25,34}|(bitcoincash:)?[qp]${BECH32}{41})$`),
    words: 'a legacy address, or 42 characters from q or p on',
  },
  { chains: ['DOGE'], form: new RegExp(`^[DA9]${BASE58}{25,34}$`), words: '26 to 35 characters of base 58 from D on' },
  { chains: ['XRP', 'RIPPLE'], form: new RegExp(`^r${BASE58}{24,34}$`), words: 'r and 24 to 34 characters of base 58' },
  { chains: ['EOS'], form: /^[a-z1-5.]{1,12}$/, words: 'an account of up to 12 characters: a to z, 1 to 5 and dots' },
  { chains: ['SOL', 'SOLANA'], form: new RegExp(`^${BASE58}{32,44}$`), words: '32 to 44 characters of base 58' },
];

/** Addresses of most chains match this. */
const ANY = /^[!-~]{4,200}$/;

interface ChainNames {
  readonly chain: string;
  readonly mainChain: string;
}

/**
 * Why a text does not look like an address on a chain, in words; undefined if it does, or if the chain's format is unknown. The exchange
 * decides: "must be a verified address" is its only rule, and a chain may get new formats.
 */
export function addressDoubt(address: string, names: ChainNames): string | undefined {
  const known = formOf(names);
  if (!ANY.test(address)) return 'an address is 4 to 200 characters without spaces';
  return known === undefined || known.form.test(address)
    ? undefined
    : `on ${quotedName(names.chain)} it is ${known.words}`;
}

/** Whether the chain's format is known and the address matches it. */
function hasFormOf(address: string, names: ChainNames): boolean {
  return formOf(names)?.form.test(address) ?? false;
}

function formOf({ chain, mainChain }: ChainNames) {
  const named = (name: string) => FORMS.find(({ chains }) => chains.includes(name.toUpperCase()));
  return named(chain) ?? named(mainChain);
}

/**
 * The chain that is meant. The interface has no parameter for it, so the choice only decides which fee and which address
 * format are checked; the exchange uses the chain of the verified address.
 * @param name as the user gave it; undefined if the address has to show it
 * @throws Failure `usage` for an unknown or suspended chain, and if the address does not show which of several is meant
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
  if (chain.canWithdraw === false) {
    const open = chains.filter(({ canWithdraw }) => canWithdraw !== false).map((one) => one.chain);
    const hint =
      open.length === 0
        ? 'No chain of this coin is open for withdrawals.'
        : `Open: ${open.map(quotedName).join(', ')}.`;
    throw usage(`Withdrawals of ${coin} over ${quotedName(chain.chain)} are suspended.`, hint);
  }
  const others = chains.filter((one) => one !== chain && hasFormOf(address, one));
  return { chain, alsoOn: others.map((one) => one.chain), doubt: addressDoubt(address, chain) };
}

function byName(coin: string, chains: readonly Chain[], name: string): Chain {
  const wanted = name.toUpperCase();
  const exact = chains.find(({ chain }) => chain.toUpperCase() === wanted);
  const main = chains.filter(({ mainChain }) => mainChain.toUpperCase() === wanted);
  const found = exact ?? (main.length === 1 ? main[0] : undefined);
  if (found !== undefined) return found;
  throw usage(`${coin} has no chain ${name}.`, `It has ${chains.map(({ chain }) => quotedName(chain)).join(', ')}.`);
}

function byAddress(coin: string, chains: readonly Chain[], address: string): Chain {
  const [only] = chains;
  if (chains.length === 1 && only !== undefined) return only;
  const fitting = chains.filter((chain) => hasFormOf(address, chain));
  const [first, ...more] = fitting.filter(({ canWithdraw }) => canWithdraw !== false);
  if (first !== undefined && more.length === 0) return first;
  const names = (some: readonly Chain[]) => some.map(({ chain }) => quotedName(chain)).join(', ');
  if (first === undefined && fitting[0] !== undefined) return fitting[0];
  const why =
    first === undefined ? 'matches none of its chains' : `matches several of its chains (${names([first, ...more])})`;
  throw usage(`${coin} has several chains, and the address ${why}.`, `Name one: --chain ${names(chains)}`);
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
      `${coin} on ${quotedName(chain)} needs a memo: without it the coins are lost.`,
      'Give it with --memo; the recipient shows it beside the address, as memo, tag or remark.',
    );
  if (usesMemo === false && memo !== null)
    throw usage(
      `${coin} on ${quotedName(chain)} takes no memo.`,
      'Leave out --memo, or check the chain of the address.',
    );
}
