import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attempt,
  type List,
  type Row,
  reconcile,
  type WantedItem,
} from '../../../src/trading/settling/reconcile.js';

const TOLERANCE = 60_000;
const START = 1_000_000;

/** The largest errors that `SLACK_MS` covers together: of the clock, of the list's dates, and of its lag. */
const MOST = { clock: 2_000, dates: 1_000, lag: 2_000 };

/** A request and its executions. Each execution places the items in its mask. */
interface SimulatedRequest {
  readonly pauseMs: number;
  readonly clockMs: number;
  readonly keys: readonly number[];
  readonly executions: readonly { readonly after: number; readonly mask: number; readonly lagMs: number }[];
  /** Which execution is answered; undefined if no answer arrives. */
  readonly answered: number | undefined;
}

const simulatedRequest: fc.Arbitrary<SimulatedRequest> = fc.record({
  pauseMs: fc.integer({ min: 0, max: 50_000 }),
  clockMs: fc.integer({ min: -MOST.clock, max: MOST.clock }),
  keys: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 4 }),
  executions: fc.array(
    fc.record({
      after: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
      mask: fc.oneof({ weight: 3, arbitrary: fc.constant(15) }, fc.integer({ min: 0, max: 15 })),
      lagMs: fc.integer({ min: 0, max: MOST.lag }),
    }),
    { maxLength: 3 },
  ),
  answered: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
});

const checks = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 40_000 }),
    clockMs: fc.integer({ min: -MOST.clock, max: MOST.clock }),
    reachMs: fc.option(fc.integer({ min: 0, max: 120_000 }), { nil: Number.POSITIVE_INFINITY }),
  }),
  { maxLength: 12 },
);

const scenario = fc.record({
  requests: fc.array(simulatedRequest, { minLength: 1, maxLength: 6 }),
  foreign: fc.array(fc.record({ at: fc.integer({ min: 0, max: 300_000 }), matchKey: fc.integer({ min: 0, max: 2 }) }), {
    maxLength: 4,
  }),
  checks,
  datesMs: fc.integer({ min: -MOST.dates, max: MOST.dates }),
});

interface Placed extends Row {
  readonly attempt: string | undefined;
  readonly visibleAt: number;
  readonly at: number;
}

interface Options {
  /** Whether several items may be identical. */
  readonly sharesKeys: boolean;
  /** Whether another program places orders identical to pit's. */
  readonly hasIdenticalForeign: boolean;
}

/** The requests, what pit knows of them, and the outcomes that it reported. */
class Model {
  readonly #datesMs: number;
  readonly #options: Options;

  readonly rows: Placed[] = [];
  readonly attempts: Attempt[] = [];
  readonly outcomes = new Map<string, 'placed' | 'refused' | 'notSent'>();
  readonly orders = new Map<string, string>();
  readonly reported: string[] = [];
  readonly known = new Set<string>();
  readonly closed = new Map<string, number>();
  #ids = 1_000;

  constructor(datesMs: number, options: Options) {
    this.#datesMs = datesMs;
    this.#options = options;
  }

  send(now: number, index: number, { clockMs, keys, executions, answered }: SimulatedRequest): void {
    const id = `request ${index}`;
    const reqTime = now + clockMs;
    const own = keys.map((key, line) => (this.#options.sharesKeys ? `alike ${key}` : `${id} line ${line}`));
    const latest = reqTime + TOLERANCE;
    const placed = executions.map(({ after, mask, lagMs }) => {
      const at = Math.round(now + Math.max(0, latest - now) * after);
      return own.flatMap((key, line) => ((mask >> line) % 2 === 0 ? [] : this.#place(key, at, lagMs, id)));
    });
    const ids = answered === undefined || executions[answered]?.after !== 0 ? undefined : placed[answered];
    const isAll = ids !== undefined && ids.length === own.length;
    const items = own.map((key, line): WantedItem => {
      const order = isAll ? (ids[line] ?? null) : null;
      if (order !== null) this.#settle(`${id} ${line}`, 'placed', order);
      return { id: `${id} ${line}`, matchKey: key, rowId: order, state: isAll ? 'placed' : 'pending' };
    });
    const answer = ids === undefined ? 'lost' : isAll ? 'decided' : ids.length === 0 ? 'refused' : 'named';
    const named = answer === 'named' ? (ids ?? []) : [];
    this.attempts.push({
      id,
      writeId: id,
      items,
      response: answer,
      responseIds: named,
      reqTime,
    });
  }

  foreign(at: number, matchKey: number): void {
    this.#place(this.#options.hasIdenticalForeign ? `alike ${matchKey}` : `foreign ${matchKey}`, at, 0, undefined);
  }

  check(now: number, clockMs: number, reachMs: number): void {
    const since = now - reachMs + this.#datesMs;
    const visible = this.rows.filter(({ at, visibleAt, time }) => at <= now && visibleAt <= now && time >= since);
    const list: List = {
      rows: visible.sort((one, other) => other.time - one.time || Number(other.id) - Number(one.id)),
      began: now + clockMs,
      since,
    };
    const open = this.attempts.filter(({ id }) => !this.closed.has(id));
    const context = { accountedFor: this.known, expiredTo: Number.POSITIVE_INFINITY, requestLifetime: TOLERANCE };
    const { outcomes, duplicates, closed } = reconcile(open, list, context);
    for (const { item, rows } of duplicates) {
      this.reported.push(...rows.map(({ id }) => id));
      for (const { id } of rows) this.known.add(id);
      const [first] = rows;
      if (item.rowId === null && first !== undefined) this.orders.set(item.id, first.id);
    }
    for (const [id, outcome] of outcomes)
      this.#settle(id, outcome.outcome, outcome.outcome === 'placed' ? outcome.id : undefined);
    for (const [index, attempt] of this.attempts.entries()) this.attempts[index] = this.#updated(attempt);
    for (const id of closed) {
      this.closed.set(id, now);
      const attempt = this.attempts.find((one) => one.id === id);
      for (const { rowId: order } of attempt?.items ?? []) if (order !== null) this.known.add(order);
    }
  }

  #updated(attempt: Attempt): Attempt {
    const items = attempt.items.map((item): WantedItem => {
      const outcome = this.outcomes.get(item.id);
      const order = this.orders.get(item.id) ?? null;
      return {
        ...item,
        rowId: order,
        state: order !== null ? 'placed' : outcome === undefined ? 'pending' : 'absent',
      };
    });
    const orders = items.map(({ rowId }) => rowId);
    return { ...attempt, items, responseIds: attempt.responseIds.filter((id) => !orders.includes(id)) };
  }

  #settle(item: string, outcome: 'placed' | 'refused' | 'notSent', order: string | undefined): void {
    if (this.outcomes.has(item)) throw new Error(`${item} has two outcomes`);
    this.outcomes.set(item, outcome);
    if (order !== undefined) this.orders.set(item, order);
  }

  #place(matchKey: string, at: number, lagMs: number, attempt: string | undefined): string {
    this.#ids += 1;
    const id = String(this.#ids);
    this.rows.push({ id, matchKey, time: at + this.#datesMs, at, visibleAt: at + lagMs, attempt });
    return id;
  }
}

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** Runs a scenario, and afterwards checks once more when nothing can be executed any more. */
function run({ requests, foreign, checks: between, datesMs }: Scenario, options: Options): Model {
  const model = new Model(datesMs, options);
  for (const { at, matchKey } of foreign) model.foreign(START + at, matchKey);
  const steps: { readonly at: number; readonly act: (now: number) => void }[] = [];
  let now = START;
  for (const [index, request] of requests.entries()) {
    now += request.pauseMs;
    steps.push({ at: now, act: (at) => model.send(at, index, request) });
  }
  const end = now + 2 * TOLERANCE;
  now = START;
  for (const { pauseMs, clockMs, reachMs } of between) {
    now += pauseMs;
    steps.push({ at: now, act: (at) => model.check(at, clockMs, reachMs) });
  }
  for (const { at, act } of steps.sort((one, other) => one.at - other.at)) act(at);
  // orders of unanswered requests are left to the lists after the end
  for (const after of [1, 2, 3]) {
    model.check(Math.max(end, now) + after, 0, Number.POSITIVE_INFINITY);
  }
  return model;
}

const RUNS = { numRuns: 600 };

describe('any interleaving of requests, executions and lists', () => {
  it('gives each item one true outcome, and reports each row beyond it exactly once', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const model = run(given, { sharesKeys: false, hasIdenticalForeign: false });
        const wrong: string[] = [];
        for (const { id, items } of model.attempts) {
          if (!model.closed.has(id)) wrong.push(`${id} is not closed`);
          for (const item of items) {
            const ids = model.rows.filter(({ matchKey }) => matchKey === item.matchKey).map((row) => row.id);
            const order = model.orders.get(item.id);
            if (order !== undefined && !ids.includes(order)) wrong.push(`${item.id} is ${order}, not one of ${ids}`);
            if (model.outcomes.get(item.id) === 'notSent' && ids.length > 0) wrong.push(`${item.id} was sent: ${ids}`);
            const reported = model.reported.filter((row) => ids.includes(row));
            const isLate = model.outcomes.get(item.id) === 'refused' && ids.length > 0;
            const count = isLate ? ids.length : Math.max(0, ids.length - 1);
            if (reported.length !== count) wrong.push(`${reported} of ${item.id} are reported, not ${count} of ${ids}`);
            if (new Set(reported).size !== reported.length) wrong.push(`one of ${reported} is reported twice`);
          }
        }
        const own = new Set(model.rows.flatMap(({ id, attempt }) => (attempt === undefined ? [] : id)));
        const foreign = model.reported.filter((row) => !own.has(row));
        expect({ wrong, foreign }).toEqual({ wrong: [], foreign: [] });
      }),
      RUNS,
    );
  });

  it('accounts for each row once if several orders are identical', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const model = run(given, { sharesKeys: true, hasIdenticalForeign: false });
        for (const matchKey of new Set(
          model.rows.filter(({ attempt }) => attempt !== undefined).map((row) => row.matchKey),
        )) {
          const ids = model.rows.filter((row) => row.matchKey === matchKey).map(({ id }) => id);
          const accounted = [...new Set([...model.orders.values(), ...model.reported])].filter((id) =>
            ids.includes(id),
          );
          expect(accounted.sort()).toEqual(ids.sort());
        }
        expect(new Set(model.reported).size).toBe(model.reported.length);
        const orders = [...model.orders.values()];
        expect(new Set(orders).size).toBe(orders.length);
      }),
      RUNS,
    );
  });

  it('reports only existing rows, each once, even if another program places identical orders', () => {
    fc.assert(
      fc.property(scenario, (given) => {
        const model = run(given, { sharesKeys: true, hasIdenticalForeign: true });
        const rows = new Set(model.rows.map(({ id }) => id));
        expect(new Set(model.reported).size).toBe(model.reported.length);
        expect([...model.reported, ...model.orders.values()].every((id) => rows.has(id))).toBe(true);
      }),
      RUNS,
    );
  });
});
