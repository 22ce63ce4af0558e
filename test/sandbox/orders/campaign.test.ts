import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { engineCampaign } from '../support/campaign.js';

const OPERATIONS = 15_000;
const RANDOM = randomInt(2 ** 31);

/** A slice of `npm run campaign:engine`. */
test.each([20_240_315, RANDOM])(`${OPERATIONS} random operations do what the model does, seed %i`, (seed) => {
  const { placed, refused, cancelled, trades } = engineCampaign(seed, OPERATIONS);
  // the operations were of all kinds
  for (const count of [placed, refused, cancelled, trades]) expect(count).toBeGreaterThan(OPERATIONS / 20);
});
