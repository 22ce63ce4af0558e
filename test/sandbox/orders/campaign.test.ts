import { expect, test } from 'vitest';
import { engineCampaign } from '../support/campaign.js';

const OPERATIONS = 15_000;

/** A slice of `npm run campaign:engine`, which draws its seed. */
test(`${OPERATIONS} random operations do what the model does`, () => {
  const { placed, refused, cancelled, trades } = engineCampaign(20_240_315, OPERATIONS);
  // the operations were of all kinds
  for (const count of [placed, refused, cancelled, trades]) expect(count).toBeGreaterThan(OPERATIONS / 20);
});
