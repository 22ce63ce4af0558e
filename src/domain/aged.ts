/** A value with its age. */
export interface Aged<Value> {
  readonly value: Value;
  /** When the exchange made it, in milliseconds since the Unix epoch; null if it does not say. */
  readonly time: number | null;
  /** When it was pushed, or when the read that showed it began, in milliseconds since the Unix epoch. */
  readonly received: number;
  /** How long ago that was, in milliseconds: setting the clock does not change it. */
  readonly ageMs: number;
  /** How long ago it was last pushed or read, whether it was new or the same, in milliseconds. */
  readonly provenMs: number;
  /** What a read has shown since that may still be on its way as a push, and how long ago that was; absent for nothing. */
  readonly ahead?: { readonly value: Value; readonly ageMs: number };
  /** Whether nothing newer is missing. */
  readonly isCurrent: boolean;
  /** What keeps it current; if nothing does, where it came from. */
  readonly source: 'stream' | 'polling';
  /** What could not be read and may be missing, however current the rest is. */
  readonly missing?: string;
}
