// `npm run build`, and what npm runs when it installs a checkout: installs and builds what is missing or out of date, so that one
// command works on a fresh clone and costs nothing later.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ version: string, integrity: string, optional?: boolean, os?: string[], cpu?: string[] }} Package as a lockfile has it */

/** What dist/ is made of, with the version in package.json. The lockfile names all packages. */
const INPUTS = ['assets', 'package-lock.json', 'scripts', 'src'];

const MANIFEST = path.join(root, 'package.json');
/** The whole package.json while `npm pack` reads a shorter one (scripts/pack.js). */
export const KEPT_MANIFEST = path.join(root, 'dist', '.package.json');

/** Whether npm runs this in the middle of a pack: after `prepack`, it runs `prepare`, and only then reads package.json. */
const isWithinPack =
  process.env.npm_lifecycle_event === 'prepare' && /^(pack|publish)$/.test(process.env.npm_command ?? '');

/** Puts the whole package.json back. Returns whether a shorter one was in its place. */
export function restoreManifest() {
  if (!existsSync(KEPT_MANIFEST)) return false;
  renameSync(KEPT_MANIFEST, MANIFEST);
  return true;
}

/** Makes `node_modules` what the lockfile says. */
export function preparePackages() {
  if (!isWithinPack && restoreManifest()) console.error('Put package.json back: npm pack ended before it could.');
  if (arePackagesInstalled(root)) return;
  console.error('Installing the packages …');
  // leaves the lockfile alone, runs no script of a package, and is the same if npm itself runs this to install pit elsewhere
  npm('ci', '--loglevel=error', '--ignore-scripts', '--include=dev', '--include=optional', '--no-global');
}

/**
 * Whether npm has installed a folder's packages as its lockfile says, for this machine. npm writes down what it installs.
 * @param {string} folder
 */
export function arePackagesInstalled(folder) {
  const installed = packagesOf(path.join(folder, 'node_modules/.package-lock.json'));
  const { '': _project, ...wanted } = packagesOf(path.join(folder, 'package-lock.json'));
  const isWanted = (/** @type {[string, Package]} */ [name, { version, integrity }]) =>
    wanted[name]?.version === version && wanted[name].integrity === integrity;
  return (
    Object.entries(installed).every((one) => isWanted(one) && isForThisMachine(one[1])) &&
    // npm leaves out optional ones that do not fit
    Object.keys(wanted).every((name) => Object.hasOwn(installed, name) || wanted[name]?.optional === true)
  );
}

/**
 * @param {string} lockfile
 * @returns {Record<string, Package>}
 */
function packagesOf(lockfile) {
  return existsSync(lockfile) ? JSON.parse(readFileSync(lockfile, 'utf8')).packages : {};
}

/** @param {Package} found */
function isForThisMachine({ os = [process.platform], cpu = [process.arch] }) {
  return os.includes(process.platform) && cpu.includes(process.arch);
}

/** Makes `node_modules` what the lockfile says and `dist` what the sources say. */
export function prepare() {
  preparePackages();
  const mark = path.join(root, 'dist/.built');
  const digest = digestOfBuild();
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return;
  console.error('Building …');
  run(process.execPath, ['scripts/build.js'], {}, ASIDE);
  writeFileSync(mark, digest);
}

/**
 * Runs a program in the project's folder with the terminal it was given; a failure ends this one too.
 *
 * @param {string} command
 * @param {readonly string[]} words
 * @param {NodeJS.ProcessEnv} [environment]
 * @param {import('node:child_process').StdioOptions} [stdio] for a program whose output is not the answer, such as {@link ASIDE}
 */
export function run(command, words, environment = {}, stdio = 'inherit') {
  const { status, error } = spawnSync(command, words, {
    cwd: root,
    stdio,
    env: { ...process.env, ...environment },
  });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** What is printed goes to stderr: stdout may be the answer of an npm that runs this, as in `npm pack --json`. */
/** @type {import('node:child_process').StdioOptions} */
const ASIDE = ['inherit', 2, 'inherit'];

/**
 * Runs the npm that started this script, or the one on the PATH.
 * @param {readonly string[]} words
 */
export function npm(...words) {
  const program = process.env.npm_execpath;
  if (program?.endsWith('npm-cli.js')) run(process.execPath, [program, ...words], {}, ASIDE);
  else run('npm', words, {}, ASIDE);
}

/**
 * The git commit of a project's folder, with `-dirty` if what a build is made of was changed since; null without a git
 * checkout. A copy without one is given its commit by the variable PIT_COMMIT; if that is empty, there is none.
 * @param {string} folder
 */
export function commitOf(folder) {
  const given = process.env.PIT_COMMIT;
  if (given !== undefined) {
    if (given === '' || /^[0-9a-f]{40,64}(-dirty)?$/.test(given)) return given || null;
    throw new Error(`PIT_COMMIT is not the whole hash of a commit: ${given}`);
  }
  const git = (/** @type {string[]} */ ...words) => spawnSync('git', words, { cwd: folder, encoding: 'utf8' });
  const top = git('rev-parse', '--show-toplevel');
  // a copy within another checkout is not of its commit
  if (top.status !== 0 || realpathSync(top.stdout.trim()) !== realpathSync(folder)) return null;
  const head = git('rev-parse', '--verify', 'HEAD');
  const changes = git('status', '--porcelain', '--', 'bin', ...INPUTS);
  if (head.status !== 0 || changes.status !== 0) return null;
  return `${head.stdout.trim()}${changes.stdout === '' ? '' : '-dirty'}`;
}

/** Of all that a build is made of. */
function digestOfBuild() {
  // the build holds the list of what this Node's modules offer, and names the commit
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const hash = createHash('sha256').update(
    `${version} ${process.platform} ${process.arch} ${process.version} ${commitOf(root)}\n`,
  );
  const files = INPUTS.flatMap(filesBelow);
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/** @param {string} input */
function filesBelow(input) {
  const full = path.join(root, input);
  if (path.extname(input) !== '') return [input];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** npm clones what it installs from git to a folder of its cache. */
const CLONE_OF_NPM = /[\\/]_cacache[\\/]tmp[\\/]git-clone/;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // npm then removes the packages that it has put into the folder of pit before this script ended
  if (process.env.npm_config_global === 'true' && CLONE_OF_NPM.test(root)) {
    console.error(
      'npm cannot install pit globally from a git address: clone it, and run `npm install --global .` in the clone.',
    );
    process.exit(1);
  }
  prepare();
}
