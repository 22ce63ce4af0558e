import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

/** Builds one of the small programs beside this file; the path of what Node can run. */
export async function built(name: string): Promise<string> {
  const outfile = path.join(mkdtempSync(path.join(tmpdir(), 'pit-program-')), `${name}.mjs`);
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
