import { type Rows, Table } from '../../../src/sandbox/store/table.js';

/** A disk that takes nothing and has nothing. */
const NOTHING = {
  get: () => undefined,
  getRange: () => [],
  put: () => Promise.resolve(true),
  remove: () => Promise.resolve(true),
};

/** A table whose rows are in memory. */
export function tableInMemory<Value>(): Table<Value> {
  return new Table<Value>('t', NOTHING as unknown as Rows);
}
