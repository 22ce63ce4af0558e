import { describe, expect, it } from 'vitest';
import { textOf } from './sources.js';

type Versions = Readonly<Record<string, string>>;

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Versions;
  readonly devDependencies: Versions;
  readonly overrides: Versions;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, Partial<Manifest> & { readonly version?: string }>>;
}

const manifest = JSON.parse(textOf('package.json')) as Manifest;
const lockText = textOf('package-lock.json');
const lock = JSON.parse(lockText) as Lockfile;

describe('the package', () => {
  it('pins every dependency to an exact version', () => {
    const { dependencies, devDependencies, overrides } = manifest;
    const all = Object.entries({ ...dependencies, ...devDependencies, ...overrides });
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('supports Node 20.17, 22.13 and 24 or later', () => {
    expect(manifest.engines.node).toBe('^20.17 || ^22.13 || >=24');
  });

  it('has a lockfile with the same versions and no registry address', () => {
    const { '': root } = lock.packages;
    expect(root?.dependencies).toEqual(manifest.dependencies);
    expect(root?.devDependencies).toEqual(manifest.devDependencies);
    expect(root?.engines).toEqual(manifest.engines);
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(asked.filter(([name, version]) => lock.packages[`node_modules/${name}`]?.version !== version)).toEqual([]);
    expect(lockText).not.toMatch(/"resolved"|registry/);
  });
});
