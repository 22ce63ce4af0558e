import { beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import type { WorldProcess } from '../../support/world/world.js';
import { type CliError, document, lastError, TEXT, useWorldPerTest } from '../pit-home.js';
import { Straight } from '../straight.js';

/** An order's object of the contract, with what became of the one before. */
interface Replaced {
  readonly outcome: string;
  readonly id: string | null;
  readonly clientId: string;
  readonly price: string;
  readonly amount: string;
  readonly replaced: { readonly outcome: string; readonly id: string; readonly filled: string | null };
}

const pit = useWorldPerTest({ markets: STILL_MARKETS, limits: UNLIMITED });
const straight = new Straight(pit);
const FAR = { side: 'buy', price: '20000', amount: '0.01' } as const;
let inside = '';

beforeEach(async () => {
  // the crowd stands still, so that only these orders meet each other
  await straight.administer('POST /clock/stop');
  inside = await straight.inside();
});

/** A sell order at the top of its side, partly filled afterwards. */
async function partlyFilled(filled: string): Promise<string> {
  const id = await straight.place({ side: 'sell', price: inside, amount: '0.01', type: 'postOnly' });
  await straight.place({ side: 'buy', price: inside, amount: filled, type: 'ioc' });
  return id;
}

/** A dry run of the cancellation, and one of the new order. */
type DryRuns = readonly [object, { readonly preview: { readonly warnings: readonly string[] } }];

interface Ended {
  readonly code: number | null;
  readonly answer: Replaced;
  readonly error: CliError;
}

/** A replacement that goes on while the world is awaited. */
function replacing(line: string) {
  return pit.world.start(`order replace btc_usdt ${line} --yes --json`);
}

/** A replacement that does not simply succeed: its answer and its error. */
async function ended(line: string | WorldProcess): Promise<Ended> {
  const process = typeof line === 'string' ? replacing(line) : line;
  const { code, stdout, stderr } = await pit.finish(process.ended);
  return { code, answer: document<Replaced>(stdout), error: lastError(stderr) };
}

describe('pit order replace', () => {
  it('names the order that has already replaced another one, with the command that replaces it in turn', async () => {
    await pit.json('order buy btc_usdt 0.01 --at 20000 --override price-band --id again001 --yes');
    const replaced = (line: string) => pit.json<Replaced>(`order replace btc_usdt ${line} --yes`);
    const first = await replaced('--id again001 --at 20001');
    for (const reference of ['--id again001', first.replaced.id]) {
      const error = await pit.failure(`order replace btc_usdt ${reference} --at 20002 --yes`, 3);
      expect(error.message).toBe(`Order ${first.replaced.id} was already replaced by order ${first.id}.`);
      expect(error.hint).toContain(`pit order replace btc_usdt ${first.id} --at 20002`);
    }
    const second = await replaced(`${first.id} --at 20003`);
    const error = await pit.failure('order replace btc_usdt --id again001 --amount 0.02 --yes', 3);
    expect(error.hint).toContain(`pit order replace btc_usdt ${second.id} --amount 0.02`);
    expect(error.hint).toContain(`pit order show btc_usdt ${second.id}`);
  });

  it('cancels the order and places the rest at the new price', async () => {
    const id = await partlyFilled('0.004');
    const done = await pit.json<Replaced>(`order replace btc_usdt ${id} --at 40000 --yes`);
    expect(done).toStrictEqual({
      outcome: 'placed',
      id: expect.stringMatching(/^\d+$/),
      clientId: expect.stringMatching(/^pit[0-9a-f]{24}$/),
      market: 'btc_usdt',
      side: 'sell',
      type: 'postOnly',
      account: 'spot',
      price: '40000',
      amount: '0.006',
      notional: '240',
      duplicates: [],
      state: 'open',
      filled: '0.000000',
      filledValue: expect.stringMatching(/^0\.0+$/),
      averagePrice: null,
      fee: expect.stringMatching(/^0(\.0+)?$/),
      feeCoin: 'usdt',
      replaced: {
        outcome: 'cancelled',
        id,
        clientId: null,
        market: 'btc_usdt',
        price: inside,
        amount: '0.010000',
        filled: '0.004000',
        filledValue: expect.stringMatching(/^\d+\.\d+$/),
        code: 1000,
        message: 'success',
      },
    });
    expect(await straight.open()).toEqual([done.id]);
    expect(await straight.order(done.id ?? '')).toMatchObject({ price: '40000.00', amount: '0.006000' });
    expect(await pit.json(`resolve ${done.clientId}`)).toMatchObject([
      { operation: 'replace', outcome: 'placed', id: done.id },
    ]);
  });

  it('accepts your own id, a relative price, and the amount as the new total', async () => {
    await straight.place({ ...FAR, clientId: 'mine0001' });
    const done = await pit.json<Replaced>('order replace btc_usdt --id mine0001 --at bid-50% --amount 0.03 --yes');
    expect(done).toMatchObject({ outcome: 'placed', side: 'buy', type: 'limit', amount: '0.03' });
    const again = await pit.json<Replaced>(
      `order replace btc_usdt --id ${done.clientId} --amount 300usdt --at 10000 --yes`,
    );
    expect(again).toMatchObject({ amount: '0.03', price: '10000', replaced: { id: done.id } });
  });

  it('never outbids the order that it replaces', async () => {
    const id = await straight.place({ ...FAR, price: inside });
    const error = await pit.failure(`order replace btc_usdt ${id} --at bid+1tick --yes`, 2);
    expect(error.message).toBe('The order has this price and amount already.');
    expect(await straight.open()).toEqual([id]);
  });

  it('exits with 3 if the order filled meanwhile, and says what filled', async () => {
    const id = await partlyFilled('0.004');
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const running = replacing(`${id} --at 40000`);
    await straight.untilFault();
    await straight.place({ side: 'buy', price: inside, amount: '0.006', type: 'ioc' });
    await straight.advance(1);
    const { code, stdout, stderr } = await pit.finish(running.ended);
    expect([code, stdout]).toEqual([3, '']);
    expect(lastError(stderr)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('filled before it could be replaced: 0.01 btc for '),
    });
    expect(await straight.open()).toEqual([]);
    const late = await pit.failure(`order replace btc_usdt ${id} --at 40000 --yes`, 3);
    expect(late.message).toContain('is filled, 0.01 of 0.01 filled');
  });

  it('exits with 9 if the rest is too small, and the order is cancelled', async () => {
    const id = await partlyFilled('0.004');
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const running = replacing(`${id} --at 40000`);
    await straight.untilFault();
    await straight.place({ side: 'buy', price: inside, amount: '0.00595', type: 'ioc' });
    await straight.advance(1);
    const { code, answer, error } = await ended(running);
    expect([code, error.kind]).toEqual([9, 'partial']);
    expect(error.message).toContain('is cancelled with 0.00995 of 0.01 filled');
    expect(error.message).toContain('is below the minimum of');
    expect(error.hint).toBe('The rest, 0.00005, is below the minimum of btc_usdt and cannot be placed by itself.');
    expect(answer).toMatchObject({
      outcome: 'notSent',
      id: null,
      amount: '0.00005',
      replaced: { outcome: 'cancelled', filled: '0.009950' },
    });
    expect(await straight.open()).toEqual([]);
  });

  it('suggests no order that is too small when resolve finds a killed replacement', async () => {
    const id = await partlyFilled('0.004');
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const replacement = replacing(`${id} --at 40000`);
    await straight.untilFault();
    await straight.place({ side: 'buy', price: inside, amount: '0.00595', type: 'ioc' });
    replacement.kill();
    await straight.advance(1);
    const { stdout, stderr } = await pit.run('resolve --json');
    expect(document<object[]>(stdout)[0]).toMatchObject({ operation: 'replace', outcome: 'cancelled', id });
    expect(stderr).toContain('The rest, 0.00005, is below the minimum of btc_usdt and cannot be placed by itself.');
  });

  it('reports a new order that the network duplicated', async () => {
    const id = await straight.place(FAR);
    await straight.fault('twice', 'order', { count: 1 });
    const { code, stdout, stderr } = await pit.run(`order replace btc_usdt ${id} --at 21500 --yes --json`);
    const done = document<Replaced & { duplicates: string[] }>(stdout);
    expect([code, done.duplicates.length]).toEqual([9, 1]);
    expect(stderr).toContain('PLACED MORE THAN ONCE');
    expect((await straight.open()).sort()).toEqual([done.id, ...done.duplicates].sort());
  });

  it('says that the network or somebody else cancelled the order if the exchange rejects the cancellation', async () => {
    const id = await straight.place(FAR);
    await straight.fault('twice', 'cancelOrder', { count: 1 });
    const { code, stdout, stderr } = await pit.run(`order replace btc_usdt ${id} --at 21540 --yes --json`);
    expect([code, document(stdout)]).toMatchObject([0, { outcome: 'placed', replaced: { outcome: 'cancelled', id } }]);
    expect(stderr).toContain('the network repeated the cancellation, or somebody else cancelled the order.');
  });

  it('suggests no cancellation of a duplicate that has filled', async () => {
    const inside = await straight.inside();
    await straight.place({ side: 'sell', price: inside, amount: '0.02', type: 'postOnly' });
    await straight.fault('twice', 'order', { count: 1 });
    const { code, stderr } = await pit.run(`order buy btc_usdt 0.01 --at ${inside} --yes --json`);
    expect(code).toBe(9);
    expect(stderr).toMatch(/Order \d+ has already filled: 0\.01 btc/);
    expect(lastError(stderr).hint).toBe('See your orders: pit orders btc_usdt --state all');
  });

  it('says that it could not check for duplicates', async () => {
    const id = await straight.place(FAR);
    await straight.fault('error-before', 'getOrders');
    await straight.fault('twice', 'order', { count: 1 });
    const { code, stdout, stderr } = await pit.run(`order replace btc_usdt ${id} --at 21520 --yes --json --timeout 8`);
    expect([code, document(stdout)]).toMatchObject([0, { outcome: 'placed', duplicates: [] }]);
    expect(stderr).toContain('The next command in this market checks again.');
  });

  it('names the command that finds the outcome if it is interrupted while it checks for duplicates', async () => {
    const id = await straight.place({ ...FAR, market: 'eth_usdt', price: '1000', amount: '0.1' });
    await straight.fault('delay', 'getOrders', { count: 1, delay: 20_000 });
    const replacement = pit.world.start(`order replace eth_usdt ${id} --at 1001 --yes`);
    await straight.untilFault();
    await pit.finish(replacement.interrupt('SIGINT'));
    expect(replacement.printed.stderr).toMatch(/Find out: pit resolve pit[0-9a-f]{24}/);
  });

  it('places nothing and exits with 6 if the cancellation is unknown, and resolve settles it', async () => {
    const id = await straight.place(FAR);
    await straight.fault('late', 'cancelOrder', { count: 1, delay: 1 });
    const { code, answer, error } = await ended(`${id} --at 21000 --timeout 3`);
    expect(code).toBe(6);
    expect(answer).toMatchObject({ outcome: 'notSent', id: null, replaced: { outcome: 'unknown', id } });
    expect(error).toMatchObject({
      kind: 'unknown',
      clientId: answer.clientId,
      hint: expect.stringContaining(`pit resolve ${answer.clientId}`),
    });
    await straight.advance(1);
    const resolved = await pit.run(`resolve ${answer.clientId} --json`);
    expect(document(resolved.stdout)).toMatchObject([
      { operation: 'replace', outcome: 'cancelled', id, clientId: answer.clientId },
    ]);
    expect(resolved.stderr).toContain('its replacement was not placed.');
    expect(resolved.stderr).toContain('To place it: pit order buy btc_usdt 0.01 --at 21000');
    expect([resolved.code, await straight.open()]).toEqual([0, []]);
    // a second pit resolve reports the same
    expect((await pit.run(`resolve ${answer.clientId}`)).stderr).toContain('pit order buy btc_usdt 0.01 --at 21000');
  });

  it('exits with 9 if the new order is refused, with the command that places it', async () => {
    const id = await straight.place(FAR);
    // a margin wallet with nothing in it, which no operation shows
    const { code, answer, error } = await ended(`${id} --at 21000 --amount 0.02 --account cross`);
    expect([code, error.code]).toEqual([9, 2009]);
    expect(answer).toMatchObject({ outcome: 'refused', amount: '0.02', replaced: { outcome: 'cancelled', id } });
    expect(error.hint).toContain('pit order buy btc_usdt 0.02 --at 21000');
  });

  it('leaves the order unchanged if a guard holds, and --override lifts the guard', async () => {
    const id = await straight.place(FAR);
    const line = `order replace btc_usdt ${id} --at 40000 --yes`;
    expect((await pit.failure(line, 2)).message).toContain('price-band');
    expect(await straight.open()).toEqual([id]);
    expect(await pit.json(`${line} --override price-band`)).toMatchObject({ outcome: 'placed', price: '40000' });
  });

  it('the outcome is unknown if the new order gets no answer', async () => {
    const id = await straight.place(FAR);
    await straight.fault('drop-before', 'order', { count: 1 });
    const { code, answer } = await ended(`${id} --at 21100 --timeout 10`);
    expect(code).toBe(6);
    expect(answer).toMatchObject({ outcome: 'unknown', replaced: { outcome: 'cancelled', id } });
    const again = await pit.run(`order replace btc_usdt ${id} --at 21100 --yes`);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining(`pit resolve ${answer.clientId}`) });
    // a dry run refuses and warns as the run itself does
    const next = `order replace btc_usdt ${await straight.place(FAR)} --dry-run --at`;
    expect(await pit.failure(`${next} 21100`, 2)).toMatchObject({ clientId: answer.clientId });
    const doubt = expect.stringContaining(`pit resolve ${answer.clientId}`);
    expect(await pit.json(`${next} 21101`)).toMatchObject([{}, { preview: { warnings: [doubt, TEXT, TEXT] } }]);
  });

  it('leaves the order unchanged if the exchange refuses the cancellation', async () => {
    const id = await straight.place(FAR);
    await straight.fault('rate-limit', 'cancelOrder', { count: 1 });
    expect(await pit.failure(`order replace btc_usdt ${id} --at 21200 --yes`, 7)).toMatchObject({ code: 4002 });
    expect(await straight.open()).toEqual([id]);
  });

  it('shows with --dry-run both requests, and sends none', async () => {
    const id = await straight.place(FAR);
    const runs = await pit.json(`order replace btc_usdt ${id} --at 21000 --account cross --repay --dry-run`);
    expect(runs).toMatchObject([
      { operation: 'cancelOrder', request: { id, currency: 'btc_usdt' } },
      {
        operation: 'order',
        request: { price: '21000', amount: '0.01', acctType: '2', enableRepay: 'true', tradeType: '1' },
        preview: { price: '21000', amount: '0.01', notional: '210' },
      },
    ]);
    expect(await straight.open()).toEqual([id]);
  });

  it('warns that an order which the journal does not know counts as a spot order, unless --account names its account', async () => {
    const warning = (id: string) => `The account of order ${id} is unknown`;
    const id = await straight.place(FAR);
    const line = (order: string) => `order replace btc_usdt ${order} --at 21000`;
    const [, { preview }] = await pit.json<DryRuns>(`${line(id)} --dry-run`);
    expect(preview.warnings).toContainEqual(expect.stringContaining(warning(id)));
    expect(await pit.done(`${line(id)} --dry-run`)).toContain('spot (assumed)');
    const named = `${line(id)} --account spot --dry-run`;
    const [, { preview: silent }] = await pit.json<DryRuns>(named);
    expect(silent.warnings).not.toContainEqual(expect.stringContaining(warning(id)));
    expect(await pit.done(named)).toContain('spot (as given)');
    const unseen = await pit.run(`${line(id)} --yes --json`);
    expect(unseen).toMatchObject({ code: 0, stderr: expect.stringContaining(warning(id)) });
    const placed = document<Replaced>(unseen.stdout).id ?? '';
    const known = await pit.run(`order replace btc_usdt ${placed} --at 21001 --yes --json`);
    expect(known).toMatchObject({ code: 0, stderr: expect.not.stringContaining('The account of order') });
  });

  it('shows the preview of an order with --dry-run, with the funds of the old order available', async () => {
    const id = await straight.place({ ...FAR, amount: '5' });
    const [{ available } = { available: '' }] = await pit.json<{ available: string }[]>('balance usdt');
    const line = `order replace btc_usdt ${id} --at ask+5% --amount 100% --dry-run`;
    const { bid, ask } = await straight.best();
    const [, order] = await pit.json<object[]>(line);
    const beyond = `The price is 5.00% past the best ask ${ask.replace(/(\d{3}\.)/, ',$1')}.`;
    expect(order).toMatchObject({
      preview: {
        ...{ bid, ask, spentCoin: 'usdt', distance: expect.stringMatching(/^5\.\d/), guards: [] },
        ...{
          balanceBefore: expect.stringMatching(`^${Number(available) + 100_000}\\.?`),
          warnings: expect.arrayContaining([beyond]),
        },
      },
    });
    const lines = (await pit.done(line)).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('Dry run: nothing was sent.');
    for (const part of ['from mid', 'bid, ask', 'fills at once', 'fee', 'available', 'warning'])
      expect(lines.slice(0, -1).filter((one) => one.startsWith(`${part} `)).length).toBeGreaterThan(0);
    expect(await straight.open()).toEqual([id]);
  });

  it.each([
    ['17', /--at/],
    ['17 --id mine0001 --at 1', /exclude each other/],
    ['--at 1', /needs ORDER or --id/],
    ['17 --at 1 --borrow', /margin/],
  ])('replace btc_usdt %s is a wrong command line', async (words, says) => {
    const { message, hint } = await pit.failure(`order replace btc_usdt ${words} --yes`, 2);
    expect(`${message} ${hint}`).toMatch(says);
  });

  it('needs --yes without a terminal, and reports an unknown order', async () => {
    await pit.failure('order replace btc_usdt 17 --at 1', 8);
    expect(await pit.failure('order replace btc_usdt 17 --at 20000 --yes', 3)).toMatchObject({ code: 3001 });
    expect((await pit.failure('order replace btc_usdd 17 --at 20000 --yes', 2)).hint).toContain('btc_usdt');
  });
});

describe('on a terminal', () => {
  it.each([40, 100])('shows old and new, and asks, in %i columns', async (columns) => {
    const id = await straight.place(FAR);
    const line = `order replace btc_usdt ${id} --at 21000 --amount 0.02`;
    const answered = (type: string) =>
      pit.terminal(line, { environment: { NO_COLOR: '1' }, columns, steps: [{ await: '[y/N]', type }] });
    const refused = await answered('\r');
    const lines = refused.screen.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '').split('\r\n');
    const text = lines.join(' ').replace(/\s+/g, ' ');
    for (const part of ['20,000.00 → 21,000.00 usdt', '0.01 → 0.02 btc', '(0.01 btc open)', 'The account of order'])
      expect(text).toContain(part);
    // an id is not broken, nor is a command, so that it can be copied
    const whole = /\[y\/N\]|^(client id)? +(pit resolve )?\S+$/;
    expect(lines.filter((line) => line.length > columns && !whole.test(line))).toEqual([]);
    expect([refused.status, await straight.open()]).toEqual([8, [id]]);
    const done = await answered('y\r');
    expect(done.status).toBe(0);
    expect(done.screen).toContain('Cancelled');
    expect(done.screen).toContain('Placed');
  });
});
