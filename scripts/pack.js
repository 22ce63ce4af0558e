// npm runs this around `npm pack`: `before` builds, and leaves in package.json what a user of the package needs; `after` puts the
// whole file back. The package is a bundle: npm would install what is already in it.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prepare, root } from './prepare.js';
import { removeEarlierBundles } from './replace-bundle.js';

const manifest = path.join(root, 'package.json');
const kept = path.join(root, 'dist', '.package.json');

/** What only a checkout needs. */
const OF_CHECKOUT = ['scripts', 'dependencies', 'devDependencies', 'overrides'];

const [moment] = process.argv.slice(2);
if (moment === 'before') before();
else if (moment === 'after') restore();
else throw new Error('Usage: node scripts/pack.js before|after');

function before() {
  // an earlier one may have been interrupted
  restore();
  prepare();
  removeEarlierBundles(path.dirname(kept));
  const text = readFileSync(manifest, 'utf8');
  const released = Object.entries(JSON.parse(text)).filter(([field]) => !OF_CHECKOUT.includes(field));
  writeFileSync(kept, text);
  writeFileSync(manifest, `${JSON.stringify(Object.fromEntries(released), null, 2)}\n`);
}

function restore() {
  if (existsSync(kept)) renameSync(kept, manifest);
}
