import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BatchLine } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import {
  DONE,
  LOST,
  LOST_DONE,
  late,
  type Outcome,
  refused,
  ScriptedExchange,
  TWICE,
} from '../../support/scripted-exchange.js';
import { tradingOf } from '../support/trading.js';
import { place, type RanJob, resume } from './jobs.js';

const BUSY = refused('tooFrequent');
/** Refusals for the moment at which a request arrives, whatever happened to another execution of it, and an answer that is lost. */
const TIMED_REFUSALS = [BUSY, refused('locked'), refused('expired')];
const ANY = [...TIMED_REFUSALS, LOST];
const oddly = (odd: number) => (pair: number) => pair % odd !== 0;

/** What may become of a request; `duplicates` if the network may execute it twice. */
const outcome: fc.Arbitrary<Outcome & { readonly duplicates?: true }> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(DONE) },
  { weight: 2, arbitrary: fc.constantFrom(LOST_DONE, LOST) },
  fc.integer({ min: 1, max: 25 }).map((requests) => late(requests)),
  { weight: 2, arbitrary: fc.constantFrom(BUSY, refused('tooFrequent', 'no', 1)) },
  fc.integer({ min: 1, max: 19 }).map((odd) => ({ accepts: oddly(odd) })),
  fc.integer({ min: 1, max: 19 }).map((odd) => ({ ...LOST_DONE, accepts: oddly(odd) })),
  fc.constant({ accepts: () => false }),
  fc.constant({ times: 2, accepts: (_: number, execution: number) => execution === 0 }),
  fc.constant({ ...TWICE, duplicates: true as const }),
  fc.constant({ ...LOST_DONE, times: 2, duplicates: true as const }),
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom(...TIMED_REFUSALS))
      .map(([requests, refusal]) => ({ ...refusal, times: 1, late: { requests } })),
  },
  fc
    .tuple(fc.constantFrom(0, 1), fc.constantFrom(...TIMED_REFUSALS))
    .map(([times, refusal]) => ({ ...refusal, times })),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 19 }), fc.constantFrom(...ANY))
    .map(([requests, odd, any]) => ({ ...any, times: 1, late: { requests }, accepts: oddly(odd) })),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...ANY))
    .map(([requests, any]) => ({ ...any, times: 2, late: { requests }, duplicates: true as const })),
  fc.constantFrom(...TIMED_REFUSALS).map((refusal) => ({ ...refusal, times: 2, duplicates: true as const })),
  fc.constantFrom('inTrouble' as const, 'insufficientFunds' as const).map((kind) => refused(kind, 'no', 1)),
  fc.constant({
    times: 2,
    accepts: (pair: number, execution: number) => execution === 0 || pair < 5,
    duplicates: true as const,
  }),
);

/** Prices repeat, so that lines are interchangeable. */
const orders = fc
  .array(fc.tuple(fc.integer({ min: 20_000, max: 20_030 }), fc.constantFrom('0.01', '0.010', '0.02')), {
    minLength: 1,
    maxLength: 130,
  })
  .map((pairs) => pairs.map(([price, amount], index): BatchLine => [index + 1, `${price}`, amount]));

const ROUNDS = 12;

it('a batch places no line twice, loses none and finds every duplicate, whatever happens to its requests', async () => {
  await fc.assert(
    fc.asyncProperty(orders, fc.array(outcome, { maxLength: 12 }), fc.boolean(), async (lines, outcomes, isSpot) => {
      const exchange = new ScriptedExchange({}, outcomes);
      const options = { budgetMs: 40_000, tolerance: 60_000 };
      const first = tradingOf(exchange, options);
      let ran = await place(first, { lines, account: isSpot ? 'spot' : 'cross' });
      checkPlaced(exchange, ran);
      let now = first.host.now();
      for (let round = 0; round < ROUNDS && ran.job.counts().unknown + ran.job.counts().notSent > 0; round += 1) {
        const trading = tradingOf(exchange, { ...options, state: first.state, elapsedMs: now - NOW });
        ran = await resume(trading);
        checkPlaced(exchange, ran);
        now = trading.host.now();
      }
      expect({ ending: ran.ending.kind, isChecked: ran.isChecked ?? true }).toEqual({
        ending: 'finished',
        isChecked: true,
      });
      exchange.release();
      const ids = ran.job.lines.flatMap((now) => (now.state === 'placed' ? now.id : []));
      expect([...ids, ...ran.job.duplicates.keys()].sort()).toEqual(exchange.has.orders.map(({ id }) => id).sort());
      if (!outcomes.some(({ duplicates }) => duplicates)) expect(ran.job.duplicates.size).toBe(0);
    }),
    { numRuns: 50 },
  );
});

/** Checks that every line that counts as placed has its own order with its price and amount. */
function checkPlaced(exchange: ScriptedExchange, { job }: RanJob): void {
  const orders = new Map(
    exchange.has.orders.map(({ id, price, amount }) => [id, `${Number(price)} ${Number(amount)}`]),
  );
  const ids = new Set<string>();
  for (const [index, now] of job.lines.entries()) {
    if (now.state !== 'placed') continue;
    const [, price, amount] = job.terms.lines[index] ?? [];
    expect(orders.get(now.id)).toBe(`${Number(price)} ${Number(amount)}`);
    expect(ids.has(now.id)).toBe(false);
    ids.add(now.id);
  }
}
