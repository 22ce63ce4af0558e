import { expect, it } from 'vitest';
import { pausesOnly } from '../../support/command-clocks.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { lastError, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });
const ORDER = 'order buy btc_usdt 0.01 --profile sandbox';

it('commands in warnings, previews and doctor keep the given profile', async () => {
  await pit.done('sandbox fault add twice --operation order --count 1');
  const twice = await pit.run(`${ORDER} --at 20001 --yes`);
  expect(twice.stderr).toMatch(/^→ To cancel the duplicates: pit --profile sandbox cancel btc_usdt \d+$/m);

  await pit.done('sandbox fault add drop-before --operation order --count 1');
  const line = `${ORDER} --at 20002 --id gone1 --yes --json --timeout 10`;
  const lost = await pit.run(line, { host: pausesOnly() });
  expect([lost.code, lastError(lost.stderr).hint]).toEqual([
    6,
    expect.stringContaining('pit --profile sandbox resolve'),
  ]);
  const resolve = 'pit --profile sandbox resolve gone1';
  const { preview } = JSON.parse((await pit.run(`${ORDER} --at 20003 --dry-run --json`)).stdout) as DryRun;
  expect(preview.warnings).toContainEqual(expect.stringContaining(resolve));
  const checks = JSON.parse((await pit.run('doctor --profile sandbox --json')).stdout) as Check[];
  expect(checks.find(({ check }) => check === 'journal')?.fix).toBe('Find out: pit --profile sandbox resolve');
  // and none without the flag
  const plain = JSON.parse((await pit.run('doctor --json')).stdout) as Check[];
  expect(plain.find(({ check }) => check === 'journal')?.fix).toBe('Find out: pit resolve');
});

interface DryRun {
  readonly preview: { readonly warnings: readonly string[] };
}

interface Check {
  readonly check: string;
  readonly fix: string | null;
}
