import { listing } from '../../../cli/answers.js';
import { define, flag } from '../../../cli/definition.js';
import * as shape from '../../../cli/shapes.js';
import type { Effects, FaultEntry } from '../../../sandbox/faults/log.js';
import { FAULT_KINDS } from '../../../sandbox/faults/rules.js';
import { localTime, timeTitle } from '../../../terminal/time.js';
import { wholeNumber } from '../../inputs/numbers.js';
import type { Session } from '../../session/session.js';

export default define({
  summary: 'What faults were applied, and what was really done, oldest first',
  flags: { after: flag('--after <number>', 'only entries after this one', wholeNumber('--after', 0, 999_999_999)) },
  examples: ['sandbox fault log', 'sandbox fault log --after 20 --json'],
  output: shape.list(
    shape.record({
      number: shape.count('counts from 1'),
      time: shape.time("by the machine's clock"),
      rule: shape.count('the id of the fault'),
      kind: shape.oneOf(Object.keys(FAULT_KINDS), ''),
      operation: shape.text(''),
      parameters: shape.named(shape.text(''), 'without secrets'),
      executions: shape.list(
        shape.record({
          placed: shape.list(shape.id(''), 'orders'),
          cancelled: shape.list(shape.text(''), 'orders, by the id that the request named'),
          withdrawn: shape.list(shape.id(''), 'withdrawals'),
          code: shape.orNull(shape.count('null for an answer that has none')),
        }),
        'one for each time that the request was carried out',
      ),
    }),
  ),
  async run({ session }, { after = 0 }) {
    return listing({
      rows: await entriesAfter(session, after),
      fields: ['number', 'time', 'rule', 'kind', 'operation', 'parameters', 'executions'],
      columns: [
        { title: '#', value: ({ number }) => String(number), align: 'right', importance: 8 },
        { title: timeTitle(), value: ({ time }) => localTime(Date.parse(time)), importance: 5 },
        { title: 'fault', value: ({ kind }) => kind, importance: 9 },
        { title: 'operation', value: ({ operation }) => operation, importance: 9 },
        { title: 'executed', value: ({ executions }) => executions.map(sentence).join('; ') || 'not', importance: 9 },
      ],
      empty: 'No fault was applied.',
    });
  },
});

/** All of them, page by page. */
async function entriesAfter(session: Session, after: number): Promise<FaultEntry[]> {
  const rows: FaultEntry[] = [];
  for (let last = after; ; ) {
    const page = (await session.administer('POST /faults/log', { after: last })) as FaultEntry[];
    rows.push(...page);
    const next = page.at(-1)?.number;
    if (next === undefined) return rows;
    last = next;
  }
}

function sentence({ placed, cancelled, withdrawn, code }: Effects): string {
  const parts = [
    ...placed.map((id) => `placed ${id}`),
    ...cancelled.map((id) => `cancelled ${id}`),
    ...withdrawn.map((id) => `withdrew ${id}`),
  ];
  if (parts.length > 0) return parts.join(', ');
  return code === null || code === 1000 ? 'yes' : `refused with ${code}`;
}
