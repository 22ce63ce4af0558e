import type { Context } from '../../cli/context.js';
import { define } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { Failure, partsOf } from '../../errors.js';
import type { Answer } from '../../terminal/answer.js';
import type { Meaning, Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { examine, type Finding, type Status } from './check.js';
import { account } from './checks/account.js';
import { completion } from './checks/completion.js';
import { configuration, network } from './checks/configuration.js';
import { files } from './checks/files.js';
import { clock, hosts } from './checks/hosts.js';
import { limits } from './checks/limits.js';
import { versions } from './checks/versions.js';
import { Examination } from './examination.js';

/** Every check, in the order in which they are told. */
const CHECKS = [...versions, configuration, files, network, ...hosts, clock, ...account, limits, completion];

/** So much of the time is kept for telling what was found. */
const TELLING_MS = 500;

export default define({
  summary: 'Look at configuration, hosts, clock, key and journal, and say what mends them',
  examples: ['doctor', 'doctor --profile sandbox --json'],
  output: shape.list(
    shape.record({
      check: shape.text('what was looked at'),
      status: shape.oneOf(['ok', 'warn', 'fail'], ''),
      detail: shape.text('what was found'),
      fix: shape.orNull(shape.text('what mends it')),
    }),
  ),
  async run(context) {
    const examination = new Examination(context);
    const done = new AbortController();
    const late = context.host.sleep(Math.max(0, context.budget.leftMs - TELLING_MS), done.signal);
    const findings = await Promise.all(CHECKS.map((check) => examine(check, examination, late)));
    done.abort();
    return answerOf(context, findings);
  },
});

function answerOf({ host, output }: Context, found: readonly Finding[]): Answer {
  // an exchange's words may repeat what the request carried
  const hide = (text: string) => host.redaction.apply(text);
  const findings = found.map(({ check, status, detail, fix }) => ({
    ...{ check, status, detail: hide(detail) },
    fix: partsOf(fix).length === 0 ? null : hide(output.textOf(partsOf(fix))),
  }));
  const answer = { data: findings, show: (screen: Screen) => show(screen, findings) };
  const failed = found.filter(({ status }) => status === 'fail');
  return failed.length === 0 ? answer : { ...answer, failure: failure(failed) };
}

/** The findings are printed all the same, as with everything of which a part was done. */
function failure(failed: readonly Finding[]): Failure {
  const names = failed.map(({ check }) => check).join(', ');
  return new Failure('partial', `Not everything is well: ${names}.`, {
    hint: failed.find(({ fix }) => fix !== null)?.fix ?? 'The lines say what is wrong.',
  });
}

/** A finding as it is printed. */
interface Told extends Omit<Finding, 'fix'> {
  readonly fix: string | null;
}

const MEANINGS: Readonly<Record<Status, Meaning>> = { ok: 'good', warn: 'warn', fail: 'bad' };

function show(screen: Screen, findings: readonly Told[]): string {
  const arrow = screen.symbols ? '→' : '->';
  const entries = findings.flatMap(({ check, status, detail, fix }): Entry[] => [
    [check, `${status.padEnd(4)}  ${detail}`, (text, paint) => painted(text, status, paint[MEANINGS[status]])],
    ...(fix === null ? [] : [['', `${arrow} ${fix}`] as Entry]),
  ]);
  return record(screen, entries);
}

/** The status alone, which is at the beginning of the first line; a failure's line whole. */
function painted(text: string, status: Status, paint: (text: string) => string): string {
  if (status === 'ok' && !text.startsWith('ok')) return text;
  return status === 'ok' ? paint('ok') + text.slice(2) : paint(text);
}
