/** A blockchain for deposits and withdrawals of a coin. Amounts are decimal text in the coin. */
export interface ChainRules {
  readonly coin: string;
  /** The chain's name, as in `blockChain` and `chainName`. */
  readonly chain: string;
  readonly mainChain: string;
  /** The minimum fee of a withdrawal. */
  readonly fee: string;
  readonly minWithdrawal: string;
  readonly maxWithdrawal: string;
  readonly canDeposit: boolean;
  readonly canWithdraw: boolean;
  /** Whether one address receives for all accounts, distinguished by a memo. */
  readonly usesMemo: boolean;
  /** Confirmations until a deposit is credited. */
  readonly confirmations: number;
  readonly addressFormat: AddressFormat;
}

/** A prefix and a number of characters of an alphabet. */
interface AddressFormat {
  readonly prefix: string;
  readonly alphabet: string;
  readonly length: number;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ADDRESS_FORMATS = {
  bitcoin: { prefix: '1', alphabet: BASE58, length: 33 },
  litecoin: { prefix: 'L', alphabet: BASE58, length: 33 },
  ethereum: { prefix: '0x', alphabet: '0123456789abcdef', length: 40 },
  tron: { prefix: 'T', alphabet: BASE58, length: 33 },
  ripple: { prefix: 'r', alphabet: BASE58, length: 33 },
  eos: { prefix: 'box', alphabet: 'abcdefghijklmnopqrstuvwxyz12345', length: 9 },
} as const satisfies Record<string, AddressFormat>;

const OPEN = { canDeposit: true, canWithdraw: true };
const CLOSED = { canDeposit: false, canWithdraw: false };
const IN_ONLY = { canDeposit: true, canWithdraw: false };

type Gate = typeof OPEN;
type ChainRow = readonly [
  coin: string,
  chain: string,
  mainChain: string,
  fee: string,
  least: string,
  most: string,
  gate: Gate,
  usesMemo: boolean,
  confirmations: number,
  addressFormat: AddressFormat,
];

/** The first chain of a coin is the default. */
const CHAIN_ROWS: readonly ChainRow[] = [
  ['btc', 'BTC', 'BTC', '0.0005', '0.001', '100', OPEN, false, 2, ADDRESS_FORMATS.bitcoin],
  ['eth', 'ETH', 'ETH', '0.004', '0.01', '1000', OPEN, false, 12, ADDRESS_FORMATS.ethereum],
  ['bch', 'BCH', 'BCH', '0.0005', '0.01', '1000', OPEN, false, 6, ADDRESS_FORMATS.bitcoin],
  ['ltc', 'LTC', 'LTC', '0.001', '0.1', '5000', OPEN, false, 6, ADDRESS_FORMATS.litecoin],
  ['eos', 'EOS', 'EOS', '0.1', '1', '100000', OPEN, true, 3, ADDRESS_FORMATS.eos],
  ['xrp', 'XRP', 'XRP', '0.1', '21', '1000000', OPEN, true, 3, ADDRESS_FORMATS.ripple],
  ['usdt', 'TRC20', 'TRX', '1', '10', '1000000', OPEN, false, 3, ADDRESS_FORMATS.tron],
  ['usdt', 'ERC20', 'ETH', '5', '20', '1000000', OPEN, false, 12, ADDRESS_FORMATS.ethereum],
  ['usdt', 'BEP20', 'BSC', '0.8', '10', '1000000', IN_ONLY, false, 15, ADDRESS_FORMATS.ethereum],
  ['usdt', 'OMNI', 'BTC', '20', '100', '1000000', CLOSED, false, 2, ADDRESS_FORMATS.bitcoin],
];

/** Coins with one chain and with several, chains with memos, and closed ones. */
const CHAINS: readonly ChainRules[] = CHAIN_ROWS.map(
  ([coin, chain, mainChain, fee, minWithdrawal, maxWithdrawal, gate, usesMemo, confirmations, addressFormat]) => ({
    coin,
    chain,
    mainChain,
    fee,
    minWithdrawal,
    maxWithdrawal,
    ...gate,
    usesMemo,
    confirmations,
    addressFormat,
  }),
);

/** A coin that only a tape names has one chain. */
export function chainsOf(coin: string): readonly [ChainRules, ...ChainRules[]] {
  const [first = chainOfTape(coin), ...others] = CHAINS.filter((chain) => chain.coin === coin);
  return [first, ...others];
}

function chainOfTape(coin: string): ChainRules {
  const chain = coin.toUpperCase();
  const amounts = { fee: '0', minWithdrawal: '0', maxWithdrawal: '1000000000' };
  const rest = { usesMemo: false, confirmations: 3, addressFormat: ADDRESS_FORMATS.ethereum };
  return { coin, chain, mainChain: chain, ...amounts, ...OPEN, ...rest };
}

/** The chain of a coin that a user named, in any letter case. */
export function chainNamed(coin: string, name: string): ChainRules | undefined {
  return chainsOf(coin).find(({ chain }) => chain.toLowerCase() === name.toLowerCase());
}

/** A chain by its stored name. Throws RangeError for an unknown one, which would be a defect. */
export function chainRules(coin: string, name: string): ChainRules {
  const found = chainsOf(coin).find(({ chain }) => chain === name);
  if (found === undefined) throw new RangeError(`${coin} has no chain ${name}`);
  return found;
}

/**
 * Decimals of the units in which the exchange keeps amounts of every coin: enough for a price times an amount of any market on a tape.
 */
export const UNIT_DECIMALS = 36;

/** A coin of the exchange. */
export interface CoinRules {
  readonly coin: string;
  /** Decimals of balances and fees. */
  readonly unitDecimal: number;
  /** A running number: the interface does not state what the field means. */
  readonly fundsType: number;
  /** On at least one chain. */
  readonly canDeposit: boolean;
  /** On at least one chain. */
  readonly canWithdraw: boolean;
  readonly canLoan: boolean;
}

type CoinRow = [coin: string, unitDecimal: number, canLoan: boolean];

const COIN_ROWS: readonly CoinRow[] = [
  ['btc', 8, true],
  ['eth', 8, true],
  ['bch', 8, false],
  ['ltc', 8, true],
  ['eos', 4, false],
  ['xrp', 6, false],
  ['usdt', 8, true],
];

export const COINS: ReadonlyMap<string, CoinRules> = new Map(
  COIN_ROWS.map(([coin, unitDecimal, canLoan], index) => [
    coin,
    {
      coin,
      unitDecimal,
      fundsType: index + 1,
      canDeposit: chainsOf(coin).some((chain) => chain.canDeposit),
      canWithdraw: chainsOf(coin).some((chain) => chain.canWithdraw),
      canLoan,
    },
  ]),
);

/** Decimals of a coin that only a tape names. */
const DECIMALS_OF_TAPE = 18;

/** The rules of a coin, also of one that only a tape names. */
export function coinRules(coin: string): CoinRules {
  const rules = COINS.get(coin);
  if (rules !== undefined) return rules;
  return { coin, unitDecimal: DECIMALS_OF_TAPE, fundsType: COINS.size + 1, ...OPEN, canLoan: false };
}

interface CoinsOfMarket {
  readonly base: string;
  readonly quote: string;
  readonly priceScale: number;
  readonly amountScale: number;
}

/** The coins of the exchange: its own, and those that only markets of tapes name, with all decimals that trades in the markets can make. */
export function coinsOf(markets: Iterable<CoinsOfMarket>): Map<string, CoinRules> {
  const coins = new Map(COINS);
  const require = (name: string, decimals: number) => {
    const coin = coins.get(name) ?? coinRules(name);
    coins.set(name, { ...coin, unitDecimal: Math.max(coin.unitDecimal, decimals) });
  };
  for (const { base, quote, priceScale, amountScale } of markets) {
    require(base, amountScale);
    require(quote, priceScale + amountScale);
  }
  return coins;
}
