import { beforeEach, expect, test } from 'vitest';
import { slow } from '../../support/world/network.js';
import type { WorldProcess } from '../../support/world/world.js';
import { useWorldPerTest } from '../pit-home.js';

// `pit algo cancel` of one algo order while no process watches: it ends that one itself, and watches no other.

const pit = useWorldPerTest({ markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } }, balances: { btc: '1' } });
const CANCEL_MS = 8_000;

interface Algo {
  readonly id: string;
  readonly watched: boolean;
}

let watchers: WorldProcess[] = [];
const watchAlgos = () =>
  watchers.push(pit.world.start('algo run --json', { environment: { PIT_ALGO_BACKGROUND: '1' } }));
const create = (flags: string) => pit.world.json<Algo>(`order sell btc_usdt 0.01 ${flags} --yes`, { watchAlgos });
const watched = async () =>
  Object.fromEntries((await pit.json<Algo[]>('algo list')).map((algo) => [algo.id, algo.watched]));

let cancelled: Algo;
let other: Algo;
let cancelling: WorldProcess;

beforeEach(async () => {
  watchers = [];
  cancelled = await create('--take 31000 --stop 20000');
  other = await create('--stop 20000');
  await pit.world.until(() => pit.world.sent('order').length === 1);
  watchers[0]?.kill();
  pit.world.network.treat = ({ operation }) =>
    operation === 'cancelOrder' ? slow(CANCEL_MS) : { arrives: [0], reply: 'answer' };
  cancelling = pit.world.start(`algo cancel ${cancelled.id} --yes --json`);
  await pit.world.until(() => pit.world.sent('cancelOrder').length === 1);
});

test('the other algo orders are not watched while it ends one, and every command says so', async () => {
  expect(await watched()).toEqual({ [cancelled.id]: false, [other.id]: false });
  const { stderr } = await pit.world.run('ticker btc_usdt');
  expect(stderr).toContain('NOT WATCHED: no process watches');
  await pit.world.until(() => cancelling.isOver);
  expect((await cancelling.ended).code).toBe(0);
});

test('a process that waits for it and is ended says that the others are not watched', async () => {
  const waiting = pit.world.start('algo run');
  await pit.world.until(() => waiting.printed.stderr.includes('cancels algo orders of this account'));
  await pit.world.finish(waiting.interrupt('SIGINT'));
  expect(waiting.printed.stderr).toContain('not watched any more');
});

test('a new algo order gets a process that watches it and the others once the cancelled one has ended', async () => {
  const made = await create('--stop 20000');
  expect([made.watched, watchers.length]).toEqual([true, 2]);
  await pit.world.until(() => cancelling.isOver);
  expect((await cancelling.ended).code).toBe(0);
  expect(await watched()).toEqual({ [other.id]: true, [made.id]: true });
});
