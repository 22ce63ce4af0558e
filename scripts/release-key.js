// `npm run release-key -- FILE`: publishes the key that signs releases. Writes its public half to release-key.pem and its fingerprint
// into docs/install.md. Commit both before the first release that it signs.
import { createPublicKey } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.js';
import { fingerprintOf, PAGE, PUBLIC_KEY, readSigningKey } from './signing-key.js';

/** What the page says of the key, between its two marks. */
const STATEMENT = /(<!-- npm run release-key writes this -->\n)[\s\S]*?(<!-- to here -->\n)/;

const { 2: file, length } = process.argv;
if (file === undefined || length > 3) {
  console.error('Usage: npm run release-key -- FILE');
  process.exit(2);
}
const key = await readSigningKey(file);
const page = readFileSync(PAGE, 'utf8');
if (!STATEMENT.test(page)) {
  console.error(`${PAGE} has no place for the fingerprint any more: put its two marks back (scripts/release-key.js).`);
  process.exit(1);
}
const fingerprint = fingerprintOf(key);
const statement = `Compare its fingerprint:\n\n\`\`\`text\n${fingerprint}\n\`\`\`\n`;
writeFileSync(PAGE, page.replace(STATEMENT, `$1${statement}$2`));
writeFileSync(path.join(root, PUBLIC_KEY), createPublicKey(key).export({ type: 'spki', format: 'pem' }));
console.log(`Wrote ${PUBLIC_KEY}, and its fingerprint into docs/install.md: ${fingerprint}\nCommit both.`);
