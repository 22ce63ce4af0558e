import type { Cache } from '../../../src/config/cache.js';

/** A cache whose files are in memory. */
export class MemoryCache implements Pick<Cache, 'read' | 'write' | 'remove'> {
  /** What is kept, by key. */
  readonly files = new Map<string, string>();
  /** Whether the disk takes nothing more. */
  isFull = false;

  read(key: string): { readonly value: string; readonly ageMs: number } | null {
    const value = this.files.get(key);
    return value === undefined ? null : { value, ageMs: 0 };
  }

  async write(key: string, text: string): Promise<void> {
    if (!this.isFull) this.files.set(key, text);
  }

  async remove(key: string): Promise<void> {
    this.files.delete(key);
  }
}
