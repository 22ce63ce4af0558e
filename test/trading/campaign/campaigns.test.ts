import { expect, it } from 'vitest';
import { agentCampaign } from './agent-campaign.js';
import { faultCampaign } from './fault-campaign.js';
import { FAULT_KINDS, meets } from './fault-kinds.js';
import { haltCampaign } from './halt-campaign.js';
import { haltKillCampaign } from './halt-kills.js';
import { killCampaign } from './kill-campaign.js';

it('actions on a bad network place no order twice, lose none and report each outcome truthfully', async () => {
  const report = await faultCampaign({ seed: 1, actions: 8 });
  expect(report.details).toBe('');
  expect(report.actions).toBe(8);
  expect(report.unknown).toBeGreaterThan(0);
  expect(report.duplicates).toBeGreaterThan(0);
});

it('a careless agent on a bad network places no order twice, loses none and is told each outcome', async () => {
  const { problems, pairs, placed } = await agentCampaign({ seed: 1, pairs: 8 });
  expect(problems).toEqual([]);
  expect(pairs).toBeGreaterThanOrEqual(8);
  expect(placed).toBeGreaterThan(0);
});

it('pit resolve settles what a kill at any point leaves behind', async () => {
  const { report, tallies } = await killCampaign({ seed: 1, kills: 1 });
  expect(report.details).toBe('');
  expect(tallies.map(({ kills }) => kills)).toEqual(tallies.map(() => 1));
  expect(tallies.find(({ point }) => point === 'after the answer')?.sent).toBe(1);
});

it('nothing leaves after pit halt has returned, and what had left is settled while the account is halted', async () => {
  const { report, falls, complete } = await haltCampaign({ seed: 1, writes: 8 });
  expect(report.details).toBe('');
  expect(report.writes).toBeGreaterThanOrEqual(8);
  expect(falls).toBeGreaterThan(0);
  expect(complete).toBe(falls);
});

it('pit halt --cancel --flatten does what is left if it is run again after a kill at any point', async () => {
  const { kills, points, complaints } = await haltKillCampaign({ seed: 1, kills: 6 });
  expect(complaints).toEqual([]);
  expect(kills).toBe(6);
  expect(points).toBeGreaterThan(100);
});

it('the campaign of kinds has more than 110 of them for each operation, each with its own name', () => {
  expect(new Set(FAULT_KINDS.map(({ name }) => name)).size).toBe(FAULT_KINDS.length);
  for (const operation of ['order', 'withdraw', 'batch', 'cancel', 'replace'] as const)
    expect(FAULT_KINDS.filter((kind) => meets(kind, operation)).length).toBeGreaterThanOrEqual(110);
});
