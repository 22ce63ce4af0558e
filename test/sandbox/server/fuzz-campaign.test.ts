import path from 'node:path';
import { expect, test } from 'vitest';
import { fuzzCampaign } from './fuzz-campaign.js';

const pit = path.resolve(import.meta.dirname, '../../../bin/pit.js');

test('a few thousand pieces of nonsense neither end nor fill the sandbox, and others are served on', async () => {
  const { sent, others } = await fuzzCampaign({ pit, seed: 5, requests: 3000 });
  expect(Object.values(sent).reduce((sum, count) => sum + count, 0)).toBe(3000);
  expect(Object.keys(sent)).toEqual(expect.arrayContaining(['random bytes', 'signed nonsense', 'slow', 'half open']));
  expect(others).toBeGreaterThan(10);
});
