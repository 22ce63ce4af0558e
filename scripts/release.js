// `npm run release -- --key FILE`: makes in release/ what is published, with checksums and their signature. --unsigned leaves the
// signature out, --without-executable the single executable file, which needs a newer Node than pit itself.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.js';
import { requireNodeForExecutable } from './executable-node.js';
import { commitOf, npm, prepare, root } from './prepare.js';

const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.sig`;
/** The public half of the key that signs releases, in the repository. */
const PUBLIC_KEY = 'release-key.pem';

// for copies without git; a release names its own commit
delete process.env.PIT_COMMIT;

const release = path.join(root, 'release');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const options = optionsGiven();
const key = options.key === undefined ? undefined : await signingKey(options.key);
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
    'UNSIGNED: nobody can tell this release from another one. Sign it with --key FILE before you publish it.',
  );
if (!options.executable) console.error('There is no executable file in this release (--without-executable).');

function optionsGiven() {
  const fail = (message) => {
    console.error(`${message}\nUsage: npm run release -- (--key FILE | --unsigned) [--without-executable]`);
    process.exit(2);
  };
  const known = { key: { type: 'string' }, unsigned: { type: 'boolean' }, 'without-executable': { type: 'boolean' } };
  try {
    const { values } = parseArgs({ options: known });
    if ((values.key === undefined) !== (values.unsigned === true))
      fail('Give the key that signs the release, or --unsigned.');
    return { key: values.key, executable: values['without-executable'] !== true };
  } catch (error) {
    return fail(error.message);
  }
}

async function signingKey(file) {
  const fail = (why) => {
    console.error(`${file} ${why}. Make a key with: openssl genpkey -algorithm ed25519 -aes256 -out FILE`);
    process.exit(2);
  };
  let found;
  try {
    const pem = readFileSync(file, 'utf8');
    found = createPrivateKey({ key: pem, passphrase: pem.includes('ENCRYPTED') ? await passphrase(file) : undefined });
  } catch (error) {
    // the message of a wrong key may quote it
    return fail(`cannot be read as a private key in PEM, or its passphrase is wrong (${error.code})`);
  }
  if (found.asymmetricKeyType !== 'ed25519') return fail('holds another kind of key than Ed25519');
  requirePublished(createPublicKey(found));
  return found;
}

/** Asked for on the terminal; in a pipe, the first line of stdin. Never an argument, which every user of the machine sees. */
async function passphrase(file) {
  if (!process.stdin.isTTY) return readFileSync(0, 'utf8').split('\n')[0];
  const { default: inquirer } = await import('inquirer');
  const { text } = await inquirer.prompt({ type: 'password', name: 'text', message: `Passphrase of ${file}:` });
  return text;
}

/** A release that is signed with another key than the published one would pass for nobody. */
function requirePublished(publicKey) {
  const published = path.join(root, PUBLIC_KEY);
  if (existsSync(published) && createPublicKey(readFileSync(published)).equals(publicKey)) return;
  const problem = existsSync(published) ? 'holds another key than the one that signs' : 'is missing';
  console.error(
    `${PUBLIC_KEY} ${problem}, so nobody could check the signature. Make it and commit it: openssl pkey -in FILE -pubout -out ${PUBLIC_KEY}`,
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

function writeSignature(privateKey) {
  const publicKey = createPublicKey(privateKey);
  const signature = sign(null, sums, privateKey);
  if (!verify(null, sums, publicKey, signature)) throw new Error('the signature does not fit');
  writeFileSync(path.join(release, SIGNATURE), signature);
  const fingerprint = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  console.log(`release/${SIGNATURE}\nSigned with the key whose public half has the SHA-256 ${fingerprint} (DER).`);
}

function digest(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function git(...words) {
  return spawnSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
