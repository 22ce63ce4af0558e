import type { Codec, Table } from './store/table.js';

/** Something that is due at a time of the exchange's clock; the key says what. */
interface Task {
  readonly time: number;
  readonly key: string;
}

export const timeCodec: Codec<number> = { encode: (time) => time, decode: Number };

/** Tasks in the order in which they are due, kept in memory and in the store. There are only as many as are pending. */
export class Scheduler {
  private readonly tasks: Task[] = [];

  constructor(private readonly table: Table<number>) {
    for (const [key, time] of table.entries({ start: '', end: '\u{7f}' })) this.tasks.push({ key, time });
    this.tasks.sort((one, other) => (isAfter(one, other) ? 1 : -1));
  }

  /** When the next task is due; infinity when there is none. */
  get next(): number {
    return this.tasks[0]?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Schedules a task; new ones usually belong near the end. */
  add(key: string, time: number): void {
    const task = { key, time };
    const before = this.tasks.findLastIndex((other) => isAfter(task, other));
    this.tasks.splice(before + 1, 0, task);
    this.table.put(key, time);
  }

  remove(key: string): void {
    const index = this.tasks.findIndex((task) => task.key === key);
    if (index >= 0) this.tasks.splice(index, 1);
    this.table.delete(key);
  }

  /** Takes out the next task if it is due by `time`. */
  take(time: number): Task | undefined {
    if (this.next > time) return undefined;
    const task = this.tasks.shift();
    if (task !== undefined) this.table.delete(task.key);
    return task;
  }
}

/** Tasks of the same time go by their keys, so that a restart keeps their order. */
function isAfter(one: Task, other: Task): boolean {
  return one.time > other.time || (one.time === other.time && one.key > other.key);
}
