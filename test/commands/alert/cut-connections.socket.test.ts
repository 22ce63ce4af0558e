import { expect, it } from 'vitest';
import { alertCampaign } from './alert-campaign.js';

it('pit alert --repeat reports each crossing and fill once while its connections are cut, stall and sleep, and the exchange restarts', async () => {
  const report = await alertCampaign({ crossings: 8, seed: 3 });
  expect(report.crossings).toBeGreaterThanOrEqual(8);
});
