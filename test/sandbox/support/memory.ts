import { NumberedLists } from '../../../src/sandbox/store/numbered-lists.js';
import type { ServiceStore } from '../../../src/sandbox/store/store.js';
import { type Rows, Table } from '../../../src/sandbox/store/table.js';

/** A disk that takes nothing and has nothing. */
const NOTHING = {
  get: () => undefined,
  getRange: () => [],
  put: () => Promise.resolve(true),
  remove: () => Promise.resolve(true),
};

/** A store without a disk, or with rows of its own for each table. */
export class StoreInMemory implements ServiceStore {
  readonly #rowsOf: (table: string) => unknown;
  readonly #tables: Table<unknown>[] = [];
  readonly #lists = new Map<string, NumberedLists<unknown>>();

  /** @param rowsOf the rows of a table by its name (default: none, and none are kept) */
  constructor(rowsOf: (table: string) => unknown = () => NOTHING) {
    this.#rowsOf = rowsOf;
  }

  table<Value>(name: string): Table<Value> {
    const table = new Table<Value>(name, this.#rowsOf(name) as Rows);
    this.#tables.push(table as Table<unknown>);
    return table;
  }

  /** The same lists each time, because only they have the entries. */
  lists<Value>(name: string): NumberedLists<Value> {
    const lists = this.#lists.get(name) ?? new NumberedLists(this.table<unknown[]>(name));
    this.#lists.set(name, lists);
    return lists as NumberedLists<Value>;
  }

  commitSoon(): void {
    // nothing is committed
  }

  /** Writes the rows. Without a disk they are gone: a long campaign would fill the memory with them. */
  writeRows(): void {
    for (const table of this.#tables) {
      table.write();
      table.written();
    }
  }
}
