// `npm run bench:modules`: how many of pit's own modules a command executes. The sources are run unbundled, and V8's
// coverage says which modules were loaded and in which of them a function was called. With --list it names the latter,
// with --json it prints both as JSON.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { preparePackages, root } from './prepare.js';

const COMMANDS = [
  'depth btc_usdt --json',
  'order buy btc_usdt 0.01 --at 20000 --override price-band --yes',
  'markets --json',
];

preparePackages();
// within the project, so that its packages are found
const folder = mkdtempSync(path.join(root, 'node_modules', '.modules-'));
const program = path.join(folder, 'pit.js');
const home = path.join(folder, 'home');

async function writeModules() {
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

/** Runs a command, and returns how many of pit's modules it loaded, and which of them it executed. */
function modulesOf(words, name) {
  const coverage = path.join(folder, `coverage-${name}`);
  mkdirSync(coverage);
  const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
    env: { ...process.env, PIT_HOME: home, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`);
  const own = pathToFileURL(path.join(folder, 'src')).href;
  const scripts = readdirSync(coverage)
    .flatMap((file) => JSON.parse(readFileSync(path.join(coverage, file), 'utf8')).result)
    .filter(({ url }) => url.startsWith(`${own}/`));
  // the first function is the module itself
  const executed = scripts.filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0));
  const names = executed.map(({ url }) => url.slice(own.length + 1));
  return { loaded: scripts.length, executed: [...new Set(names)].sort() };
}

/** Serves the sandbox, and resolves when it answers. */
function serve() {
  const child = spawn(process.execPath, [program, 'sandbox', 'serve', '--port', '0'], {
    env: { ...process.env, PIT_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(child));
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}

let sandbox;
try {
  await writeModules();
  sandbox = await serve();
  modulesOf(['markets', '--json'], 'first');
  const measured = COMMANDS.map((line, index) => ({ line, ...modulesOf(line.split(' '), index) }));
  if (process.argv.includes('--json')) console.log(JSON.stringify(measured));
  else
    for (const { line, loaded, executed } of measured) {
      console.log(`${String(executed.length).padStart(4)} modules executed, ${loaded} loaded: pit ${line}`);
      if (process.argv.includes('--list')) console.log(executed.map((name) => `       ${name}`).join('\n'));
    }
} finally {
  sandbox?.removeAllListeners('exit');
  sandbox?.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
