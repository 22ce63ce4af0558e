import { closeSync, readdirSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../errors.js';
import { readTextBounded } from '../../platform/bounded-file.js';
import { isAlive, startStamp } from '../../platform/processes.js';
import { openPrivate } from '../disk.js';
import { removeFile } from './files.js';

/** Held by the process that may start or reset the sandbox of a folder. */
interface LaunchLock {
  release(): void;
}

/** No holder needs this long. An older lock counts as released, even if its process id exists. */
const LONGEST_HOLD = 60_000;
/** A holder writes its process id immediately after making the file. */
const LONGEST_WRITE = 2_000;

/** In place of the start of a process on a system that does not report it. */
const UNSTAMPED = '-';

const NAME = /^launch\.(\d{1,15})$/;
const ANY_NAME = /^launch\.(\d{1,15})(\.free)?$/;

/**
 * Takes the lock of a folder; undefined while another process holds it.
 *
 * Each holder makes the next file of a numbered series (`launch.7`), and only the highest number counts. The file of a released
 * or dead holder is never replaced, only followed by the next, and making a file that exists fails. So of any number of processes
 * that find a dead holder only one succeeds, and none can remove another's lock by mistake. A process that comes late with a low
 * number sees the higher one after making its file, and gives up.
 */
export function takeLaunchLock(directory: string): LaunchLock | undefined {
  const highest = highestNumber(directory);
  if (highest > 0 && isHeld(nameOf(directory, highest))) return undefined;
  const mine = highest + 1;
  const file = nameOf(directory, mine);
  if (!make(file)) return undefined;
  if (highestNumber(directory) !== mine) {
    removeFile(file);
    return undefined;
  }
  removeOlder(directory, mine);
  return { release: () => void make(`${file}.free`) };
}

const WAIT = 20_000;
const WAIT_STEP = 25;

/** Waits for the lock and takes it. Throws {@link Failure} if another process holds it for longer than a start takes. */
export async function waitForLaunchLock(directory: string): Promise<LaunchLock> {
  for (let waited = 0; waited < WAIT; waited += WAIT_STEP) {
    const lock = takeLaunchLock(directory);
    if (lock !== undefined) return lock;
    await delay(WAIT_STEP);
  }
  throw new Failure('unreachable', 'Another pit has been starting the sandbox for a while', {
    hint: 'Try again in a minute.',
  });
}

function nameOf(directory: string, number: number): string {
  return path.join(directory, `launch.${number}`);
}

function numbersIn(directory: string, names = NAME): number[] {
  return readdirSync(directory).flatMap((name) => {
    const [, number] = names.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

function highestNumber(directory: string): number {
  return Math.max(0, ...numbersIn(directory));
}

/** Makes a file with this process's id and start in it. False if it exists. */
function make(file: string): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openPrivate(file, 'wx');
    writeSync(descriptor, `${process.pid} ${startStamp(process.pid) ?? UNSTAMPED}`);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    if (descriptor !== undefined) removeFile(file); // a full disk makes the file but does not take the id
    throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isHeld(file: string): boolean {
  try {
    if (statSync(`${file}.free`, { throwIfNoEntry: false }) !== undefined) return false;
    // a clock that was set back leaves a file from the future
    const age = Math.abs(Date.now() - statSync(file).mtimeMs);
    const [pid = '', stamp] = readTextBounded(file, 256).split(' ');
    if (pid === '') return age < LONGEST_WRITE;
    // another process may have the id by now; earlier versions wrote no more than that
    if (stamp === undefined) return age < LONGEST_WRITE && isAlive(Number(pid));
    const isItself = stamp === UNSTAMPED || startStamp(Number(pid)) === stamp;
    return age < LONGEST_HOLD && isAlive(Number(pid)) && isItself;
  } catch {
    // a higher number followed and this file was removed: not available in this attempt
    return true;
  }
}

/** Includes the release marks of holders that had already been followed. */
function removeOlder(directory: string, mine: number): void {
  for (const number of numbersIn(directory, ANY_NAME)) {
    if (number >= mine) continue;
    removeFile(`${nameOf(directory, number)}.free`);
    removeFile(nameOf(directory, number));
  }
}
