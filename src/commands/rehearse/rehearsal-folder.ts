import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readBounded } from '../../platform/files/bounded-file.js';
import { FILE_MODE } from '../../platform/files/private-files.js';
import type { Host } from '../../platform/host.js';
import { hasEnded, processIdentity } from '../../platform/programs/processes.js';

const PREFIX = 'pit-rehearse-';
/** The file in a folder that says whose it is. */
const OWNER = 'owner';
const MOST_BYTES = 4_096;

/**
 * The temporary folder of a rehearsal. It is removed at the end, also if the process exits early. Nothing can remove it when the process
 * is killed, so the next rehearsal does.
 */
export class RehearsalFolder {
  readonly path: string;
  readonly #forget: () => void;

  constructor(host: Pick<Host, 'onExit'>) {
    removeAbandoned();
    this.path = mkdtempSync(path.join(tmpdir(), PREFIX));
    this.#forget = host.onExit(() => removeFolder(this.path));
    writeFileSync(path.join(this.path, OWNER), processIdentity(process.pid).join('\n'), {
      mode: FILE_MODE,
    });
  }

  remove(): void {
    this.#forget();
    removeFolder(this.path);
  }
}

/** Removes the folders of rehearsals that were killed. One that cannot be read or removed stays: it is not needed here. */
function removeAbandoned(): void {
  try {
    const above = tmpdir();
    const folders = readdirSync(above).filter((name) => name.startsWith(PREFIX));
    for (const folder of folders.map((name) => path.join(above, name))) if (isAbandoned(folder)) removeFolder(folder);
  } catch {
    // it stays
  }
}

/** Whether a folder is the user's own and the process that made it has certainly ended. */
function isAbandoned(folder: string): boolean {
  try {
    const { uid, mode } = lstatSync(folder);
    // not one that another user could fill or replace
    if (uid !== process.getuid?.() || (mode & 0o077) !== 0) return false;
    return hasEnded(readBounded(path.join(folder, OWNER), MOST_BYTES).toString().split('\n'));
  } catch {
    return false;
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
