import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterFile } from '../support/after-file.js';
import { bundleProgram } from '../support/bundled-program.js';

/** Builds one of the small programs next to this file; returns its path, which exists until the end of the test file. */
export async function built(name: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-program-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = path.join(folder, `${name}.mjs`);
  await bundleProgram(path.join(import.meta.dirname, 'programs', `${name}.ts`), outfile);
  return outfile;
}
