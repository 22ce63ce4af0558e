// After `npm install PACKAGE`: names in package-lock.json the optional packages that npm left out because the registry
// in use does not carry them. They are programs for other platforms; without their entries `npm ci` refuses the file.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './prepare.js';

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];

const file = path.join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

for (const [place, { optionalDependencies = {}, dev, license }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const known = [`${place}/node_modules/${name}`, `node_modules/${name}`].some((key) => key in lock.packages);
    if (!known)
      lock.packages[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(dev ? { dev } : {}),
        license,
        optional: true,
      };
  }
}

const ordered = Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(ordered) }, null, 2)}\n`);

/** Packages for a platform end in its name: `…-linux-x64-musl`. Elsewhere npm does not even look for them. */
function platformOf(name) {
  const words = name.split('-');
  const at = words.findIndex((word) => OPERATING_SYSTEMS.includes(word.split('/').at(-1)));
  if (at === -1) throw new Error(`${name} does not tell its platform`);
  const [system, cpu, abi = ''] = words.slice(at);
  const os = system.split('/').at(-1);
  const libc = os === 'linux' && abi !== '' ? { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] } : {};
  return { cpu: [cpu], ...libc, os: [os] };
}
