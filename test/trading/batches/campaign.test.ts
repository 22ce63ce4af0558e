import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BatchLine } from '../../../src/trading/journal/write.js';
import { NOW } from '../../support/fake-host.js';
import { type Answer, FAULTS, respond, serveFaults } from '../../support/fault-server.js';
import { tradingOf } from '../support/trading.js';
import { place, type RanJob, resume } from './jobs.js';
import { ModelExchange, RESET, type Treatment } from './model-exchange.js';

const BUSY = refusal(4002, 'too frequent');
/** Refusals for the moment at which a request arrives, whatever happened to another execution of it. */
const TIMED_REFUSALS = [BUSY, refusal(4001, 'locked'), refusal(3007, 'reqTime')];
const LOST = [RESET, FAULTS['an HTML page with 502'], FAULTS['a body that breaks off']];

/** What may happen to a request; `duplicates` if the network may execute it twice. */
const treatment: fc.Arbitrary<Treatment & { readonly duplicates?: true }> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  fc.constant({ answer: RESET }),
  fc.constant({ times: 0, answer: RESET }),
  fc.constant({ answer: FAULTS['an HTML page with 502'] }),
  fc.constant({ times: 0, answer: FAULTS['a body that breaks off'] }),
  fc.integer({ min: 1, max: 25 }).map((late) => ({ late, answer: RESET })),
  fc.constant({ times: 0, answer: BUSY }),
  fc.constant({ answer: BUSY }),
  fc.integer({ min: 1, max: 19 }).map((odd) => ({ accepts: (pair: number) => pair % odd !== 0 })),
  fc.integer({ min: 1, max: 19 }).map((odd) => ({ accepts: (pair: number) => pair % odd !== 0, answer: RESET })),
  fc.constant({ accepts: () => false }),
  fc.constant({ times: 2, accepts: (_: number, time: number) => time === 0 }),
  fc.constant({ times: 2, duplicates: true as const }),
  fc.constant({ times: 2, answer: RESET, duplicates: true as const }),
  {
    weight: 3,
    arbitrary: fc.record({ late: fc.integer({ min: 1, max: 60 }), answer: fc.constantFrom(...TIMED_REFUSALS) }),
  },
  fc.record({ times: fc.constantFrom(0, 1), answer: fc.constantFrom(...TIMED_REFUSALS) }),
  fc
    .tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 19 }),
      fc.constantFrom(...TIMED_REFUSALS, ...LOST),
    )
    .map(([late, odd, answer]) => ({ late, accepts: (pair: number) => pair % odd !== 0, answer })),
  fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...TIMED_REFUSALS, ...LOST))
    .map(([late, answer]) => ({ times: 2, late, answer, duplicates: true as const })),
  fc.constantFrom(...TIMED_REFUSALS).map((answer) => ({ times: 2, answer, duplicates: true as const })),
  fc.constantFrom(...[1002, 1009, 2009].map((code) => refusal(code, 'no'))).map((answer) => ({ answer })),
  fc.constant({ times: 2, accepts: (pair: number, time: number) => time === 0 || pair < 5, duplicates: true as const }),
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
  let exchange = new ModelExchange();
  const server = await serveFaults({ answer: ({ target }) => exchange.answer(target) });
  await fc.assert(
    fc.asyncProperty(
      orders,
      fc.array(treatment, { maxLength: 12 }),
      fc.boolean(),
      async (lines, treatments, isSpot) => {
        exchange = new ModelExchange([...treatments]);
        const options = { budgetMs: 40_000, tolerance: 60_000 };
        const first = tradingOf(server.url, options);
        let ran = await place(first, { lines, account: isSpot ? 'spot' : 'cross' });
        checkPlaced(exchange, ran);
        let now = first.host.now();
        for (let round = 0; round < ROUNDS && ran.job.counts().unknown + ran.job.counts().notSent > 0; round += 1) {
          const trading = tradingOf(server.url, { ...options, state: first.state, elapsedMs: now - NOW });
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
        expect([...ids, ...ran.job.duplicates.keys()].sort()).toEqual(exchange.orders.map(({ id }) => id).sort());
        if (!treatments.some(({ duplicates }) => duplicates)) expect(ran.job.duplicates.size).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});

function refusal(code: number, message: string): Answer {
  return respond(`{"code":"${code}","message":"${message}"}`);
}

/** Checks that every line that counts as placed has its own order with its price and amount. */
function checkPlaced(exchange: ModelExchange, { job }: RanJob): void {
  const orders = new Map(exchange.orders.map(({ id, price, amount }) => [id, `${Number(price)} ${Number(amount)}`]));
  const ids = new Set<string>();
  for (const [index, now] of job.lines.entries()) {
    if (now.state !== 'placed') continue;
    const [, price, amount] = job.terms.lines[index] ?? [];
    expect(orders.get(now.id)).toBe(`${Number(price)} ${Number(amount)}`);
    expect(ids.has(now.id)).toBe(false);
    ids.add(now.id);
  }
}
