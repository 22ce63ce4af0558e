// `npm run campaign:instructions`: the instructions of a start, against those of `node -e 0`. Other programs on the machine
// change times, but not these.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { environmentOf, PIT, run, serveSandbox, stopped, temporaryFolder } from './bench/measure.js';
import { prepare } from './prepare.js';

const COMMANDS = [
  ['--version', 0],
  ['--help', 0],
  ['depht', 2],
  ['profile list', 0],
  ['depth btc_usdt --json', 0],
];

/** Of a small difference some is chance: what runs in V8's threads is not always the same. */
const ROUNDS = 3;

const FIRST_PRICE = 9_000;

/** What runs a program and reports its instructions on stderr. */
const TOOLS = {
  'perf stat': [['perf', 'stat', '-x', ';', '-e', 'instructions'], /^(\d+);[^;]*;instructions/m],
  // V8 writes code while it runs
  callgrind: [
    ['valgrind', '--tool=callgrind', '--smc-check=all-non-file', '--callgrind-out-file=/dev/null'],
    /Collected : (\d+)/,
  ],
};

/** The instructions of a program, or undefined if the tool cannot count them. */
function instructionsOf(tool, [program, ...words], environment) {
  const [[command, ...flags], report] = TOOLS[tool];
  const { stderr } = spawnSync(command, [...flags, program, ...words], {
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const [, digits] = report.exec(stderr ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const tool = Object.keys(TOOLS).find((name) => instructionsOf(name, ['true'], process.env) !== undefined);
if (tool === undefined) {
  console.log(
    'Instructions cannot be counted here: `perf stat` cannot read the counters, and valgrind is not installed.',
  );
  process.exit();
}
prepare();
const home = temporaryFolder();
const sandbox = await serveSandbox(path.join(home, 'exchange'), '--no-limits');
try {
  const environment = environmentOf(home, sandbox.environment);
  /** The least of the rounds, each with a command line of its own. */
  const least = (lineOf) =>
    Math.min(
      ...Array.from({ length: ROUNDS }, (_, round) =>
        instructionsOf(tool, [process.execPath, ...lineOf(round)], environment),
      ),
    );
  console.log(`Counted with ${tool} on Node ${process.version}, in millions; the least of ${ROUNDS} runs.`);
  const bare = least(() => ['-e', '0']);
  const print = (what, count) =>
    console.log(`${what.padEnd(32)}${(count / 1e6).toFixed(0).padStart(6)}${(count / bare).toFixed(2).padStart(7)}`);
  print('node -e 0', bare);
  for (const [line, exitCode] of COMMANDS) {
    const words = [PIT, ...line.split(' ')];
    // checks the exit code, and leaves what later starts find
    run(words, environment, { exitCode });
    print(
      `pit ${line}`,
      least(() => words),
    );
  }
  // an order on the same terms would be asked about
  const order = (price) => [PIT, ...`order buy btc_usdt 0.0006 --at ${price} --override price-band --yes`.split(' ')];
  run(order(FIRST_PRICE), environment);
  print(
    'pit order buy … --yes',
    least((round) => order(FIRST_PRICE + 1 + round)),
  );
} finally {
  await stopped(sandbox);
}
