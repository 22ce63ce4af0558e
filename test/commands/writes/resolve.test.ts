import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { encodeLine } from '../../../src/trading/journal/files.js';
import { signedUrl } from '../../sandbox/signing.js';
import { temporaryHome } from '../../support/pit.js';
import { orderRequest, withdrawalRequest } from '../../support/wire.js';
import { LOST, PASS } from '../../support/world/network.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { lastError, PitHome, TIME, useWorldPerTest } from '../pit-home.js';
import { Straight } from '../straight.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});
const straight = new Straight(pit);

interface Row {
  readonly operation: string;
  readonly clientId: string;
  readonly outcome: string;
  readonly id: string | null;
  readonly duplicates: readonly string[];
  readonly timeline: readonly { readonly time: string; readonly event: string }[];
}

const EARLY =
  /^Check again after [-0-9]{10} [:0-9]{8} \(UTC\), when its request should have expired: pit resolve gone1$/;

async function fault(words: string): Promise<void> {
  await pit.done(`sandbox fault add ${words} --count 1`);
}

/** Long enough to send it on a busy machine; half of it may be spent on waiting for an answer. */
function lost(words: string, timeout = 8) {
  return pit.run(`order ${words} --yes --json --timeout ${timeout}`);
}

/** Repeats a request as a proxy would, without any of pit's code. */
async function repeat(clientId: string, price: string, amount: string): Promise<string> {
  const { address } = pit.served;
  const values = orderRequest({ market: 'btc_usdt', side: 'buy', price, amount, clientId });
  const url = new URL(signedUrl(address, address, 'order', values));
  url.searchParams.set('reqTime', String(pit.world.clock.now()));
  const text = await pit.finish(pit.world.fetch(url.href));
  return /"id":"(\d+)"/.exec(text)?.[1] ?? '';
}

describe('pit resolve', () => {
  it('starts no sandbox if there is nothing to resolve', async () => {
    const fresh = new PitHome(temporaryHome());
    expect(await fresh.json('resolve')).toEqual([]);
    expect((await fresh.failure('resolve mine0001', 2)).message).toContain('The journal has no write with the id');
    expect(await fresh.json('sandbox status')).toMatchObject({ running: false });
  });

  it('says that nothing is unknown', async () => {
    expect(await pit.json('resolve')).toEqual([]);
    expect(await pit.done('resolve')).toBe('No write has an unknown outcome.\n');
  });

  it('reports an order as not sent once it can no longer arrive', async () => {
    await fault('drop-before --operation order');
    const first = await lost('buy btc_usdt 0.01 --at 20001 --id gone1');
    expect(first.code).toBe(6);
    expect(lastError(first.stderr)).toMatchObject({ kind: 'unknown', clientId: 'gone1' });
    expect(lastError(first.stderr).hint).toContain('pit resolve gone1');
    const early = await pit.run('resolve gone1 --json --timeout 8');
    expect([early.code, lastError(early.stderr).hint]).toEqual([6, expect.stringMatching(EARLY)]);
    const again = await pit.failure('order buy btc_usdt 0.01 --at 20001 --yes', 2);
    expect(again.hint).toContain('pit resolve gone1');
    expect((await pit.failure('order buy btc_usdt 0.02 --at 20001 --id gone1 --yes', 2)).message).toContain('gone1');
    const [row] = await pit.json<Row[]>('resolve gone1 --timeout 100');
    expect(row).toStrictEqual({
      ...{ operation: 'order', clientId: 'gone1', market: 'btc_usdt', outcome: 'notSent', id: null, duplicates: [] },
      timeline: expect.arrayContaining([{ time: TIME, event: expect.stringMatching(/^no answer: /) }]),
    });
    expect(row?.timeline[0]?.event).toBe('recorded');
    // it is settled: the same order may be placed now, under another id
    await pit.done('order buy btc_usdt 0.01 --at 20001 --yes');
    expect(await pit.json('resolve')).toEqual([]);
  });

  it('finds an order that arrived after the command ended', async () => {
    await fault('late --operation order --delay 20000');
    const { code } = await lost('buy btc_usdt 0.01 --at 20002 --id late1');
    expect(code).toBe(6);
    const rows = await pit.json<Row[]>('resolve --timeout 100');
    expect(rows).toMatchObject([{ clientId: 'late1', outcome: 'placed', duplicates: [] }]);
    const orders = await pit.json<{ id: string; price: string }[]>('orders btc_usdt');
    expect(orders.filter(({ price }) => price === '20002.00').map(({ id }) => id)).toEqual([rows[0]?.id]);
  });

  it('reports a damaged record as unknown, and no order is sent until the user has settled it', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 20003 --yes');
    const journals = path.join(pit.home, 'state', 'journal');
    const record = path.join(journals, readdirSync(journals)[0] ?? '', 'unsettled', 'torn1');
    writeFileSync(record, encodeLine({ write: {} }).slice(0, 12), { mode: 0o600 });
    const found = await pit.run('resolve --json');
    expect([found.code, JSON.parse(found.stdout)]).toEqual([
      6,
      [
        {
          ...{ operation: 'unknown', clientId: 'torn1', market: null, outcome: 'unknown', id: null },
          ...{ duplicates: [], timeline: [] },
        },
      ],
    ]);
    expect(found.stderr).toContain(record);
    // no order need have the name of its record as its client id
    expect(found.stderr).toContain('pit orders MARKET --state all');
    expect(lastError(found.stderr)).toMatchObject({ kind: 'unknown', clientId: 'torn1' });
    expect(lastError(found.stderr).hint).toContain('pit resolve torn1 --as notSent');
    expect(await pit.run('resolve')).toMatchObject({ code: 6, stdout: 'No other write has an unknown outcome.\n' });
    expect((await pit.run('resolve torn1')).code).toBe(6);
    const held = await pit.run('order buy btc_usdt 0.01 --at 20003 --yes --json');
    expect([held.code, lastError(held.stderr)]).toEqual([2, expect.objectContaining({ clientId: 'torn1' })]);
    const settled = await pit.run('resolve torn1 --as notSent --json');
    expect([settled.code, JSON.parse(settled.stdout)]).toMatchObject([0, [{ clientId: 'torn1', outcome: 'notSent' }]]);
    expect((await pit.run('order buy btc_usdt 0.01 --at 20003 --yes')).code).toBe(0);
    expect(await pit.done('resolve')).toBe('No write has an unknown outcome.\n');
  });

  it('shows a settled write with its timeline', async () => {
    await fault('drop-after --operation order');
    const { code } = await lost('sell btc_usdt 0.01 --at 90001 --id found1', 10);
    expect(code).toBe(0);
    const rows = await pit.json<Row[]>('resolve found1');
    expect(rows.map(({ outcome }) => outcome)).toEqual(['placed']);
    const text = await pit.done('resolve found1');
    for (const words of ['sell 0.01 btc_usdt at 90,001: placed as ', 'no answer: ', 'asked by client id: found'])
      expect(text).toContain(words);
  });

  it('says again and again that an order exists which counted as not sent, until it is asked for by its id', async () => {
    await fault('drop-before --operation order');
    expect((await lost('buy btc_usdt 0.01 --at 20006 --id gone6')).code).toBe(6);
    expect(await pit.json('resolve gone6 --timeout 100')).toMatchObject([{ outcome: 'notSent' }]);
    const order = await repeat('gone6', '20006', '0.01');
    await pit.run('orders btc_usdt');
    for (let time = 0; time < 2; time += 1) {
      const { stderr } = await pit.run('resolve --json');
      expect(warnings(stderr)).toContainEqual({
        message:
          'This exists on the exchange, although it counted as not sent or rejected: buy 0.01 btc_usdt at 20,006.',
        hint: expect.stringMatching(/^See it and stop this warning: pit resolve pit[0-9a-f]{24}$/),
      });
    }
    // beside another one that it settles
    await fault('late --operation order --delay 20000');
    expect((await lost('buy btc_usdt 0.01 --at 20016 --id late6')).code).toBe(6);
    const both = await pit.run('resolve --json --timeout 100');
    expect((JSON.parse(both.stdout) as Row[]).map(({ clientId }) => clientId).sort()).toEqual(['gone6', 'late6']);
    expect(await pit.json('resolve gone6')).toMatchObject([{ outcome: 'placed', id: order }]);
    expect((await pit.run('resolve --json')).stderr).toBe('');
  });

  it('lists an order once that counted as not sent and exists, and not as a duplicate of itself', async () => {
    await fault('drop-before --operation order');
    expect((await lost('buy btc_usdt 0.01 --at 20008 --id gone8')).code).toBe(6);
    expect(await pit.json('resolve gone8 --timeout 100')).toMatchObject([{ outcome: 'notSent' }]);
    const id = await repeat('gone8', '20008', '0.01');
    // beside another one that it settles
    await fault('late --operation order --delay 20000');
    expect((await lost('buy btc_usdt 0.01 --at 20018 --id late8')).code).toBe(6);
    expect(await pit.json<Row[]>('resolve --timeout 100')).toMatchObject([
      { clientId: 'gone8', outcome: 'placed', id, duplicates: [] },
      { clientId: 'late8', outcome: 'placed', duplicates: [] },
    ]);
  });

  it('refuses an id that the journal does not have', async () => {
    expect((await pit.failure('resolve nobody1', 2)).message).toContain('The journal has no write with the id nobody1');
  });

  it('lists no cancellation: the order itself shows whether it is open', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 20003 --id open1 --yes');
    await fault('drop-before --operation cancelOrder');
    const { code } = await pit.run('cancel btc_usdt --id open1 --json --timeout 8');
    expect(code).toBe(6);
    expect(await pit.json<Row[]>('resolve --timeout 100')).toEqual([]);
    expect(await pit.json('order show btc_usdt --id open1')).toMatchObject({ state: 'open' });
  });
});

/** The warnings of a command with --json. */
function warnings(stderr: string): unknown[] {
  const lines = stderr.trimEnd().split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { readonly warning?: unknown }).warning ?? []);
}

describe('what only the user can settle', () => {
  it('is an order that could have arrived, once its request has expired and no list can be read', async () => {
    const isSent = () => pit.world.sent('order').length > 0;
    const isLost = (operation: string) => operation === 'order' || (isSent() && /^getOrders?$/.test(operation));
    pit.world.network.treat = ({ operation }) => (isLost(operation) ? LOST : PASS);
    expect((await lost('buy btc_usdt 0.01 --at 20007 --id gone7')).code).toBe(6);
    await pit.world.pass(200_000);
    const { code, stderr } = await pit.run('resolve --json --timeout 8');
    expect([code, lastError(stderr)]).toMatchObject([
      6,
      {
        clientId: 'gone7',
        hint: [
          'Check again: pit resolve gone7',
          'If that decides nothing, only you can settle it. See the orders: pit orders btc_usdt --side buy --state all',
          'Report which one it is: pit resolve gone7 --as placed=ORDERID',
          'Or that it is none: pit resolve gone7 --as notSent',
        ].join('; '),
      },
    ]);
  });

  it('is a call whose outcome no operation reports', async () => {
    pit.world.network.treat = ({ operation }) => (operation === 'setExpressState' ? LOST : PASS);
    const lostCall = await pit.run('api setExpressState currency=btc_usdt --yes --json --timeout 8');
    expect(lostCall.code).toBe(6);
    const { stderr } = await pit.run('resolve --json --timeout 100');
    const { message, hint, clientId } = lastError(stderr);
    expect(message).toContain(`The outcome of ${clientId} is`);
    expect(hint).toBe(
      `No operation reports the outcome of ${clientId}. Check the exchange, then record what you found, done or notSent. Record it: pit resolve ${clientId} --as done`,
    );
    expect(await pit.json(`resolve ${clientId} --as done`)).toMatchObject([{ operation: 'call', outcome: 'done' }]);
    expect(await pit.json('resolve')).toEqual([]);
  });
});

describe('an order that a proxy repeated', () => {
  it('reports the order at once with both ids and the command that cancels the duplicate', async () => {
    await fault('twice --operation order');
    const { code, stdout, stderr } = await pit.run('order buy btc_usdt 0.01 --at 21001 --yes --json');
    expect(code).toBe(9);
    const { id, duplicates } = JSON.parse(stdout) as { id: string; duplicates: string[] };
    expect(duplicates).toHaveLength(1);
    expect(stderr).toContain(`pit cancel btc_usdt ${duplicates[0]}`);
    expect(stderr).toContain(id);
    const orders = await pit.json<{ id: string; price: string }[]>('orders btc_usdt');
    const ids = orders.filter(({ price }) => price === '21001.00').map(({ id: one }) => one);
    expect(ids.toSorted()).toEqual([id, ...duplicates].toSorted());
  });

  it.each(['orders btc_usdt', 'resolve', 'cancel btc_usdt 17', 'order buy btc_usdt 0.01 --at 20500 --yes'])(
    'a later command of the market reports the order once: %s',
    async (line) => {
      const clientId = `rep${line.replaceAll(/[^a-z]/g, '').slice(0, 12)}`;
      await pit.done(`order buy btc_usdt 0.01 --at 21002 --id ${clientId} --yes`);
      const extra = await repeat(clientId, '21002', '0.01');
      const ran = await pit.run(line);
      expect(ran.stderr).toContain(`pit cancel btc_usdt ${extra}`);
      expect((await pit.run(line.replace('20500', '20501'))).stderr).not.toContain(extra);
      const asked = await pit.run(`resolve ${clientId} --json`);
      expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([9, [{ duplicates: [extra] }]]);
      expect(lastError(asked.stderr)).toMatchObject({
        message: 'buy 0.01 btc_usdt at 21,002: carried out more than once.',
        hint: 'See the orders: pit orders btc_usdt --state all',
      });
      await pit.done(`cancel btc_usdt --id ${clientId}`);
    },
  );

  it('pit resolve reports the order when it settles another order of the same side', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 21004 --id twice4 --yes');
    await pit.done('order buy btc_usdt 0.01 --at 21014 --id twice5 --yes');
    await fault('late --operation order --delay 20000');
    expect((await lost('buy btc_usdt 0.01 --at 21005 --id late4')).code).toBe(6);
    const extra = await repeat('twice4', '21004', '0.01');
    const other = await repeat('twice5', '21014', '0.01');
    const { code, stdout, stderr } = await pit.run('resolve --json --timeout 100');
    expect(code).toBe(9);
    for (const id of [extra, other]) expect(stderr).toContain(`pit cancel btc_usdt ${id}`);
    expect(lastError(stderr).message).toBe('2 writes were carried out more than once.');
    const rows = JSON.parse(stdout) as Row[];
    expect(rows.map(({ clientId, duplicates }) => [clientId, duplicates]).toSorted()).toEqual([
      ['late4', []],
      ['twice4', [extra]],
      ['twice5', [other]],
    ]);
  });

  it('an identical order of another program with another client id is no duplicate', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 21008 --id mine8 --yes');
    // another program does not order at the same moment
    await pit.world.pass(1_000);
    await repeat('another8', '21008', '0.01');
    expect((await pit.run('orders btc_usdt')).stderr).not.toContain('MORE THAN ONCE');
  });

  it('the client id proves a duplicate, though another program uses the key', async () => {
    await pit.done('order buy btc_usdt 0.01 --at 21003 --id mine3 --yes');
    await repeat('another1', '15000', '0.02');
    const extra = await repeat('mine3', '21003', '0.01');
    const { stderr } = await pit.run('orders btc_usdt');
    expect(stderr).toContain(`pit cancel btc_usdt ${extra}`);
    expect(stderr).toContain('the network repeated it');
  });
});

describe('a lost internal withdrawal', () => {
  it('stays unknown if no record shows it, until the user reports what became of it', async () => {
    const [{ address: to } = { address: '' }] = await pit.json<{ address: string }[]>('address btc --withdraw');
    await fault('drop-before --operation withdraw');
    const withdraw = `withdraw btc 0.05 --to ${to} --confirm-address ${to} --internal --safe-pwd-stdin`;
    const input = `${pit.served.address.safePwd}\n`;
    const lost = await pit.run(`${withdraw} --json --timeout 4`, { input });
    const { clientId: id } = lastError(lost.stderr);
    expect(lost.code).toBe(6);
    const early = await pit.failure(`resolve ${id} --as notSent`, 2);
    expect(early.message).toContain('The exchange may still execute ');
    const looked = await pit.run(`resolve ${id} --json --timeout 100`);
    expect([looked.code, JSON.parse(looked.stdout)]).toMatchObject([6, [{ outcome: 'unknown', id: null }]]);
    expect(lastError(looked.stderr)).toMatchObject({
      message: expect.stringContaining('transfers within the exchange'),
      hint: expect.stringMatching(
        new RegExp(`If it was made: pit resolve ${id} --as done; If it was not: pit resolve ${id} --as notSent$`),
      ),
    });
    const unlisted = await pit.failure(`resolve ${id} --as placed=7`, 2);
    expect(unlisted.message).toContain('The exchange lists no such withdrawal');
    expect(await pit.json(`resolve ${id} --as notSent`)).toMatchObject([{ outcome: 'notSent', id: null }]);
    expect(await pit.done(`resolve ${id}`)).toContain(`withdraw 0.05 btc to ${to}: notSent`);
  });
});

describe('a lost withdrawal that two records fit', () => {
  it('stays unknown, both are named, and the other one is a duplicate of the one that the user names', async () => {
    const [{ address: to } = { address: '' }] = await pit.json<{ address: string }[]>('address btc --withdraw');
    await fault('drop-before --operation withdraw');
    const withdraw = `withdraw btc 0.051 --to ${to} --fee 0.0006 --confirm-address ${to} --safe-pwd-stdin`;
    const { safePwd } = pit.served.address;
    const lost = await pit.run(`${withdraw} --json --timeout 4`, { input: `${safePwd}\n` });
    const { clientId: id } = lastError(lost.stderr);
    const terms = withdrawalRequest({ coin: 'btc', amount: '0.051', fee: '0.0006', to, password: safePwd });
    // a read shows what time it is on the exchange: a write with another time is refused
    await straight.open();
    for (let time = 0; time < 2; time += 1)
      expect(await pit.finish(straight.client.api.write('withdraw', terms))).toMatchObject({ kind: 'done' });
    const looked = await pit.run(`resolve ${id} --json --timeout 100`);
    expect(looked.code).toBe(6);
    const { message, hint } = lastError(looked.stderr);
    const [, first = '', second = ''] = /may be withdrawal (\d+) \(0\.051 btc, \S+Z\) or (\d+) \(/.exec(message) ?? [];
    expect(hint).toContain(`If it was made: pit resolve ${id} --as placed=ID`);
    const told = await pit.run(`resolve ${id} --as placed=${second} --json`);
    expect([told.code, JSON.parse(told.stdout)]).toMatchObject([
      9,
      [{ outcome: 'placed', id: second, duplicates: [first] }],
    ]);
    expect(lastError(told.stderr)).toMatchObject({
      message: `withdraw 0.051 btc to ${to}: carried out more than once.`,
      hint: 'See them: pit withdrawals btc',
    });
    expect(told.stderr).toContain(`THE WITHDRAWAL WAS MADE MORE THAN ONCE: 0.051 btc to ${to} (${id}) as `);
  });
});

it('records no outcome in a dry run', async () => {
  const { message } = await pit.failure('resolve some1 --as notSent --dry-run', 2);
  expect(message).toBe('--as and --dry-run exclude each other.');
});

it.each(['placed', 'placed=', 'placed=one', 'done=7', 'perhaps'])('refuses --as %s', async (as) => {
  const { message, hint } = await pit.failure(`resolve some1 --as ${as}`, 2);
  expect(`${message} ${hint}`).toMatch(/--as|placed=/);
});
