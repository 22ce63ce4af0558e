// `npm run campaign:rehearse [-- RUNS]`: rehearses each kind of algo order RUNS times, on one core and on all in turn, and prints a checksum
// of each kind. Every run has to give the same report and the same fills byte for byte. Other versions of Node give the same checksums.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PIT } from '../support/command.js';
import { plainEnvironment } from '../support/pit.js';
import { ENTRY_COMMANDS } from '../trading/algos/support/entries.js';

const [runs = '20'] = process.argv.slice(2);
const MINUTE = 60_000;
const START = Date.parse('2026-01-05T00:00:00Z');

const KINDS: readonly (readonly [kind: string, flags: string, command: string])[] = [
  ['stop', '--latency 80ms', 'order sell btc_usdt 0.5 --stop 19900'],
  ['stop-limit', '', 'order sell btc_usdt 0.5 --stop 19900 --limit 19850'],
  ['trailing stop', '--latency 80ms --fault drop-after', 'order sell btc_usdt 0.5 --trail 1%'],
  ['OCO', '--fault error-after', 'order sell btc_usdt 0.5 --take 20250 --stop 19800'],
  ['bracket', '--latency 80ms', 'order buy btc_usdt 0.5 --at 20150 --take 20280 --stop 19800'],
  ...ENTRY_COMMANDS.map(
    ([kind, command]) => [kind, '--latency 80ms --fault drop-after --fault delay', command] as const,
  ),
  ['conditional order', '--latency 1s --fault drop-before', 'order buy btc_usdt 0.5 --at 20250 --when last>20200'],
];

const folder = mkdtempSync(path.join(tmpdir(), 'pit-rehearse-campaign-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** An hour in which the price rises by a hundredth and falls by a twentieth. */
function writeTape(): string {
  const file = path.join(folder, 'hill.csv');
  const rows = Array.from({ length: 60 }, (_, minute) => {
    const price = (minute < 20 ? 20_000 + minute * 15 : 20_300 - (minute - 20) * 20).toFixed(2);
    return `btc_usdt,1min,${new Date(START + minute * MINUTE).toISOString()},${price},${price},${price},${price},5\n`;
  });
  writeFileSync(file, `market,type,time,open,high,low,close,volume\n${rows.join('')}`);
  return file;
}

interface Rehearsed {
  readonly code: number | null;
  readonly orders: number;
  readonly fills: number;
  readonly checksum: string;
  readonly stderr: string;
}

/** Rehearses a command in a process of its own. @param isPinned whether it gets one core alone */
async function rehearse(tape: string, flags: string, command: string, isPinned: boolean): Promise<Rehearsed> {
  const out = path.join(folder, 'fills.csv');
  rmSync(out, { force: true });
  const options = ['--json', '--out', out, ...flags.split(' ').filter((word) => word !== '')];
  const line = [PIT.command, ...PIT.arguments, 'rehearse', tape, ...options, '--', ...command.split(' ')];
  const [program = '', ...words] = isPinned ? ['taskset', '-c', '0', ...line] : line;
  const child = spawn(program, words, { env: plainEnvironment(folder), stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (stdout === '') return { code, orders: 0, fills: 0, checksum: 'none', stderr };
  const { orders, fills } = JSON.parse(stdout) as { readonly orders: number; readonly fills: number };
  const checksum = createHash('sha256').update(`${code}\n${stdout}\n`).update(readFileSync(out)).digest('hex');
  return { code, orders, fills, checksum: checksum.slice(0, 16), stderr };
}

const tape = writeTape();
const canPin = process.platform === 'linux';
let failures = 0;
const start = performance.now();
for (const [kind, flags, command] of KINDS) {
  const seen = new Map<string, number>();
  let first: Rehearsed | undefined;
  for (let run = 0; run < Number(runs); run += 1) {
    const rehearsed = await rehearse(tape, flags, command, canPin && run % 2 === 0);
    first ??= rehearsed;
    seen.set(rehearsed.checksum, (seen.get(rehearsed.checksum) ?? 0) + 1);
  }
  const { code, orders, fills, checksum, stderr } = first ?? {
    code: null,
    orders: 0,
    fills: 0,
    checksum: '',
    stderr: '',
  };
  // a report without orders would prove nothing
  const isProof = seen.size === 1 && orders > 0;
  if (!isProof) failures += 1;
  const result = isProof ? checksum : `DIFFERENT: ${JSON.stringify(Object.fromEntries(seen))} ${stderr}`;
  const counts = `${orders} orders, ${fills} fills, exit code ${code}`;
  process.stdout.write(`${kind.padEnd(18)} ${runs} runs  ${counts}  ${result}\n`);
}
const seconds = ((performance.now() - start) / 1_000).toFixed(0);
process.stdout.write(`${KINDS.length} kinds, ${failures} of them without one result (${seconds} s)\n`);
process.exitCode = failures === 0 ? 0 : 1;
