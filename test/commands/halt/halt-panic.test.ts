import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keyDigest } from '../../../src/config/keys.js';
import { usage } from '../../../src/errors.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import { slow } from '../../support/world/network.js';
import { DEEP_MARKETS } from '../../support/world/still-markets.js';
import { Kept } from '../../terminal/screens.js';
import { document, lastError, useWorldPerTest } from '../pit-home.js';

const pit = useWorldPerTest({ markets: DEEP_MARKETS });
const ORDER = 'order buy btc_usdt 0.01 --at bid-2% --yes';

beforeEach(() => pit.done('profile set sandbox dayNotional off'));
afterEach(() => vi.restoreAllMocks());

interface Halted {
  readonly halted: boolean;
  readonly profiles: readonly string[];
  readonly cancelled: readonly { readonly outcome: string }[];
  readonly flattened: readonly { readonly filledValue: string }[];
}

/** A profile with the sandbox's exchange under another name of its host. */
async function addProfile(name: string, host: string): Promise<void> {
  const { baseUrl, tradeUrl, accessKey, secretKey } = pit.served.address;
  const [base, trade] = [baseUrl, tradeUrl].map((url) => url.replace('127.0.0.1', host));
  await pit.done(`profile add ${name} --base-url ${base} --trade-url ${trade}`);
  await pit.done(`keys set --profile ${name} --stdin`, { input: `${accessKey}\n${secretKey}\n` });
}

it('a dry run of a write says whether the account is halted', async () => {
  expect(await pit.json(`${ORDER} --dry-run`)).toMatchObject({ halted: false });
  await pit.json('halt');
  const to = (await pit.json<{ address: string }[]>('address btc --withdraw'))[0]?.address;
  for (const line of [
    ORDER,
    'order batch buy btc_usdt --ladder bid-1%:bid-5%:3 --amount 0.3',
    `withdraw btc 0.01 --to ${to}`,
    'cancel-after btc_usdt',
  ])
    expect(await pit.json(`${line} --dry-run`), line).toMatchObject({ dryRun: true, halted: true });
});

describe('a halt belongs to the access key', () => {
  it('covers every profile with the key, whatever the host is called, and names them', async () => {
    await addProfile('one', '127.0.0.1');
    expect(await pit.done('halt --profile one')).toMatch(/^Halted one and sandbox, which have the same key, until /);
    await addProfile('two', 'localhost');
    const halted = await pit.json<Halted>('halt --profile one');
    expect([...halted.profiles].sort()).toEqual(['one', 'sandbox', 'two']);
    for (const profile of ['two', 'sandbox'])
      expect(await pit.failure(`--profile ${profile} ${ORDER}`, 2)).toMatchObject({ halted: true });
    expect(await pit.done('halt --profile two')).toMatch(
      /^Halted two, (one and sandbox|sandbox and one), which have the same key, until /,
    );
    expect(await pit.json<Halted>('halt --lift --profile two --confirm two')).toMatchObject({ halted: false });
    await pit.done(`--profile one ${ORDER}`);
  });

  it('does not cover a profile with another key', async () => {
    const other = await pit.json<{ accessKey: string; secretKey: string }>(
      'sandbox account add other --permissions asset,entrust',
    );
    const { baseUrl, tradeUrl } = pit.served.address;
    await pit.done(`profile add other --base-url ${baseUrl} --trade-url ${tradeUrl}`);
    await pit.done('keys set --profile other --stdin', { input: `${other.accessKey}\n${other.secretKey}\n` });
    expect((await pit.json<Halted>('halt --profile other')).profiles).toEqual(['other']);
    await pit.done(ORDER);
  });

  it('needs no key at hand: the keychain is locked, and the account is halted all the same', async () => {
    const { baseUrl, tradeUrl, accessKey } = pit.served.address;
    await pit.done(`profile add locked --base-url ${baseUrl} --trade-url ${tradeUrl}`);
    const entry = { keychain: 'locked-0123456789abcdef', keyDigest: keyDigest(accessKey) };
    const folder = path.join(pit.home, 'config', 'keys');
    mkdirSync(folder, { mode: 0o700 });
    writeFileSync(path.join(folder, 'locked.json'), JSON.stringify(entry), { mode: 0o600 });
    expect(await pit.json<Halted>('halt --profile locked')).toMatchObject({ halted: true });
    expect(await pit.failure(ORDER, 2)).toMatchObject({ halted: true });
  });
});

describe('a latch that cannot be written', () => {
  it('is the first thing that is said, and what --cancel asks for is done', async () => {
    await pit.done(ORDER);
    // a folder in the place of the file: writing fails for root, too
    const { code, stdout, stderr } = await withoutLatch(() => pit.run('halt --cancel --json'));
    expect([code, lastError(stderr).message]).toEqual([9, expect.stringMatching(/^The account is NOT HALTED: /)]);
    expect(document<Halted>(stdout)).toMatchObject({ halted: false, cancelled: [{ outcome: 'cancelled' }] });
  });

  it('pauses algo orders, which say that the account could not be halted, and go on when you resume them', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const reason = 'by pit halt (news), which could not halt the account; pit algo resume lets it go on';
    await withoutLatch(() => pit.run('halt --cancel --reason news'));
    expect(await pit.json(`algo show ${id}`)).toMatchObject({ state: 'paused', reason });
    expect(await pit.json(`algo resume ${id} --yes`)).toMatchObject([{ id, state: 'waiting' }]);
  });

  it('does not say that the account is halted where algo orders could not be paused', async () => {
    await pit.json('order sell btc_usdt 0.1 --stop bid-20% --yes');
    vi.spyOn(AlgoStore.prototype, 'add').mockImplementation(() => {
      throw usage('the disk is full');
    });
    const words = 'Algo orders are NOT PAUSED: the disk is full.';
    const { message } = await withoutLatch(() => pit.failure('halt', 4));
    expect(message).toMatch(/^The account is NOT HALTED: [^.]+\. Algo orders are NOT PAUSED: the disk is full\.$/);
    const { stderr } = await pit.run('halt --json');
    expect(lastError(stderr).message).toBe(
      `${words} While the account is halted, none of them places an order. The account is halted.`,
    );
  });

  it('is followed by what was paused all the same, and what is not protected meanwhile', async () => {
    const { id } = await pit.json<{ id: string }>('order sell btc_usdt 0.1 --stop bid-20% --yes');
    const { message } = await withoutLatch(() => pit.failure('halt', 4));
    expect(message).toMatch(/^The account is NOT HALTED: /);
    expect(message.endsWith(` Paused 1 algo order. NOT PROTECTED: ${id} (btc_usdt).`)).toBe(true);
  });

  it('ends plain pit halt with an error and an empty stdout', async () => {
    const failed = await withoutLatch(() => pit.failure('halt', 4));
    expect(failed.message).toMatch(/^The account is NOT HALTED: /);
  });
});

/** Runs something while the folder of the latches is a file. */
async function withoutLatch<Value>(work: () => Promise<Value>): Promise<Value> {
  const folder = path.join(pit.home, 'state', 'halted');
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(folder, '');
  chmodSync(folder, 0o600);
  try {
    return await work();
  } finally {
    rmSync(folder, { force: true });
  }
}

describe('pit halt --flatten', () => {
  it.each([
    ['ustd', 'There is no coin ustd on this exchange that other coins are sold into.'],
    ['xrp', 'No market sells into xrp.'],
  ])('into %s halts the account, says that nothing was sold, and ends with 9', async (coin, why) => {
    const { code, stdout, stderr } = await pit.run(`halt --flatten ${coin} --yes --json`);
    const { message, hint } = lastError(stderr);
    expect([code, message]).toEqual([9, `Nothing was sold: ${why} The account is halted.`]);
    expect(hint).toBe('Coins are sold into btc, eth, usdt. Sell everything: pit halt --flatten usdt');
    expect(await pit.failure(`halt --cancel --flatten ${coin} --dry-run`, 2)).toMatchObject({
      hint: expect.stringContaining('pit halt --cancel --flatten usdt --dry-run'),
    });
    expect(document<Halted>(stdout)).toMatchObject({ halted: true, flattened: [] });
  });

  it('halts the account and cancels before the consent that it lacks', async () => {
    await pit.done(ORDER);
    expect(await pit.failure('halt --cancel --flatten usdt', 8)).toMatchObject({
      message: expect.stringMatching(/^Nothing was sold: .* The account is halted\.$/),
    });
    expect(await pit.json('account')).toMatchObject({ halted: true });
    expect(await pit.json('orders --all-markets')).toEqual([]);
  });

  it('names coins that are frozen in orders, and why a coin is not sold, on a terminal of 80 columns', async () => {
    await pit.done('order sell eos_usdt 100 --at ask+3% --yes');
    const preview = async (coin: string) => {
      const errors = Object.assign(new Kept(80), { rows: 40 });
      await pit.run(`halt --flatten ${coin} --yes`, { host: { errors }, environment: { NO_COLOR: '1' } });
      expect(errors.text.split(/[\r\n]+/).filter((line) => line.length > 80)).toEqual([]);
      return errors.text.replace(/\s+/g, ' ');
    };
    const toUsdt = await preview('usdt');
    expect(toUsdt).toContain('frozen in orders');
    expect(toUsdt).toContain('Sell what is left: pit halt --flatten usdt');
    expect(toUsdt).toContain('With --cancel, what open orders hold is sold as well.');
    expect(toUsdt).toMatch(/eos [\d,.]+ 100 /);
    expect(await preview('btc')).toMatch(/eos will not be sold: there is no market eos_btc\./);
  });

  it('ends with 9 if the network placed an order twice', async () => {
    // an order sells no more than half of the coin: so it can be carried out twice
    await pit.done('profile set sandbox orderNotional 20000usdt');
    await pit.done('sandbox fault add twice --operation order --count 1');
    const { code, stderr } = await pit.run('halt --flatten usdt --yes --json');
    expect([code, lastError(stderr).message]).toEqual([9, expect.stringContaining('placed more than once')]);
  });

  it('three at once all end with 0 when everything is sold', async () => {
    await pit.done('order buy btc_usdt 0.5 --at ask+1% --ioc --yes');
    const ran = await Promise.all([1, 2, 3].map(() => pit.run('halt --cancel --flatten usdt --yes --json')));
    expect(ran.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual([0, 0, 0]);
    const left = await pit.json<{ coin: string; available: string }[]>('balance');
    // less than an order may sell is left
    expect(left.filter(({ available }) => Number(available) > 0.0001).map(({ coin }) => coin)).toEqual(['usdt']);
  }, 60_000);
});

describe('--for', () => {
  it.each(['0s', '0ms', '0d'])('of %s halts nothing and is refused', async (time) => {
    expect(await pit.failure(`halt --for ${time}`, 2)).toMatchObject({ kind: 'usage' });
    expect(await pit.json('account')).toMatchObject({ halted: false });
  });
});

describe('many open orders', () => {
  const COUNT = 32;

  beforeEach(async () => {
    await pit.done(`order batch buy btc_usdt --ladder bid-2%:bid-4%:${COUNT} --amount 0.32 --yes`);
    // those requests count towards the limit for a second
    await pit.world.pass(2_000);
    // eight at a time: more than the 30 seconds of a command
    await pit.done('sandbox fault add delay --delay 8000 --operation cancelOrder');
  });

  it.each([
    ['halt --cancel', 'Cancelling in all markets, '],
    ['cancel btc_usdt --all --yes', 'Cancelling in btc_usdt: '],
  ])('%s cancels them all, however long that takes, and counts the answers on a terminal', async (line, label) => {
    const errors = Object.assign(new Kept(80), { rows: 40 });
    const environment = { TERM: 'xterm', NO_COLOR: '1' };
    const { code, stdout } = await pit.run(`${line} --json`, { host: { errors }, environment });
    expect(code).toBe(0);
    const printed = document<Halted | Halted['cancelled']>(stdout);
    const rows = 'cancelled' in printed ? printed.cancelled : printed;
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: COUNT }, () => 'cancelled'));
    expect(await pit.json('orders btc_usdt --all')).toEqual([]);
    const counts = [...errors.text.matchAll(new RegExp(`${label}(\\d+)`, 'g'))].map(([, count]) => Number(count));
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    const between = counts.filter((count) => count > 0 && count < COUNT);
    expect(new Set(between).size).toBeGreaterThan(2);
    expect(Math.max(...counts)).toBeGreaterThan(COUNT / 2);
    expect(Math.max(...counts)).toBeLessThanOrEqual(COUNT);
  });

  it.each(['halt --cancel', 'cancel btc_usdt --all --yes'])(
    '%s that --timeout ends names at most ten orders, and no limit that was not reached',
    async (line) => {
      const ids = (await pit.json<{ id: string }[]>('orders btc_usdt --all')).map(({ id }) => id);
      // what earlier commands have sent counts no more
      await pit.world.pass(2_000);
      // so slow that the time is over before the limit is reached
      pit.world.network.treat = () => slow(200);
      const { code, stderr } = await pit.run(`${line} --timeout 1 --json`);
      const { message, hint } = lastError(stderr);
      expect(code).not.toBe(0);
      expect(ids).toHaveLength(COUNT);
      // those under way, if there are so few
      expect(ids.filter((id) => `${message} ${hint}`.includes(id)).length).toBeLessThanOrEqual(10);
      expect(`${message} ${hint}`).not.toMatch(/limit|other (requests|processes|programs)/i);
    },
  );
});
