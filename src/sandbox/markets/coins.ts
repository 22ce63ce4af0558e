import { chainsOf } from './chains.js';

/** What the sandbox knows of a coin; the names follow the interface's coin entry. */
export interface CoinRules {
  readonly coin: string;
  readonly enName: string;
  readonly cnName: string;
  /** Differs from enName only for a renamed coin. */
  readonly showName: string;
  readonly unitTag: string;
  /** Decimals of the coin's smallest unit: balances and fees have as many. */
  readonly unitDecimal: number;
  /** The interface shows the field and does not state its meaning: here a running number. */
  readonly fundsType: number;
  /** On one of its chains at least. */
  readonly canDeposit: boolean;
  /** On one of its chains at least. */
  readonly canWithdraw: boolean;
  readonly canLoan: boolean;
}

type Row = [coin: string, enName: string, cnName: string, unitDecimal: number, canLoan: boolean];

const ROWS: readonly Row[] = [
  ['btc', 'Bitcoin', '比特币', 8, true],
  ['eth', 'Ethereum', '以太坊', 8, true],
  ['bch', 'Bitcoin Cash', '比特现金', 8, false],
  ['ltc', 'Litecoin', '莱特币', 8, true],
  ['eos', 'EOS', '柚子', 4, false],
  ['xrp', 'XRP', '瑞波币', 6, false],
  ['usdt', 'Tether USD', '泰达币', 8, true],
];

export const COINS: ReadonlyMap<string, CoinRules> = new Map(
  ROWS.map(([coin, enName, cnName, unitDecimal, canLoan], index) => [
    coin,
    {
      coin,
      enName,
      cnName,
      showName: enName,
      unitTag: coin.toUpperCase(),
      unitDecimal,
      fundsType: index + 1,
      canDeposit: chainsOf(coin).some((chain) => chain.canDeposit),
      canWithdraw: chainsOf(coin).some((chain) => chain.canWithdraw),
      canLoan,
    },
  ]),
);

/** The rules of a coin that must exist. Throws RangeError for an unknown one, which is a defect. */
export function coinRules(coin: string): CoinRules {
  const rules = COINS.get(coin);
  if (rules === undefined) throw new RangeError(`no such coin: ${coin}`);
  return rules;
}
