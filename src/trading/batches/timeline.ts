import { counted } from '../../domain/decimal.js';
import type { JournalEvent } from '../journal/write.js';

/** The normal events of a request, and those of requests that were cancelled. */
const USUAL = new Set(['sending', 'answered', 'notSent']);

/** A job's events for people: runs of requests that were sent and answered become one line each. */
export function timelineOf(events: readonly JournalEvent[]): JournalEvent[] {
  const lines: JournalEvent[] = [];
  let run: JournalEvent[] = [];
  const end = () => {
    if (run.length > 0) lines.push(gathered(run));
    run = [];
  };
  for (const { batchEvent, settled: _, ...event } of events) {
    if (batchEvent !== undefined && USUAL.has(batchEvent.kind)) {
      run.push({ ...event, batchEvent });
      continue;
    }
    end();
    lines.push(event);
  }
  end();
  return lines;
}

function gathered(run: readonly JournalEvent[]): JournalEvent {
  const left = run.flatMap(({ batchEvent }) =>
    batchEvent?.kind === 'sending' ? batchEvent.requests.map(([request]) => request) : [],
  );
  const answers = run.flatMap(({ batchEvent }) => (batchEvent?.kind === 'answered' ? [batchEvent] : []));
  const orders = answers.reduce((sum, { ids }) => sum + ids.length, 0);
  const first = left[0];
  const last = left.at(-1);
  const leaving = first === undefined ? [] : [first === last ? `request ${first}` : `requests ${first} to ${last}`];
  const answered = answers.length === 0 ? [] : [`${answers.length} answered, ${counted(orders, 'order')} placed`];
  const stayed = run.filter(({ batchEvent }) => batchEvent?.kind === 'notSent').length;
  const back = stayed === 0 ? [] : [`${stayed} did not leave after all`];
  return { time: run[0]?.time ?? 0, event: [...leaving, ...answered, ...back].join(', ') };
}
