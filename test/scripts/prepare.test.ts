import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const { arePackagesInstalled } = (await import(pathToFileURL(path.resolve('scripts/prepare.js')).href)) as {
  readonly arePackagesInstalled: (folder: string) => boolean;
};

type Packages = Readonly<Record<string, object>>;

const ELSEWHERE = { optional: true, os: ['beos'] };
const WANTED: Packages = {
  'node_modules/one': { version: '1.2.3', integrity: 'sha512-one' },
  'node_modules/native': { version: '2.0.0', integrity: 'sha512-native', optional: true, os: [process.platform] },
  'node_modules/native-elsewhere': { version: '2.0.0', integrity: 'sha512-elsewhere', ...ELSEWHERE },
};
const { 'node_modules/native-elsewhere': _, ...INSTALLED } = WANTED;

/** Whether the packages that npm has written down, if any, are what the lockfile wants. */
function isInstalled(installed?: Packages): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-prepare-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, packages: object) =>
    writeFileSync(path.join(folder, name), JSON.stringify({ packages }));
  write('package-lock.json', { '': { name: 'pit' }, ...WANTED });
  mkdirSync(path.join(folder, 'node_modules'));
  if (installed !== undefined) write('node_modules/.package-lock.json', installed);
  return arePackagesInstalled(folder);
}

it('packages that npm has installed are not installed again', () => {
  expect(isInstalled(INSTALLED)).toBe(true);
});

it.each<[string, Packages?]>([
  ['nothing is installed'],
  ['one is missing', { 'node_modules/native': INSTALLED['node_modules/native'] ?? {} }],
  ['one has another version', { ...INSTALLED, 'node_modules/one': { version: '1.2.4', integrity: 'sha512-one' } }],
  ['one has other contents', { ...INSTALLED, 'node_modules/one': { version: '1.2.3', integrity: 'sha512-other' } }],
  ['one is not in the lockfile', { ...INSTALLED, 'node_modules/more': { version: '1.0.0' } }],
  ['one is for another system', WANTED],
])('packages are installed again if %s', (_title, installed) => {
  expect(isInstalled(installed)).toBe(false);
});
