export type FilterField = 'id' | 'clientId' | 'operation' | 'market' | 'side' | 'coin';

/** Names and values that a line has somewhere among its JSON; `{}` is said by all. */
export type LineFilter = Readonly<Partial<Record<FilterField, string>>>;

/**
 * Whether a line's text says all of something. It is asked before the line is parsed, which costs far more: one that says it
 * may say it of something else, and one that does not say it cannot be meant.
 */
export function matchesAll(filter: LineFilter): (line: string) => boolean {
  const pairs = Object.entries(filter).map(([name, value]) => JSON.stringify({ [name]: value }).slice(1, -1));
  return (line) => pairs.every((pair) => line.includes(pair));
}

/** The same of whether it says something under a name that is not known; what is known may grow meanwhile. */
export function hasUnknown(name: FilterField, known: ReadonlySet<string>): (line: string) => boolean {
  const pattern = new RegExp(`"${name}":"([^"]*)"`, 'g');
  return (line) => [...line.matchAll(pattern)].some(([, value = '']) => !known.has(value));
}
