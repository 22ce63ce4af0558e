// Start-up and size of other programs for exchanges in the npm registry, installed into a temporary folder, in the same run.
// One that cannot be installed is named.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { environmentOf, pairsOf, ratioRow, run, temporaryFolder } from './measure.js';

const MIB = 2 ** 20;
const BARE = ['-e', '0'];

/** Programs by a line that asks no exchange; of a library, what any program that uses it begins with. */
const PEERS = [
  {
    name: '@okx_ai/okx-trade-cli',
    starts: (/** @type {string} */ bin) => [
      [bin, '--version'],
      [bin, '--help'],
    ],
  },
  { name: 'ccxt', starts: () => [['--input-type=module', '-e', "import 'ccxt'"]] },
];

export async function* rows() {
  for (const { name, starts } of PEERS) {
    const folder = temporaryFolder();
    const words = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--loglevel=error', name];
    const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) {
      const [why = 'unknown'] = stderr.split('\n').filter((line) => line.startsWith('npm error'));
      yield { what: `${name}: could not be installed`, besideWhat: why.replace('npm error', '').trim() };
      continue;
    }
    const installed = path.join(folder, 'node_modules', name);
    const { version, bin } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
    const program = path.join(installed, Object.values(bin ?? {})[0] ?? '');
    const environment = environmentOf(folder, { HOME: folder });
    for (const line of starts(program)) {
      // some look for a newer version of themselves once a day
      run(line, { ...process.env, HOME: folder }, { cwd: folder });
      const shown = line.map((word) => (word === program ? Object.keys(bin)[0] : word)).join(' ');
      const timed = () => run(line, environment, { cwd: folder });
      const pairs = await pairsOf(timed, () => run(BARE, environment));
      yield ratioRow(`${name} ${version}: ${shown}`, pairs, { unit: 'ms', besideWhat: 'node -e 0' });
    }
    const size = sizeOf(path.join(folder, 'node_modules')) / MIB;
    yield { what: `${name} ${version}: with all packages that it depends on`, value: size, unit: 'MiB' };
  }
}

/** @param {string} folder */
function sizeOf(folder) {
  if (!existsSync(folder)) return 0;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
