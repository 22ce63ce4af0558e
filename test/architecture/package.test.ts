import { describe, expect, it } from 'vitest';
import { textOf } from './sources.js';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Versions;
  readonly optionalDependencies: Versions;
  readonly devDependencies: Versions;
  readonly overrides: Versions;
}

interface Locked extends Partial<Manifest> {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Locked>>;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest;
const lockText = textOf('package-lock.json');
const lock = JSON.parse(lockText) as Lockfile;

const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

describe('the package', () => {
  it('pins every dependency to an exact version', () => {
    const { dependencies, optionalDependencies, devDependencies, overrides } = manifest;
    const all = Object.entries({ ...dependencies, ...optionalDependencies, ...devDependencies, ...overrides });
    expect(all.filter(([, version]) => !EXACT.test(version))).toEqual([]);
  });

  it('what is bundled for users stands in dependencies, and tools in devDependencies', () => {
    const bundled = new Set(
      (JSON.parse(textOf('dist/.packages.json')) as readonly { readonly name: string }[]).map(({ name }) => name),
    );
    const names = (versions: Versions) => Object.keys(versions);
    expect(names(manifest.dependencies).filter((name) => !bundled.has(name))).toEqual([]);
    expect(names(manifest.devDependencies).filter((name) => bundled.has(name))).toEqual([]);
    expect(names(manifest.dependencies)).toEqual(
      expect.arrayContaining(['commander', 'inquirer', 'chalk', 'cli-table3', 'got', 'conf']),
    );
  });

  it('the optional dependencies are native libraries only, each pinned to an exact version', () => {
    const native = Object.keys(manifest.optionalDependencies).map(
      (name) => lock.packages[`node_modules/${name}`] ?? {},
    );
    expect(native.filter(({ dependencies }) => dependencies !== undefined)).toEqual([]);
    const theirs = native.flatMap(({ optionalDependencies = {} }) => Object.entries(optionalDependencies));
    expect(theirs.filter(([, version]) => !EXACT.test(version))).toEqual([]);
    // the bundle holds the rest of lmdb
    const libraries = Object.entries(lock.packages['node_modules/lmdb']?.optionalDependencies ?? {});
    const wanted = libraries.filter(([name]) => /-(linux|darwin)-/.test(name));
    expect(wanted.length).toBeGreaterThanOrEqual(5);
    expect(manifest.optionalDependencies).toMatchObject(Object.fromEntries(wanted));
  });

  it('the lockfile has the integrity of every package, on any platform', () => {
    const all = Object.entries(lock.packages).filter(([place]) => place !== '');
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([place]) => place)).toEqual([]);
  });

  it('supports Node 20.19, 22.13 and 24 or later', () => {
    expect(manifest.engines.node).toBe('^20.19 || ^22.13 || >=24');
  });

  it('the lockfile has the same versions and no registry address', () => {
    const { '': root } = lock.packages;
    expect(root?.version).toBe(manifest.version);
    expect(root?.dependencies).toEqual(manifest.dependencies);
    expect(root?.optionalDependencies).toEqual(manifest.optionalDependencies);
    expect(root?.devDependencies).toEqual(manifest.devDependencies);
    expect(root?.engines).toEqual(manifest.engines);
    const asked = Object.entries({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.devDependencies,
    });
    expect(asked.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)).toEqual([]);
    expect(lockText).not.toMatch(/"resolved"|registry/);
  });
});
