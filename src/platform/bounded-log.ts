import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { openPrivate } from './private-files.js';

/** The log is truncated when it is larger. */
const LARGEST_LOG = 1_000_000;
const LONGEST_LINE = 4_000;

/** A log: lines with their time in a private file of bounded size. Errors are ignored. */
export function boundedLog(file: string): (line: string) => void {
  return (line) => {
    try {
      const descriptor = openPrivate(file, 'a');
      if (fstatSync(descriptor).size > LARGEST_LOG) ftruncateSync(descriptor);
      writeSync(descriptor, `${new Date().toISOString()} ${line.slice(0, LONGEST_LINE)}\n`);
      closeSync(descriptor);
    } catch {
      // a full disk or a removed folder: there is nowhere to report it
    }
  };
}
