import type { FaultRule } from '../../sandbox/faults/rules.js';
import type { Column } from '../../terminal/table.js';

function when({ probability, count, every }: FaultRule): string {
  const parts = [
    every === null ? '' : `every ${every}.`,
    probability === null ? '' : `probability ${probability}`,
    count === null ? '' : `${count} times`,
  ];
  return parts.filter((part) => part !== '').join(', ') || 'always';
}

export const RULE_FIELDS = [
  ...(['id', 'kind', 'operation', 'probability', 'count', 'every', 'delay', 'skew', 'seen', 'applied'] as const),
];

export const RULE_COLUMNS: readonly Column<FaultRule>[] = [
  { title: 'id', value: ({ id }) => String(id), align: 'right', importance: 8 },
  { title: 'fault', value: ({ kind }) => kind, importance: 9 },
  { title: 'operation', value: ({ operation }) => operation ?? 'any', importance: 9 },
  { title: 'when', value: when, importance: 7 },
  { title: 'delay ms', value: ({ delay, skew }) => String(delay || skew || ''), align: 'right', importance: 5 },
  { title: 'seen', value: ({ seen }) => String(seen), align: 'right', importance: 4 },
  { title: 'applied', value: ({ applied }) => String(applied), align: 'right', importance: 6 },
];
