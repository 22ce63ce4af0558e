import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { document, lastError, useWorld } from '../pit-home.js';

const pit = useWorld({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } } });

afterEach(async () => {
  await pit.run('halt --lift --confirm sandbox');
});

interface Halted {
  readonly halted: boolean;
  readonly since: string;
  readonly until: string | null;
  readonly reason: string | null;
}

const ORDER = 'order buy btc_usdt 0.01 --at bid-2% --yes';

async function placed(): Promise<string> {
  return (await pit.json<{ id: string }>(ORDER)).id;
}

async function ordersOfAll(): Promise<number> {
  return (await pit.json<unknown[]>('orders btc_usdt --state all --all')).length;
}

/** The address of the sandbox's account that withdrawals may go to. */
async function address(): Promise<string> {
  const [found] = await pit.json<{ address: string }[]>('address btc --withdraw');
  return found?.address ?? '';
}

describe('while the account is halted', () => {
  it('every write is refused before it is sent, whatever is overridden', async () => {
    const id = await placed();
    const to = await address();
    const before = await ordersOfAll();
    await pit.json('halt');
    const lines = [
      ORDER,
      `${ORDER} --override price-band --override day-notional`,
      'order batch buy btc_usdt --ladder bid-1%:bid-5%:3 --amount 0.3 --yes',
      `order replace btc_usdt ${id} --at bid-3% --yes`,
      'api order currency=btc_usdt tradeType=1 price=20000 amount=0.01 --yes',
      'api setExpressState currency=btc_usdt --yes',
    ];
    for (const line of lines) {
      expect(await pit.failure(line, 2)).toMatchObject({
        kind: 'usage',
        halted: true,
        message: expect.stringMatching(/^halted blocks this: .* Nothing was sent\.$/),
      });
    }
    const withdrawal = `withdraw btc 0.01 --to ${to} --confirm-address ${to} --safe-pwd-stdin`;
    const input = `${pit.served.address.safePwd}\n`;
    expect(await pit.failure(withdrawal, 2, { input })).toMatchObject({ halted: true });
    expect(await ordersOfAll()).toBe(before);
    expect(await pit.json<{ state: string }>(`order show btc_usdt ${id}`)).toMatchObject({ state: 'open' });
  });

  it('a batch that is on its way stops, and says that the halt stopped it', async () => {
    await pit.json('sandbox fault add delay --delay 500 --operation orderMoreV2');
    const file = path.join(pit.home, 'many.csv');
    const lines = Array.from({ length: 60 }, (_, index) => `${20_000 + index},0.001\n`);
    writeFileSync(file, lines.join(''));
    const guards = '--override price-band,order-notional,day-notional';
    const batch = pit.start(`--json order batch buy btc_usdt --file ${file} --yes ${guards}`);
    // the first request has twenty of the orders, and the others wait for its answer
    await pit.world.until(() => pit.world.sent('orderMoreV2').length > 0);
    await pit.json('halt');
    const code = await batch.ended;
    const { stdout, stderr } = batch.printed;
    await pit.done('sandbox fault clear');
    expect([code, document(stdout)]).toMatchObject([9, { placed: 20, notSent: 40 }]);
    expect(lastError(stderr)).toMatchObject({
      kind: 'partial',
      halted: true,
      message: expect.stringMatching(/ not sent\. The rest was not sent: halted blocks it: [^.]*\.$/),
      hint: expect.stringContaining('pit halt --lift'),
    });
    await pit.done('cancel btc_usdt --all --yes');
  });

  it('every cancellation is sent', async () => {
    const [one] = [await placed(), await placed()];
    await pit.json('halt');
    expect(await pit.json(`cancel btc_usdt ${one}`)).toMatchObject([{ outcome: 'cancelled' }]);
    expect(await pit.json('cancel-after btc_usdt --yes')).toMatchObject({ market: 'btc_usdt' });
    expect(await pit.json<object[]>('cancel btc_usdt --all --yes')).not.toHaveLength(0);
  });

  it('every command prints one line about it, and account and doctor say so', async () => {
    expect(await pit.json('account')).toMatchObject({ halted: false });
    await pit.run('halt --reason', { host: { arguments: ['halt', '--reason', 'a\u001b[31mflash crash'] } });
    for (const line of ['ticker btc_usdt', 'schema ticker', 'orders btc_usdt', 'account']) {
      const { stderr } = await pit.run(line);
      expect(stderr, line).toMatch(/^Warning: The account is halted since [^\n]*flash crash[^\n]*\n$/);
    }
    const { stderr } = await pit.run('ticker btc_usdt --json');
    expect(JSON.parse(stderr)).toEqual({ warning: { message: expect.stringContaining('halted since'), hint: null } });
    expect(await pit.json('account')).toMatchObject({ halted: true });
    const checks = document<{ check: string; status: string }[]>((await pit.run('doctor --json')).stdout);
    expect(checks.find(({ check }) => check === 'halted')).toMatchObject({ status: 'warn' });
  });

  it('a latch that cannot be read stops writes too', async () => {
    await pit.json('halt');
    writeFileSync(path.join(pit.home, 'state', 'halted', 'sandbox'), 'x');
    expect(await pit.failure(ORDER, 2)).toMatchObject({
      halted: true,
      message: expect.stringContaining('its latch cannot be read'),
    });
    await pit.json('halt --lift --confirm sandbox');
    await placed();
  });
});

describe('pit halt', () => {
  it('keeps an earlier halt: a second one neither shortens it nor forgets its reason', async () => {
    const first = await pit.json<Halted>('halt --reason news');
    expect(await pit.json<Halted>('halt --for 10m')).toEqual({ ...first, until: null });
  });

  it.each<[what: string, first: string, second: string, minutes: number | null, reason: string | null]>([
    ['a later end counts', 'halt --for 10m', 'halt --for 20m', 21, null],
    ['an earlier end does not', 'halt --for 20m --reason news', 'halt --for 10m', 20, 'news'],
    ['without an end there is none', 'halt --for 20m', 'halt', null, null],
    ['a reason replaces the one before', 'halt --reason news', 'halt --reason fork', null, 'fork'],
  ])('a second halt, a minute later, keeps the start of the first: %s', async (_, first, second, minutes, reason) => {
    const { since } = await pit.json<Halted>(first);
    await pit.world.pass(60_000);
    const again = await pit.json<Halted>(second);
    const lasts = again.until === null ? null : (Date.parse(again.until) - Date.parse(since)) / 60_000;
    expect([again.since, again.reason]).toEqual([since, reason]);
    expect(lasts).toEqual(minutes === null ? null : expect.closeTo(minutes, 1));
  });

  it('replaces an earlier halt that cannot be read, which has no start, end or reason', async () => {
    await pit.json('halt --for 10m --reason news');
    writeFileSync(path.join(pit.home, 'state', 'halted', 'sandbox'), 'x');
    const now = pit.world.clock.now();
    const { since, until, reason } = await pit.json<Halted>('halt --for 5m');
    expect([Date.parse(since) >= now, Date.parse(until ?? '') - Date.parse(since), reason]).toEqual([
      true,
      300_000,
      null,
    ]);
  });

  it('has the longest reason whole, and says it with the end', async () => {
    const reason = 'x'.repeat(200);
    expect(await pit.json<Halted>(`halt --reason ${reason}`)).toMatchObject({ reason });
    expect(await pit.done('halt')).toContain(`Reason: ${reason}.`);
  });

  it('ends by itself after the time of --for', async () => {
    const { since, until } = await pit.json<Halted>('halt --for 500ms');
    expect(Date.parse(until ?? '') - Date.parse(since)).toBe(500);
    await pit.world.pass(500);
    await placed();
  });

  it('halts nothing with --dry-run', async () => {
    expect(await pit.json('halt --dry-run')).toMatchObject({ dryRun: true });
    await placed();
  });

  it.each([
    ['halt --confirm sandbox', '--confirm needs --lift.', ''],
    ['halt --lift --for 2h', '--lift and --for exclude each other.', ''],
    ['halt --for never', '"never" is not a duration.', ''],
    [`halt --reason ${'x'.repeat(201)}`, 'The reason is too long: 201 characters.', 'Give 1 to 200.'],
    ['halt --reason \u0007', 'The reason is empty.', 'Give 1 to 200.'],
  ])('%s is refused', async (line, message, hint) => {
    expect(await pit.failure(line, 2)).toMatchObject({ message, hint: expect.stringContaining(hint) });
  });
});

describe('pit halt --lift', () => {
  it('needs the name of the profile in a script: neither --yes nor another name lifts the halt', async () => {
    await pit.json('halt');
    expect(await pit.failure('halt --lift --yes', 8)).toMatchObject({ kind: 'declined' });
    expect(await pit.failure('halt --lift --confirm other', 2)).toMatchObject({ kind: 'usage' });
    expect(await pit.failure(ORDER, 2)).toMatchObject({ halted: true });
    expect(await pit.json('halt --lift --confirm sandbox')).toMatchObject({ halted: false });
    await placed();
  });

  it.each([
    ['sandbox', 0, 'Lifted the halt of sandbox: writes are sent again.'],
    ['other', 8, 'sandbox was not typed; the account is still halted. → Type the name of the profile exactly.'],
    ['', 8, 'sandbox was not typed; the account is still halted.'],
  ])('asks for the name at a terminal: %j exits with %i', async (typed, status, said) => {
    await pit.json('halt');
    const steps = [{ await: 'Type sandbox to let writes leave again:', type: `${typed}\r` }];
    const ran = await pit.terminal('halt --lift', { columns: 200, environment: { NO_COLOR: '1' }, steps });
    expect([ran.status, ran.screen.replace(/\s+/g, ' ')]).toEqual([status, expect.stringContaining(said)]);
    expect(await pit.json('account')).toMatchObject({ halted: status !== 0 });
  });

  it('says so if nothing is halted', async () => {
    expect(await pit.done('halt --lift')).toBe('sandbox is not halted.\n');
  });
});
