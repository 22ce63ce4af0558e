import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CompletionNames, namesFolder, SeenNames } from '../../src/commands/session/completion-names.js';
import type { Market } from '../../src/domain/market.js';
import type { Order, OrderState, OrderType } from '../../src/domain/order.js';
import { temporaryHome } from '../support/pit.js';
import { usePitHome } from './pit-home.js';

const pit = usePitHome();

function linesOf(home: string, file: string): string[] {
  return readFileSync(path.join(home, 'cache', 'symbols', file), 'utf8')
    .trimEnd()
    .split('\n');
}

function listed(id: string, state: OrderState, clientId: string | null = null): Order {
  return { id, clientId, market: 'btc_usdt', state } as Order;
}

function placed(market: string, clientId: string | null, ids: readonly string[], type: OrderType = 'limit') {
  return { kind: 'placed', market, type, clientId, ids } as const;
}

describe('the name files for shell completion', () => {
  it('are written when commands see names, readable by the user only', async () => {
    await pit.done('markets');
    expect(linesOf(pit.home, 'sandbox/markets')).toContain('btc_usdt');
    expect(linesOf(pit.home, 'sandbox/coins')).toContain('usdt');
    const { id } = await pit.json<{ id: string }>('order buy btc_usdt 0.001 --at 20000 --id mine0001 --yes');
    expect(linesOf(pit.home, 'sandbox/orders')).toEqual([`btc_usdt ${id} mine0001`]);
    expect(statSync(path.join(pit.home, 'cache/symbols/sandbox/orders')).mode & 0o777).toBe(0o600);
    await pit.done('cancel btc_usdt --id mine0001');
    expect(linesOf(pit.home, 'sandbox/orders')).toEqual(['']);
  });

  it('warn about a limit on a coin that the exchange does not have', async () => {
    await pit.done('markets');
    const set = await pit.run('profile set sandbox dayNotional 900000usdt,3usdx');
    expect([set.code, set.stderr]).toEqual([
      0,
      'Warning: This exchange has no coin usdx, so a limit on it has no effect. Did you mean usdt?\n',
    ]);
    expect((await pit.run('profile set sandbox dayNotional 900000usdt')).stderr).toBe('');
  });

  it('are kept by host when the hosts come from the environment', async () => {
    const home = temporaryHome();
    const { environment } = pit.served;
    await pit.done('markets', { environment: { ...environment, PIT_HOME: home } });
    const folder = namesFolder('sandbox', environment);
    expect(folder).toMatch(/^\+http___127_0_0_1_\d+\+http___127_0_0_1_\d+$/);
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

  it('update the known open orders by what later commands see', () => {
    const symbols = folder();
    const first = new SeenNames();
    first.observe(placed('btc_usdt', 'mine1', ['1']));
    first.observe(placed('btc_usdt', 'ioc1', ['2'], 'ioc'));
    first.observe(placed('eth_usdt', null, ['3', '4']));
    first.save(symbols, undefined);
    expect(symbols.read('orders').sort()).toEqual(['btc_usdt 1 mine1', 'eth_usdt 3 -', 'eth_usdt 4 -']);
    const second = new SeenNames();
    // the list has no client ids, and order 3 has filled
    second.observe({ kind: 'orders', orders: [listed('1', 'open'), listed('5', 'open'), listed('3', 'filled')] });
    second.observe({ kind: 'cancelled', order: { id: '4' } });
    second.observe({ kind: 'orders', orders: [listed('6', 'open', 'other1')] });
    second.save(symbols, ['lost1']);
    expect(symbols.read('orders').sort()).toEqual(['btc_usdt 1 mine1', 'btc_usdt 5 -', 'btc_usdt 6 other1']);
    expect(symbols.read('unresolved')).toEqual(['lost1']);
    const third = new SeenNames();
    third.observe({ kind: 'cancelled', order: { clientId: 'mine1' } });
    third.observe({ kind: 'cancelled', order: { id: '6' } });
    third.save(symbols, []);
    expect(symbols.read('orders')).toEqual(['btc_usdt 5 -']);
    expect(symbols.read('unresolved')).toEqual([]);
  });

  it('write only letters, digits and _, whatever the names of markets and coins', () => {
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z0-9_$;`\n(). -]{1,12}$/));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word, word)), (names) => {
        const symbols = folder();
        const seenNames = new SeenNames();
        seenNames.markets(names.map(([market, base, quote]) => ({ market, base, quote }) as Market));
        seenNames.observe({ kind: 'coins', coins: names.map(([coin]) => coin.toLowerCase()) });
        for (const [id, currency, own] of names) seenNames.observe(placed(currency, own, [id]));
        seenNames.save(
          symbols,
          names.map(([id]) => id),
        );
        const root = path.join(home, String(count - 1), 'symbols', 'p');
        for (const file of existsSync(root) ? readdirSync(root) : [])
          expect(readFileSync(path.join(root, file), 'utf8')).toMatch(/^[A-Za-z0-9_ \n-]*$/);
      }),
      { numRuns: 50 },
    );
  });
});
