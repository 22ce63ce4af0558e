import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { systemErrorCode, usage } from '../../errors.js';
import { readBounded } from '../../platform/files/bounded-file.js';
import { cannotWrite, makePrivateFolder, openPrivate } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { hasEnded, processIdentity } from '../../platform/programs/processes.js';

/** In the state folder. */
const FOLDER = 'recorders';
const MOST_BYTES = 4_096;

/**
 * Claims a tape for this recorder, until the returned function is called or the process ends. Throws Failure `usage` while another one has
 * it: two would write into each other's documents, and the first must not end for the second. The same if the claim cannot be written.
 */
export function claimTape({ directories, onExit }: Pick<Host, 'directories' | 'onExit'>, name: string): () => void {
  const place = path.join(realFolder(path.dirname(path.resolve(name))), path.basename(name));
  makePrivateFolder(directories.state, FOLDER);
  const file = path.join(directories.state, FOLDER, createHash('sha256').update(place).digest('hex').slice(0, 32));
  for (let attempt = 0; ; attempt += 1)
    try {
      writeClaim(file);
      break;
    } catch (error) {
      if (systemErrorCode(error) !== 'EEXIST') throw cannotWrite(file, error);
      const owner = readBounded(file, MOST_BYTES).toString().split('\n');
      if (attempt > 0 || !hasEnded(owner))
        throw usage(
          `Another pit records to ${name} (process ${owner[0]}).`,
          `Give another file, or end that one first. If no pit runs there, remove ${file}.`,
        );
      fs.rmSync(file, { force: true });
    }
  const remove = () => fs.rmSync(file, { force: true });
  const forget = onExit(remove);
  return () => {
    forget();
    remove();
  };
}

/** Throws the system's error, such as EEXIST. Removes a claim that was only partly written: it does not say whose it is. */
function writeClaim(file: string): void {
  const descriptor = openPrivate(file, 'wx');
  try {
    fs.writeFileSync(descriptor, processIdentity(process.pid).join('\n'));
  } catch (error) {
    fs.rmSync(file, { force: true });
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    // opening the tape says what is wrong
    return folder;
  }
}
