/** No letter or digit looks like another one. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
export const RANDOM_CHARACTERS = 6;

/** The id that some bytes come to. It is short and can be typed. */
export function algoIdOf(bytes: Uint8Array): string {
  const characters = [...bytes.slice(0, RANDOM_CHARACTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]);
  return `a${characters.join('')}`;
}
