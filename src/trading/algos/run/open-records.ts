import { Failure } from '../../../errors.js';
import type { FactRecord } from '../record/fact-record.js';
import type { AlgoStore } from '../record/store.js';

/** The records of the algo orders at work: which of them another process has changed, and which cannot be read. */
export class OpenRecords {
  readonly #store: Pick<AlgoStore, 'read' | 'sizeOf'>;
  readonly #warn: (message: string) => void;
  readonly #sizes = new Map<string, number>();
  readonly #damaged = new Set<string>();

  constructor(store: Pick<AlgoStore, 'read' | 'sizeOf'>, warn: (message: string) => void) {
    [this.#store, this.#warn] = [store, warn];
  }

  /** Undefined if there is none or, after a warning, if nothing may be done for it. */
  read(id: string): FactRecord | undefined {
    // before it is read: what another process adds from here on is a change
    this.#sizes.set(id, this.#store.sizeOf(id) ?? 0);
    try {
      const record = this.#store.read(id);
      if (record === undefined) return undefined;
      if (record.facts !== undefined) return record;
      this.#warn(`NOT PROTECTED: nothing is done for the algo order ${id}: ${record.problem}.`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#warn(`NOT PROTECTED: the record of the algo order ${id} cannot be read: ${error.message}`);
    }
    this.#damaged.add(id);
    return undefined;
  }

  /** Whether nothing is done for it, because its record could not be read. */
  isDamaged(id: string): boolean {
    return this.#damaged.has(id);
  }

  /** Whether a line was added since it was read. */
  hasChanged(id: string): boolean {
    const size = this.#store.sizeOf(id);
    return size !== undefined && size !== this.#sizes.get(id);
  }

  forget(id: string): void {
    this.#sizes.delete(id);
  }
}
