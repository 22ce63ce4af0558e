import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sightings } from '../../src/commands/session/sightings.js';
import { Symbols, symbolsFolder } from '../../src/config/symbols.js';
import type { Answered } from '../../src/exchange/answered.js';
import type { Market } from '../../src/exchange/market-catalog.js';
import { temporaryHome } from '../support/pit.js';
import { useDesk } from './desk.js';

const desk = useDesk();

function linesOf(home: string, file: string): string[] {
  return readFileSync(path.join(home, 'cache', 'symbols', file), 'utf8')
    .trimEnd()
    .split('\n');
}

/** What an answer holds for the eyes of {@link Sightings}. */
function seen(name: string, values: object, answer: unknown): Answered {
  return { name, values, answer } as unknown as Answered;
}

function record(id: string, status: number, currency = 'btc_usdt') {
  return { id, currency, status, total_amount: '1', trade_amount: '0' };
}

describe('the names that shells complete', () => {
  it('are kept as commands see them, readable by the user alone', async () => {
    await desk.done('markets');
    expect(linesOf(desk.home, 'sandbox/markets')).toContain('btc_usdt');
    expect(linesOf(desk.home, 'sandbox/coins')).toContain('usdt');
    const { id } = await desk.json<{ id: string }>('order buy btc_usdt 0.001 --at 20000 --id mine0001 --yes');
    expect(linesOf(desk.home, 'sandbox/orders')).toEqual([`btc_usdt ${id} mine0001`]);
    expect(statSync(path.join(desk.home, 'cache/symbols/sandbox/orders')).mode & 0o777).toBe(0o600);
    await desk.done('cancel btc_usdt --id mine0001');
    expect(linesOf(desk.home, 'sandbox/orders')).toEqual(['']);
  });

  it('tell of a limit on a coin that there is not, which would hold nothing', async () => {
    await desk.done('markets');
    const set = await desk.run('profile set sandbox dayNotional 900000usdt,3usdx');
    expect([set.code, set.stderr]).toEqual([
      0,
      'Warning: No coin usdx is known of this exchange, so that its limit would hold nothing. Did you mean usdt?\n',
    ]);
    expect((await desk.run('profile set sandbox dayNotional 900000usdt')).stderr).toBe('');
  });

  it('are of the hosts where these come from the environment', async () => {
    const home = temporaryHome();
    const { environment } = desk.served;
    await desk.done('markets', { environment: { ...environment, PIT_HOME: home } });
    const folder = symbolsFolder('sandbox', environment);
    expect(folder).toMatch(/^\+http___127_0_0_1_\d+\+http___127_0_0_1_\d+$/);
    expect(readdirSync(path.join(home, 'cache/symbols'))).toEqual([folder]);
    expect(linesOf(home, `${folder}/markets`)).toContain('btc_usdt');
  });

  it('never fail a command', async () => {
    const home = temporaryHome();
    const { environment } = desk.served;
    mkdirSync(path.join(home, 'cache'), { mode: 0o700 });
    writeFileSync(path.join(home, 'cache', 'symbols'), 'a file in the way');
    await desk.done('markets', { environment: { ...environment, PIT_HOME: home } });
  });
});

describe('sightings', () => {
  const folder = () => new Symbols(temporaryFolder(), 'p');
  const home = temporaryHome();
  let count = 0;
  const temporaryFolder = () => path.join(home, String(count++));

  it('hold the open orders against what later commands see of them', () => {
    const symbols = folder();
    const first = new Sightings();
    first.look(seen('order', { currency: 'btc_usdt', customerOrderId: 'mine1' }, { id: '1' }));
    first.look(seen('order', { currency: 'btc_usdt', orderType: '2', customerOrderId: 'ioc1' }, { id: '2' }));
    first.look(seen('orderMoreV2', { market: 'eth_usdt' }, { data: ['3', '4'] }));
    first.keep(symbols, undefined);
    expect(symbols.read('orders').sort()).toEqual(['btc_usdt 1 mine1', 'eth_usdt 3 -', 'eth_usdt 4 -']);
    const second = new Sightings();
    // the list does not tell client ids, and 3 has filled
    second.look(seen('getOrders', {}, [record('1', 3), record('5', 0), record('3', 2)]));
    second.look(seen('cancelOrder', { currency: 'eth_usdt', id: '4' }, {}));
    second.look(seen('getOrder', { customerOrderId: 'other1' }, record('6', 3)));
    second.keep(symbols, ['lost1']);
    expect(symbols.read('orders').sort()).toEqual(['btc_usdt 1 mine1', 'btc_usdt 5 -', 'btc_usdt 6 other1']);
    expect(symbols.read('unresolved')).toEqual(['lost1']);
    const third = new Sightings();
    third.look(seen('cancelOrder', { currency: 'btc_usdt', customerOrderId: 'mine1' }, {}));
    third.look(seen('cancelOrder', { currency: 'btc_usdt', id: '6' }, {}));
    third.keep(symbols, []);
    expect(symbols.read('orders')).toEqual(['btc_usdt 5 -']);
    expect(symbols.read('unresolved')).toEqual([]);
  });

  it('write nothing but letters, digits and _, whatever an exchange calls its markets and coins', () => {
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z0-9_$;`\n(). -]{1,12}$/));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word, word)), (names) => {
        const symbols = folder();
        const sightings = new Sightings();
        sightings.markets(names.map(([market, base, quote]) => ({ market, base, quote }) as Market));
        sightings.look(seen('getAccountInfo', {}, { result: { coins: names.map(([key]) => ({ key })) } }));
        for (const [id, currency, own] of names)
          sightings.look(seen('order', { currency, customerOrderId: own }, { id }));
        sightings.keep(
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
