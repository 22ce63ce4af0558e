import { beforeEach, expect, test } from 'vitest';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { eventually } from '../../support/eventually.js';
import type { WorldProcess } from '../../support/world/world.js';
import { useWorldPerTest } from '../pit-home.js';

// `pit algo run` in a world: what it does, step by step, as its events say and as the exchange shows.

const pit = useWorldPerTest({
  limits: UNLIMITED,
  tolerance: 2_000,
  markets: { btc_usdt: { bid: '27999.00', ask: '28000.00' } },
});
let runner: WorldProcess;
/** How far the clock of the machine that watches is set ahead, in ms. */
let ahead = 0;

interface Event {
  readonly id: string;
  readonly event: string;
  readonly text: string;
}

interface Algo {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly unprotected: { readonly since: string; readonly reason: string } | null;
  readonly filled: string;
  readonly remaining: string;
  readonly exit: { readonly level: string | null } | null;
  readonly children: readonly {
    readonly id: string;
    readonly role: string;
    readonly state: string;
    readonly type: string;
    readonly price: string;
    readonly amount: string;
    readonly filled: string;
  }[];
}

const call = (name: AdminCallName, input: object) => pit.administer(name, input);

/** Moves the market to a price, with a trade there. */
function move(price: string): void {
  const { exchange } = pit.world;
  exchange.quote('btc_usdt', { bid: price, ask: (Number(price) + 1).toFixed(2) });
  exchange.trade('btc_usdt', 'sell', price, '0.01');
}

/** Lets the market have a minute that is over, and one before it: a trail is compared with the movement between them. */
async function haveMovement(): Promise<void> {
  for (let minutes = 0; minutes < 2; minutes += 1) {
    await pit.world.pass(60_000);
    move('28000');
  }
}

/** Adds a fault for so many requests of an operation. */
const fault = (kind: string, operation: string, count = 1) => call('POST /faults/add', { kind, operation, count });

beforeEach(async () => {
  move('28000');
  await pit.done('profile set sandbox reqTimeTolerance 2s');
  // its first one keeps it running
  await create('sell btc_usdt 0.001 --stop 20000');
});

function start(): void {
  runner = pit.world.start('algo run --json', { host: { now: () => pit.world.clock.now() + ahead } });
}

async function create(words: string): Promise<string> {
  const { stdout, stderr } = await pit.world.run(`order ${words} --yes --json`, { watchAlgos: start });
  const { id, watched } = JSON.parse(stdout) as { readonly id: string; readonly watched: boolean };
  expect({ watched, stderr }).toEqual({ watched: true, stderr: '' });
  return id;
}

const show = (id: string) => pit.json<Algo>(`algo show ${id}`);

function events(id: string): Event[] {
  const lines = runner.printed.stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Event).filter((event) => event.id === id);
}

const names = (id: string) => events(id).map(({ event }) => event);
const texts = (id: string) =>
  events(id)
    .map(({ text }) => text)
    .join('\n');

/** Whether nothing becomes of it any more. */
const isOver = (id: string) => runner.isOver || names(id).includes('ended');

async function untilEvent(id: string, name: string): Promise<void> {
  await eventually(
    () => expect(names(id), texts(id)).toContain(name),
    () => isOver(id),
  );
}

async function untilState(id: string, state: string): Promise<Algo> {
  // each look at its state runs a command
  if (['done', 'partial'].includes(state)) await untilEvent(id, 'ended');
  return eventually(
    async () => {
      const shown = await show(id);
      expect(shown.state).toBe(state);
      return shown;
    },
    () => isOver(id),
  );
}

test('a stop sends nothing before it is reached, then an IOC order 1 % below the price that reached it, and ends', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  move('27100');
  move('26900');
  const { children, filled } = await untilState(id, 'done');
  expect(names(id).filter((name) => name !== 'note')).toEqual(['triggered', 'placed', 'filled', 'ended']);
  expect(children).toMatchObject([{ role: 'stop', type: 'ioc', state: 'filled' }]);
  const [, reached = ''] = /^Triggered at ([\d,.]+)/.exec(texts(id)) ?? [];
  expect(Number(children[0]?.price)).toBeCloseTo(Number(reached.replaceAll(',', '')) * 0.99, 1);
  expect(filled).toBe('0.01');
});

test('the stop of an OCO cancels the take-profit, and sells only after its outcome is known', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await untilEvent(id, 'placed');
  move('26900');
  await untilState(id, 'done');
  const steps = ['placed', 'triggered', 'childCancelled', 'filled', 'ended'];
  expect(names(id).filter((name) => steps.includes(name))).toEqual([
    ...['placed', 'triggered', 'childCancelled'],
    ...['placed', 'filled', 'ended'],
  ]);
  expect(texts(id)).not.toContain('cancelled elsewhere');
});

test('a cancellation of the take-profit that got no answer is repeated, and the stop sells the amount once', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await untilEvent(id, 'placed');
  await fault('drop-before', 'cancelOrder');
  move('26900');
  const { children, filled } = await untilState(id, 'done');
  expect(children.map(({ role, state }) => `${role} ${state}`)).toEqual(['take cancelled', 'stop filled']);
  expect(filled).toBe('0.01');
});

test('a take-profit that fills ends it, and its stop sends nothing any more', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 28500');
  await untilEvent(id, 'placed');
  move('28600');
  await untilState(id, 'done');
  move('26900');
  expect((await show(id)).children).toMatchObject([{ role: 'take', state: 'filled' }]);
});

test('an order whose answer is lost is found, and not sent again', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await fault('drop-after', 'order');
  move('26900');
  const { children } = await untilState(id, 'done');
  expect(children).toMatchObject([{ role: 'stop', state: 'filled' }]);
});

test('an order that never arrived is sent again under another number once that is certain', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await fault('drop-before', 'order');
  move('26900');
  const { children, filled } = await untilState(id, 'done');
  expect(children).toHaveLength(1);
  expect(filled).toBe('0.01');
});

test('a take-profit that the network made twice is cancelled once, and what is too much is said', async () => {
  await fault('twice', 'order');
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await eventually(async () => {
    const { children } = await show(id);
    expect(children.map(({ state }) => state).sort()).toEqual(['cancelled', 'open']);
  });
  expect(texts(id)).toContain('THE NETWORK MADE AN ORDER TWICE: 0.01 btc more than asked has filled or may fill.');
  move('26900');
  const { filled } = await untilState(id, 'done');
  expect(filled).toBe('0.01');
});

test('a rate limit is waited for, and the order then leaves', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await fault('rate-limit', 'order');
  move('26900');
  await untilState(id, 'done');
  expect(names(id)).toContain('rejected');
});

test('a guard that holds its order back pauses it, says which one, and nothing leaves until it is resumed', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await pit.done('profile set sandbox orderNotional 1usdt');
  move('26900');
  const paused = await untilState(id, 'paused');
  expect(paused.reason).toMatch(/^order-notional: /);
  expect(texts(id)).toMatch(/It is paused: order-notional: .* NOT PROTECTED: no stop is sent meanwhile\./);
  expect(paused.children).toEqual([]);
  expect(paused.unprotected?.reason).toMatch(/^order-notional: /);
  await pit.done('profile unset sandbox orderNotional');
  await pit.done(`algo resume ${id}`);
  expect((await untilState(id, 'done')).filled).toBe('0.01');
});

test('a guard that holds back a later order of the entry leaves the stop of what has filled at work', async () => {
  const id = await create('buy btc_usdt 0.01 --over 1m --every 6s --stop 27000');
  await untilEvent(id, 'filled');
  await pit.done('profile set sandbox orderNotional 1usdt');
  const paused = await untilState(id, 'paused');
  expect(texts(id)).toContain('The stop goes on.');
  await pit.done('profile unset sandbox orderNotional');
  move('26900');
  const ended = await untilState(id, 'partial');
  expect(ended.filled).toBe(paused.filled);
  expect(ended.children.filter(({ role }) => role === 'stop')).toMatchObject([{ state: 'filled' }]);
});

test('a stop that is reached while it is paused is said and not sent, and acts when it is resumed', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await pit.done(`algo pause ${id}`);
  move('26900');
  await eventually(() =>
    expect(texts(id)).toContain('The stop at 27,000 is reached, and the algo order is paused: NOT PROTECTED.'),
  );
  expect((await show(id)).children).toEqual([]);
  await pit.done(`algo resume ${id}`);
  await untilState(id, 'done');
});

test('an order that somebody else cancels is said, not placed again, and the stop goes on', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await untilEvent(id, 'placed');
  const [take] = (await show(id)).children;
  const { stderr } = await pit.run(`cancel btc_usdt ${take?.id}`);
  expect(stderr).toContain(`An order of algo order ${id} was cancelled.`);
  const again = await pit.failure(`cancel btc_usdt ${take?.id}`, 3);
  expect(again.hint).toContain(`pit algo cancel ${id}`);
  await eventually(() => expect(texts(id)).toContain('was cancelled elsewhere. It is not placed again.'));
  move('26900');
  const { children } = await untilState(id, 'done');
  expect(children.map(({ role, state }) => `${role} ${state}`)).toEqual(['take cancelled', 'stop filled']);
});

test('a take-profit is not replaced, not in a dry run either: the new order would fill beside the stop', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await untilEvent(id, 'placed');
  const [take] = (await show(id)).children;
  for (const flag of ['--yes', '--dry-run']) {
    const error = await pit.failure(`order replace btc_usdt ${take?.id} --at 29500 ${flag}`, 2);
    expect(error.message).toBe(
      `Order ${take?.id} is not replaced: it belongs to algo order ${id}, and a new order would not.`,
    );
    expect(error.hint).toContain(`pit algo cancel ${id}`);
  }
  expect((await show(id)).children).toMatchObject([{ role: 'take', state: 'open', price: '29000.00' }]);
  await pit.done(`algo cancel ${id} --yes`);
});

test('a trailing stop follows the best price up, keeps its level when the price falls back, and then acts', async () => {
  await haveMovement();
  const id = await create('sell btc_usdt 0.01 --trail 500');
  move('28400');
  await eventually(async () => expect(Number((await show(id)).exit?.level)).toBeGreaterThan(27_880));
  const { exit } = await show(id);
  move('28100');
  expect((await show(id)).exit?.level).toBe(exit?.level);
  move('27700');
  const { children } = await untilState(id, 'done');
  expect(children).toMatchObject([{ role: 'stop', state: 'filled' }]);
});

test('pit algo list --watch in a pipe prints a document for each change until Ctrl-C', async () => {
  const watch = pit.world.start('algo list --all --watch --json');
  await pit.world.until(() => watch.printed.stdout.includes('\n'));
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  const states = () => {
    const lines = watch.printed.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Algo).flatMap((shown) => (shown.id === id ? shown.state : []));
  };
  await eventually(() => expect(states()).toContain('waiting'));
  move('26900');
  await eventually(() => expect(states().at(-1)).toBe('done'));
  await pit.finish(watch.interrupt('SIGINT'));
  await pit.finish(watch.ended);
  expect(watch.printed.stderr).toBe('');
  expect((await pit.run('algo list --watch --csv')).stderr).toContain('--watch and --csv exclude each other.');
});

test('without current data nothing triggers, which is said once, and so is the end of it', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await call('POST /faults/add', { kind: 'stream-stale' });
  await call('POST /faults/add', { kind: 'drop-before', operation: 'depth' });
  await untilEvent(id, 'blind');
  move('26900');
  expect((await show(id)).children).toEqual([]);
  await call('POST /faults/clear', {});
  await untilEvent(id, 'seen');
  expect(await untilState(id, 'done')).toMatchObject({ trigger: { late: true } });
  expect(names(id).filter((name) => name === 'blind')).toHaveLength(1);
});

test('a halt pauses it within a moment, also one that is made meanwhile by another profile of the machine', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000');
  await pit.done('halt');
  await untilState(id, 'halted');
  move('26900');
  await pit.done('halt --lift --confirm sandbox');
  expect(await show(id)).toMatchObject({
    state: 'paused',
    reason: expect.stringContaining('The halt that paused it is lifted'),
  });
  await pit.done('algo resume --all --yes');
  await untilState(id, 'done');
});

test('a clock of the machine that is set an hour forward, and back, ends nothing before its time and keeps no stop back', async () => {
  const id = await create('buy btc_usdt 0.01 --at 27000 --stop 26000 --for 30m');
  await untilEvent(id, 'placed');
  ahead = 3_600_000;
  move('26900');
  await untilEvent(id, 'filled');
  ahead = 0;
  move('25900');
  expect((await untilState(id, 'done')).children.map(({ role, state }) => `${role} ${state}`)).toEqual([
    'entry filled',
    'stop filled',
  ]);
});

test('Ctrl-C leaves what rests at the exchange and names the command that continues, which does', async () => {
  const id = await create('sell btc_usdt 0.01 --stop 27000 --take 29000');
  await untilEvent(id, 'placed');
  await pit.finish(runner.interrupt('SIGINT'));
  await pit.finish(runner.ended);
  expect(runner.printed.stderr).toMatch(
    /not watched any more; what is open at the exchange stays there\. Continue with: pit algo run"/,
  );
  expect((await show(id)).children).toMatchObject([{ state: 'open' }]);
  move('26900');
  start();
  const { children } = await untilState(id, 'done');
  expect(children.map(({ role, state }) => `${role} ${state}`)).toEqual(['take cancelled', 'stop filled']);
});

test('an iceberg rests one part after the other, also if the answer to one is lost and another process continues', async () => {
  const id = await create('buy btc_usdt 0.07 --at 27500 --show 0.02');
  await untilEvent(id, 'placed');
  const [first] = (await show(id)).children;
  expect(first).toMatchObject({ role: 'entry', type: 'limit', state: 'open', price: '27500.00', amount: '0.020000' });
  await pit.finish(runner.interrupt('SIGINT'));
  move('27400');
  await fault('drop-after', 'order');
  start();
  const { children, filled } = await untilState(id, 'done');
  expect(filled).toBe('0.07');
  expect(children.map(({ role, state, amount }) => `${role} ${state} ${Number(amount)}`).toSorted()).toEqual([
    'entry filled 0.01',
    ...Array(3).fill('entry filled 0.02'),
  ]);
});

test('the next process does not say of a time that it was not seen which the one before has seen until it was ended', async () => {
  await haveMovement();
  const id = await create('sell btc_usdt 0.01 --trail 10%');
  // more trades than an answer of the exchange has, each with a book
  for (let trades = 0; trades < 60; trades += 1) {
    move(trades % 2 === 0 ? '27900' : '27901');
    await pit.world.pass(500);
  }
  await pit.world.finish(runner.interrupt('SIGTERM'));
  await pit.world.until(() => runner.isOver);
  start();
  await pit.world.pass(30_000);
  await untilState(id, 'waiting');
  expect((await pit.json<{ events: Event[] }>(`algo show ${id}`)).events.map(({ event }) => event)).toEqual(['began']);
});
