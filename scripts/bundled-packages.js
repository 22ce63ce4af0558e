// Which packages the bundles in dist/ hold, and the licences that have to go with them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The folders of the packages that a bundle holds anything of, as package-lock.json names them, with name and version.
 *
 * @param bundles esbuild's metafiles
 */
export function bundledPackages(root, bundles) {
  const inputs = bundles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs: files }) => Object.entries(files))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  // the name of what a plugin makes begins with its namespace
  const folders = inputs.flatMap(([file]) => FOLDER.exec(file.replace(/^[a-z-]+:/, ''))?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    return { folder, name, version };
  });
}

/** The licences of packages, one after the other, as most of them ask for. */
export function licenceTexts(root, packages) {
  const texts = packages.map(({ folder, name, version }) => {
    const file = readdirSync(path.join(root, folder))
      .sort()
      .find((one) => /^licen[cs]e(-mit)?(\.md|\.txt)?$/i.test(one));
    const { license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    const text =
      file === undefined ? `License: ${license}` : readFileSync(path.join(root, folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `pit holds the code of these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
