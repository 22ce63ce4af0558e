// The git commit of a build, which `pit --version --json` shows.
import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** What a build is made of. */
const INPUTS = ['bin', 'package-lock.json', 'package.json', 'scripts', 'src'];

/**
 * The commit of a project's folder, with `-dirty` if what a build is made of was changed since; null without a git checkout.
 * A copy without one is given its commit by the variable PIT_COMMIT; if that is empty, there is none.
 */
export function commitOf(folder) {
  const given = process.env.PIT_COMMIT;
  if (given !== undefined) return given === '' ? null : checked(given);
  const top = git(folder, 'rev-parse', '--show-toplevel');
  // a copy within another checkout is not of its commit
  if (top === null || realpathSync(top) !== realpathSync(folder)) return null;
  const commit = git(folder, 'rev-parse', '--verify', 'HEAD');
  const changes = git(folder, 'status', '--porcelain', '--', ...INPUTS);
  return commit === null || changes === null ? null : `${commit}${changes === '' ? '' : '-dirty'}`;
}

function checked(commit) {
  if (/^[0-9a-f]{40,64}(-dirty)?$/.test(commit)) return commit;
  throw new Error(`PIT_COMMIT is not the whole hash of a commit: ${commit}`);
}

/** What git prints; null if it fails or is missing. */
function git(cwd, ...words) {
  const { status, stdout } = spawnSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout.trim() : null;
}
