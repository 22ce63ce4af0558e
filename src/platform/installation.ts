import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../errors.js';
import { readTextBounded } from './files/bounded-file.js';

/** Defined by the build (scripts/build.js); absent if the sources are run without one. */
declare const PIT_COMMIT: string | null | undefined;

/** The git commit that this build was made from, with `-dirty` if files were changed since; null if it is unknown. */
const commit: string | null = typeof PIT_COMMIT === 'undefined' ? null : PIT_COMMIT;

/** How this program was started, to start it again in the background. */
export interface OwnProgram {
  readonly command: string;
  readonly arguments: readonly string[];
}

/** The program of this process. */
export function ownProgram(): OwnProgram {
  const { execPath, argv } = process;
  // an executable file that contains pit has no script
  return { command: execPath, arguments: argv.slice(1, 2).filter((file) => file !== execPath) };
}

/** What runs: an installed package, a single executable file, or a checkout of the repository. */
type Source = 'package' | 'executable' | 'checkout';

export interface Installation {
  readonly commit: string | null;
  /** The version of Node that runs it. */
  readonly node: string;
  readonly source: Source;
}

/** Where the running program comes from. */
export function installationOf({ self }: { readonly self: OwnProgram }): Installation {
  return { commit, node: process.versions.node, source: sourceOf(self) };
}

function sourceOf(self: OwnProgram): Source {
  if (process.getBuiltinModule('node:sea').isSea()) return 'executable';
  // no package holds the sources; npm links to a checkout that is installed with --global
  return fs.existsSync(path.join(rootOf(self), 'src', 'main.ts')) ? 'checkout' : 'package';
}

/** No text file of an installation is larger. */
const MAX_BYTES = 16 * 2 ** 20;

/**
 * The text of a file of the installation, by its path in the package; a single executable holds it under the same name. Throws
 * Failure `internal` if it is missing.
 */
export function installedText({ self }: { readonly self: OwnProgram }, file: string): string {
  try {
    const { isSea, getAsset } = process.getBuiltinModule('node:sea');
    return isSea() ? getAsset(file, 'utf8') : readTextBounded(path.join(rootOf(self), file), MAX_BYTES);
  } catch (cause) {
    const hint = 'Install pit again. In a clone of the repository, run npm ci.';
    throw new Failure('internal', `${file} is missing from the installation.`, { hint, cause });
  }
}

function rootOf({ arguments: [program], command }: OwnProgram): string {
  return path.dirname(path.dirname(fs.realpathSync(program ?? command)));
}
