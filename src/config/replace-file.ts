import fs from 'node:fs';
import { FILE_MODE } from './private.js';

/** Replaces a file in one step: whoever reads it sees the old text or the new one. Throws what the system says. */
export function replaceFile(file: string, content: string | Uint8Array, mode = FILE_MODE): void {
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, content, { mode });
    fs.chmodSync(temporary, mode);
    fs.renameSync(temporary, file);
  } catch (thrown) {
    fs.rmSync(temporary, { force: true });
    throw thrown;
  }
}
