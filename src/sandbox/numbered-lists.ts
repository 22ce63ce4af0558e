import { type Table, under } from './store-table.js';

/** Enough for 10^12 entries: keys of equal length sort as their numbers do. */
const DIGITS = 12;

/**
 * Lists on disk that grow only at their end. An entry is found by its place, which counts from 1, so that a page costs
 * the same however long the list is and wherever in it the page lies. Only the lengths are in memory.
 */
export class NumberedLists<Value> {
  private readonly lengths = new Map<string, number>();

  constructor(private readonly table: Table<Value>) {}

  length(list: string): number {
    const known = this.lengths.get(list);
    if (known !== undefined) return known;
    const [last] = this.table.entries({ ...under(`${list}/`), reverse: true });
    const length = last === undefined ? 0 : Number(last[0].slice(-DIGITS));
    this.lengths.set(list, length);
    return length;
  }

  /** Adds an entry and gives its place. */
  append(list: string, value: Value): number {
    const place = this.length(list) + 1;
    this.lengths.set(list, place);
    this.put(list, place, value);
    return place;
  }

  put(list: string, place: number, value: Value): void {
    this.table.put(keyOf(list, place), value);
  }

  /** Throws RangeError where there is no such entry, which is a defect: places come from this list. */
  at(list: string, place: number): Value {
    const value = this.table.get(keyOf(list, place));
    if (value === undefined) throw new RangeError(`${list} has no entry ${place}`);
    return value;
  }

  /** A page, newest first; pages count from 1. `first` and `last` bound the places that are shown. */
  newest(list: string, page: number, size: number, first = 1, last = this.length(list)): Value[] {
    const top = last - (page - 1) * size;
    const values: Value[] = [];
    for (let place = top; place >= first && place > top - size; place -= 1) values.push(this.at(list, place));
    return values;
  }

  /** The first place whose entry is not `before`, in a list where those that are before come first. */
  firstNot(list: string, before: (value: Value) => boolean): number {
    let [low, high] = [1, this.length(list) + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (before(this.at(list, middle))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function keyOf(list: string, place: number): string {
  return `${list}/${String(place).padStart(DIGITS, '0')}`;
}
