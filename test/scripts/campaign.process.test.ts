import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('a campaign whose words are wrong is refused before anything is built or tried', () => {
  const words = ['scripts/campaign.js', 'agents', '--runs', '5'];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  expect([status, stdout, stderr]).toEqual([
    2,
    '',
    'campaign:agents does not take "--runs 5": see the first lines of test/campaigns/agents.ts.\n',
  ]);
});
