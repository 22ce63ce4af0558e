import fs from 'node:fs';
import path from 'node:path';
import type { Host } from './host.js';

/** Put in by the build (scripts/build.js); nothing puts it in if the sources are run without a build. */
declare const PIT_COMMIT: string | null | undefined;

/** The git commit that this build was made from, with `-dirty` if files were changed since; null if it is unknown. */
const commit: string | null = typeof PIT_COMMIT === 'undefined' ? null : PIT_COMMIT;

/** What runs: an installed package, a single executable file, or a checkout of the repository. */
type Source = 'package' | 'executable' | 'checkout';

export interface Installation {
  readonly commit: string | null;
  /** The version of Node that runs it. */
  readonly node: string;
  readonly source: Source;
}

/** Where the running program comes from. */
export function installationOf({ self }: Pick<Host, 'self'>): Installation {
  return { commit, node: process.versions.node, source: sourceOf(self) };
}

function sourceOf({ arguments: [program], command }: Host['self']): Source {
  if (process.getBuiltinModule('node:sea').isSea()) return 'executable';
  const root = path.dirname(path.dirname(fs.realpathSync(program ?? command)));
  // no package holds the sources; npm links to a checkout that is installed with --global
  return fs.existsSync(path.join(root, 'src', 'main.ts')) ? 'checkout' : 'package';
}
