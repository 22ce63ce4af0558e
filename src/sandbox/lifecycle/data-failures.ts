import { closeSync, writeSync } from 'node:fs';
import path from 'node:path';
import { Failure, suggest } from '../../errors.js';
import { openPrivate } from '../../platform/private-files.js';
import { diskTrouble } from '../disk.js';
import { UnreadableStore } from '../store/errors.js';
import { removeFile } from './files.js';

const ANEW = ['This forgets its orders, balances and history.', suggest('Start an empty exchange', 'sandbox', 'reset')];

/**
 * Runs work that needs the folder of a sandbox. Throws {@link Failure} `unreachable`, with what to do, if the disk fails or the
 * data cannot be read.
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
  // NotWritten has the system's error as its cause
  const trouble = diskTrouble(thrown) ?? (thrown instanceof Error ? diskTrouble(thrown.cause) : undefined);
  if (thrown instanceof Failure || trouble === undefined) return undefined;
  const message = `The sandbox cannot keep its data in ${directory}: ${trouble.reason}`;
  return new Failure('unreachable', message, { hint: `${trouble.fix}, then run it again.`, cause: thrown });
}

/** What a start writes at least, in bytes. */
const SAMPLE = 262_144;

/** Writes and removes a file. Throws the system's error if there is no room, which a failed sandbox may not have been able to log. */
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

/** The failure of a start whose process crashed, most likely from a damaged store. */
export function endedNatively(store: string, signal: NodeJS.Signals): Failure {
  return new Failure('unreachable', `The sandbox did not start: ${signal} ended it, so ${store} may be damaged`, {
    hint: ANEW,
  });
}
