import { expect, it } from 'vitest';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';
import { Straight } from '../straight.js';

const pit = useWorldPerTest({
  markets: STILL_MARKETS,
});
const straight = new Straight(pit);
const FAR = { side: 'buy', price: '20000', amount: '0.01' } as const;

it('replacements of several processes at once stay within the limit of a day, and the rejected ones leave their orders unchanged', async () => {
  await pit.done('profile set sandbox dayNotional 500usdt');
  const ids: string[] = [];
  for (const price of ['20000', '20001', '20002', '20003']) ids.push(await straight.place({ ...FAR, price }));
  // each is worth 210
  const lines = ids.map((id) => `order replace btc_usdt ${id} --at 21000 --yes --json`);
  const codes = (await Promise.all(lines.map((line) => pit.run(line)))).map(({ code }) => code);
  expect(codes.every((code) => code === 0 || code === 2)).toBe(true);
  expect(codes.filter((code) => code === 0).length).toBeLessThanOrEqual(2);
  const open = new Set(await straight.open());
  expect(ids.map((id) => open.has(id))).toEqual(codes.map((code) => code === 2));
  expect(await pit.json('resolve')).toEqual([]);
});
