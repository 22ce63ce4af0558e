import { Failure, type FailureKind, suggest } from '../../../errors.js';
import { refusal } from '../../../exchange/failures.js';
import { Refused } from '../../../exchange/response.js';
import type { Answer } from '../../../terminal/answer.js';
import { grouped } from '../../../terminal/numbers.js';
import { resumeCommand } from '../../../trading/batches/begin.js';
import type { Job } from '../../../trading/batches/job.js';
import type { Ending } from '../../../trading/batches/run.js';
import { type LineRow, resultTable } from './result-table.js';

/** What became of a job, for the user: an answer, or a Failure where nothing was placed. */
export function conclude(job: Job, ending: Ending): Answer {
  const { market, side, account, lines } = job.terms;
  const { placed, refused, unknown, notSent } = job.counts();
  const outcomes = job.outcomes();
  const orders = lines.map(([line, price, amount], index): LineRow => {
    const fate = job.fates[index];
    const outcome = outcomes[index] ?? 'notSent';
    const id = fate?.outcome === 'placed' ? fate.id : null;
    return { line, price, amount, outcome, id, reason: fate === undefined || 'id' in fate ? null : fate.reason };
  });
  const duplicates = [...job.copies.keys()];
  const counts = { placed, refused, unknown, notSent };
  const data = { job: job.id, market, side, account, ...counts, orders, duplicates };
  const failure = failureOf(job, ending);
  if (failure !== null && failure.kind !== 'unknown' && failure.kind !== 'partial') throw failure;
  const answer = { data, csv: orders, show: resultTable(job.id, counts, orders, duplicates) };
  return failure === null ? answer : { ...answer, failure };
}

/** How far a job has come, in words. */
export function standOf(job: Job): string {
  const { placed, refused, unknown, notSent } = job.counts();
  const parts = [`${grouped(String(placed))} of ${grouped(String(job.terms.count))} orders were placed`];
  if (refused > 0) parts.push(`${grouped(String(refused))} were refused`);
  if (unknown > 0) parts.push(`of ${grouped(String(unknown))} it is not known`);
  if (notSent > 0) parts.push(`${grouped(String(notSent))} were not sent`);
  return parts.join(', ');
}

/** All placed 0; any unknown 6; none placed 3 (5 and 7 where that is why); mixed 9. */
function failureOf(job: Job, ending: Ending): Failure | null {
  const { placed, unknown, notSent } = job.counts();
  const clientId = job.id;
  if (placed === job.terms.count) return null;
  const goOn = suggest('Go on with it', ...resumeCommand(job.id, job.terms));
  if (unknown > 0) {
    const hint = ['Do not place them again before you know.', goOn];
    return new Failure('unknown', `It is not known whether every order was placed: ${standOf(job)}.`, {
      clientId,
      hint,
    });
  }
  if (placed === 0) return noneOf(job, ending);
  const hint = notSent > 0 ? goOn : 'The answer tells what became of each line.';
  return new Failure('partial', `${standOf(job)}: ${reasonOf(job, ending)}.`, { clientId, hint });
}

function noneOf(job: Job, ending: Ending): Failure {
  const { id: clientId, terms } = job;
  const goOn = (note: string) => suggest(note, ...resumeCommand(clientId, terms));
  if (ending.kind === 'unrecorded') return ending.failure;
  if (ending.kind === 'limited' && 'reason' in ending) {
    const hint = goOn('When that is over, go on with it');
    return new Failure('limited', `None of ${terms.count} orders was placed: ${ending.reason}.`, { clientId, hint });
  }
  const refused = 'refusal' in ending ? ending.refusal : firstRefusal(job);
  if (refused !== undefined) {
    const { kind, message, hints, code } = refusal(refused, 'orderMoreV2');
    const details = { clientId, hint: hints, ...(code === null ? {} : { code }) };
    return new Failure(kind, `None of ${terms.count} orders was placed: ${message}`, details);
  }
  const kind: FailureKind = 'unreachable';
  const hint = [suggest('Check the host and the network', 'profile', 'show'), goOn('Then go on with it')];
  return new Failure(kind, `None of ${terms.count} orders was placed: ${reasonOf(job, ending)}.`, { clientId, hint });
}

function firstRefusal({ fates }: Job): Refused | undefined {
  const fate = fates.find((one) => one?.outcome === 'refused');
  return fate?.outcome === 'refused' ? new Refused(fate.code, fate.reason) : undefined;
}

function reasonOf(job: Job, ending: Ending): string {
  if (ending.kind === 'time') return 'the time was over';
  if (ending.kind === 'unrecorded') return ending.failure.message;
  if ('reason' in ending) return ending.reason;
  const refused = 'refusal' in ending ? ending.refusal : firstRefusal(job);
  return refused === undefined ? 'the answer tells why' : `the exchange refused: ${refused.message}`;
}
