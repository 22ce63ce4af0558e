import { Failure } from '../../../errors.js';
import type { FactRecord } from '../record/fact-record.js';
import { type AlgoFacts, changedBetween } from '../record/facts.js';
import type { AlgoStore } from '../record/store.js';

interface OpenRecordsOptions {
  readonly store: Pick<AlgoStore, 'read' | 'sizeOf' | 'openIds' | 'putAway'>;
  readonly warn: (message: string) => void;
  /** Only these algo orders. Absent: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** A record that could be read. */
type WholeRecord = FactRecord & { readonly facts: AlgoFacts };

/** The records of the algo orders at work: which there are, which of them another process has changed, and which cannot be read. */
export class OpenRecords {
  readonly #options: OpenRecordsOptions;
  readonly #sizes = new Map<string, number>();
  readonly #damaged = new Set<string>();

  constructor(options: OpenRecordsOptions) {
    this.#options = options;
  }

  /** The ids of the algo orders that have not ended and can be read. */
  get ids(): string[] {
    const { store, only } = this.#options;
    return store.openIds().filter((id) => !this.#damaged.has(id) && (only?.has(id) ?? true));
  }

  /** Reads those that are to be worked on. One that has ended is put away. */
  begin(ids: readonly string[]): WholeRecord[] {
    const { store, warn } = this.#options;
    const records = ids.flatMap((id) => this.#read(id) ?? []);
    for (const { id, torn } of records)
      if (torn > 0) warn(`A line of the record of the algo order ${id} was cut off and is ignored.`);
    for (const { id, facts } of records) if (facts.ended !== null) store.putAway(id);
    return records.filter(({ facts }) => facts.ended === null);
  }

  /** The facts of one that another process has paused, resumed or cancelled; undefined if none has, or it cannot be read any more. */
  changed(id: string, known: AlgoFacts): AlgoFacts | undefined {
    const size = this.#options.store.sizeOf(id);
    if (size === undefined || size === this.#sizes.get(id)) return undefined;
    const facts = this.#read(id)?.facts;
    return facts === undefined || changedBetween(known, facts) === undefined ? undefined : facts;
  }

  /** Undefined if there is none or, after a warning, if nothing may be done for it. */
  #read(id: string): WholeRecord | undefined {
    const { store, warn } = this.#options;
    // before it is read: what another process adds from here on is a change
    this.#sizes.set(id, store.sizeOf(id) ?? 0);
    try {
      const record = store.read(id);
      if (record === undefined) return undefined;
      if (hasFacts(record)) return record;
      warn(`NOT PROTECTED: nothing is done for the algo order ${id}: ${record.problem}.`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(`NOT PROTECTED: the record of the algo order ${id} cannot be read: ${error.message}`);
    }
    this.#damaged.add(id);
    return undefined;
  }

  /** Whether nothing is done for it, because its record could not be read. */
  isDamaged(id: string): boolean {
    return this.#damaged.has(id);
  }

  forget(id: string): void {
    this.#sizes.delete(id);
  }
}

function hasFacts(record: FactRecord): record is WholeRecord {
  return record.facts !== undefined;
}
