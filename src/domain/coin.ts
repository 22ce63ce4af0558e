/** Coin names that no interface supports since 2021-07-16, with their successors. */
export const RENAMED_COINS: Readonly<Record<string, string>> = { bchabc: 'bch', bchsv: 'bsv', hsr: 'hc', nxwc: 'xwc' };

/** Understands a coin in any case. Undefined when the text cannot be a coin's name. */
export function parseCoin(text: string): string | undefined {
  return /^[A-Za-z0-9]{1,20}$/.test(text) ? text.toLowerCase() : undefined;
}
