import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';
import { modernMeta } from './client.js';
import { type Done, type Prepared, TradingClient } from './trading-client.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});
let client: TradingClient;

const ORDER = { kind: 'order', market: 'btc_usdt', side: 'buy', amount: '0.01', price: 'bid-2%' };

interface Listed {
  readonly id: string;
  readonly price: string;
}

function orders(state = 'all'): Promise<Listed[]> {
  return pit.json<Listed[]>(`orders btc_usdt --state ${state} --all`);
}

beforeEach(async () => {
  client = new TradingClient({ pit, words: ['--allow-trading'] });
  await client.initialize({ elicitation: {} });
});

afterEach(() => client.end());

describe('the tools that trade', () => {
  it('are offered only with --allow-trading, and none withdraws', async () => {
    const names = async (words: string[]) => {
      const one = new TradingClient({ pit, words });
      await one.initialize();
      const tools = await one.tools();
      await one.end();
      return tools.map(({ name }) => name);
    };
    const [without, allowing] = [await names([]), await names(['--allow-trading'])];
    expect(allowing.filter((name) => !without.includes(name))).toEqual(['prepare', 'commit', 'resolve']);
    expect(without.concat(allowing).filter((name) => /withdraw$/.test(name))).toEqual([]);
  });

  it.each([
    [['--markets', 'btc_usdt', '--max-order', '100btc'], '--max-order 100btc limits nothing in btc_usdt.'],
    [['--markets', 'btc_usdt', '--max-day', '1btc'], '--max-day 1btc limits nothing in btc_usdt.'],
    [['--allow-borrow'], '--allow-borrow has no effect without --commit unattended.'],
  ])('do not start with a limit that cannot limit: %j', async (words, message) => {
    expect(await pit.failure(`mcp --allow-trading ${words.join(' ')}`, 2)).toMatchObject({ message });
  });

  it('refuse a market in which a limit limits nothing', async () => {
    const limited = new TradingClient({ pit, words: ['--allow-trading', '--max-order', '100btc'] });
    await limited.initialize();
    expect(await limited.failed('prepare', ORDER)).toMatchObject({
      message: 'An agent may not place orders in btc_usdt: --max-order 100btc limits nothing there.',
    });
    await limited.end();
  });

  it('hold the limits that are given although the user is asked', async () => {
    const limited = new TradingClient({ pit, words: ['--allow-trading', '--max-order', '100usdt'] });
    await limited.initialize({ elicitation: {} });
    expect(await limited.failed('prepare', ORDER)).toMatchObject({
      message: expect.stringMatching(/^order-notional blocks this: .* the limit for one order is 100 usdt/),
    });
    const { id } = await client.done<Prepared>('prepare', ORDER);
    const { error } = (await limited.commit(id, 'accept')).structuredContent;
    expect(error?.message).toMatch(/^order-notional blocks this: .* Nothing was sent\.$/);
    await limited.end();
  });
});

describe('prepare', () => {
  it('takes numbers as they were sent', async () => {
    const prepared = await client.done<Prepared>('prepare', { ...ORDER, amount: 0.0123, price: 27_500 });
    expect(prepared.places).toMatchObject([{ amount: '0.0123', price: '27500' }]);
  });

  it.each([
    [{ kind: 'order', market: 'btc_usdt' }, 'To prepare order, give side, amount, price.'],
    [{ ...ORDER, orders: ['1'] }, 'order takes no orders.'],
    [{ ...ORDER, kind: 'withdraw' }, expect.stringMatching(/^kind must be one of .*, not "withdraw"\.$/)],
    [{ ...ORDER, price: '--override=price-band' }, expect.stringContaining('is not a price')],
    [{ ...ORDER, side: '--yes' }, expect.stringMatching(/^side must be one of buy, sell, not "--yes"\.$/)],
    [
      { ...ORDER, kind: 'ladder', price: 'bid-1%:bid-5%:51' },
      'These are too many orders: 51, and an agent may prepare up to 50 at once.',
    ],
    [{ kind: 'cancel', market: 'btc_usdt', orders: ['123'] }, 'Order 123 is not open in btc_usdt.'],
    [{ kind: 'cancel', market: 'btc_usdt', orders: [] }, 'To prepare cancel, give orders.'],
    [
      { kind: 'cancel', market: 'btc_usdt', orders: ['all', '123'] },
      'The order id must be an id from the exchange, not "all".',
    ],
    [{ kind: 'replace', market: 'btc_usdt', orders: [], price: 'bid-3%' }, 'To prepare replace, give orders.'],
  ])('refuses %j', async (given, message) => {
    expect(await client.failed('prepare', given)).toMatchObject({ kind: 'usage', message });
  });

  it('cannot override a guard, and names the command with which the user can', async () => {
    expect(await client.failed('prepare', { ...ORDER, price: 'ask+30%' })).toMatchObject({
      message: expect.stringContaining('price-band blocks this'),
      hint: expect.stringMatching(/in a terminal: pit .*order buy btc_usdt 0\.01 --at ask\+30%$/),
    });
  });
});

describe('commit', () => {
  it('asks the user in the older protocol, shows what is sent, and sends that', async () => {
    const { id, text, places } = await client.done<Prepared>('prepare', ORDER);
    const { structuredContent } = await client.commit(id, 'accept');
    expect(structuredContent).toMatchObject({ data: { outcome: 'placed', clientId: id, price: places[0]?.price } });
    expect(client.questions.at(-1)).toMatch(/^Send this with profile sandbox\?\nbuy 0\.01 btc_usdt at /);
    expect(client.questions.at(-1)?.split('\n')).toContain(text);
  });

  it('asks the user in the newer protocol', async () => {
    const modern = new TradingClient({ pit, words: ['--allow-trading'] });
    const prepared = await modern.ask('tools/call', {
      name: 'prepare',
      arguments: ORDER,
      _meta: modernMeta({ elicitation: {} }),
    });
    const { id, text } = (prepared.result as { structuredContent: { data: Prepared } }).structuredContent.data;
    expect((await modern.commitAgain(id)).structuredContent.data).toMatchObject({ outcome: 'placed', clientId: id });
    expect(modern.questions).toEqual([expect.stringContaining(text)]);
    await modern.end();
  });

  it.each(['decline', 'untick'] as const)('sends nothing, then or later, if the user does this: %s', async (reply) => {
    const before = await orders();
    const { id } = await client.done<Prepared>('prepare', ORDER);
    expect((await client.commit(id, reply)).structuredContent.error).toMatchObject({ kind: 'declined' });
    const again = await client.commit(id, 'accept');
    expect(again.structuredContent.error).toMatchObject({
      message: `${id} was not sent and cannot be committed again: The user declined it; nothing was sent.`,
    });
    expect(await orders()).toEqual(before);
    expect(await client.done('resolve', { id })).toMatchObject([{ clientId: id, outcome: 'notSent' }]);
  });

  it.each([
    [{ error: { code: -32_603, message: 'no window' } }, /the client could not ask: no window/],
    [{ result: { action: 'maybe' } }, /no reply/],
    [{ result: { action: 'accept', content: { confirm: 'yes' } } }, /no reply/],
    [{ result: { action: 'accept' } }, /no reply/],
    [{ result: {} }, /no reply/],
  ])('says that nobody confirmed it if the client answers the question so: %j', async (answer, why) => {
    const before = await orders();
    const { id } = await client.done<Prepared>('prepare', ORDER);
    expect((await client.commit(id, answer)).structuredContent.error).toMatchObject({
      kind: 'declined',
      exitCode: 8,
      message: expect.stringMatching(why),
      hint: `Call commit again, which asks again. Or in a terminal: pit commit ${id}`,
    });
    expect(await orders()).toEqual(before);
    // nobody declined it
    expect((await client.commit(id, 'accept')).structuredContent.data).toMatchObject({ outcome: 'placed' });
  });

  it.each([{ action: 'maybe' }, { action: 'accept', content: { confirm: 'yes' } }, 5, null])(
    'says so in the newer protocol too: %j',
    async (reply) => {
      const modern = new TradingClient({ pit, words: ['--allow-trading'] });
      const _meta = modernMeta({ elicitation: {} });
      const prepared = await modern.ask('tools/call', { name: 'prepare', arguments: ORDER, _meta });
      const { id } = (prepared.result as { structuredContent: { data: Prepared } }).structuredContent.data;
      expect((await modern.commitAgain(id, reply)).structuredContent.error).toMatchObject({
        kind: 'declined',
        message: expect.stringContaining('no reply'),
      });
      await modern.end();
    },
  );

  it('names the command for a terminal if the client cannot ask, and the user can commit it there', async () => {
    const mute = new TradingClient({ pit, words: ['--allow-trading'] });
    await mute.initialize();
    const { id } = await mute.done<Prepared>('prepare', ORDER);
    expect(await mute.failed('commit', { id })).toMatchObject({
      kind: 'declined',
      hint: `Run in a terminal: pit commit ${id}`,
    });
    await mute.end();
    const steps = [{ await: '[y/N]', type: 'y\r' }];
    const { stdout } = await pit.world.run(`commit ${id} --json`, { pipedOutput: true, steps });
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'placed', clientId: id });
  });

  it('says what became of an id that was committed before, and asks nobody', async () => {
    const { id } = await client.done<Prepared>('prepare', ORDER);
    const { data } = (await client.commit(id, 'accept')).structuredContent as { readonly data: Done };
    const asked = client.questions.length;
    expect(await client.failed('commit', { id })).toMatchObject({
      message: `${id} was committed already: placed, order ${data.id}. Nothing was sent this time.`,
    });
    expect(client.questions).toHaveLength(asked);
  });

  it('sends ladders, replacements and cancellations', async () => {
    const ladder = await client.done<Prepared>('prepare', { ...ORDER, kind: 'ladder', price: 'bid-1%:bid-5%:3' });
    expect((await client.commit(ladder.id, 'accept')).structuredContent.data).toMatchObject({ placed: 3 });
    for (const { price } of ladder.places) expect(client.questions.at(-1)?.replaceAll(',', '')).toContain(price);
    const [open] = await orders('open');
    const replaces = { kind: 'replace', market: 'btc_usdt', orders: [open?.id], price: 'bid-6%' };
    const replacement = await client.done<Prepared>('prepare', replaces);
    expect((await client.commit(replacement.id, 'accept')).structuredContent.data).toMatchObject({
      outcome: 'placed',
      replaced: { id: open?.id },
    });
    await pit.json('halt');
    const all = await client.done<Prepared>('prepare', { kind: 'cancel', market: 'btc_usdt', orders: ['all'] });
    expect((await client.commit(all.id, 'accept')).structuredContent.data).toHaveLength(3);
    expect(await orders('open')).toEqual([]);
  });

  it('is refused while the account is halted', async () => {
    const { id } = await client.done<Prepared>('prepare', ORDER);
    await pit.json('halt');
    expect((await client.commit(id, 'accept')).structuredContent.error).toMatchObject({ halted: true });
    expect(await client.failed('prepare', ORDER)).toMatchObject({ halted: true });
  });
});
