import { listing } from '../../cli/answers.js';
import { flag, optional, required } from '../../cli/definition.js';
import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { channels, operations, SUCCESS } from '../../exchange/description.js';
import { LOGGED as ENTRY, FAULT, FAULT_ID } from '../../sandbox/admin/parameters.js';
import type { Effects, FaultEntry } from '../../sandbox/faults/log.js';
import { FAULT_KINDS, type FaultRule, faultsThatNeed, isStreamFault } from '../../sandbox/faults/rules.js';
import { type Column, table } from '../../terminal/table.js';
import { oneOf, wordCompletedWith } from '../inputs/parsers.js';
import { define } from '../session/command.js';
import type { Sandbox } from '../session/sandbox.js';
import { DRY_CHANGE, dryChange } from '../writes/dry-run.js';
import { numberBy } from './arguments.js';

const KINDS = FAULT.kind.options;

const RULE = shape.object({
  id: shape.integer(''),
  kind: shape.enumOf(KINDS, ''),
  operation: shape.nullable(shape.text('or channel of a stream; null for any')),
  probability: shape.nullable(shape.number('from 0 to 1')),
  count: shape.nullable(shape.integer('how many requests or frames it still applies to')),
  every: shape.nullable(shape.integer('applies to every nth request')),
  delay: shape.integer('in milliseconds'),
  skew: shape.integer('in milliseconds'),
  seen: shape.integer('requests or frames that matched'),
  applied: shape.integer('requests or frames that it changed'),
});

const ruleColumn = fieldColumns<FaultRule>(RULE);

const RULE_COLUMNS: readonly Column<FaultRule>[] = [
  { title: 'id', value: ({ id }) => String(id), align: 'right', importance: 8 },
  ruleColumn('kind', { title: 'fault', importance: 9 }),
  { title: 'operation', value: ({ operation }) => operation ?? 'any', importance: 9 },
  { title: 'when', value: condition, importance: 7 },
  { title: 'delay ms', value: ({ delay, skew }) => String(delay || skew || ''), align: 'right', importance: 5 },
  { title: 'seen', value: ({ seen }) => String(seen), align: 'right', importance: 4 },
  { title: 'applied', value: ({ applied }) => String(applied), align: 'right', importance: 6 },
];

function condition({ probability, count, every, applied }: FaultRule): string {
  if (count !== null && applied >= count) return 'used up';
  const parts = [
    every === null ? '' : `every ${every}.`,
    probability === null ? '' : `probability ${probability}`,
    count === null ? '' : count === 1 ? 'once' : `${count} times`,
  ];
  return parts.filter((part) => part !== '').join(', ') || 'always';
}

export const add = define({
  summary: 'Make requests to the sandbox or its streams fail',
  arguments: { kind: required(`one of ${KINDS.join(', ')}`, oneOf('The fault', ...KINDS)) },
  flags: {
    operation: flag(
      '--operation <name>',
      'apply it to this operation, or channel of a stream, only (default: any)',
      wordCompletedWith(...Object.keys(operations), ...Object.keys(channels)),
    ),
    probability: flag(
      '--probability <p>',
      'apply it with this probability, from 0 to 1 (default: 1)',
      numberBy('--probability', FAULT.probability),
    ),
    count: flag(
      '--count <n>',
      'apply it to the next n requests or frames (default: all)',
      numberBy('--count', FAULT.count),
    ),
    every: flag('--every <n>', 'apply it to every nth request or frame (default: 1)', numberBy('--every', FAULT.every)),
    delay: flag(
      '--delay <ms>',
      `how long to wait; required for ${faultsThatNeed('delay').join(', ')}`,
      numberBy('--delay', FAULT.delay),
    ),
    skew: flag(
      '--skew <ms>',
      `how far to shift the clock, negative for behind; required for ${faultsThatNeed('skew').join(', ')}`,
      numberBy('--skew', FAULT.skew),
    ),
  },
  examples: [
    'sandbox fault add drop-after --operation order --count 1',
    'sandbox fault add delay --delay 3000 --probability 0.1 --json',
    'sandbox fault add skew --skew=-90000',
    'sandbox fault add stream-cut --operation depth --every 100',
  ],
  output: RULE,
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals }, input) {
    if (globals.dryRun) return dryChange('sandbox fault add', `Would add: ${FAULT_KINDS[input.kind].does}.`);
    const rule = await sandbox.administer('POST /faults/add', input);
    return { data: rule, show: (screen) => table(screen, RULE_COLUMNS, [rule]) };
  },
});

export const list = define({
  summary: 'List the faults, also those that are used up',
  examples: ['sandbox fault list', 'sandbox fault list --json'],
  output: shape.array(RULE),
  async run({ sandbox }) {
    const rows = await sandbox.administer('GET /faults');
    return listing({
      rows,
      row: RULE,
      columns: RULE_COLUMNS,
      empty: 'No faults.',
    });
  },
});

export const clear = define({
  summary: 'Remove one fault or all; the log stays',
  arguments: {
    id: optional('the id of the fault (default: all)', numberBy('The fault', FAULT_ID)),
  },
  examples: ['sandbox fault clear', 'sandbox fault clear 2 --json'],
  output: shape.object({ cleared: shape.integer('how many were removed') }),
  dryRunOutput: DRY_CHANGE,
  async run({ sandbox, globals }, { id }) {
    if (globals.dryRun) return dryChange('sandbox fault clear', 'Would remove faults.');
    const answer = await sandbox.administer('POST /faults/clear', { id: id ?? null });
    return { data: answer, show: () => `Removed ${answer.cleared} ${answer.cleared === 1 ? 'fault' : 'faults'}.` };
  },
});

/** An applied fault. */
const LOGGED = shape.object({
  number: shape.integer('counts from 1'),
  time: shape.time("by this machine's clock"),
  rule: shape.integer('the id of the fault'),
  kind: shape.enumOf(KINDS, ''),
  operation: shape.text(''),
  parameters: shape.mapOf(shape.text(''), 'without secrets'),
  executions: shape.array(
    shape.object({
      placed: shape.array(shape.id(''), 'orders'),
      cancelled: shape.array(shape.text(''), 'orders, by the id in the request'),
      withdrawn: shape.array(shape.id(''), 'withdrawals'),
      code: shape.nullable(shape.integer('null for an answer without a code')),
    }),
    'one for each time that the request was executed',
  ),
});

const column = fieldColumns<FaultEntry>(LOGGED);

export const log = define({
  summary: 'List applied faults and their real effects, oldest first',
  flags: {
    after: flag('--after <number>', 'list only entries after this one', numberBy('--after', ENTRY)),
  },
  examples: ['sandbox fault log', 'sandbox fault log --after 20 --json'],
  output: shape.array(LOGGED),
  async run({ sandbox }, { after = 0 }) {
    return listing({
      rows: await entriesAfter(sandbox, after),
      row: LOGGED,
      columns: [
        { title: '#', value: ({ number }) => String(number), align: 'right', importance: 8 },
        column('time', { importance: 5 }),
        column('kind', { title: 'fault', importance: 9 }),
        column('operation', { importance: 9 }),
        { title: 'executed', value: executed, importance: 9 },
      ],
      empty: 'No fault has been applied.',
    });
  },
});

/** The sandbox gives the log in pages. */
async function entriesAfter(sandbox: Sandbox, after: number): Promise<FaultEntry[]> {
  const rows: FaultEntry[] = [];
  for (let last = after; ; ) {
    const page = await sandbox.administer('POST /faults/log', { after: last });
    rows.push(...page);
    const next = page.at(-1)?.number;
    if (next === undefined) return rows;
    last = next;
  }
}

/** A frame of a stream executes nothing. */
function executed({ kind, executions }: FaultEntry): string {
  return isStreamFault(kind) ? '' : executions.map(describe).join('; ') || 'no';
}

function describe({ placed, cancelled, withdrawn, code }: Effects): string {
  const parts = [
    ...placed.map((id) => `placed ${id}`),
    ...cancelled.map((id) => `cancelled ${id}`),
    ...withdrawn.map((id) => `withdrew ${id}`),
  ];
  if (parts.length > 0) return parts.join(', ');
  return code === null || code === SUCCESS ? 'yes' : `rejected with ${code}`;
}
