import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeenNames } from '../../../src/commands/session/seen-names.js';
import { CompletionNames, namesFolder } from '../../../src/config/completion-names.js';
import type { Market } from '../../../src/domain/market.js';
import type { Order, OrderState, OrderType } from '../../../src/domain/order.js';
import { anyText } from '../../support/any-text.js';
import { temporaryHome } from '../../support/pit.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorld } from '../pit-home.js';

const pit = useWorld({ markets: STILL_MARKETS });

function linesOf(home: string, file: string): string[] {
  return readFileSync(path.join(home, 'cache', 'symbols', file), 'utf8')
    .trimEnd()
    .split('\n');
}

function listed(id: string, state: OrderState, clientId: string | null = null): Order {
  return { id, clientId, market: 'btc_usdt', side: 'buy', price: '28100.50', amount: '0.500000', state } as Order;
}

function placed(market: string, clientId: string | null, ids: readonly string[], type: OrderType = 'limit') {
  const terms = clientId === null ? null : ({ side: 'sell', price: '31000', amount: '1.50' } as const);
  return { kind: 'placed', market, type, clientId, ids, terms } as const;
}

describe('the name files for shell completion', () => {
  it('commands that see names write them, readable by the user only', async () => {
    await pit.done('markets');
    expect(linesOf(pit.home, 'sandbox/markets')).toContain('btc_usdt');
    expect(linesOf(pit.home, 'sandbox/coins')).toContain('usdt');
    const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.001 --at 20000 --id mine0001 --yes');
    expect(linesOf(pit.home, 'sandbox/orders')).toEqual([`btc_usdt ${id} mine0001 buy 0.001 at 20,000.00`]);
    expect(statSync(path.join(pit.home, 'cache/symbols/sandbox/orders')).mode & 0o777).toBe(0o600);
    await pit.done('cancel btc_usdt --id mine0001');
    expect(linesOf(pit.home, 'sandbox/orders')).toEqual(['']);
  });

  it('warns about a limit on a coin that the exchange does not have', async () => {
    await pit.done('markets');
    const set = await pit.run('profile set sandbox dayNotional 900000usdt,3usdx');
    expect([set.code, set.stderr]).toEqual([
      0,
      'Warning: This exchange has no coin usdx, so a limit on it has no effect. Did you mean usdt?\n',
    ]);
    expect((await pit.run('profile set sandbox dayNotional 900000usdt')).stderr).toBe('');
  });

  it('keeps the names by host when the hosts come from the environment', async () => {
    const home = temporaryHome();
    const { environment } = pit.served;
    await pit.done('markets', { environment: { ...environment, PIT_HOME: home } });
    const folder = namesFolder('sandbox', environment);
    expect(folder).toMatch(/^\+http___127_0_0_1_\d+\+http___127_0_0_1_\d+$/);
    expect(namesFolder('main', { PIT_BASE_URL: 'http://a' })).toBe('++http___a');
    expect(namesFolder('main', { PIT_TRADE_URL: 'http://a' })).toBe('+http___a+');
    expect(readdirSync(path.join(home, 'cache/symbols'))).toEqual([folder]);
    expect(linesOf(home, `${folder}/markets`)).toContain('btc_usdt');
  });

  it('never make a command fail when they cannot be written', async () => {
    const home = temporaryHome();
    const { environment } = pit.served;
    mkdirSync(path.join(home, 'cache'), { mode: 0o700 });
    writeFileSync(path.join(home, 'cache', 'symbols'), 'a file in the way');
    await pit.done('markets', { environment: { ...environment, PIT_HOME: home } });
  });
});

describe('the names in answers', () => {
  const folder = () => new CompletionNames(temporaryFolder(), 'p');
  const home = temporaryHome();
  let count = 0;
  const temporaryFolder = () => path.join(home, String(count++));

  it('updates the known open orders by what later commands see', () => {
    const symbols = folder();
    const first = new SeenNames();
    first.observe(placed('btc_usdt', 'mine1', ['1']));
    first.observe(placed('btc_usdt', 'ioc1', ['2'], 'ioc'));
    first.observe(placed('eth_usdt', null, ['3', '4']));
    first.save(symbols, undefined);
    expect(symbols.read('orders').sort()).toEqual([
      'btc_usdt 1 mine1 sell 1.5 at 31,000',
      'eth_usdt 3 -',
      'eth_usdt 4 -',
    ]);
    const second = new SeenNames();
    // the list has no client ids, and order 3 has filled
    second.observe({ kind: 'orders', orders: [listed('1', 'open'), listed('5', 'open'), listed('3', 'filled')] });
    second.observe({ kind: 'cancelled', order: { id: '4' } });
    second.observe({ kind: 'orders', orders: [listed('6', 'open', 'other1')] });
    second.save(symbols, ['lost1']);
    const terms = 'buy 0.5 at 28,100.50';
    expect(symbols.read('orders')).toEqual([
      `btc_usdt 6 other1 ${terms}`,
      `btc_usdt 5 - ${terms}`,
      `btc_usdt 1 mine1 ${terms}`,
    ]);
    expect(symbols.read('unresolved')).toEqual(['lost1']);
    const third = new SeenNames();
    third.observe({ kind: 'cancelled', order: { clientId: 'mine1' } });
    third.observe({ kind: 'cancelled', order: { id: '6' } });
    third.save(symbols, []);
    expect(symbols.read('orders')).toEqual([`btc_usdt 5 - ${terms}`]);
    expect(symbols.read('unresolved')).toEqual([]);
  });

  it('lists orders newest first by their ids, at most 2,000, with the decimals of a market that was read', () => {
    const symbols = folder();
    const seen = new SeenNames();
    seen.markets([{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2 } as Market]);
    seen.observe({ kind: 'orders', orders: ['99', '1002', '1001'].map((id) => listed(id, 'open')) });
    seen.observe(placed('btc_usdt', 'mine1', ['1003']));
    seen.save(symbols, undefined);
    const [newest, ...older] = symbols.read('orders');
    expect(newest).toBe('btc_usdt 1003 mine1 sell 1.5 at 31,000.00');
    expect(older.map((line) => line.split(' ')[1])).toEqual(['1002', '1001', '99']);
    const many = new SeenNames();
    many.observe({ kind: 'orders', orders: Array.from({ length: 2_100 }, (_, id) => listed(String(id), 'open')) });
    many.save(symbols, undefined);
    expect(symbols.read('orders')).toHaveLength(2_000);
  });

  it('keeps orders that were noted without their terms', () => {
    const symbols = folder();
    symbols.write('orders', ['btc_usdt 7 mine7', 'btc_usdt 8 -']);
    const seen = new SeenNames();
    seen.observe({ kind: 'orders', orders: [listed('8', 'open')] });
    seen.save(symbols, undefined);
    expect(symbols.read('orders')).toEqual(['btc_usdt 8 - buy 0.5 at 28,100.50', 'btc_usdt 7 mine7']);
  });

  it('writes nothing that is special to a shell, whatever the names of markets and coins', () => {
    const word = fc.oneof(anyText(), fc.stringMatching(/^[a-z0-9_$;`\n(). -]{1,12}$/));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word, word)), (names) => {
        const symbols = folder();
        const seenNames = new SeenNames();
        seenNames.markets(names.map(([market, base, quote]) => ({ market, base, quote, priceScale: 2 }) as Market));
        seenNames.observe({ kind: 'coins', coins: names.map(([coin]) => coin.toLowerCase()) });
        for (const [id, currency, own] of names) seenNames.observe(placed(currency, own, [id]));
        seenNames.save(
          symbols,
          names.map(([id]) => id),
        );
        const root = path.join(home, String(count - 1), 'symbols', 'p');
        for (const file of existsSync(root) ? readdirSync(root) : [])
          expect(readFileSync(path.join(root, file), 'utf8')).toMatch(/^[A-Za-z0-9_.,\x20\n-]*$/);
      }),
      { numRuns: 50 },
    );
  });
});
