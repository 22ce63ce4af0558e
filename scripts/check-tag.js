// `node scripts/check-tag.js TAG`: whether a tag may become a release: it is named after the version, which has its section in
// the changelog. The rule is in CONTRIBUTING.md.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.js';

const read = (/** @type {string} */ file) => readFileSync(path.join(root, file), 'utf8');

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(read('package.json'));
const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm');
if (tag !== `v${version}`)
  fail(`The tag is ${tag || 'missing'}, and the version in package.json is ${version}: tag v${version}.`);
else if (!heading.test(read('CHANGELOG.md')))
  fail(`CHANGELOG.md has no section ${version}: turn *Unreleased* into it.`);

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
