import { closeSync, fstatSync, ftruncateSync, readFileSync, statSync, writeSync } from 'node:fs';
import { openPrivate } from './files.js';

/** The log starts anew when it is larger than this. */
const LARGEST = 1_000_000;
const LONGEST_LINE = 4_000;

/**
 * A sandbox's own log: lines with their time, in a private file that cannot grow forever. In the background the process's
 * stderr goes to the same file. Failing to write never disturbs the sandbox.
 */
export function boundedLog(file: string, now: () => number): (line: string) => void {
  return (line) => {
    try {
      const descriptor = openPrivate(file, 'a');
      if (fstatSync(descriptor).size > LARGEST) ftruncateSync(descriptor);
      writeSync(descriptor, `${new Date(now()).toISOString()} ${line.slice(0, LONGEST_LINE)}\n`);
      closeSync(descriptor);
    } catch {
      // a full disk, or a folder that was removed: there is nowhere left to say so
    }
  };
}

/** What a start in the background that failed writes before its reason. */
export const CANNOT_START = 'cannot start: ';

/** The reason why the last start failed: what it said itself, or else the last thing that its process wrote. */
export function failureIn(file: string, from: number): string {
  const lines = readFileSync(file).subarray(from).toString('utf8').trim().split('\n');
  const said = lines.find((line) => line.includes(CANNOT_START));
  if (said !== undefined) return said.slice(said.indexOf(CANNOT_START) + CANNOT_START.length);
  return lines.at(-1) || 'it ended without a word';
}

/** The length of the log, 0 when there is none. */
export function lengthOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
