import { afterEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { eventually } from '../../support/eventually.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';
import { type Prepared, TradingClient } from './trading-client.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: { ...STILL_MARKETS, btc_usdt: { bid: '27999.90', ask: '28000.00' } },
});

const LIMITS = { markets: 'btc_usdt', 'max-order': '400usdt', 'max-day': '100000usdt', 'max-open': '20' };
const STOP = { kind: 'algo', market: 'btc_usdt', side: 'sell', amount: '0.01', stop: 'bid-10%' };

const clients: TradingClient[] = [];

async function client(words: readonly string[], capabilities: object = {}): Promise<TradingClient> {
  const made = new TradingClient({ pit, words: ['--allow-trading', ...words] });
  clients.push(made);
  await made.initialize(capabilities);
  return made;
}

/** An agent that asks nobody. */
function unattended(limits: Partial<Record<keyof typeof LIMITS, string>> = {}): Promise<TradingClient> {
  const flags = Object.entries({ ...LIMITS, ...limits }).map(([name, value]) => `--${name}=${value}`);
  return client(['--commit', 'unattended', ...flags]);
}

interface Described extends Prepared {
  readonly does: readonly string[];
  readonly warnings: readonly string[];
}

interface Algo {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly agent: boolean;
  readonly watched: boolean;
  readonly ended: string | null;
  readonly reason: string | null;
  readonly children: readonly object[];
}

/** Prepares and commits. Returns what was made. */
async function make(agent: TradingClient, given: object): Promise<Algo> {
  const { id } = await agent.done<Prepared>('prepare', given);
  return agent.done<Algo>('commit', { id });
}

/** The message with which the commit is refused. */
async function refusal(agent: TradingClient, given: object): Promise<string> {
  const { id } = await agent.done<Prepared>('prepare', given);
  return (await agent.failed('commit', { id })).message;
}

afterEach(() => Promise.all(clients.splice(0).map((one) => one.end())));

describe('an algo order of an agent', () => {
  it('is prepared in sentences, made once under the id of prepare, watched, listed and shown', async () => {
    const agent = await unattended();
    const prepared = await agent.done<Described>('prepare', STOP);
    expect(prepared.text).toMatch(/^algo order: sell 0\.01 btc_usdt, stop 25,\S+$/);
    expect(prepared.does[0]).toMatch(/^When the best bid is at or below 25,\S+, pit sells 0\.01 btc\.$/);
    expect(prepared.warnings).toContainEqual(
      'Only pit knows the stop: if no process of pit watches, nothing protects you.',
    );
    expect(await pit.json('algo list --all')).toEqual([]);
    const { id } = prepared;
    expect(await agent.done<Algo>('commit', { id })).toMatchObject({ id, kind: 'stop', watched: true, agent: true });
    expect(await agent.failed('commit', { id })).toMatchObject({
      message: `${id} was committed already. Nothing was sent this time.`,
      hint: expect.stringContaining(`algo show ${id}`),
    });
    expect(await pit.json<Algo[]>('algo list')).toMatchObject([{ id }]);
    expect(await agent.done<Algo[]>('algo_orders', {})).toMatchObject([{ id, agent: true }]);
    expect(await agent.done<Algo[]>('algo_orders', { id })).toMatchObject([{ id, kind: 'stop' }]);
    expect(await agent.done<object[]>('resolve', { id })).toMatchObject([{ clientId: id, outcome: 'placed' }]);
  });

  it('keeps its orders: none of them is replaced', async () => {
    const agent = await unattended();
    const { id } = await make(agent, { ...STOP, side: 'buy', price: 'bid-5%' });
    const order = await eventually(async () => {
      const [child] = (await pit.json<{ readonly children: readonly { readonly id: string }[] }>(`algo show ${id}`))
        .children;
      expect(child?.id).toMatch(/^\d+$/);
      return child?.id;
    });
    const replacement = { kind: 'replace', market: 'btc_usdt', orders: [order], price: 'bid-4%' };
    expect(await agent.failed('prepare', replacement)).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining(`it belongs to algo order ${id}`),
    });
  });

  it('names each kind by its parameters', async () => {
    const agent = await client([], { elicitation: {} });
    const kindOf = async (given: object) =>
      (await agent.done<Described>('prepare', { ...STOP, ...given })).does.join(' ');
    expect(await kindOf({ take: 'ask+5%' })).toContain('pit cancels the take-profit');
    expect(await kindOf({ stop: null, trail: '2%' })).toContain('follows the highest bid at a distance of 2%');
    expect(await kindOf({ side: 'buy', stop: null, amount: '1', over: '2h', every: '5m', passive: true })).toContain(
      'over 2h in 24 slices, each PostOnly',
    );
    expect(await kindOf({ side: 'buy', stop: null, chase: true, price: 'ask', for: '10m' })).toContain('PostOnly');
    expect(await kindOf({ side: 'buy', stop: null, price: 'bid-1%', show: '0.004' })).toContain(
      'at most 0.004 btc rests',
    );
    expect(await kindOf({ side: 'buy', price: 'bid-1%', when: ['last>30000', 'eth_usdt:bid<1'] })).toContain(
      'before last>30000 or eth_usdt:bid<1 holds',
    );
  });

  it('never runs a program: there is no parameter for it, and none comes in by another', async () => {
    const agent = await unattended();
    expect((await agent.failed('prepare', { ...STOP, exec: 'sh' })).message).toBe('prepare has no parameter "exec".');
    expect((await agent.failed('prepare', { ...STOP, notify: true })).message).toContain('no parameter "notify"');
    for (const given of [{ stop: '--exec=sh' }, { when: ['--exec=sh'] }, { trail: '1% --exec sh' }])
      expect(await agent.failed('prepare', { ...STOP, ...given })).toMatchObject({ kind: 'usage' });
  });

  it.each([
    [{ ...STOP, weight: 'equal' }, 'algo takes no weight.'],
    [{ ...STOP, kind: 'order', price: 'bid' }, 'order takes no stop.'],
    [{ ...STOP, account: 'cross' }, 'Algo orders trade on the spot account only.'],
    [{ ...STOP, when: Array(6).fill('last>1'), price: 'bid-1%' }, 'when has too many conditions: 6.'],
    [{ ...STOP, stop: 'bid+1%' }, expect.stringContaining('is not below the best bid')],
    [{ kind: 'algoCancel', market: 'btc_usdt' }, 'To prepare algoCancel, give orders.'],
    [{ kind: 'algoPause', market: 'btc_usdt', orders: ['a222222'] }, 'There is no algo order a222222 in btc_usdt.'],
  ])('is refused as %j', async (given, message) => {
    expect(await (await unattended()).failed('prepare', given)).toMatchObject({ kind: 'usage', message });
  });

  it('is named by the cancellation that would take its take-profit, with what is left of it', async () => {
    const agent = await unattended();
    const { id } = await make(agent, { ...STOP, take: 'ask+5%' });
    const order = await eventually(async () => {
      const { children } = await pit.json<{ readonly children: readonly { id: string }[] }>(`algo show ${id}`);
      expect(children).toHaveLength(1);
      return children[0]?.id;
    });
    for (const orders of [['all'], [order]])
      expect(await agent.done<Described>('prepare', { kind: 'cancel', market: 'btc_usdt', orders })).toMatchObject({
        warnings: [
          expect.stringMatching(
            new RegExp(
              `^Order ${order} is the take-profit of algo order ${id} and is not placed again: its stop at 25,`,
            ),
          ),
        ],
      });
  });

  it('is refused with a trail that is narrower than the spread, and learns the number that works and who can override it', async () => {
    // minutes that are over, between which the price has moved
    for (const price of ['28000.00', '28010.00', '28000.00']) {
      pit.world.exchange.trade('btc_usdt', 'sell', price, '0.01');
      await pit.world.pass(60_000);
    }
    const agent = await unattended();
    expect(await agent.failed('prepare', { ...STOP, stop: null, trail: '0.02' })).toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /^trail-distance blocks this: the trail 0\.02 usdt is narrower than the spread of .* Use [\d.,]+ or more, or 2% if you mean a share\. /,
      ),
      hint: expect.stringMatching(
        /^An agent cannot override a guard\..*order sell btc_usdt 0\.01 --trail 0\.02 --override trail-distance/s,
      ),
    });
    expect(await agent.done<Described>('prepare', { ...STOP, stop: null, trail: '1' })).toMatchObject({
      warnings: [expect.stringContaining('usually moves within a minute'), expect.stringContaining('Only pit knows')],
    });
  });

  it.each([
    ['order', { price: 'bid' }, 'Only kind algo takes that: prepare that kind instead.'],
    ['ladder', { price: 'ask+1%:ask+2%:2' }, 'Only kind algo takes that: prepare that kind instead.'],
    ['replace', { orders: ['1'] }, 'Only kind algo takes that: cancel the order, then prepare that kind.'],
    ['cancel', { orders: ['1'] }, 'Leave that out.'],
  ])('a stop with kind %s is refused, and no hint would place the order without it', async (kind, given, hint) => {
    const agent = await unattended();
    expect(await agent.failed('prepare', { ...STOP, kind, ...given })).toMatchObject({
      message: `${kind} takes no stop.`,
      hint,
    });
  });

  it.each([
    [{ ...STOP, passive: true }, 'passive needs over.', 'Add over.'],
    [
      { ...STOP, type: 'postOnly' },
      'type postOnly belongs to an order with price.',
      'Add price PRICE, or leave it out: a reached stop sends an order of its own type.',
    ],
    [{ ...STOP, price: '1', type: 'ioc', for: '1m' }, 'type ioc and for exclude each other.', 'Give one of them.'],
    [{ ...STOP, chase: true, show: '0.1', price: '1' }, 'chase and show exclude each other.', 'Give one of them.'],
  ])('says what is wrong by the names of its parameters: %j', async (given, message, hint) => {
    expect(await (await unattended()).failed('prepare', given)).toMatchObject({ kind: 'usage', message, hint });
  });

  it('is cancelled, paused and resumed by prepare and commit', async () => {
    const agent = await unattended();
    const { id } = await make(agent, STOP);
    const change = (kind: string) => make(agent, { kind, market: 'btc_usdt', orders: [id] });
    const { warnings } = await agent.done<{ warnings: string[] }>('prepare', {
      kind: 'algoPause',
      market: 'btc_usdt',
      orders: [id],
    });
    expect(warnings).toEqual([`NOT PROTECTED after this: ${id}. No stop of it is sent.`]);
    expect(await change('algoPause')).toMatchObject([{ id, state: 'paused' }]);
    expect(await change('algoResume')).toMatchObject([{ id }]);
    expect(await change('algoCancel')).toMatchObject([{ id, state: 'cancelled' }]);
  });
});

describe('an agent that asks nobody', () => {
  it('may not change the algo orders of the user, whoever prepared it', async () => {
    const agent = await unattended();
    const { id } = await pit.json<Algo>('order sell btc_usdt 0.01 --stop bid-10% --yes');
    const message = `The user made the algo order ${id}, so an agent that runs unattended may not change it.`;
    const asking = await client([], { elicitation: {} });
    for (const kind of ['algoCancel', 'algoPause', 'algoResume']) {
      const change = { kind, market: 'btc_usdt', orders: [id] };
      expect(await agent.failed('prepare', change)).toMatchObject({ message });
      const prepared = await asking.done<Prepared>('prepare', change);
      expect(await agent.failed('commit', { id: prepared.id })).toMatchObject({ message });
    }
    const shown = await pit.json<Algo>(`algo show ${id}`);
    expect(shown).toMatchObject({ ended: null, agent: false });
    expect(shown.state).not.toBe('paused');
  });

  it('is held by its limits for the whole amount, not for a slice or a leg of it', async () => {
    const agent = await unattended();
    const slices = { ...STOP, stop: null, side: 'buy', amount: '0.1', over: '2h', every: '1m' };
    expect((await agent.failed('prepare', slices)).message).toMatch(/^max-order blocks this: as a whole, .* 400 usdt/);
    const bracket = { ...STOP, side: 'buy', price: 'bid-1%', stop: 'bid-5%', take: '45000' };
    expect((await agent.failed('prepare', bracket)).message).toMatch(/the limit .*400 usdt/);
    expect((await agent.failed('prepare', { ...STOP, market: 'eth_usdt' })).message).toContain('only in btc_usdt');
  });

  it('counts an algo order in the day from the moment it is made, although it has placed nothing', async () => {
    const today = await agentDay();
    const agent = await unattended({ 'max-day': `${today + 500}usdt` });
    await make(agent, STOP);
    expect(await refusal(agent, STOP)).toMatch(/^max-day blocks this: with what algo orders of agents may still place/);
    const plain = { kind: 'order', market: 'btc_usdt', side: 'buy', amount: '0.013', price: 'bid-2%' };
    expect(await refusal(agent, plain)).toMatch(
      /^max-day blocks this: with what algo orders of agents may still place/,
    );
  });

  it('counts an algo order as an open order, and a bracket with a take-profit as two', async () => {
    const agent = await unattended({ 'max-open': '2' });
    await make(agent, STOP);
    const bracket = { ...STOP, side: 'buy', price: 'bid-5%', stop: 'bid-9%', take: 'ask+5%' };
    expect(await refusal(agent, bracket)).toMatch(/^max-open blocks this: with it, 3 orders would be open/);
    await make(agent, { ...STOP, stop: 'bid-11%' });
    const plain = { kind: 'order', market: 'btc_usdt', side: 'buy', amount: '0.01', price: 'bid-2%' };
    expect(await refusal(agent, plain)).toMatch(/^max-open blocks this: with it, 3 orders would be open/);
  });

  it('has its orders held by its limits when they are sent, after it has gone', async () => {
    const agent = await unattended({ 'max-order': '290usdt' });
    const { id } = await make(agent, { ...STOP, stop: null, side: 'buy', chase: true, when: ['last>29500'] });
    await agent.end();
    pit.world.exchange.quote('btc_usdt', { bid: '29999.90', ask: '30000.00' });
    pit.world.exchange.trade('btc_usdt', 'sell', '30000.00', '0.01');
    await eventually(async () =>
      expect(await pit.json<Algo>(`algo show ${id}`)).toMatchObject({
        state: 'paused',
        reason: expect.stringContaining('the limit for one order is 290 usdt'),
        children: [],
      }),
    );
  });
});

it('an algo order is confirmed by the user, who reads what it will do and who knows which part', async () => {
  const agent = await client([], { elicitation: {} });
  const { id } = await agent.done<Prepared>('prepare', { ...STOP, take: 'ask+5%' });
  expect((await agent.commit(id, 'decline')).structuredContent.error?.message).toContain('declined');
  expect(await pit.json('algo list')).toEqual([]);
  const again = await agent.done<Prepared>('prepare', { ...STOP, take: 'ask+5%' });
  expect((await agent.commit(again.id, 'accept')).structuredContent.data).toMatchObject({ id: again.id, kind: 'oco' });
  expect(agent.questions.at(-1)).toMatch(
    /^Send this with profile sandbox\?\nalgo order: sell 0\.01 btc_usdt, take-profit .*\nA take-profit to .*\nWhen .* waits for its outcome, and sells what is left\.\n.*\nValue: .* usdt\nWarning: Only pit knows the stop: if no process of pit watches, nothing protects you\.$/s,
  );
});

/** What the day's orders of the account come to. */
async function agentDay(): Promise<number> {
  const { message } = await pit.failure('order buy btc_usdt 100000 --at bid-2% --yes', 2);
  const [, total = ''] = /would come to ([\d,.]+) usdt/.exec(message) ?? [];
  const [, order = ''] = /the order comes to ([\d,.]+) usdt/.exec(message) ?? [];
  const numberOf = (text: string) => Number(text.replaceAll(',', ''));
  return Math.round(numberOf(total) - numberOf(order));
}

it('prepare refuses the limit of a stop that the price band would hold back', async () => {
  const agent = await client([]);
  const { message } = await agent.failed('prepare', { ...STOP, limit: 'bid-40%' });
  expect(message).toMatch(/^price-band blocks this: when the stop is reached, .* so at least /);
});
