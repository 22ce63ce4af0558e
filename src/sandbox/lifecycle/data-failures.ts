import { closeSync, writeSync } from 'node:fs';
import path from 'node:path';
import { Failure, suggest } from '../../errors.js';
import { diskTrouble, openPrivate } from '../disk.js';
import { UnreadableStore } from '../store/errors.js';
import { removeFile } from './files.js';

const ANEW = ['This forgets its orders, balances and history.', suggest('Start an empty exchange', 'sandbox', 'reset')];

/**
 * Does what needs the folder of a sandbox. Throws {@link Failure} `unreachable`, with what to do, when the disk does not
 * take or give the data, or when they cannot be read.
 */
export async function keepingData<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw dataFailure(directory, thrown) ?? thrown;
  }
}

function dataFailure(directory: string, thrown: unknown): Failure | undefined {
  if (thrown instanceof UnreadableStore) {
    const message = `The sandbox cannot read its data: ${thrown.message}`;
    return new Failure('unreachable', message, { hint: ANEW, cause: thrown });
  }
  // what could not be written names the system's error as its cause
  const trouble = diskTrouble(thrown) ?? (thrown instanceof Error ? diskTrouble(thrown.cause) : undefined);
  if (thrown instanceof Failure || trouble === undefined) return undefined;
  const message = `The sandbox cannot keep its data in ${directory}: ${trouble.reason}`;
  return new Failure('unreachable', message, { hint: `${trouble.fix}, then run it again.`, cause: thrown });
}

/** As much as a start writes at least, in bytes. */
const SAMPLE = 262_144;

/** Writes and removes a file, for the system's error where there is no room: a sandbox that met it may not be able to say so. */
export function tryDisk(directory: string): void {
  const file = path.join(directory, `room.json.${process.pid}`);
  try {
    const descriptor = openPrivate(file, 'w');
    try {
      for (let left = SAMPLE; left > 0; ) left -= writeSync(descriptor, Buffer.alloc(left));
    } finally {
      closeSync(descriptor);
    }
  } finally {
    removeFile(file);
  }
}

/** The failure for a start whose process the system ended, mostly for reading a store that makes no sense. */
export function endedNatively(store: string, signal: NodeJS.Signals): Failure {
  return new Failure('unreachable', `The sandbox did not start: ${signal} ended it, so ${store} may be damaged`, {
    hint: ANEW,
  });
}
