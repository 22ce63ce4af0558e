export type SaidName = 'id' | 'clientId' | 'operation' | 'market' | 'side' | 'coin';

/** Names and values that a line has somewhere among its JSON; `{}` is said by all. */
export type Saying = Readonly<Partial<Record<SaidName, string>>>;

/**
 * Whether a line's text says all of something. It is asked before the line is parsed, which costs far more: one that says it
 * may say it of something else, and one that does not say it cannot be meant.
 */
export function saysAll(saying: Saying): (line: string) => boolean {
  const pairs = Object.entries(saying).map(([name, value]) => JSON.stringify({ [name]: value }).slice(1, -1));
  return (line) => pairs.every((pair) => line.includes(pair));
}

/** The same of whether it says something under a name that is not known; what is known may grow meanwhile. */
export function saysAnew(name: SaidName, known: ReadonlySet<string>): (line: string) => boolean {
  const pattern = new RegExp(`"${name}":"([^"]*)"`, 'g');
  return (line) => [...line.matchAll(pattern)].some(([, value = '']) => !known.has(value));
}
