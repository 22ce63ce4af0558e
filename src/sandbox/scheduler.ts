/** Something that is due at a time of the exchange's clock. */
export interface Task<Subject> {
  readonly time: number;
  readonly subject: Subject;
}

/** Tasks in the order in which they are due; those of the same time in the order in which they were added. */
export class Scheduler<Subject> {
  readonly #tasks: Task<Subject>[];

  /** The list is kept sorted in place, because it is a part of the exchange's state. */
  constructor(tasks: Task<Subject>[]) {
    this.#tasks = tasks;
  }

  /** When the next task is due; infinity when there is none. */
  get next(): number {
    return this.#tasks[0]?.time ?? Number.POSITIVE_INFINITY;
  }

  /** Schedules a task; new ones usually belong near the end. */
  add(subject: Subject, time: number): void {
    const before = this.#tasks.findLastIndex((other) => other.time <= time);
    this.#tasks.splice(before + 1, 0, { time, subject });
  }

  remove(isMeant: (subject: Subject) => boolean): void {
    const index = this.#tasks.findIndex(({ subject }) => isMeant(subject));
    if (index >= 0) this.#tasks.splice(index, 1);
  }

  /** Takes out the next task if it is due by `time`. */
  take(time: number): Task<Subject> | undefined {
    return this.next > time ? undefined : this.#tasks.shift();
  }
}
