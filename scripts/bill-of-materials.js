// The software bill of materials of a release, as CycloneDX writes it. `npm sbom` cannot make it: it lists what is installed for a
// checkout, also what the bundle leaves out.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {{ version: string, license: string, integrity: string, optionalDependencies?: Record<string, string> }} Locked a package in
 *   package-lock.json
 */

/**
 * The document: the bundled packages as required, the native libraries that npm installs beside the program as optional, and
 * Node if an executable holds it.
 *
 * @param {string} root the folder of the project
 * @param {{ commit: string | null, time: string, node: { version: string, executable: string } | undefined }} release its time in ISO 8601;
 *   the Node that is in it, or undefined if there is none
 */
export function billOfMaterials(root, { commit, time, node }) {
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  const { name, version, description, license } = read('package.json');
  const { packages: locked } = read('package-lock.json');
  const bundled = read('dist/.packages.json').map((/** @type {{ folder: string }} */ { folder }) =>
    library(folder, locked[folder], 'required'),
  );
  const native = nativeLibraries(locked).map((folder) => library(folder, locked[folder], 'optional'));
  const components = [...bundled, ...native, ...(node === undefined ? [] : [runtime(node)])];
  const self = { type: 'application', 'bom-ref': `${name}@${version}`, name, version, description };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: time,
      component: {
        ...self,
        ...licensed(license),
        purl: `pkg:npm/${name}@${version}`,
        properties: [{ name: 'pit:commit', value: commit }],
      },
    },
    components,
    dependencies: [
      { ref: self['bom-ref'], dependsOn: components.map((one) => one['bom-ref']) },
      ...components.map((one) => ({ ref: one['bom-ref'] })),
    ],
  };
}

/**
 * The folders of what npm installs with the package: its optional dependencies, and theirs.
 * @param {Record<string, Locked>} locked
 */
function nativeLibraries(locked) {
  const folders = (/** @type {Record<string, string> | undefined} */ names) =>
    Object.keys(names ?? {}).map((one) => `node_modules/${one}`);
  const own = folders(locked['']?.optionalDependencies);
  return [...own, ...own.flatMap((folder) => folders(locked[folder]?.optionalDependencies))].filter(
    (folder) => locked[folder] !== undefined,
  );
}

/**
 * @param {string} folder
 * @param {Locked} locked
 * @param {string} scope
 */
function library(folder, { version, license, integrity }, scope) {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [, digest] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (digest === undefined) throw new Error(`package-lock.json has no SHA-512 of ${folder}`);
  return {
    type: 'library',
    // two folders may hold the same package
    'bom-ref': folder,
    name,
    version,
    scope,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    ...licensed(license),
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

/** @param {{ version: string, executable: string }} node */
function runtime({ version, executable }) {
  return {
    type: 'application',
    'bom-ref': `node@${version}`,
    name: 'node',
    version,
    description: 'The executable file holds it.',
    scope: 'required',
    hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(readFileSync(executable)).digest('hex') }],
    ...licensed('MIT'),
    purl: `pkg:generic/node@${version}`,
  };
}

/** @param {string} license */
function licensed(license) {
  if (typeof license !== 'string') throw new Error('a package names no licence');
  return { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] };
}
