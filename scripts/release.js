// `npm run release -- --key FILE`: makes in release/ what is published, with checksums and their signature. --unsigned leaves the
// signature out, --without-executable the single executable file, which needs a newer Node than pit itself.
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, sign, verify } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.js';
import { requireNodeForExecutable } from './executable-node.js';
import { commitOf, npm, prepare, root } from './prepare.js';
import { fingerprintOf, PAGE, PUBLIC_KEY, readSigningKey } from './signing-key.js';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.sig`;

// for copies without git; a release names its own commit
delete process.env.PIT_COMMIT;

const release = path.join(root, 'release');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const options = optionsGiven();
const key = options.key === undefined ? undefined : await readSigningKey(options.key);
if (key !== undefined) requirePublished(key);
// before the files of an earlier release are removed
if (options.executable) requireNodeForExecutable();
requireCleanTree();
const commit = commitOf(root);

prepare();
mkdirSync(release, { recursive: true });
for (const name of readdirSync(release)) if (/^(pit(-.*)?|SHA256SUMS.*)$/.test(name)) rmSync(path.join(release, name));

const made = [tarball(), shellFiles(), ...(options.executable ? [executable()] : []), bill()];
const sums = Buffer.from(made.map((name) => `${digest(path.join(release, name))}  ${name}\n`).join(''));
writeFileSync(path.join(release, SUMS), sums);
for (const name of [...made, SUMS]) console.log(`release/${name}`);
if (key !== undefined) writeSignature(key);
else
  console.error(
    'UNSIGNED: this release cannot be told from a forged one. Sign it with --key FILE before you publish it.',
  );
if (!options.executable) console.error('There is no executable file in this release (--without-executable).');

function optionsGiven() {
  const fail = (/** @type {string} */ message) => {
    console.error(`${message}\nUsage: npm run release -- (--key FILE | --unsigned) [--without-executable]`);
    process.exit(2);
  };
  /** @type {{ key: { type: 'string' }, unsigned: { type: 'boolean' }, 'without-executable': { type: 'boolean' } }} */
  const known = { key: { type: 'string' }, unsigned: { type: 'boolean' }, 'without-executable': { type: 'boolean' } };
  try {
    const { values } = parseArgs({ options: known });
    if ((values.key === undefined) !== (values.unsigned === true))
      fail('Give the key that signs the release, or --unsigned.');
    return { key: values.key, executable: values['without-executable'] !== true };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/**
 * A release that is signed with another key than the published one would not pass anybody's check.
 * @param {import('node:crypto').KeyObject} key
 */
function requirePublished(key) {
  const file = path.join(root, PUBLIC_KEY);
  const isPublished =
    existsSync(file) &&
    createPublicKey(readFileSync(file)).equals(createPublicKey(key)) &&
    readFileSync(PAGE, 'utf8').includes(fingerprintOf(key));
  if (isPublished) return;
  console.error(
    `${PUBLIC_KEY} and docs/install.md do not publish the key that signs, so users could not check the signature. Publish it, and commit both: npm run release-key -- FILE`,
  );
  process.exit(2);
}

/** What is released has to be what the commit holds. */
function requireCleanTree() {
  const { status, stdout } = git('status', '--porcelain');
  if (status === 0 && stdout === '') return;
  const why = status === 0 ? `there are uncommitted changes:\n${stdout.trimEnd()}` : 'this is no git checkout.';
  console.error(`A release is made from a commit, and ${why}`);
  process.exit(1);
}

function tarball() {
  npm('pack', '--silent', '--pack-destination', release);
  return `pit-${version}.tgz`;
}

/** Completions and manual pages, for those who install the executable. */
function shellFiles() {
  const name = `pit-${version}-shell-files.tar.gz`;
  // the same bytes for the same commit
  const fixed = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX', `--mtime=${time()}`];
  const words = ['--create', ...fixed, `--transform=s,^,pit-${version}/,`, 'completions', 'man'];
  const { status, stdout, stderr, error } = spawnSync('tar', words, { cwd: root, maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`GNU tar is needed: ${error?.message ?? stderr}`);
  writeFileSync(path.join(release, name), gzipSync(stdout, { level: 9 }));
  return name;
}

function executable() {
  npm('run', '--silent', 'build:binary');
  const name = `pit-${version}-${process.platform}-${process.arch}`;
  renameSync(path.join(release, 'pit'), path.join(release, name));
  return name;
}

function bill() {
  const name = `pit-${version}.cdx.json`;
  const node = options.executable ? { version: process.versions.node, executable: process.execPath } : undefined;
  const document = billOfMaterials(root, { commit, time: time(), node });
  writeFileSync(path.join(release, name), `${JSON.stringify(document, null, 2)}\n`);
  return name;
}

/** The time of the commit, so that a release can be made again to the byte. */
function time() {
  return new Date(Number(git('log', '-1', '--format=%ct').stdout) * 1_000).toISOString();
}

/** @param {import('node:crypto').KeyObject} privateKey */
function writeSignature(privateKey) {
  const publicKey = createPublicKey(privateKey);
  const signature = sign(null, sums, privateKey);
  if (!verify(null, sums, publicKey, signature)) throw new Error('the signature does not fit');
  writeFileSync(path.join(release, SIGNATURE), signature);
  console.log(`release/${SIGNATURE}\nSigned with the key of the fingerprint ${fingerprintOf(publicKey)}.`);
}

/** @param {string} file */
function digest(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** @param {string[]} words */
function git(...words) {
  return spawnSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
