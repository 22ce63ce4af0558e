import { closeSync, fstatSync, ftruncateSync, readFileSync, statSync, writeSync } from 'node:fs';
import { Failure } from '../../errors.js';
import { openPrivate } from '../disk.js';

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

/** Why a start failed, and what to do where that is known. */
export interface StartFailure {
  readonly reason: string;
  readonly hint: Failure['hints'];
}

/** What a start in the background that failed writes before its reason, which is one line of JSON. */
const CANNOT_START = 'cannot start: ';

/** The line of the log for a start that failed. */
export function cannotStart(thrown: unknown): string {
  const reason = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, LONGEST_LINE / 4);
  const hint = thrown instanceof Failure ? thrown.hints : [];
  return `${CANNOT_START}${JSON.stringify({ reason, hint } satisfies StartFailure)}`;
}

/** How a printed failure's second line begins, which says what to do. */
const PRINTED_HINT = /^(→|->) /;

/**
 * Why the last start failed: what it said itself, or else the last thing that its process printed, without its advice.
 * Undefined when there is nothing.
 */
export function failureIn(file: string, from: number): StartFailure | undefined {
  const lines = readFileSync(file).subarray(from).toString('utf8').trim().split('\n');
  const said = lines.find((line) => line.includes(CANNOT_START));
  if (said !== undefined)
    return JSON.parse(said.slice(said.indexOf(CANNOT_START) + CANNOT_START.length)) as StartFailure;
  const reason = lines.findLast((line) => line !== '' && !PRINTED_HINT.test(line));
  return reason === undefined ? undefined : { reason, hint: [] };
}

/** The length of the log, 0 when there is none. */
export function lengthOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
