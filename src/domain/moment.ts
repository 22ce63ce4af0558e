/** A point in time, in milliseconds since the Unix epoch, as are the times it depends on: an age counts from now. */
export type Moment = (now: number) => number;
