import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterFile } from '../support/after-file.js';

/** Builds one of the small programs next to this file; returns its path, which exists until the end of the test file. */
export async function built(name: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-program-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = path.join(folder, `${name}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, 'programs', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // CommonJS packages ask for Node's own modules with `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
