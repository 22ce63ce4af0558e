import { beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/sandbox/server/limits.js';
import { warnings } from '../support/json-lines.js';
import { STILL_MARKETS } from '../support/world/still-markets.js';
import { type Extra, lastError, TEXT, useWorldPerTest } from './pit-home.js';
import { Straight } from './straight.js';

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
const straight = new Straight(pit);
const SAID = 'An earlier order may have been placed: sell 0.03 btc_usdt at 40,000.';

beforeEach(async () => {
  await pit.json('order buy eth_usdt 0.1 --at bid-5% --yes');
  await straight.fault('late', 'order', { count: 1, delay: 600_000 });
  const line = 'order sell btc_usdt 0.03 --at 40000 --override price-band --id late1 --yes --timeout 3';
  const lost = await pit.run(line);
  expect(lost.code, lost.stderr).toBe(6);
});

/** The remarks of a command without line breaks, and what else it did. */
async function ran(line: string, extra: Extra = {}) {
  const { code, stdout, stderr } = await pit.run(line, extra);
  return { code, stdout, stderr, words: stderr.replace(/\s+/g, ' ') };
}

const NAMED = { message: SAID, hint: 'Find out: pit resolve late1' };

describe('an order with an unknown outcome', () => {
  it('is named by what reads its market or its coins, which succeeds with the same JSON', async () => {
    for (const [line, document = TEXT] of [
      ['orders btc_usdt', '[]\n'],
      ['orders'],
      ['orders --all-markets'],
      ['fills btc_usdt', '[]\n'],
      ['balance'],
      ['balance btc'],
      ['balance usdt'],
      ['account'],
      ['cancel btc_usdt --all --dry-run', '[]\n'],
    ] as const) {
      const { code, stdout, stderr } = await ran(`${line} --json`);
      const named = warnings(stderr).filter(({ message }) => message === SAID);
      expect({ line, code, stdout, named }).toEqual({ line, code: 0, stdout: document, named: [NAMED] });
    }
  });

  it('is not named by what reads another market or coin', async () => {
    for (const line of ['orders eth_usdt', 'balance eth', 'fills eth_usdt', 'cancel eth_usdt --all --dry-run'])
      expect({ line, ...(await ran(`${line} --json`)) }).toMatchObject({ line, code: 0, words: '' });
  });

  it('a batch in its market names the order, and a batch in another market does not', async () => {
    const ladder = (market: string) => `order batch buy ${market} --ladder bid-5%:bid-6%:2 --amount 0.02 --yes --json`;
    const { code, stderr } = await ran(ladder('btc_usdt'));
    expect(warnings(stderr)).toContainEqual(expect.objectContaining({ message: expect.stringContaining(SAID) }));
    expect(code).toBe(0);
    expect((await ran(ladder('eth_usdt'))).words).not.toContain(SAID);
  });

  it('makes cancel --all end with 6, with what it cancelled', async () => {
    const open = await straight.place({ side: 'buy', price: '20000', amount: '0.01' });
    const { code, stdout, stderr } = await pit.run('cancel btc_usdt --all --yes --json');
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'cancelled', id: open }]);
    const { kind, hint, clientId } = lastError(stderr);
    expect([kind, clientId]).toEqual(['unknown', 'late1']);
    expect(hint).toContain('pit resolve late1');
    expect(hint).toContain('pit cancel btc_usdt --all');
    expect(await ran('cancel btc_usdt --all --yes --json')).toMatchObject({ code: 6, stdout: '[]\n' });
    expect((await ran('cancel xrp_usdt --all --yes')).code).toBe(0);
  });

  it('the refusal of its own cancellation and order show name the order', async () => {
    const error = await pit.failure('cancel btc_usdt --id late1', 3);
    expect(error.hint).toContain('It is unknown whether it was placed. Find out: pit resolve late1');
    for (const line of ['cancel btc_usdt --id late1', 'order show btc_usdt --id late1'])
      expect((await ran(line)).words).toContain(SAID);
  });

  it('the cancellation of another order names the order, and leaves nothing to settle itself', async () => {
    const id = await straight.place({ side: 'buy', price: '20000', amount: '0.01' });
    await straight.fault('drop-before', 'cancelOrder', { count: 1 });
    expect((await ran(`cancel btc_usdt ${id} --timeout 10`)).code).toBe(6);
    expect((await ran(`order show btc_usdt ${id}`)).words).not.toContain('may have been cancelled');
    const again = await ran(`cancel btc_usdt ${id}`);
    expect(again.code).toBe(0);
    expect(again.words).toContain(SAID);
  });

  it('the account lists the order', async () => {
    const { unknown } = await pit.json<{ unknown: unknown[] }>('account');
    expect(unknown).toContainEqual({ operation: 'order', clientId: 'late1', market: 'btc_usdt' });
  });
});

describe('several writes with an unknown outcome', () => {
  it('are one line of warning with their number and the command that settles them', async () => {
    const one = await pit.run('orders btc_usdt');
    expect(one.stderr).toMatch(/^Warning: An earlier order may .* Find out: pit resolve late1\n$/s);
    await straight.fault('late', 'order', { count: 1, delay: 600_000 });
    const line = 'order sell btc_usdt 0.04 --at 40000 --override price-band --id late2 --yes --timeout 3';
    const lost = await pit.run(line);
    expect(lost.code, lost.stderr).toBe(6);
    const said = '2 earlier writes have an unknown outcome: 2 orders.';
    const { stderr } = await pit.run('orders btc_usdt', { environment: { COLUMNS: '200' } });
    expect(stderr).toBe(`Warning: ${said} Find out: pit resolve\n`);
    for (const line of ['orders btc_usdt', 'balance', 'account', 'order show btc_usdt --id late1'])
      expect(warnings((await pit.run(`${line} --json`)).stderr)).toEqual([
        { message: said, hint: 'Find out: pit resolve' },
      ]);
  });
});
