import { closeSync, fstatSync, ftruncateSync, statSync, writeSync } from 'node:fs';
import { Failure } from '../../errors.js';
import { readBounded } from '../../platform/bounded-file.js';
import { openPrivate } from '../../platform/private-files.js';

/** The log is truncated when it is larger. */
const LARGEST = 1_000_000;
const LONGEST_LINE = 4_000;
/** What a start may have printed; its stderr goes to the log too. */
const LARGEST_READ = 16 * LARGEST;

/**
 * A sandbox's log: lines with their time in a private file of bounded size. In the background, stderr goes to the same file.
 * Errors are ignored.
 */
export function boundedLog(file: string, now: () => number): (line: string) => void {
  return (line) => {
    try {
      const descriptor = openPrivate(file, 'a');
      if (fstatSync(descriptor).size > LARGEST) ftruncateSync(descriptor);
      writeSync(descriptor, `${new Date(now()).toISOString()} ${line.slice(0, LONGEST_LINE)}\n`);
      closeSync(descriptor);
    } catch {
      // a full disk or a removed folder: there is nowhere to report it
    }
  };
}

/** Why a start failed, and what to do, if known. */
export interface StartFailure {
  readonly reason: string;
  readonly hint: Failure['hints'];
}

/** Precedes the JSON of a {@link StartFailure} in the log. */
const CANNOT_START = 'cannot start: ';

/** The log line for a failed start. */
export function cannotStart(thrown: unknown): string {
  const reason = (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, LONGEST_LINE / 4);
  const hint = thrown instanceof Failure ? thrown.hints : [];
  return `${CANNOT_START}${JSON.stringify({ reason, hint } satisfies StartFailure)}`;
}

/** Lines with advice begin like this. */
const PRINTED_HINT = /^(→|->) /;

/**
 * Why the last start failed: what it logged, or else the last line that its process printed, without advice. Undefined if there
 * is nothing.
 */
export function failureIn(file: string, from: number): StartFailure | undefined {
  const lines = readBounded(file, LARGEST_READ, from).toString('utf8').trim().split('\n');
  const said = lines.find((line) => line.includes(CANNOT_START));
  if (said !== undefined)
    return JSON.parse(said.slice(said.indexOf(CANNOT_START) + CANNOT_START.length)) as StartFailure;
  const reason = lines.findLast((line) => line !== '' && !PRINTED_HINT.test(line));
  return reason === undefined ? undefined : { reason, hint: [] };
}

/** The length of the log; 0 if there is none. */
export function lengthOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
