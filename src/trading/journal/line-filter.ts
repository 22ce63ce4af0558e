export type FilterField = 'id' | 'clientId' | 'operation' | 'market' | 'side' | 'coin';

/** Names and values that must occur somewhere in a line's JSON; `{}` matches every line. */
export type LineFilter = Readonly<Partial<Record<FilterField, string>>>;

/**
 * Whether a line's text contains everything in a filter. Checked before the line is parsed, which is far slower: a match may
 * be about something else, but a line without a match is never wanted.
 */
export function matchesAll(filter: LineFilter): (line: string) => boolean {
  const pairs = Object.entries(filter).map(([name, value]) => JSON.stringify({ [name]: value }).slice(1, -1));
  return (line) => pairs.every((pair) => line.includes(pair));
}

/** The same, for a value under a name that is not known yet; the known ones may grow meanwhile. */
export function hasUnknown(name: FilterField, known: ReadonlySet<string>): (line: string) => boolean {
  const pattern = new RegExp(`"${name}":"([^"]*)"`, 'g');
  return (line) => [...line.matchAll(pattern)].some(([, value = '']) => !known.has(value));
}
