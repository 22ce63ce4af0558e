import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const PAGE = readFileSync('docs/sandbox.md', 'utf8');
const CAMPAIGN = readFileSync('test/campaigns/streams.ts', 'utf8');

const section = /## Other clients\n([\s\S]*?)\n## /.exec(PAGE)?.[1] ?? '';
const [sample = ''] = /(?<=```js\n)[\s\S]*?(?=```)/.exec(section) ?? [];

/** Without what only one of them needs: types, quotes' defaults and semicolons. */
function plain(code: string): string {
  return code.replace(/ \?\? ''|;/g, '').replace(/\s+/g, ' ');
}

it('docs/sandbox.md shows the settings with which the campaign of other clients runs', () => {
  const settings = sample.split('\n').filter((line) => /^client\.|^await client\./.test(line));
  expect(settings.length).toBeGreaterThanOrEqual(4);
  for (const line of settings) expect(plain(CAMPAIGN)).toContain(plain(line));
  expect(plain(CAMPAIGN)).toContain('agent: new Agent({ keepAlive: true })');
  expect(sample).toContain('agent: new Agent({ keepAlive: true })');
  for (const text of ['new Client({ wssPath: wsUrl })', 'quick_depth']) {
    expect(section).toContain(text);
    expect(CAMPAIGN).toContain(text);
  }
});

it('docs/sandbox.md names the version of ccxt that the campaign installs', () => {
  const [, version] = /'ccxt@(\d+)\./.exec(CAMPAIGN) ?? [];
  expect(section.replace(/\s+/g, ' ')).toContain(`ccxt ${version}`);
});
