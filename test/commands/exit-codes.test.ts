import { beforeAll, describe, expect, it } from 'vitest';
import { DOCUMENTED_LIMITS } from '../../src/sandbox/server/limits.js';
import { marketList } from '../support/wire.js';
import { STILL_MARKETS } from '../support/world/still-markets.js';
import { environmentAt, useLiteralExchange } from './literal-exchange.js';
import { place } from './order/order-rows.js';
import { type Extra, lastError, useWorld } from './pit-home.js';

/** Nothing listens there. */
const nobody = (): Extra => ({ environment: environmentAt('https://nobody.example.com') });
const strange = useLiteralExchange({
  '/data/v1/markets': marketList({ btc_usdt: { priceScale: 'two' } }),
});
interface Row {
  readonly code: number;
  readonly kind: string;
  readonly line: () => string;
  readonly extra?: () => Extra;
  /** Words that the message or the hint must hold: the cause, or the next step. */
  readonly says: RegExp;
}

describe('exit codes', () => {
  const pit = useWorld({ markets: STILL_MARKETS });
  let open = '';
  beforeAll(async () => {
    await pit.run('profile add keyless --base-url https://api.example.com --trade-url https://trade.example.com');
    open = (await place(pit, 'buy btc_usdt 0.01 --at bid-20%')).id;
  });

  it('exits 0 when done', async () => {
    const { code, stdout, stderr } = await pit.run('markets');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('btc_usdt');
  });

  it.each<Row>([
    { code: 1, kind: 'internal', line: () => 'markets', extra: () => strange.extra, says: /priceScale/ },
    { code: 2, kind: 'usage', line: () => 'depth btc_usdt --size 51', says: /1 to 50/ },
    { code: 3, kind: 'refused', line: () => 'order show btc_usdt 17', says: /not found/ },
    { code: 4, kind: 'credentials', line: () => 'account --profile keyless', says: /pit keys set --profile keyless/ },
    { code: 5, kind: 'unreachable', line: () => 'markets', extra: nobody, says: /connection refused/ },
    { code: 5, kind: 'unreachable', line: () => 'balance', extra: nobody, says: /connection refused/ },
    { code: 8, kind: 'declined', line: () => 'order buy btc_usdt 0.01 --at bid', says: /--yes/ },
    { code: 8, kind: 'declined', line: () => 'sandbox reset', extra: () => ({ input: 'y\n' }), says: /--yes/ },
  ])('exits $code for $kind', async ({ code, kind, line, extra, says }) => {
    const error = await pit.failure(line(), code, extra?.());
    expect(error.kind).toBe(kind);
    expect(`${error.message}\n${error.hint}`).toMatch(says);
    // for people the same in words, and nothing on stdout either
    const plain = await pit.run(line(), extra?.());
    expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code, stdout: '' });
    expect(plain.stderr).toContain(`pit: ${error.message}\n`);
    expect(plain.stderr).not.toMatch(/\n {4}at |undefined|\[object/);
  });

  it('exits 9 for a partial result, which is printed', async () => {
    const { code, stdout, stderr } = await pit.run(`cancel btc_usdt ${open} 17 --json`);
    expect(lastError(stderr)).toMatchObject({ kind: 'partial', exitCode: 9 });
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'cancelled' }, { outcome: 'refused' }]);
    expect(code).toBe(9);
  });
});

describe('exit code 7', () => {
  /** The document says 10,000 a minute; the lock is the same. */
  const REQUESTS = 10;
  const limited = useWorld({ markets: STILL_MARKETS, limits: { ...DOCUMENTED_LIMITS, address: REQUESTS } });

  it('names the end of the lock, and market data still works', async () => {
    for (let sent = 0; sent < REQUESTS; sent += 1) await limited.done('account');
    const error = await limited.failure('account', 7);
    expect(error).toMatchObject({ kind: 'limited', code: 4001 });
    expect(error.message).toMatch(/until \d{4}-\d\d-\d\dT/);
    expect(error.hint).toMatch(/ends by itself, at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d \(UTC\)/);
    const order = await limited.failure('order buy btc_usdt 0.01 --at 20000 --yes', 7);
    // known by now: it was not sent
    expect(order).toMatchObject({ kind: 'limited', code: null, clientId: expect.stringMatching(/^pit/) });
    await limited.done('ticker btc_usdt');
  });
});
