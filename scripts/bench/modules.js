// How many of pit's own modules a command executes. The sources are run unbundled, and V8's coverage says which modules were
// loaded and in which of them a function was called; the rows name these.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from '../prepare.js';
import { environmentOf, NODE_MODULES, started, stopped, temporaryFolder } from './measure.js';

/** With the most that test/architecture/modules.test.ts allows. */
const COMMANDS = [
  ['depth btc_usdt --json', 40],
  ['order buy btc_usdt 0.01 --at 20000 --override price-band --yes', 70],
  ['markets --json'],
];

/** It runs the sources. */
export const needsBuild = false;

export async function* rows() {
  const folder = temporaryFolder(NODE_MODULES);
  const program = path.join(folder, 'pit.js');
  const environment = environmentOf(path.join(folder, 'home'));
  await writeModules(folder, program);
  const sandbox = await started([program, 'sandbox', 'serve', '--port', '0'], environment);
  try {
    const modulesOf = (line, name) => modulesExecuted(folder, [program, ...line.split(' ')], environment, name);
    modulesOf('markets --json', 'first');
    for (const [index, [line, atMost]] of COMMANDS.entries()) {
      const names = modulesOf(line, String(index));
      yield { what: `pit ${line}`, value: names.length, unit: '', names, ...(atMost === undefined ? {} : { atMost }) };
    }
  } finally {
    await stopped(sandbox);
  }
}

async function writeModules(folder, program) {
  const files = readdirSync(path.join(root, 'src'), { recursive: true }).filter((file) => file.endsWith('.ts'));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: root,
    entryPoints: files.map((file) => path.join('src', file)),
    outdir: path.join(folder, 'src'),
    format: 'esm',
    target: 'node20.17',
    define: { PIT_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(program, "import { main } from './src/main.js';\nprocess.exitCode = await main();\n");
}

/** Runs a command, and returns the modules in which a function was called. */
function modulesExecuted(folder, words, environment, name) {
  const coverage = path.join(folder, `coverage-${name}`);
  mkdirSync(coverage);
  const { status, stderr } = spawnSync(process.execPath, words, {
    env: { ...environment, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  const own = pathToFileURL(path.join(folder, 'src')).href;
  const scripts = readdirSync(coverage)
    .flatMap((file) => JSON.parse(readFileSync(path.join(coverage, file), 'utf8')).result)
    .filter(({ url }) => url.startsWith(`${own}/`));
  // the first function is the module itself
  const executed = scripts.filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0));
  return [...new Set(executed.map(({ url }) => url.slice(own.length + 1)))].sort();
}
