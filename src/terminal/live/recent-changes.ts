import { Decimal } from '../../domain/decimal.js';

/** A value that changed recently. */
export interface Change {
  /** Whether it has just changed; otherwise its mark is about to disappear. */
  readonly isFresh: boolean;
  /** Whether there was no value before. */
  readonly isNew: boolean;
  /** Null for a value that is new, or no number. */
  readonly direction: 'up' | 'down' | null;
}

/** In milliseconds. */
const FRESH_MS = 1_000;
const FADED_MS = 3_000;

interface Seen {
  readonly value: string;
  /** Null if it has been the same since the first drawing. */
  readonly changed: (Omit<Change, 'isFresh'> & { readonly at: number }) | null;
  readonly drawing: number;
}

/** The values of a view that is drawn again and again, and how long ago each of them changed. */
export class RecentChanges {
  readonly #now: () => number;

  readonly #seen = new Map<string, Seen>();
  #drawing = 0;
  #isFirst = true;

  /** @param now milliseconds since any moment */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins a drawing. Values that the last one did not have are forgotten: if they come back, they are new. */
  begin(): void {
    if (this.#seen.size === 0) return;
    this.#isFirst = false;
    for (const [key, { drawing }] of this.#seen) if (drawing < this.#drawing) this.#seen.delete(key);
    this.#drawing += 1;
  }

  /** Takes a value of this drawing. Returns its change, undefined if it did not change recently. */
  of(key: string, value: string): Change | undefined {
    const before = this.#seen.get(key);
    const changed = before?.value === value ? before.changed : this.#changeOf(before?.value, value);
    this.#seen.set(key, { value, changed, drawing: this.#drawing });
    const ageMs = changed === null ? FADED_MS : this.#now() - changed.at;
    if (changed === null || ageMs >= FADED_MS) return undefined;
    return { isFresh: ageMs < FRESH_MS, isNew: changed.isNew, direction: changed.direction };
  }

  #changeOf(before: string | undefined, value: string): Seen['changed'] {
    if (before === undefined && this.#isFirst) return null;
    const isNew = before === undefined;
    return { at: this.#now(), isNew, direction: isNew ? null : directionOf(before, value) };
  }
}

function directionOf(before: string, after: string): Change['direction'] {
  const [from, to] = [before, after].map((text) => Decimal.parse(text.replaceAll(',', '').replace(/%$/, '')));
  const order = from === undefined || to === undefined ? 0 : to.compare(from);
  return order === 0 ? null : order > 0 ? 'up' : 'down';
}
