import { expect, it } from 'vitest';
import { feedCampaign } from './feed-campaign.js';

it('a feed equals the exchange after each cut of its connection, and reports each gap', async () => {
  const { cuts, refused, gaps } = await feedCampaign({ events: 150, cuts: 2, seed: 11 });
  expect({ cuts, refused }).toEqual({ cuts: 2, refused: 0 });
  expect(gaps).toBeGreaterThanOrEqual(2 * 6);
});
