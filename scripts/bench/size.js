// What the package weighs as npm packs it, and with the packages that it needs.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from '../prepare.js';
import { binaries } from './measure.js';

const MIB = 2 ** 20;

export async function* rows() {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const [packed] = JSON.parse(execFileSync('npm', words, { cwd: root, encoding: 'utf8' }));
  yield { what: 'the package, packed', value: packed.size / MIB, unit: 'MiB' };
  yield { what: 'the package, unpacked', value: packed.unpackedSize / MIB, unit: 'MiB' };
  yield { what: 'the package, files', value: packed.files.length, unit: '' };
  yield { what: 'with all packages that it depends on', value: withPackages(packed.unpackedSize) / MIB, unit: 'MiB' };
  for (const file of binaries()) {
    const what = `the binary release/${path.basename(file)}`;
    yield { what, value: statSync(file).size / MIB, unit: 'MiB' };
  }
}

/** Those of this platform that are installed and that development alone does not need. */
function withPackages(own) {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const folders = Object.entries(packages).filter(([place, { dev }]) => place !== '' && dev !== true);
  return folders.reduce((sum, [place]) => sum + sizeOf(path.join(root, place)), own);
}

/** Without the packages inside it, which the lockfile lists themselves. */
function sizeOf(folder) {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return sum + (entry.name === 'node_modules' ? 0 : sizeOf(file));
    return sum + (entry.isFile() ? statSync(file).size : 0);
  }, 0);
}
