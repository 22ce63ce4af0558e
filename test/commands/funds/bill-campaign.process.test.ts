import { expect, test } from 'vitest';
import { billCampaign } from './bill-campaign.js';

test('hundreds of bills on both sides of 48 hours are listed, exported and summed exactly as in the ledger', async () => {
  const measured = await billCampaign({ seed: 11, few: 40, many: 400 });
  expect(measured.map(({ words }) => words)).toHaveLength(4);
});
