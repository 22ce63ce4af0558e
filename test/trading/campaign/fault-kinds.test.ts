import { expect, it } from 'vitest';
import { FAULT_KINDS, meets } from './fault-kinds.js';

it('the campaign of kinds has more than 110 of them for each operation, each with its own name', () => {
  expect(new Set(FAULT_KINDS.map(({ name }) => name)).size).toBe(FAULT_KINDS.length);
  for (const operation of ['order', 'withdraw', 'batch', 'cancel', 'replace'] as const)
    expect(FAULT_KINDS.filter((kind) => meets(kind, operation)).length).toBeGreaterThanOrEqual(110);
});
