import { NumberedLists } from '../../../src/sandbox/store/numbered-lists.js';
import type { Store } from '../../../src/sandbox/store/store.js';
import { type Rows, Table } from '../../../src/sandbox/store/table.js';

/** A disk that takes nothing and has nothing. */
const NOTHING = {
  get: () => undefined,
  getRange: () => [],
  put: () => Promise.resolve(true),
  remove: () => Promise.resolve(true),
};

/** A store without a disk. */
export class StoreInMemory implements Pick<Store<object>, 'table' | 'lists' | 'changed'> {
  readonly #tables: Table<unknown>[] = [];
  readonly #lists = new Map<string, NumberedLists<unknown>>();

  table<Value>(name: string): Table<Value> {
    const table = new Table<Value>(name, NOTHING as unknown as Rows);
    this.#tables.push(table as Table<unknown>);
    return table;
  }

  /** The same lists each time, because only they have the entries. */
  lists<Value>(name: string): NumberedLists<Value> {
    const lists = this.#lists.get(name) ?? new NumberedLists(this.table<unknown[]>(name));
    this.#lists.set(name, lists);
    return lists as NumberedLists<Value>;
  }

  changed(): void {
    // nothing is committed
  }

  /** Drops the rows as if a disk had taken them: a long campaign would fill the memory with them. */
  forgetRows(): void {
    for (const table of this.#tables) {
      table.write();
      table.written();
    }
  }
}
