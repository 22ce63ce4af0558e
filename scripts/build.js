// Bundles src/ into dist/: one small entry, one chunk a command, shared code in chunks of its own.
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });

await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  absWorkingDir: new URL('..', import.meta.url).pathname,
  bundle: true,
  splitting: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.17',
  define: { PIT_VERSION: JSON.stringify(version) },
  external: ['lmdb'],
  // CommonJS packages inside the bundle still call require for Node's own modules
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
