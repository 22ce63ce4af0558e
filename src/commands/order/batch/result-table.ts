import { grouped } from '../../../terminal/numbers.js';
import type { Paint, Screen } from '../../../terminal/screen.js';
import { type Entry, record, table } from '../../../terminal/table.js';
import type { LineOutcome } from '../../../trading/batches/facts.js';

/** What became of one line. */
export interface LineRow {
  readonly line: number;
  readonly price: string;
  readonly amount: string;
  readonly outcome: LineOutcome;
  readonly id: string | null;
  readonly reason: string | null;
}

/** A person reads no more; programs get all. */
const MOST_ROWS = 50;

const OUTCOME_WORDS: Readonly<Record<LineOutcome, string>> = {
  placed: 'placed',
  refused: 'refused',
  unknown: 'unknown',
  notSent: 'not sent',
};

/** How many were placed, and the lines that were not. */
export function resultTable(
  job: string,
  counts: Readonly<Record<LineOutcome, number>>,
  rows: readonly LineRow[],
  duplicates: readonly string[],
) {
  return (screen: Screen): string => {
    const counted = (['placed', 'refused', 'unknown', 'notSent'] as const).filter(
      (outcome) => outcome === 'placed' || counts[outcome] > 0,
    );
    const entries: Entry[] = [
      ['job', job],
      ...counted.map(
        (outcome): Entry => [
          OUTCOME_WORDS[outcome],
          grouped(String(counts[outcome])),
          (text, paint) => paintOutcome(text, outcome, paint),
        ],
      ),
      ...(duplicates.length === 0 ? [] : [['more than once', duplicates.join(' ')] as Entry]),
    ];
    const others = runsOf(rows.filter(({ outcome }) => outcome !== 'placed'));
    return [record(screen, entries), ...linesTable(screen, others)].join('\n');
  };
}

interface Run extends Omit<LineRow, 'line' | 'id'> {
  readonly lines: string;
}

/** What was not sent is told as from where to where; of the others each order counts. */
function runsOf(rows: readonly LineRow[]): Run[] {
  const runs: { first: LineRow; last: LineRow }[] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    const isNext = row.outcome === 'notSent' && run?.last.outcome === 'notSent' && run.last.reason === row.reason;
    if (run !== undefined && isNext) run.last = row;
    else runs.push({ first: row, last: row });
  }
  return runs.map(({ first, last }) => {
    const lines = first === last ? `${first.line}` : `${first.line} to ${last.line}`;
    const { outcome, reason } = first;
    const terms = first === last ? first : { price: `${first.price}…`, amount: `${first.amount}…` };
    return { lines, outcome, reason, price: terms.price, amount: terms.amount };
  });
}

function linesTable(screen: Screen, runs: readonly Run[]): string[] {
  if (runs.length === 0) return [];
  const shown = table(
    screen,
    [
      { title: 'line', value: ({ lines }) => lines, importance: 9 },
      { title: 'price', value: ({ price }) => grouped(price), align: 'decimal', importance: 6 },
      { title: 'amount', value: ({ amount }) => grouped(amount), align: 'decimal', importance: 5 },
      {
        title: 'outcome',
        value: ({ outcome }) => OUTCOME_WORDS[outcome],
        importance: 8,
        paint: (text, { outcome }, paint) => paintOutcome(text, outcome, paint),
      },
      { title: 'why', value: ({ reason }) => reason, importance: 3 },
    ],
    runs.slice(0, MOST_ROWS),
  );
  const more = runs.length - MOST_ROWS;
  if (more <= 0) return ['', shown];
  return ['', shown, screen.paint.faint(`And ${grouped(String(more))} more; --json and --csv have all.`)];
}

function paintOutcome(text: string, outcome: LineOutcome, paint: Paint): string {
  if (outcome === 'placed') return paint.good(text);
  return outcome === 'refused' ? paint.bad(text) : paint.warn(text);
}
