/**
 * How the coins move, as numbers that drive the price path. `beta` is the share of btc's own moves, `own` the weight of
 * the coin's moves beside them (other recorded minutes), `turnover` what trades a minute relative to btc, by value.
 */
export interface Factor {
  readonly coin: string;
  /** In USDT, at genesis: about what the coin cost when the recording ends. */
  readonly price: number;
  readonly beta: number;
  readonly own: number;
  readonly turnover: number;
}

export const FACTORS: readonly Factor[] = [
  { coin: 'btc', price: 28110.26, beta: 1, own: 0, turnover: 1 },
  { coin: 'eth', price: 1804.62, beta: 0.9, own: 0.35, turnover: 0.6 },
  { coin: 'bch', price: 133.27, beta: 0.85, own: 0.6, turnover: 0.15 },
  { coin: 'ltc', price: 82.96, beta: 0.9, own: 0.55, turnover: 0.2 },
  { coin: 'eos', price: 1.1742, beta: 0.95, own: 0.6, turnover: 0.1 },
  { coin: 'xrp', price: 0.46318, beta: 0.6, own: 0.7, turnover: 0.3 },
];

export function factorOf(coin: string): { factor: Factor; index: number } {
  const index = FACTORS.findIndex((factor) => factor.coin === coin);
  const factor = FACTORS[index];
  if (factor === undefined) throw new RangeError(`no price path for ${coin}`);
  return { factor, index };
}

/** Minutes that are copied together from the recording, so that calm and storm stay together. */
const BLOCK = 60;

/** Which recorded minute a minute of the path copies: whole blocks, drawn by chance. */
export function recordedIndex(draw: number, minuteInBlock: number, length: number): number {
  return 1 + Math.floor(draw * (length - BLOCK - 1)) + minuteInBlock;
}

/** The block of a minute and its place within. */
export function blockOf(minute: number): { block: number; within: number } {
  const block = Math.floor(minute / BLOCK);
  return { block, within: minute - block * BLOCK };
}

/** The price of a coin at genesis, in USDT. */
export function genesisPrice(coin: string): number {
  return coin === 'usdt' ? 1 : factorOf(coin).factor.price;
}
