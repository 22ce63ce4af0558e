import path from 'node:path';
import { expect, it } from 'vitest';
import { faultCampaign } from './fault-campaign.js';
import { killCampaign } from './kill-campaign.js';

const pit = path.resolve(import.meta.dirname, '../../../bin/pit.js');

it('a few actions on a bad network: nothing doubled, lost or told wrongly', async () => {
  const report = await faultCampaign({ pit, seed: 1, actions: 15 });
  expect(report.details).toBe('');
  expect(report.actions).toBe(15);
  expect(report.unknown).toBeGreaterThan(0);
  expect(report.duplicates).toBeGreaterThan(0);
});

it('a few kills at each point: the same after pit resolve', async () => {
  const { report, tallies } = await killCampaign({ pit, seed: 1, kills: 1 });
  expect(report.details).toBe('');
  expect(tallies.map(({ kills }) => kills)).toEqual(tallies.map(() => 1));
  expect(tallies.find(({ point }) => point === 'after the answer')?.sent).toBe(1);
});
