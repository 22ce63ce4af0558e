import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AgentLimits } from '../../src/trading/guards/agent-limits.js';
import type { PreparedWrite } from '../../src/trading/prepared/prepared-write.js';
import { eventually } from '../support/eventually.js';
import { ladder, order, prepareIn, replacement } from '../support/prepare.js';
import { usePitHome } from './pit-home.js';

const pit = usePitHome();

const ORDER = 'buy 0.01 btc_usdt bid-2%';

function prepare(...request: Parameters<typeof prepareIn> extends [string, ...infer Rest] ? Rest : never) {
  return prepareIn(pit.home, ...request);
}

interface Listed {
  readonly id: string;
  readonly clientId: string | null;
  readonly state: string;
  readonly price: string;
  readonly amount: string;
}

/** The orders of the exchange, by its own list. */
function orders(state = 'all', market = 'btc_usdt'): Promise<Listed[]> {
  return pit.json<Listed[]>(`orders ${market} --state ${state} --all`);
}

async function bid(): Promise<number> {
  const [ticker] = await pit.json<[{ bid: string }]>('ticker btc_usdt');
  return Number(ticker.bid);
}

/** Moves the market, and waits until the book has moved. */
async function moveTo(price: number): Promise<void> {
  await pit.json(`sandbox price btc_usdt ${price.toFixed(2)}`);
  await eventually(async () => expect(Math.abs((await bid()) / price - 1)).toBeLessThan(0.002));
}

/** The same by a factor. Returns the price before. */
async function moveBy(factor: number): Promise<number> {
  const before = await bid();
  await moveTo(before * factor);
  return before;
}

function fileOf({ id }: PreparedWrite): string {
  return path.join(pit.home, 'state', 'prepared', id);
}

afterEach(async () => {
  await pit.run('halt --lift --confirm sandbox');
  await pit.done('cancel btc_usdt --all --yes');
});

describe('a prepared write', () => {
  it('has the exact order, its costs and its warnings, and nothing of it is sent', async () => {
    const before = await orders();
    const prepared = await prepare(order('buy 100usdt btc_usdt bid-2%'));
    expect(prepared).toMatchObject({
      id: expect.stringMatching(/^pit[0-9a-f]{24}$/),
      profile: 'sandbox',
      account: 'sandbox',
      write: { kind: 'order', terms: { side: 'buy', expressions: { price: 'bid-2%', amount: '100usdt' } } },
      shown: {
        text: expect.stringMatching(/^buy [\d.]+ btc_usdt at [\d,.]+ \(limit, spot\)$/),
        places: [
          { side: 'buy', type: 'limit', account: 'spot', price: expect.any(String), amount: expect.any(String) },
        ],
        spentCoin: 'usdt',
        warnings: [],
      },
    });
    expect(prepared.expires - prepared.made).toBe(60_000);
    expect(await orders()).toEqual(before);
  });

  it('says of a ladder which account it trades in', async () => {
    const request = ladder('sell 0.3 btc_usdt ask+1%:ask+5%:3');
    if (request.kind !== 'ladder') throw new Error('it is a ladder');
    const { shown } = await prepare({ ...request, where: { ...request.where, account: 'cross' } });
    expect(shown.text).toMatch(/^3 orders: sell 0\.3 btc_usdt in all at .* \(limit, cross margin\)$/);
  });

  it('is refused for a guard that blocks, with the command that asks the user', async () => {
    await expect(prepare(order('buy 0.01 btc_usdt ask+50%'))).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(/^price-band blocks this: .* Nothing was sent\.$/),
      hints: [
        'An agent cannot override a guard.',
        { note: 'The user can, in a terminal', argv: ['order', 'buy', 'btc_usdt', '0.01', '--at', 'ask+50%'] },
      ],
    });
  });

  it('is refused while the account is halted, unless it only cancels', async () => {
    const { id } = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    await pit.json('halt');
    await expect(prepare(order(ORDER))).rejects.toMatchObject({ halted: true });
    const { id: cancellation } = await prepare({ kind: 'cancel', market: 'btc_usdt', orders: [id] });
    expect(await pit.json(`commit ${cancellation} --yes`)).toMatchObject([{ outcome: 'cancelled', id }]);
  });
});

describe('pit commit without an id', () => {
  it('lists prepared writes that can be committed', async () => {
    const [first, second] = [await prepare(order(ORDER)), await prepare(ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'))];
    await pit.json(`commit ${first.id} --yes`);
    const listed = await pit.json<{ id: string }[]>('commit');
    expect(listed.map(({ id }) => id)).toContain(second.id);
    expect(listed.map(({ id }) => id)).not.toContain(first.id);
    expect(listed.at(-1)).toMatchObject({ kind: 'ladder', market: 'btc_usdt', text: second.shown.text });
    expect(await pit.done('commit')).toContain(second.shown.text.slice(0, 20));
  });
});

describe('pit commit', () => {
  it('places exactly the order that was prepared, under the id of what was prepared', async () => {
    const { id, shown } = await prepare(order(ORDER));
    const done = await pit.json<Listed>(`commit ${id} --yes`);
    const [placed] = shown.places;
    expect(done).toMatchObject({ outcome: 'placed', clientId: id, price: placed?.price, amount: placed?.amount });
    expect(await pit.json(`order show btc_usdt --id ${id}`)).toMatchObject({ id: done.id, state: 'open' });
  });

  it('sends the prepared price although the market has moved since', async () => {
    const { id, shown } = await prepare(order(ORDER));
    const before = await moveBy(1.01);
    expect(await pit.json(`commit ${id} --yes`)).toMatchObject({ price: shown.places[0]?.price });
    await moveTo(before);
  });

  it('holds the limits of the agent that prepared it', async () => {
    const agentLimits = new AgentLimits({ maxOpen: 1 });
    const [first, second] = [
      await prepare(order(ORDER), { agentLimits }),
      await prepare(order('buy 0.02 btc_usdt bid-3%'), { agentLimits }),
    ];
    await pit.json(`commit ${first.id} --yes`);
    expect(await pit.failure(`commit ${second.id} --yes`, 2)).toMatchObject({
      message: expect.stringMatching(/^max-open blocks this: with it, \d+ orders would be open, and the limit is 1\. /),
    });
    expect(await orders('open')).toHaveLength(1);
  });

  it('sends nothing if the market has moved so that a guard blocks', async () => {
    const { id } = await prepare(order('sell 0.01 btc_usdt bid'));
    const before = await moveBy(1.3);
    expect(await pit.failure(`commit ${id} --yes`, 2)).toMatchObject({
      message: expect.stringMatching(/^price-band blocks this: .* Nothing was sent\.$/),
      hint: 'The market or the limits have changed since it was prepared. Prepare it again.',
    });
    await moveTo(before);
    await pit.failure(`order show btc_usdt --id ${id}`, 3);
  });

  it('runs a ladder with the prepared lines under the id of its job', async () => {
    const { id, shown } = await prepare(ladder('buy 0.3 btc_usdt bid-1%:bid-5%:3'));
    const done = await pit.json<{ orders: Listed[] }>(`commit ${id} --yes`);
    expect(done).toMatchObject({ job: id, placed: 3 });
    expect(done.orders.map(({ price, amount }) => ({ price, amount }))).toEqual(
      shown.places.map(({ price, amount }) => ({ price, amount })),
    );
  });

  it('replaces an order', async () => {
    const old = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes');
    const { id, shown } = await prepare(replacement('btc_usdt', old.id, 'bid-3%'));
    expect(await pit.json(`commit ${id} --yes`)).toMatchObject({
      outcome: 'placed',
      clientId: id,
      price: shown.places[0]?.price,
      replaced: { outcome: 'cancelled', id: old.id },
    });
  });

  it('cancels the orders that were open when it was prepared, and no later one', async () => {
    const [one, two] = [
      await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-2% --yes'),
      await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-3% --yes'),
    ];
    const { id } = await prepare({ kind: 'cancel', market: 'btc_usdt', orders: 'all' });
    const later = await pit.json<Listed>('order buy btc_usdt 0.01 --at bid-4% --yes');
    const rows = await pit.json<Listed[]>(`commit ${id} --yes`);
    expect(new Set(rows.map((row) => row.id))).toEqual(new Set([one.id, two.id]));
    expect((await orders('open')).map((row) => row.id)).toEqual([later.id]);
  });

  it('only previews with --dry-run, and can be committed afterwards', async () => {
    const { id } = await prepare(order(ORDER));
    expect(await pit.json(`commit ${id} --dry-run`)).toMatchObject({ dryRun: true, operation: 'order' });
    expect(await pit.json(`commit ${id} --yes`)).toMatchObject({ outcome: 'placed', clientId: id });
  });

  it('needs --yes where nobody can answer, and keeps the prepared write', async () => {
    const { id } = await prepare(order(ORDER));
    expect(await pit.failure(`commit ${id}`, 8)).toMatchObject({ kind: 'declined' });
    expect(await pit.json(`commit ${id} --yes`)).toMatchObject({ outcome: 'placed' });
  });

  it('says what became of an id that was committed before', async () => {
    const { id } = await prepare(order(ORDER));
    const done = await pit.json<Listed>(`commit ${id} --yes`);
    const before = await orders();
    expect(await pit.failure(`commit ${id} --yes`, 2)).toMatchObject({
      clientId: id,
      message: `${id} was committed already: placed, order ${done.id}. Nothing was sent this time.`,
      hint: expect.stringContaining(`pit resolve ${id}`),
    });
    expect(await orders()).toEqual(before);
  });

  it('sends an id once however many processes commit it at the same time', async () => {
    const { id } = await prepare(order(ORDER));
    const before = await orders();
    const codes = await Promise.all(
      Array.from({ length: 4 }, async () => (await pit.run(`commit ${id} --yes --json`, { ownProcess: true })).code),
    );
    const [first, ...others] = codes.sort();
    expect(first).toBe(0);
    // 6 while the first one is under way, 2 afterwards
    for (const code of others) expect([2, 6]).toContain(code);
    expect(await orders()).toHaveLength(before.length + 1);
  });

  it('refuses an id whose file was put back after it was committed', async () => {
    const prepared = await prepare(order(ORDER));
    const [file, copy] = [fileOf(prepared), path.join(pit.home, 'copy')];
    copyFileSync(file, copy);
    await pit.json(`commit ${prepared.id} --yes`);
    const before = await orders();
    rmSync(path.join(path.dirname(file), `.${prepared.id}.1`));
    renameSync(copy, file);
    expect(await pit.failure(`commit ${prepared.id} --yes`, 2)).toMatchObject({
      message: expect.stringContaining('was committed already: placed'),
    });
    expect(await orders()).toEqual(before);
  });

  it.each([
    ['amount', /"amount":"0.01"/, '"amount":"0.02"'],
    ['time', /"expires":(\d+)/, '"expires":9999999999999'],
    ['profile', /"profile":"sandbox"/, '"profile":"another"'],
  ])('refuses a file whose %s was changed', async (_, part, changed) => {
    const prepared = await prepare(order(ORDER));
    const text = readFileSync(fileOf(prepared), 'utf8');
    expect(text).toMatch(part);
    writeFileSync(fileOf(prepared), text.replace(part, changed));
    expect(await pit.failure(`commit ${prepared.id} --yes`, 2)).toMatchObject({
      message: `The file of ${prepared.id} was changed after it was prepared, so it was not sent.`,
    });
  });

  it('refuses an id after 60 s', async () => {
    const { id, expires } = await prepare(order(ORDER));
    const late = { host: { now: () => expires + 1 } };
    expect(await pit.failure(`commit ${id} --yes`, 2, late)).toMatchObject({
      message: expect.stringMatching(/ expired .* ago: it could be committed for 60 s\. Nothing was sent\.$/),
    });
    expect(await pit.json('commit', late)).toEqual([]);
    expect(await pit.json(`commit ${id} --yes`, { host: { now: () => expires } })).toMatchObject({ outcome: 'placed' });
  });

  it('refuses an id of another profile, and names the command for it', async () => {
    const { id } = await prepare(order(ORDER));
    const { baseUrl, tradeUrl } = pit.served.address;
    await pit.done(`profile add other --base-url ${baseUrl} --trade-url ${tradeUrl}`);
    const keys = { input: `${pit.served.address.accessKey}\n${pit.served.address.secretKey}\n` };
    await pit.done('keys set --profile other --stdin', keys);
    expect(await pit.failure(`commit ${id} --yes --profile other`, 2)).toMatchObject({
      message: `${id} was prepared for the profile sandbox, not for other.`,
      hint: expect.stringContaining(`pit commit ${id} --profile sandbox`),
    });
    const { id: others } = await prepare(order('buy 0.02 btc_usdt bid-2%'), { profile: 'other' });
    expect(await pit.failure(`commit ${others} --yes`, 2)).toMatchObject({
      message: expect.stringContaining('was prepared for the profile other'),
    });
    const changed = { input: 'another0-access-key0-0000\nanother0-secret-key0-0000\n' };
    await pit.done('keys set --profile other --stdin', changed);
    expect(await pit.failure(`commit ${others} --yes --profile other`, 2)).toMatchObject({
      message: expect.stringContaining('was prepared for another account'),
    });
  });

  it('refuses an id that nothing was prepared as', async () => {
    expect(await pit.failure('commit pit000000000000000000000000 --yes', 2)).toMatchObject({
      message: 'Nothing is prepared as pit000000000000000000000000.',
    });
    expect(await pit.failure('commit ../../etc/passwd --yes', 2)).toMatchObject({ kind: 'usage' });
  });

  it('sends nothing while the account is halted', async () => {
    const { id } = await prepare(order(ORDER));
    await pit.json('halt');
    expect(await pit.failure(`commit ${id} --yes`, 2)).toMatchObject({ halted: true });
  });
});
