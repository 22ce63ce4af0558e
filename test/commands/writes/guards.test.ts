import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { instead, PASS, slow } from '../../support/world/network.js';
import { document, ID, useWorldPerTest } from '../pit-home.js';

/** mid is 20000 */
const MARKETS = { btc_usdt: { bid: '19999.50', ask: '20000.50', amount: '1000' } };
const BALANCES = { usdt: '100000000', btc: '10000' };
const pit = useWorldPerTest({ markets: MARKETS, balances: BALANCES, limits: UNLIMITED });

const ordersSent = () => pit.world.sent('order').length;

describe('a guard', () => {
  /** Held back: exit 2, not one write on the wire, and no record of one. */
  async function heldBack(line: string, says: RegExp) {
    const before = ordersSent();
    const error = await pit.failure(line, 2);
    expect(error).toMatchObject({ kind: 'usage', clientId: null });
    expect(error.message).toMatch(says);
    expect(ordersSent()).toBe(before);
    expect(existsSync(path.join(pit.home, 'state', 'journal'))).toBe(false);
    return error;
  }

  async function placed(line: string): Promise<string> {
    const before = ordersSent();
    const { code, stdout, stderr } = await pit.run(`${line} --json`);
    expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
    expect(document(stdout)).toMatchObject({ outcome: 'placed', id: ID });
    expect(ordersSent()).toBe(before + 1);
    return stderr;
  }

  it.each([
    [
      'price-band',
      'buy btc_usdt 0.01 --at 22000.01',
      /22,000\.01 is 10\.01% above mid \(20,000\.00\).*at most 22,000\.00\./,
    ],
    [
      'price-band',
      'sell btc_usdt 0.01 --at 17999.99',
      /17,999\.99 is 10\.01% below mid \(20,000\.00\).*at least 18,000\.00\./,
    ],
    ['price-band', 'buy btc_usdt 0.01 --at ask+12%', /22,400\.56 is 12\.01% above mid/],
    ['order-notional', 'buy btc_usdt 50.01 --at 20000', /comes to 1,000,200 usdt.*1,000,000 usdt/],
    ['order-notional', 'sell btc_usdt 51 --at 19999', /comes to 1,019,974\.5 usdt.*below the best bid \(19,999\.50\)/],
    ['day-notional', 'buy btc_usdt 251 --at 20000 --override order-notional', /come to 5,020,000 usdt.*5,000,000 usdt/],
    ['post-only', 'buy btc_usdt 0.01 --at 20000.50 --post-only', /20,000\.50.*best ask is 20,000\.50/],
    ['post-only', 'sell btc_usdt 0.01 --at bid --post-only', /19,999\.50.*best bid is 19,999\.50/],
  ])('%s stops an order: %s', async (guard, words, says) => {
    const error = await heldBack(`order ${words} --yes`, says);
    expect(error.message).toContain(`${guard} blocks this`);
    expect(error.hint).toMatch(new RegExp(`--override [a-z,-]*${guard}`));
    const overrides = words.includes('--override') ? `order-notional,${guard}` : guard;
    const { code, stderr } = await pit.run(`order ${words.replace(/ --override.*/, '')} --yes --override ${overrides}`);
    // the exchange itself refuses an order that would trade at once
    expect([code, ordersSent()]).toEqual([guard === 'post-only' ? 3 : 0, 1]);
    expect(stderr).toContain(`Overridden ${guard}: `);
  });

  it.each([
    ['price-band', 'buy btc_usdt 0.01 --at 23000', 'priceBand'],
    ['order-notional', 'buy btc_usdt 51 --at 20000', 'orderNotional'],
    ['day-notional', 'buy btc_usdt 251 --at 20000 --override order-notional', 'dayNotional'],
  ])('%s says how it is overridden and where its limit is changed', async (guard, words, setting) => {
    const { hint } = await heldBack(`order ${words} --yes`, /blocks this/);
    const all = words.includes('--override') ? `order-notional,${guard}` : guard;
    expect(hint).toBe(
      `If you mean it, add --override ${all}. Change the limit: pit profile set sandbox ${setting} VALUE`,
    );
  });

  it.each([
    ['price-band', 0, 1],
    ['price', 8, 0],
    ['', 8, 0],
    ['y', 8, 0],
  ])('at a terminal, %j at its question exits with %i and sends %i orders', async (typed, status, sent) => {
    const steps = [{ await: 'anyway:', type: `${typed}\r` }];
    const environment = { NO_COLOR: '1' };
    const ran = await pit.terminal('order buy btc_usdt 0.01 --at 23000', { columns: 200, steps, environment });
    expect([ran.status, ordersSent()]).toEqual([status, sent]);
    const said = 'price-band was not typed; nothing was sent. → To override a guard, type its name exactly.';
    if (sent === 0) expect(ran.screen.replace(/\s+/g, ' ')).toContain(said);
  });

  it.each(['buy btc_usdt 0.01 --at 22000', 'sell btc_usdt 0.01 --at 18000', 'buy btc_usdt 50 --at 20000'])(
    'allows an order exactly at its limit: %s',
    async (words) => {
      expect(await placed(`order ${words} --yes`)).toBe('');
    },
  );

  it('only warns of a far price on the harmless side', async () => {
    expect(await placed('order buy btc_usdt 0.01 --at 17999 --yes')).toMatch(
      /"message":"The price 17,999\.00 is 10\.01% below/,
    );
    expect(await placed('order sell btc_usdt 0.01 --at 22001 --yes')).toMatch(/22,001\.00 is 10\.01% above/);
  });

  it('sums the day from the journal', async () => {
    await pit.done('profile set sandbox dayNotional 500usdt');
    for (const price of ['20001', '20002']) await placed(`order buy btc_usdt 0.01 --at ${price} --yes`);
    const error = await pit.failure('order buy btc_usdt 0.01 --at 20003 --yes', 2);
    expect(error.message).toContain('come to 600.06 usdt, and the limit is 500 usdt');
  });

  it('the guard for the price of a sell can be overridden without overriding the limits on its real value', async () => {
    await pit.done('profile set sandbox orderNotional 10000usdt');
    const line = 'order sell btc_usdt 0.4 --at 10 --yes';
    await heldBack(`${line.replace('0.4', '2')} --override price-band`, /^order-notional blocks this: .*39,999 usdt/);
    const dry = `${line.replace('0.4', '2').replace('--yes', '--dry-run')} --override price-band`;
    const { preview } = await pit.json<{ preview: { notional: string; guards: object[] } }>(dry);
    expect(preview).toMatchObject({ notional: '20', guards: [{ guard: 'price-band' }, { guard: 'order-notional' }] });
    for (const setting of ['priceBand off', 'dayNotional 10000usdt']) await pit.done(`profile set sandbox ${setting}`);
    await heldBack(line.replace('0.4', '2'), /^order-notional blocks this: .*39,999 usdt/);
    await placed(line);
    const error = await pit.failure(line.replace('10', '11'), 2);
    expect(error.message).toContain('day would come to 15,999.6 usdt, and the limit is 10,000 usdt');
  });

  it('the limit of the day applies to several processes that start at once', async () => {
    await pit.done('profile set sandbox dayNotional 500usdt');
    const lines = Array.from({ length: 6 }, (_, index) => `order buy btc_usdt 0.01 --at 2000${index} --yes`);
    const codes = (await Promise.all(lines.map((line) => pit.run(line)))).map(({ code }) => code);
    const written = ordersSent();
    expect(codes.filter((code) => code === 0)).toHaveLength(written);
    expect(codes.every((code) => code === 0 || code === 2)).toBe(true);
    // each is worth a little more than 200
    expect(written).toBeLessThanOrEqual(2);
    expect(await pit.json('resolve')).toEqual([]);
  });

  it('names all guards that apply, and --override accepts them repeated or with commas', async () => {
    const line = 'order buy btc_usdt 60 --at 23000 --yes';
    const error = await heldBack(line, /price-band blocks this: .* order-notional blocks this: /);
    expect(error.hint).toContain('--override price-band,order-notional');
    await heldBack(`${line} --override price-band`, /^order-notional blocks/);
    await placed(`${line} --override price-band --override order-notional`);
    await placed(`${line} --override order-notional,price-band`);
  });

  it('an unknown guard name is a usage error that lists the names', async () => {
    const error = await pit.failure('order buy btc_usdt 1 --at 5 --override price --yes', 2);
    expect(error.hint).toBe('Known: price-band, order-notional, day-notional, post-only, trail-distance.');
  });

  it('follows the settings of the profile, and its default if one is removed', async () => {
    const line = 'order buy btc_usdt 0.01 --at 20300 --yes';
    await placed(line);
    await pit.done('profile set sandbox priceBand 1%');
    expect(await pit.json('profile show sandbox')).toMatchObject({ settings: { priceBand: '1%' } });
    const shown = await pit.done('profile show sandbox');
    expect(shown).toMatch(/priceBand +1% \(profile\)\n/);
    expect(shown).toMatch(/dayNotional +five times orderNotional \(default\)\n/);
    expect((await pit.failure(line, 2)).message).toContain('1.00%, so at most 20,200.00');
    await pit.done('profile set sandbox priceBand off');
    await placed(line.replace('20300', '90000'));
    await pit.done('profile unset sandbox priceBand');
    await placed(line);
    await pit.failure(line.replace('20300', '90000'), 2);
    await pit.done('profile set sandbox postOnlyGuard off');
    const before = ordersSent();
    await pit.failure('order buy btc_usdt 0.01 --at ask --post-only --yes', 3);
    expect(ordersSent()).toBe(before + 1);
  });

  it('makes a script read only the book', async () => {
    await pit.done('markets');
    const { requests } = pit.world.network;
    const asked = async (words: string, side = 'buy') => {
      const before = requests.length;
      await placed(`order ${side} btc_usdt 0.01 --yes ${words}`);
      const read = requests.slice(before).map(({ operation }) => operation);
      // the requests after the order check for duplicates
      return read.slice(0, read.indexOf('order'));
    };
    expect(await asked('--at 20000')).toEqual(['depth']);
    expect(await asked('--at ask')).toEqual(['depth']);
    expect(await asked('--at 20000 --override price-band')).toEqual([]);
    expect(await asked('--at ask --override price-band')).toEqual(['depth']);
    // what a sell counts for depends on the bids
    expect(await asked('--at 20000 --override price-band', 'sell')).toEqual(['depth']);
    expect(await asked('--at 20000 --override price-band,order-notional,day-notional', 'sell')).toEqual([]);
  });

  it('a dry run reports the guard, sends nothing and succeeds', async () => {
    const line = 'order buy btc_usdt 0.01 --at 23000 --dry-run';
    const { preview } = await pit.json<{ preview: { warnings: string[]; guards: object[] } }>(line);
    const message = expect.stringMatching(/^the price 23,000\.00 is 15\.00% above mid \(20,000\.00\)/);
    expect(preview.guards).toEqual([{ guard: 'price-band', message, overridden: false }]);
    expect(preview.warnings[0]).toMatch(/^price-band: the price 23,000\.00 is 15\.00% above/);
    const overridden = await pit.run(`${line} --override price-band`);
    expect(overridden.stdout).toContain('price-band (overridden): the price 23,000.00');
    const { screen } = await pit.terminal(line, { environment: { FORCE_COLOR: '1' }, columns: 200 });
    expect(screen).toMatch(/guard\S* +\S+price-band: the price 23,000\.00/);
  });
});

describe('missing market data', () => {
  const UNREAD = ['depth', 'ticker', 'allTicker', 'getAccountInfo'];

  function withoutDepth(): void {
    const page = instead('<html>Please wait</html>', 502);
    pit.world.network.treat = ({ operation }) => (UNREAD.includes(operation) ? page : PASS);
  }

  it('stops an order if a guard needs it, and --override sends the order without the check', async () => {
    withoutDepth();
    const line = 'order buy btc_usdt 0.01 --at 19000 --post-only --yes';
    const error = await pit.failure(line, 5);
    expect(error.message).toMatch(/^price-band blocks this: it cannot be checked: .*HTTP 502.* post-only blocks/);
    // a limit that could not be compared need not be changed
    expect(error.hint).toBe('Try again in a moment. If you mean it, add --override price-band,post-only.');
    expect(ordersSent()).toBe(0);
    const before = pit.world.sent('depth').length;
    const { code, stderr } = await pit.run(`${line} --override price-band,post-only`);
    const depths = pit.world.sent('depth').length;
    expect({ code, sent: ordersSent(), depths }).toEqual({ code: 0, sent: 1, depths: before });
    expect(stderr).toContain('Overridden price-band: it was not checked.');
  });

  it('a dry run reports missing market data as unknown, and succeeds', async () => {
    withoutDepth();
    const { preview } = await pit.json<{ preview: Record<string, unknown> }>(
      'order buy btc_usdt 0.01 --at 20000 --dry-run',
    );
    const unknown = { bid: null, ask: null, mid: null, distance: null, fillsAtOnce: null, averagePrice: null };
    expect(preview).toMatchObject({ ...unknown, fee: null, balanceBefore: null, balanceAfter: null });
    expect(preview.warnings).toEqual([
      expect.stringMatching(/^price-band: it cannot be checked/),
      expect.stringMatching(/^The book could not be read/),
      expect.stringMatching(/^The balance could not be read/),
    ]);
  });
});

describe('the limit of a day when the write is recorded', () => {
  /** An order that begins while a batch of 200 usdt reads the lists, where 500 are left of the day. */
  async function overtaken(words: string) {
    const { world } = pit;
    let other: ReturnType<typeof world.start> | undefined;
    world.network.treat = ({ operation }) => {
      if (operation !== 'getOrders' || other !== undefined) return PASS;
      other = world.start('order buy btc_usdt 0.02 --at 20007 --yes');
      return slow(5_000);
    };
    await pit.done('profile set sandbox dayNotional 500usdt');
    const line = `order batch buy btc_usdt --ladder 19990:19998:2 --amount 0.01 --yes${words}`;
    const { code, stderr } = await pit.run(line);
    expect(await other?.ended).toMatchObject({ code: 0 });
    return { code, stderr };
  }

  it('stops an order that was within the limit a moment ago', async () => {
    const { code, stderr } = await overtaken('');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/come to 600.08 usdt.*500 usdt/) });
    expect(stderr).toContain('--override day-notional');
  });

  it('stops nothing if that guard was overridden', async () => {
    expect(await overtaken(' --override day-notional')).toMatchObject({ code: 0 });
  });
});
