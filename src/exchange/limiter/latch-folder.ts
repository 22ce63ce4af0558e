import fs from 'node:fs';
import path from 'node:path';

/** Within the state, the folder of the latches. */
export const LATCH_FOLDER = 'halted';

/** Whether an account may be halted: a cheap look, before an account is known. */
export function mayBeHalted(root: string): boolean {
  return fs.existsSync(path.join(root, LATCH_FOLDER));
}
