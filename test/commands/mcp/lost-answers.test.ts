import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { eventually } from '../../support/eventually.js';
import { STILL_MARKETS } from '../../support/world/still-markets.js';
import { useWorldPerTest } from '../pit-home.js';
import { modernMeta } from './client.js';
import { type Done, type Prepared, TradingClient } from './trading-client.js';

const pit = useWorldPerTest({
  limits: UNLIMITED,
  markets: STILL_MARKETS,
});
let client: TradingClient;

const LIMITS = ['--markets', 'btc_usdt', '--max-order', '400usdt', '--max-day', '100000usdt', '--max-open', '40'];
const WORDS = ['--allow-trading', '--commit', 'unattended', ...LIMITS, '--timeout', '12'];

beforeEach(async () => {
  client = new TradingClient({ pit, words: WORDS });
  await client.initialize();
});

afterEach(() => client.end());

const ORDER = { kind: 'order', market: 'btc_usdt', side: 'buy', amount: '0.01', price: 'bid-3%' };

async function ordersOfAll(): Promise<number> {
  return (await pit.json<object[]>('orders btc_usdt --state all --all')).length;
}

it('an unknown outcome says not to repeat it, the same is refused, and resolve tells what became of it', async () => {
  const { id } = await client.done<Prepared>('prepare', ORDER);
  await pit.json('sandbox fault add drop-after --operation order --count 1');
  await pit.json('sandbox fault add drop-before --operation getOrder --count 1000');
  await pit.json('sandbox fault add drop-before --operation getOrders --count 1000');
  const { data, error } = (await client.call('commit', { id })).structuredContent;
  expect(data).toMatchObject({ outcome: 'unknown', clientId: id });
  expect(error).toMatchObject({
    kind: 'unknown',
    hint: `Do not prepare or commit it again: call resolve with the id ${id}.`,
  });
  await pit.done('sandbox fault clear');
  expect(await client.failed('prepare', ORDER)).toMatchObject({ clientId: id });
  expect(await client.failed('commit', { id })).toMatchObject({ message: expect.stringContaining('is not known yet') });
  const resolved = await client.done<Done[]>('resolve', {});
  // once, though its outcome is unknown and was not heard
  expect(resolved).toMatchObject([{ clientId: id, outcome: 'placed' }]);
  expect(await ordersOfAll()).toBe(1);
  // it knows now, and may want another one
  expect(await client.done('prepare', ORDER)).toMatchObject({
    warnings: [expect.stringContaining(`ago as order ${resolved[0]?.id} (${id}).`)],
  });
});

/** Commits, and gives up waiting once the exchange has the orders. */
async function commitUnheard(id: string, orders: number): Promise<void> {
  const before = await ordersOfAll();
  const [requestId, params] = [900, { name: 'commit', arguments: { id } }];
  client.input.write(`${JSON.stringify({ jsonrpc: '2.0', id: requestId, method: 'tools/call', params })}\n`);
  await eventually(async () => expect(await ordersOfAll()).toBe(before + orders));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } };
  client.input.write(`${JSON.stringify(cancelled)}\n`);
}

it.each([
  ['order', ORDER, 1],
  ['ladder', { ...ORDER, kind: 'ladder', price: 'bid-1%:bid-5%:3', amount: '0.03' }, 3],
])(
  'the same %s is refused after a client gave up waiting, until resolve has told it the outcome',
  async (kind, order, count) => {
    const { id } = await client.done<Prepared>('prepare', order);
    const before = await ordersOfAll();
    await pit.json(`sandbox fault add delay --delay 600 --operation ${kind === 'order' ? 'order' : 'orderMoreV2'}`);
    await commitUnheard(id, count);
    // as an unknown write until a list shows it, and after that because nobody was told
    expect(await client.failed('prepare', order)).toMatchObject({ clientId: id });
    await eventually(async () => {
      await ordersOfAll();
      expect(await client.failed('prepare', order)).toMatchObject({
        clientId: id,
        message: `The same was committed as ${id}, and its outcome was not reported. Nothing was sent this time.`,
        hint: expect.stringContaining(`resolve ${id}`),
      });
    });
    await eventually(async () => expect(await client.done('resolve', { id })).toMatchObject([{ outcome: 'placed' }]));
    await client.done('prepare', order);
    expect(await ordersOfAll()).toBe(before + count);
  },
);

it('an answer counts as received only once it was written: until then, the server may be killed', async () => {
  const { id } = await client.done<Prepared>('prepare', ORDER);
  const recorded = () => readFileSync(path.join(pit.home, 'state', 'prepared', id), 'utf8').includes('"known":true');
  const atAnswers: boolean[] = [];
  client.onLine = () => void atAnswers.push(recorded());
  expect(await client.done('commit', { id })).toMatchObject({ outcome: 'placed' });
  expect([atAnswers, recorded()]).toEqual([[false], true]);
});

it('resolve says where to look after a client gave up waiting for a cancellation', async () => {
  const { id: order } = await pit.json<Done>('order buy btc_usdt 0.01 --at bid-3% --yes');
  const { id } = await client.done<Prepared>('prepare', { kind: 'cancel', market: 'btc_usdt', orders: [order] });
  await pit.json('sandbox fault add delay --delay 600 --operation cancelOrder');
  const [requestId, params] = [900, { name: 'commit', arguments: { id } }];
  client.input.write(`${JSON.stringify({ jsonrpc: '2.0', id: requestId, method: 'tools/call', params })}\n`);
  await eventually(async () => expect(await pit.json('orders btc_usdt --state open')).toEqual([]));
  client.input.write(
    `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })}\n`,
  );
  // it never becomes known under the id of the cancellation
  expect(await client.failed('resolve', { id })).toMatchObject({
    kind: 'usage',
    message: `${id} changes other orders, and has no record of its own.`,
    hint: 'Call orders with the id of each.',
  });
});

/** Sends a commit, and whatever else, without a word about who still waits for the answer. Resolves once both were answered. */
async function commitAnd(id: string, delay: number, meanwhile: () => void, answers: number): Promise<void> {
  const before = await ordersOfAll();
  await pit.json(`sandbox fault add delay --delay ${delay} --operation order --count 1`);
  const params = { name: 'commit', arguments: { id } };
  client.input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 950, method: 'tools/call', params })}\n`);
  await eventually(async () => expect(await ordersOfAll()).toBe(before + 1));
  meanwhile();
  for (let answer = 0; answer < answers; answer += 1) await client.nextLine();
}

it.each<[string, number, () => void, number]>([
  ['took longer than four seconds', 4_001, () => undefined, 1],
  [
    'came after another call',
    600,
    () => {
      const other = { jsonrpc: '2.0', id: 951, method: 'tools/call', params: { name: 'markets', arguments: {} } };
      client.input.write(`${JSON.stringify(other)}\n`);
    },
    2,
  ],
])(
  'the same is refused although the commit was answered, if the answer %s: its client may have given up',
  async (_, delay, meanwhile, answers) => {
    const { id } = await client.done<Prepared>('prepare', ORDER);
    await commitAnd(id, delay, meanwhile, answers);
    expect(await client.failed('prepare', ORDER)).toMatchObject({
      kind: 'usage',
      clientId: id,
      message: `The same was committed as ${id}, and pit cannot know whether the answer to that has arrived. Nothing was sent this time.`,
      hint: expect.stringContaining(`resolve ${id}`),
    });
    expect(await client.done('resolve', { id })).toMatchObject([{ outcome: 'placed' }]);
    expect(await client.done('prepare', ORDER)).toMatchObject({
      warnings: [expect.stringContaining('The same was placed')],
    });
  },
);

it('the same is refused if stdout took the answer only after four seconds', async () => {
  const { id } = await client.done<Prepared>('prepare', ORDER);
  const { clock } = pit.world;
  client.onLine = () => void clock.move(clock.now() + 4_001);
  await client.done('commit', { id });
  client.onLine = () => undefined;
  expect(await client.failed('prepare', ORDER)).toMatchObject({ kind: 'usage', clientId: id });
});

describe('a client that gives up a call just after it was answered', () => {
  const GIVEN = `{"kind":"order","market":"btc_usdt","side":"buy","amount":"0.01","price":"bid-3%"}`;
  /** What makes a line one of the older protocol, or of the newer one. */
  const OLDER = '';
  const NEWER = `,"_meta":${JSON.stringify(modernMeta())}`;
  let era = OLDER;

  /** Calls a tool by a line with an id of its own, and returns the line that answers. */
  function called(request: string, name: string, given: string): Promise<string> {
    const params = `{"name":"${name}","arguments":${given}${era}}`;
    return client.line(`{"jsonrpc":"2.0","id":${request},"method":"tools/call","params":${params}}`);
  }

  function giveUp(request: string): void {
    const params = `{"requestId":${request},"reason":"it took too long"}`;
    client.input.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}\n`);
  }

  const idIn = (line: string) => /"id":"((?:pit|a)\w+)"/.exec(line)?.[1] ?? 'none';

  it.each([
    ['older', OLDER, '70', '71'],
    ['newer', NEWER, '"a commit"', '"a resolve"'],
  ])('has the same refused until it has waited for resolve, in the %s protocol', async (_, meta, commit, resolve) => {
    era = meta;
    if (era === NEWER) {
      await client.end();
      client = new TradingClient({ pit, words: WORDS });
    }
    const id = idIn(await called('1', 'prepare', GIVEN));
    expect(await called(commit, 'commit', `{"id":"${id}"}`)).toContain('"outcome":"placed"');
    giveUp(commit);
    const refusal = `The same was committed as ${id}, and pit cannot know whether the answer to that has arrived. Nothing was sent this time.`;
    expect(await called('2', 'prepare', GIVEN)).toContain(refusal);
    // without the id, which it may not know any more
    expect(await called(resolve, 'resolve', '{}')).toContain(`"clientId":"${id}"`);
    giveUp(resolve);
    expect(await called('3', 'prepare', GIVEN)).toContain(refusal);
    expect(await called('4', 'resolve', `{"id":"${id}"}`)).toContain('"outcome":"placed"');
    expect(await called('5', 'prepare', GIVEN)).toContain('The same was placed');
    expect(await ordersOfAll()).toBe(1);
  });

  it('learns about an algo order, too, from resolve without an id', async () => {
    era = OLDER;
    const algo = `{"kind":"algo","market":"btc_usdt","side":"sell","amount":"0.01","stop":"bid-5%"}`;
    const id = idIn(await called('1', 'prepare', algo));
    expect(await called('70', 'commit', `{"id":"${id}"}`)).not.toContain('"error"');
    giveUp('70');
    expect(await called('2', 'prepare', algo)).toContain(`The same was committed as ${id}`);
    expect(await called('3', 'resolve', '{}')).toMatch(new RegExp(`"clientId":"${id}".*"outcome":"placed"`));
    expect(await called('4', 'prepare', algo)).not.toContain('"error"');
  });

  it('has not given up the commit whose id it has used again, nor one of another id', async () => {
    era = OLDER;
    const id = idIn(await called('1', 'prepare', GIVEN));
    await called('70', 'commit', `{"id":"${id}"}`);
    await called('70', 'markets', '{}');
    giveUp('70');
    giveUp('"70"');
    giveUp('71');
    expect(await called('2', 'prepare', GIVEN)).toContain('The same was placed');
  });
});

it('a commit that is repeated while the first one is checked is not told its outcome, and the same is still refused', async () => {
  const { id } = await client.done<Prepared>('prepare', ORDER);
  const before = await ordersOfAll();
  await pit.json('sandbox fault add delay --delay 800 --operation depth --count 1');
  await pit.json('sandbox fault add delay --delay 800 --operation order --count 1');
  const unheard = commitUnheard(id, 1);
  await eventually(async () => expect(readdirSync(path.join(pit.home, 'state', 'prepared'))).toContain(`.${id}.1`));
  expect(await client.failed('commit', { id })).toMatchObject({
    kind: 'unknown',
    message: `${id} was committed already: it is being committed now. Nothing was sent this time.`,
    hint: expect.stringMatching(new RegExp(`^See what became of it: pit .*resolve ${id}$`)),
  });
  await unheard;
  await eventually(() => pit.done(`resolve ${id}`));
  expect(await client.failed('prepare', ORDER)).toMatchObject({
    clientId: id,
    message: expect.stringContaining('its outcome was not reported'),
  });
  expect(await ordersOfAll()).toBe(before + 1);
});

it('of two commits of an id at the same time one sends it, and the other says so', async () => {
  const { id } = await client.done<Prepared>('prepare', ORDER);
  const before = await ordersOfAll();
  const lines = [901, 902].map((number) => {
    const params = { name: 'commit', arguments: { id } };
    return JSON.stringify({ jsonrpc: '2.0', id: number, method: 'tools/call', params });
  });
  client.input.write(`${lines.join('\n')}\n`);
  const answers = [await client.nextLine(), await client.nextLine()].join('\n');
  expect(answers.match(/"outcome":"placed"/g)).toHaveLength(1);
  expect(answers).toMatch(new RegExp(`${id} was committed already: |is being committed`));
  expect(await ordersOfAll()).toBe(before + 1);
});
