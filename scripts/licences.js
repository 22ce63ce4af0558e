// The packages whose code is bundled in pit, and their licences.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.js';

/**
 * @typedef {import('rolldown').OutputChunk} OutputChunk
 * @typedef {{ folder: string, name: string, version: string, license: string, files: string[] }} Bundled a package, and its files of the bundle
 */

/**
 * Writes two files beside the bundle: `licenses.txt`, the licences of the packages, and `.packages.json`, which packages are in which
 * file of the bundle, for the bill of materials and for the test of what a command loads.
 *
 * @param {string} dist
 * @param {readonly OutputChunk[]} files what rolldown says about the files of the bundle
 */
export function writeLicences(dist, files) {
  const packages = packagesIn(files);
  writeFileSync(path.join(dist, 'licenses.txt'), licenceTexts(packages));
  writeFileSync(path.join(dist, '.packages.json'), JSON.stringify(packages));
}

/**
 * The packages whose code is in the bundled files, by their folders as package-lock.json names them, and those files.
 * @param {readonly OutputChunk[]} files
 * @returns {Bundled[]}
 */
function packagesIn(files) {
  const holders = new Map();
  for (const { fileName, modules } of files)
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.relative(root, id)) ?? [];
      if (renderedLength > 0 && folder !== undefined)
        holders.set(folder, (holders.get(folder) ?? new Set()).add(fileName));
    }
  return [...holders].sort().map(([folder, names]) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    return { folder, name, version, license, files: [...names].sort() };
  });
}

/**
 * The licences of packages, one after the other, as most of them ask for.
 * @param {readonly Bundled[]} packages
 */
function licenceTexts(packages) {
  const texts = packages.map(({ folder, name, version, license }) => {
    const files = readdirSync(path.join(root, folder)).sort();
    const file = files.find((one) => /^licen[cs]e(-mit)?(\.md|\.txt)?$/i.test(one));
    const text =
      file === undefined ? `License: ${license}` : readFileSync(path.join(root, folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `pit holds the code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
