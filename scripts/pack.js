// npm runs this around `npm pack`: `before` builds, and leaves in package.json what a user of the package needs; `after` puts the
// whole file back. The package is a bundle: npm would install what is already in it.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { KEPT_MANIFEST, prepare, restoreManifest, root } from './prepare.js';
import { removeEarlierBundles } from './replace-bundle.js';

const manifest = path.join(root, 'package.json');

/** What only a checkout needs. Its scripts stay: if this is killed, the next one that runs puts the whole file back. */
const OF_CHECKOUT = ['dependencies', 'devDependencies', 'overrides'];

const [moment] = process.argv.slice(2);
if (moment === 'before') before();
else if (moment === 'after') restoreManifest();
else throw new Error('Usage: node scripts/pack.js before|after');

function before() {
  prepare();
  removeEarlierBundles(path.dirname(KEPT_MANIFEST));
  const text = readFileSync(manifest, 'utf8');
  const released = Object.entries(JSON.parse(text)).filter(([field]) => !OF_CHECKOUT.includes(field));
  writeFileSync(KEPT_MANIFEST, text);
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(released), null, 2)}\n`);
}
