import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Failure } from '../../../src/errors.js';
import type { Exchange } from '../../../src/exchange/exchange.js';
import { AlgoRunner } from '../../../src/trading/algos/runner.js';
import type { AlgoEvent } from '../../../src/trading/algos/running-algo.js';
import { AlgoStore, type FactRecord } from '../../../src/trading/algos/store.js';
import { guardLimits } from '../../../src/trading/guards/limits.js';
import { FakeExchange } from '../../support/fake-exchange.js';
import { fakeHost } from '../../support/fake-host.js';
import { temporaryState, tradingOf } from '../support/trading.js';
import { sell } from './support/terms.js';

/** More rounds than a runner needs to end what is cancelled. */
const MOST_ROUNDS = 500;

test('an algo order that another process cancels while the runner takes it up is ended', async () => {
  const state = temporaryState();
  const host = fakeHost();
  /** The other process adds its fact when the runner has just read the record. */
  class CancelledMeanwhile extends AlgoStore {
    #isCancelled = false;

    override read(id: string): FactRecord | undefined {
      const record = super.read(id);
      if (!this.#isCancelled) this.add(id, { fact: 'cancelled', time: 2, reason: 'you cancelled it' });
      this.#isCancelled = true;
      return record;
    }
  }
  const store = new CancelledMeanwhile(host, state, 'account');
  const id = store.create((made) => ({
    ...{ fact: 'began', time: 1, bid: null, ask: null },
    terms: { ...sell('1', { stop: '90' }), id: made },
  }));
  const trading = { ...tradingOf('http://127.0.0.1:9', { state }), client: new FakeExchange() as Exchange };
  const events: AlgoEvent[] = [];
  const ignore = () => undefined;
  const runner: AlgoRunner = new AlgoRunner({
    ...{ host: { ...host, sleep: limited }, store, open: async () => trading, limits: async () => guardLimits({}) },
    ...{
      follow: async () => Promise.reject(new Failure('unreachable', 'no stream')),
      waitForCondition: async () => undefined,
    },
    ...{ report: (event) => events.push(event), warn: ignore, note: ignore, other: ignore },
    ...{ waitsForOther: false, isSeen: true },
  });
  let rounds = 0;
  async function limited(ms: number): Promise<void> {
    rounds += 1;
    if (rounds > MOST_ROUNDS) void runner.stop();
    await host.sleep(ms);
    await setImmediate();
  }
  await runner.run();
  expect(events.map(({ event }) => event)).toContain('ended');
  expect(store.read(id)).toMatchObject({ isPutAway: true, facts: { ended: { reason: 'you cancelled it' } } });
});
