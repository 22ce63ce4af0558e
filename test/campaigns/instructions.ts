// `npm run campaign:instructions`: the instructions of a start, against those of `node -e 0`. Other programs on the machine do
// not change them, as they change times.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pitLine } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { serveSandboxProgram } from '../support/program.js';

/** Counts the instructions of a program, whose command line may be another in each round. */
type Counter = (
  commandOf: (round: number) => readonly string[],
  environment: Readonly<Record<string, string>>,
) => number;

const COMMANDS: readonly (readonly [line: string, exitCode: number])[] = [
  ['--version', 0],
  ['--help', 0],
  ['depht', 2],
  ['profile list', 0],
  ['depth btc_usdt --json', 0],
];

/** Of a small difference some is chance: what runs in V8's threads is not always the same. */
const ROUNDS = 3;

const FIRST_PRICE = 9_000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs a program under another one that reports on stderr, and returns the number in its report, if there is one. */
function reported(
  tool: readonly string[],
  report: RegExp,
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): number | undefined {
  const [program = '', ...words] = [...tool, ...command];
  const { stderr } = spawnSync(program, words, { env: environment, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [, digits] = report.exec(stderr ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits.replaceAll(',', ''));
}

const TOOLS = {
  'perf stat': [['perf', 'stat', '-x', ';', '-e', 'instructions'], /^(\d+);[^;]*;instructions/m],
  // V8 writes code while it runs
  callgrind: [
    ['valgrind', '--tool=callgrind', '--smc-check=all-non-file', '--callgrind-out-file=/dev/null'],
    /Collected : (\d+)/,
  ],
} as const;

/** The first tool that works here. */
function counterHere(): { readonly name: string; readonly count: Counter } | undefined {
  for (const [name, [tool, report]] of Object.entries(TOOLS)) {
    if (reported(tool, report, ['true'], plainEnvironment('')) === undefined) continue;
    const count: Counter = (commandOf, environment) => {
      const counts = Array.from({ length: ROUNDS }, (_, round) =>
        reported(tool, report, commandOf(round), environment),
      );
      return Math.min(...counts.map((one) => one ?? Number.NaN));
    };
    return { name, count };
  }
  return undefined;
}

const counter = counterHere();
if (counter === undefined) {
  print(
    'Instructions cannot be counted here: `perf stat` has no access to the counters, and valgrind is not installed.',
  );
  process.exit();
}
const home = mkdtempSync(path.join(tmpdir(), 'pit-instructions-'));
const { environment, child } = await serveSandboxProgram(path.join(home, 'exchange'));
try {
  const all = plainEnvironment(home, environment);
  const run = (words: readonly string[], exitCode = 0) => {
    const [program = '', ...rest] = pitLine(...words);
    const { status, stderr } = spawnSync(program, rest, { env: all, encoding: 'utf8' });
    if (status !== exitCode) throw new Error(`pit ${words.join(' ')} ended with ${status}: ${stderr}`);
  };
  print(`Counted with ${counter.name} on Node ${process.version}, in millions; the least of ${ROUNDS} runs.`);
  const bare = counter.count(() => [process.execPath, '-e', '0'], all);
  const row = (what: string, count: number) =>
    print(`${what.padEnd(40)}${(count / 1e6).toFixed(0).padStart(8)}${(count / bare).toFixed(2).padStart(8)}`);
  row('node -e 0', bare);
  for (const [line, exitCode] of COMMANDS) {
    const words = line.split(' ');
    // checks the exit code, and leaves what later starts find
    run(words, exitCode);
    row(
      `pit ${line}`,
      counter.count(() => pitLine(...words), all),
    );
  }
  // an order on the same terms would be asked about
  const order = (price: number) => `order buy btc_usdt 0.0006 --at ${price} --override price-band --yes`.split(' ');
  run(order(FIRST_PRICE));
  row(
    'pit order buy … --yes',
    counter.count((round) => pitLine(...order(FIRST_PRICE + 1 + round)), all),
  );
} finally {
  child.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
