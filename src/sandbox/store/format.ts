/** Raised when what is stored changes its meaning, or the file that it is exported to its layout. */
export const FORMAT = 7;

/** A row of any table, whose name its path begins with. */
export type StoredRow = readonly [path: string, value: unknown];
