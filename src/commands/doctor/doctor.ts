import * as shape from '../../cli/shapes.js';
import { adviceParts, Failure } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Meaning } from '../../terminal/palette.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record } from '../../terminal/table.js';
import { type Context, define } from '../session/command.js';
import { type CheckFinding, Probes, runCheck, type Status } from './check.js';
import {
  algos,
  clock,
  halted,
  hosts,
  journal,
  key,
  limits,
  permissions,
  records,
  stream,
  tolerance,
} from './exchange-checks.js';
import { completion, configuration, files, network, node, pitVersion } from './machine-checks.js';

/** Every check, in the order of the output. */
const CHECKS = [
  ...[pitVersion, node, configuration, files, network],
  ...[...hosts, stream, clock, key, permissions, tolerance, halted, journal, records, algos, limits, completion],
];

/** How much of the time is kept for printing the findings. */
const PRINTING_MS = 500;

const FINDING = shape.object({
  check: shape.text('its name'),
  status: shape.enumOf(['ok', 'warn', 'fail'], ''),
  detail: shape.text('what was found'),
  fix: shape.nullable(shape.text('how to fix it')),
});

type PrintedFinding = shape.Infer<typeof FINDING>;

export default define({
  summary: 'Check configuration, hosts, clock, keys and journal, and suggest fixes',
  examples: ['doctor', 'doctor --profile sandbox --json'],
  output: shape.array(FINDING),
  async run(context) {
    const probes = new Probes(context);
    const done = new AbortController();
    const timeout = context.host.sleep(Math.max(0, context.budget.remainingMs - PRINTING_MS), done.signal);
    const findings = await Promise.all(CHECKS.map((check) => runCheck(check, probes, timeout)));
    done.abort();
    return answerOf(context, findings);
  },
});

function answerOf({ host, output }: Context, found: readonly CheckFinding[]): Answer<readonly PrintedFinding[]> {
  // messages of the exchange may repeat secrets of the request
  const redact = (text: string) => host.redaction.apply(text);
  const findings = found.map(({ check, status, detail, fix }) => ({
    check,
    status,
    detail: redact(detail),
    fix: adviceParts(fix).length === 0 ? null : redact(output.textOf(adviceParts(fix))),
  }));
  const answer = { data: findings, show: (screen: Screen) => show(screen, findings) };
  const failed = found.filter(({ status }) => status === 'fail');
  if (failed.length === 0) return answer;
  const names = failed.map(({ check }) => check).join(', ');
  const hint = failed.find(({ fix }) => fix !== null)?.fix ?? 'See the findings.';
  return { ...answer, failure: new Failure('partial', `Checks failed: ${names}.`, { hint }) };
}

const MEANINGS: Readonly<Record<Status, Meaning>> = { ok: 'good', warn: 'warn', fail: 'bad' };

function show(screen: Screen, findings: readonly PrintedFinding[]): string {
  const arrow = screen.symbols ? '→' : '->';
  const entries = findings.flatMap(({ check, status, detail, fix }): RecordLine[] => [
    [check, `${status.padEnd(4)}  ${detail}`, (text, paint) => painted(text, status, paint[MEANINGS[status]])],
    ...(fix === null ? [] : [['', `${arrow} ${fix}`] as RecordLine]),
  ]);
  return record(screen, entries);
}

/** Paints only the word ok, but the whole line of a warning or failure. */
function painted(text: string, status: Status, paint: (text: string) => string): string {
  if (status === 'ok' && !text.startsWith('ok')) return text;
  return status === 'ok' ? paint('ok') + text.slice(2) : paint(text);
}
