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

/** Every address of any chain matches this. */
const ANY = /^[!-~]{4,200}$/;

interface ChainNames {
  readonly chain: string;
  readonly mainChain: string;
}

/** Why a text cannot be an address on a chain, in words; undefined if it can, or if the chain's format is unknown. */
export function addressComplaint(address: string, names: ChainNames): string | undefined {
  const known = formOf(names);
  if (!ANY.test(address)) return 'an address is 4 to 200 characters without spaces';
  return known === undefined || known.form.test(address) ? undefined : `on ${names.chain} it is ${known.words}`;
}

/** Whether the chain's format is known and the address matches it. */
export function hasFormOf(address: string, names: ChainNames): boolean {
  return formOf(names)?.form.test(address) ?? false;
}

function formOf({ chain, mainChain }: ChainNames) {
  const named = (name: string) => FORMS.find(({ chains }) => chains.includes(name.toUpperCase()));
  return named(chain) ?? named(mainChain);
}
