// The key that signs releases: its private half in a file that only the maintainer has, its public half in the repository, and its
// fingerprint in docs/install.md.
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.js';

/** The public half, in the root of the repository. */
export const PUBLIC_KEY = 'release-key.pem';

/** The page that says how to verify a release. */
export const PAGE = path.join(root, 'docs', 'install.md');

/**
 * The private key in a file. Says what is wrong with it and ends the process with exit code 2 if it cannot sign a release.
 * @param {string} file
 */
export async function readSigningKey(file) {
  const fail = (/** @type {string} */ why) => {
    console.error(`${file} ${why}. Make a key with: openssl genpkey -algorithm ed25519 -aes256 -out FILE`);
    process.exit(2);
  };
  let found;
  try {
    const pem = readFileSync(file, 'utf8');
    found = createPrivateKey({ key: pem, passphrase: pem.includes('ENCRYPTED') ? await passphrase(file) : undefined });
  } catch (error) {
    // the message of a wrong key may quote it
    return fail(`cannot be read as a private key in PEM, or its passphrase is wrong (${codeOf(error)})`);
  }
  if (found.asymmetricKeyType !== 'ed25519') return fail('holds another kind of key than Ed25519');
  return found;
}

/**
 * The code of an error of the system or of OpenSSL.
 * @param {unknown} error
 */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : String(error);
}

/** Asked for on the terminal; in a pipe, the first line of stdin. Never an argument, which every user of the machine sees. */
async function passphrase(/** @type {string} */ file) {
  if (!process.stdin.isTTY) return readFileSync(0, 'utf8').split('\n')[0];
  const { default: inquirer } = await import('inquirer');
  const { text } = await inquirer.prompt({ type: 'password', name: 'text', message: `Passphrase of ${file}:` });
  return text;
}

/** The SHA-256 of the public half in DER, as `openssl pkey -pubin -outform DER | sha256sum` prints it. */
export function fingerprintOf(/** @type {import('node:crypto').KeyObject} */ key) {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
