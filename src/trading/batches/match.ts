import type { Doubt } from './doubt.js';

/** An order that the exchange lists and that belongs to nothing else. */
export interface Sighting {
  readonly id: string;
  /** What it is known by, as a line is. */
  readonly key: string;
  /** Milliseconds since the Unix epoch, by the exchange's clock. */
  readonly time: number;
}

interface Matched {
  readonly found: readonly (readonly [line: number, id: string])[];
  /** Orders like those of the job for which there is no line. */
  readonly left: readonly Sighting[];
}

/**
 * Holds orders against the lines that are in doubt, by price and amount: lines that agree in both are interchangeable. An
 * id that an answer named belongs to a line of that request; then come lines in doubt, and then `others`, lines that
 * should not have left at all.
 */
export function match(
  sightings: readonly Sighting[],
  doubts: readonly Doubt[],
  others: readonly number[],
  keyOf: (line: number) => string,
): Matched {
  const found: [number, string][] = [];
  const named = new Map<string, Shelf>();
  for (const { ids, lines } of doubts) {
    const shelf = new Shelf(lines, keyOf);
    for (const id of ids) named.set(id, shelf);
  }
  const taken = new Set<number>();
  const take = (shelf: Shelf | undefined, { id, key }: Sighting): boolean => {
    const line = shelf?.take(key, taken);
    if (line === undefined) return false;
    taken.add(line);
    found.push([line, id]);
    return true;
  };
  const unnamed = sightings.filter((sighting) => !take(named.get(sighting.id), sighting));
  const rest = new Shelf([...doubts.flatMap(({ lines }) => [...lines]), ...others], keyOf);
  return { found, left: unnamed.filter((sighting) => !take(rest, sighting)) };
}

/** Lines by their key, first come first. */
class Shelf {
  readonly #lines = new Map<string, number[]>();

  constructor(lines: Iterable<number>, keyOf: (line: number) => string) {
    for (const line of lines) {
      const key = keyOf(line);
      const known = this.#lines.get(key);
      if (known === undefined) this.#lines.set(key, [line]);
      else known.push(line);
    }
    for (const known of this.#lines.values()) known.reverse();
  }

  take(key: string, taken: ReadonlySet<number>): number | undefined {
    const lines = this.#lines.get(key) ?? [];
    for (let line = lines.pop(); line !== undefined; line = lines.pop()) if (!taken.has(line)) return line;
    return undefined;
  }
}
