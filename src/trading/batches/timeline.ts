import { counted } from '../../domain/decimal.js';
import type { JournalEvent } from '../journal/write.js';

/** The normal events of a request, and those of requests that were cancelled. */
const USUAL = new Set(['leaving', 'answered', 'stayed']);

/** A job's events for people: runs of requests that were sent and answered become one line each. */
export function timelineOf(events: readonly JournalEvent[]): JournalEvent[] {
  const lines: JournalEvent[] = [];
  let run: JournalEvent[] = [];
  const end = () => {
    if (run.length > 0) lines.push(gathered(run));
    run = [];
  };
  for (const { fact, settled: _, ...event } of events) {
    if (fact !== undefined && USUAL.has(fact.kind)) {
      run.push({ ...event, fact });
      continue;
    }
    end();
    lines.push(event);
  }
  end();
  return lines;
}

function gathered(run: readonly JournalEvent[]): JournalEvent {
  const left = run.flatMap(({ fact }) => (fact?.kind === 'leaving' ? fact.requests.map(([request]) => request) : []));
  const answers = run.flatMap(({ fact }) => (fact?.kind === 'answered' ? [fact] : []));
  const orders = answers.reduce((sum, { ids }) => sum + ids.length, 0);
  const [first, last] = [left[0], left.at(-1)];
  const leaving = first === undefined ? [] : [first === last ? `request ${first}` : `requests ${first} to ${last}`];
  const answered = answers.length === 0 ? [] : [`${answers.length} answered, ${counted(orders, 'order')} placed`];
  const stayed = run.filter(({ fact }) => fact?.kind === 'stayed').length;
  const back = stayed === 0 ? [] : [`${stayed} did not leave after all`];
  return { time: run[0]?.time ?? 0, event: [...leaving, ...answered, ...back].join(', ') };
}
