import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../support/pit.js';
import { marketList } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';
import { PitHome } from '../pit-home.js';

const MARKETS = marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } });

describe.each([
  ['25641.02', '25641.12', 'Spread 0.10 usdt (0.00039 %), mid 25,641.07'],
  ['20000.01', '20000.06', 'Spread 0.05 usdt (0.00025 %), mid 20,000.035'],
  ['99', '101', 'Spread 2 usdt (2.0000 %), mid 100'],
  ['1', '2', 'Spread 1 usdt (66.6667 %), mid 1.5'],
  ['7', '7', 'The book is locked: the best bid and the best ask are both 7, so it has no spread and no mid.'],
  ['0', '0', 'Spread 0 usdt, mid 0'],
  ['0', '5', 'Spread 5 usdt, mid 2.5'],
  [
    '28101.50',
    '28099',
    'The book is crossed: the best bid 28,101.50 is above the best ask 28,099, so it has no spread and no mid.',
  ],
])('pit depth with a bid of %s and an ask of %s', (bid, ask, words) => {
  const pit = new PitHome(temporaryHome());
  const exchange = useLiteralExchange({
    '/data/v1/markets': MARKETS,
    '/data/v1/depth': `{"asks":[[${ask},1]],"bids":[[${bid},1]],"timestamp":1700000000}`,
  });

  it(`prints: ${words}`, async () => {
    const lines = (await pit.done('depth btc_usdt', exchange.extra)).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^btc_usdt {2}2023-11-14 22:13:20 \(UTC\)$/);
    expect(lines.at(-1)).toBe(words);
  });
});

describe('pit depth --chart', () => {
  const pit = new PitHome(temporaryHome());
  const answer = (asks: string) => ({
    '/data/v1/markets': MARKETS,
    '/data/v1/depth': `{"asks":${asks},"bids":[[99,1],[98,4]],"timestamp":1700000000}`,
  });

  describe('with both sides', () => {
    const exchange = useLiteralExchange(answer('[[103,8],[101,2]]'));

    it('draws the cumulative amounts above the spread', async () => {
      const lines = (await pit.done('depth btc_usdt --chart', exchange.extra)).trimEnd().split('\n');
      expect(lines[0]).toMatch(/^btc_usdt {2}2023-11-14 22:13:20 \(UTC\), cumulative amounts in btc$/);
      expect(lines.at(-1)).toBe('Spread 2 usdt (2.0000 %), mid 100');
      expect(lines).toHaveLength(24);
      expect(lines.slice(1, -1).join('\n')).toMatch(/ █+│/);
    });
  });

  describe('with a crossed book', () => {
    const exchange = useLiteralExchange(answer('[[95,2],[97,8]]'));

    it('draws both sides and says that they cross', async () => {
      const lines = (await pit.done('depth btc_usdt --chart', exchange.extra)).trimEnd().split('\n');
      expect(lines).toHaveLength(24);
      expect(lines.at(-1)).toMatch(/^The book is crossed: the best bid 99 is above the best ask 95, so/);
    });

    it.each(['--json', '--csv'])('warns on stderr with %s, and changes nothing on stdout', async (format) => {
      const { code, stdout, stderr } = await pit.run(`depth btc_usdt ${format}`, exchange.extra);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/97/)]);
      expect(stderr).toContain('The book is crossed: the best bid 99 is above the best ask 95.');
    });

    it('is not said twice in a table', async () => {
      const { stdout, stderr } = await pit.run('depth btc_usdt', exchange.extra);
      expect([stdout.match(/crossed/g)?.length, stderr]).toEqual([1, '']);
    });
  });

  describe('with one side', () => {
    const exchange = useLiteralExchange(answer('[]'));

    it('prints the table', async () => {
      expect(await pit.done('depth btc_usdt --chart', exchange.extra)).toMatch(/BID[\s\S]*No asks\.\n$/);
    });
  });
});
