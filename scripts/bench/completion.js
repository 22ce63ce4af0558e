// What one answer on TAB costs in a running bash, beside the start of a program that does nothing (`true`) in the same shell.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../prepare.js';
import { environmentOf, temporaryFolder } from './measure.js';

const ROUNDS = 100;
const MARKETS = 2_500;
const QUESTIONS = [
  ['a command', 'pit dep'],
  ['a flag', 'pit order buy btc_usdt 1 --po'],
  ['one market', 'pit depth c2499_u'],
  ['2,500 markets', 'pit depth c'],
  ['all markets, nothing typed', 'pit depth '],
  ['one of 500 order ids', 'pit cancel c1_usdt 100000000000000499'],
];

const SCRIPT = `
. "$1/completions/pit.bash"
rounds=$2
shift 2
median() { local sorted=($(printf '%s\\n' "$@" | sort -n)); echo "\${sorted[\${#sorted[@]} / 2]}"; }
for line; do
  COMP_LINE=$line COMP_POINT=\${#line} COMP_WORDS=($line)
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  own=() bare=()
  for ((round = 0; round < rounds; round++)); do
    start=\${EPOCHREALTIME/./}; _pit; end=\${EPOCHREALTIME/./}
    own+=($((end - start)))
    start=\${EPOCHREALTIME/./}; "$(type -P true)"; end=\${EPOCHREALTIME/./}
    bare+=($((end - start)))
  done
  echo "\${#COMPREPLY[@]} $(median "\${own[@]}") $(median "\${bare[@]}")"
done`;

const lines = (count, line) => Array.from({ length: count }, (_, index) => `${line(index)}\n`).join('');

export async function* rows() {
  const home = temporaryFolder();
  const symbols = path.join(home, 'cache', 'symbols', 'sandbox');
  mkdirSync(symbols, { recursive: true });
  const markets = lines(MARKETS, (index) => `c${index}_usdt`);
  writeFileSync(path.join(symbols, 'markets'), markets);
  const orders = lines(500, (index) => `c1_usdt ${100_000_000_000_000_000n + BigInt(index)} -`);
  writeFileSync(path.join(symbols, 'orders'), orders);
  const words = ['-c', SCRIPT, 'bench', root, String(ROUNDS), ...QUESTIONS.map(([, line]) => line)];
  const { stdout, stderr, status } = spawnSync('bash', words, { env: environmentOf(home), encoding: 'utf8' });
  if (status !== 0) throw new Error(`bash ended with ${status}: ${stderr}`);
  for (const [index, line] of stdout.trimEnd().split('\n').entries()) {
    const [count, own, bare] = line.split(' ').map(Number);
    const what = `TAB in bash: ${QUESTIONS[index][0]}, ${count} offered`;
    yield { what, value: own / 1_000, unit: 'ms', beside: bare / 1_000, besideWhat: 'true', ratio: own / bare };
  }
}
