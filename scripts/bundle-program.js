// For scripts and tests that run a part of the sources as a program: Node 20 runs no TypeScript.
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { stubs } from './stubs.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages with native libraries, which find them beside their own files. */
const NATIVE = ['lmdb', '@napi-rs/keyring'];
const ALL_PACKAGES = /^[^./\0]/;

/**
 * Bundles a program as one ES module, with its packages, so that it starts faster. Packages that stay outside are linked beside
 * it if it lies elsewhere.
 *
 * @param {string} entry the absolute path of the program
 * @param {string} file what is written
 * @param {string} [contents] the text of the program, if there is no such file
 * @param {string[] | RegExp} [external] the packages that stay outside
 */
export async function bundleProgram(entry, file, contents, external = NATIVE) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  /** @type {import('rolldown').Plugin} */
  const given = {
    name: 'given-text',
    resolveId: (id) => (id === entry ? id : undefined),
    load: (id) => (id === entry ? contents : undefined),
  };
  await build({
    cwd: root,
    input: entry,
    platform: 'node',
    external,
    moduleTypes: { '.bin': 'binary' },
    plugins: contents === undefined ? [stubs] : [given, stubs],
    transform: { target: 'node20.19', define: { PIT_VERSION: JSON.stringify(version) } },
    output: { file, format: 'esm', codeSplitting: false, minify: false },
  });
  const packages = path.join(path.dirname(file), 'node_modules');
  if (!file.startsWith(root) && !existsSync(packages))
    symlinkSync(path.join(root, 'node_modules'), packages, 'junction');
}

/**
 * Bundles such a program and imports it.
 * @param {string} entry as there
 * @param {string} [contents]
 */
export async function importBundled(entry, contents) {
  // within the project, so that its packages are found
  const folder = mkdtempSync(path.join(root, 'node_modules', '.bundled-'));
  try {
    const file = path.join(folder, 'program.mjs');
    // which is less work for a single start
    await bundleProgram(entry, file, contents, ALL_PACKAGES);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
