import { expect, it } from 'vitest';
import { CAMPAIGN_FAULTS, meets } from './fault-kinds.js';

it('the campaign of kinds has more than 110 of them for each operation, each with its own name', () => {
  expect(new Set(CAMPAIGN_FAULTS.map(({ name }) => name)).size).toBe(CAMPAIGN_FAULTS.length);
  for (const operation of ['order', 'withdraw', 'batch', 'cancel', 'replace'] as const)
    expect(CAMPAIGN_FAULTS.filter((kind) => meets(kind, operation)).length).toBeGreaterThanOrEqual(110);
});
