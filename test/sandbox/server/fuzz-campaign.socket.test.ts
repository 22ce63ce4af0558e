import { expect, test } from 'vitest';
import { fuzzCampaign } from './fuzz-campaign.js';

test('1,500 pieces of nonsense do not stop or fill the sandbox, and other clients are still served', async () => {
  const { sent, others } = await fuzzCampaign({ seed: 5, requests: 1500 });
  expect(Object.values(sent).reduce((sum, count) => sum + count, 0)).toBe(1500);
  expect(Object.keys(sent)).toEqual(expect.arrayContaining(['random bytes', 'signed nonsense', 'slow', 'half open']));
  expect(others).toBeGreaterThan(10);
});
