import { describe, expect, it } from 'vitest';
import { batchQuestion, type PlannedBatch, summaryOf } from '../../../src/commands/order/batch-preview.js';
import {
  BATCH_NOT_CHECKED_FOR_DUPLICATES,
  batchAnswer,
  progressOf,
  RunningJob,
} from '../../../src/commands/order/batch-result.js';
import type { WriteContext } from '../../../src/commands/writes/write.js';
import { adviceParts, Failure } from '../../../src/errors.js';
import type { BatchEvent } from '../../../src/trading/batches/batch-event.js';
import type { Job } from '../../../src/trading/batches/job.js';
import type { Ending } from '../../../src/trading/batches/job-run.js';
import type { BatchLine } from '../../../src/trading/journal/write.js';
import type { BrokenRules } from '../../../src/trading/orders/changed-rules.js';
import { adviceText } from '../../support/advice.js';
import { NOW } from '../../support/fake-host.js';
import {
  AWAY,
  anOrder,
  LOST_DONE,
  type Outcome,
  type Request,
  ScriptedExchange,
} from '../../support/scripted-exchange.js';
import { pipe } from '../../terminal/screens.js';
import { begin, JOB, lines, recordedJob } from '../../trading/batches/jobs.js';
import { MARKET } from '../../trading/support/market.js';
import { tradingOf } from '../../trading/support/trading.js';

const ORDER = anOrder({ price: '20000.00', fee: '0', feeCoin: 'btc', time: NOW });

const FINISHED: Ending = { kind: 'finished' };

const sent = (request: number, ...of: number[]): BatchEvent => ({
  ...{ kind: 'sending', requests: [[request, of]], reqTime: NOW },
});
const placed = (request: number, ...ids: string[]): BatchEvent => ({ kind: 'answered', request, ids, message: null });
const closed = (request: number, outcome: 'refused' | 'notSent', reason: string): BatchEvent => ({
  ...{ kind: 'closed', request, outcome, reason, code: null },
});
const lost = (request: number): BatchEvent => ({ kind: 'lost', request });

/** What a person reads of a job, and the failure of the command. */
function told(job: Job, ending = FINISHED) {
  const { show, failure } = batchAnswer(job, ending);
  return { rows: show?.(pipe()).trimEnd().split('\n'), failure };
}

/** The failure of a job that placed nothing. */
function failureOf(job: Job, ending: Ending, broken?: BrokenRules): Failure {
  try {
    batchAnswer(job, ending, broken);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
  }
  throw new Error('it did not fail');
}

describe('the result of a batch', () => {
  it('counts its orders if all of them are placed, and fails in nothing', () => {
    const job = recordedJob(lines(2), [sent(1, 0, 1), placed(1, '7', '8')]);
    expect(told(job)).toEqual({ rows: ['job     job1', 'placed  2'], failure: undefined });
    expect(progressOf(job)).toBe('2 of 2 orders placed');
  });

  it('lists the others with their reasons, and those that were not sent as one row', () => {
    const job = recordedJob(lines(6), [
      ...[sent(1, 0), placed(1, '7'), sent(2, 1, 2), closed(2, 'refused', 'bad price')],
    ]);
    const { rows, failure } = told(job);
    expect(rows?.map((row) => row.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'job | job1',
      'placed | 1',
      'refused | 2',
      'not sent | 3',
      '',
      expect.stringMatching(/^line \| price \| amount \| outcome \| why$/),
      '2 | 20,001 | 0.01 | refused | bad price',
      '3 | 20,002 | 0.01 | refused | bad price',
      expect.stringMatching(/^4 to 6 \| 20,003… \| 0\.01… \| not sent \| -$/),
    ]);
    expect(failure).toMatchObject({
      ...{
        kind: 'partial',
        message: '1 of 6 orders placed, 2 refused, 3 not sent: rejected by the exchange: bad price.',
      },
    });
  });

  it('keeps lines apart that were not sent for different reasons', () => {
    const job = recordedJob(lines(4), [
      ...[sent(1, 0, 1), lost(1), closed(1, 'notSent', 'one'), sent(2, 2, 3), lost(2), closed(2, 'notSent', 'other')],
    ]);
    const failure = failureOf(job, FINISHED);
    expect(failure.kind).toBe('unreachable');
    const placedOne = recordedJob(lines(5), [
      ...job.entry.events.flatMap((event) => event.batchEvent ?? []),
      sent(3, 4),
      placed(3, '9'),
    ]);
    const rows = told(placedOne).rows?.filter((row) => row.includes(' to '));
    expect(rows?.map((row) => row.split(/ {2,}/)[0])).toEqual(['1 to 2', '3 to 4']);
  });

  it('shows a person fifty rows and how many more there are', () => {
    const wanted = lines(52);
    const job = recordedJob(wanted, [
      ...wanted.slice(0, 51).flatMap((_, line) => [sent(line + 1, line), closed(line + 1, 'refused', 'no')]),
      ...[sent(99, 51), placed(99, '7')],
    ]);
    const { rows } = told(job);
    expect(rows?.at(-1)).toBe('And 1 more; --json and --csv list all.');
    expect(rows?.filter((row) => row.includes('refused  '))).toHaveLength(51);
  });

  it('is unknown if the outcome of one order is, and may be resumed', () => {
    const { failure } = told(recordedJob(lines(2), [sent(1, 0), placed(1, '7'), sent(2, 1), lost(2)]));
    expect(failure).toMatchObject({
      kind: 'unknown',
      message: 'It is unknown whether every order was placed: 1 of 2 orders placed, 1 unknown.',
      clientId: 'job1',
    });
    expect(failure?.hints[0]).toBe('Do not place them again before you know.');
  });

  it.each<[string, Ending, string]>([
    ['the time', { kind: 'time' }, '1 of 2 orders placed, 1 not sent: the time ran out.'],
    ['a host', { kind: 'unreachable', reason: 'no answer' }, '1 of 2 orders placed, 1 not sent: no answer.'],
    [
      'a refusal',
      { kind: 'refused', refusal: { kind: 'other', code: 1, message: 'no more' } },
      '1 of 2 orders placed, 1 not sent: rejected by the exchange: no more.',
    ],
    ['nothing that is known', FINISHED, '1 of 2 orders placed, 1 not sent: the answer lists the reasons.'],
    [
      'its record',
      { kind: 'unrecorded', failure: new Failure('internal', 'The disk is full.', { hint: 'Make room.' }) },
      '1 of 2 orders placed, 1 not sent. The disk is full.',
    ],
  ])('that %s ended says so', (_, ending, message) => {
    const { failure } = told(recordedJob(lines(2), [sent(1, 0), placed(1, '7')]), ending);
    expect(failure).toMatchObject({ kind: 'partial', message });
    expect(failure?.hints.at(-1)).toMatchObject({ note: 'To continue' });
    if (ending.kind === 'unrecorded') expect(failure?.hints[0]).toBe('Make room.');
  });

  it.each<[string, Ending, Failure['kind'], string]>([
    ['limits', { kind: 'limited', reason: 'the limits' }, 'limited', 'None of the 2 orders was placed: the limits.'],
    ['time', { kind: 'time' }, 'unreachable', 'None of the 2 orders was placed: the time ran out.'],
    [
      'a host that is away',
      { kind: 'unreachable', reason: 'no answer' },
      ...(['unreachable', 'None of the 2 orders was placed: no answer.'] as const),
    ],
  ])('that placed nothing for %s fails with the kind of that', (_, ending, kind, message) => {
    expect(failureOf(recordedJob(lines(2), []), ending)).toMatchObject({ kind, message });
  });
});

describe('what a user can do about a batch', () => {
  const RESUME = 'pit order batch buy btc_usdt --resume job1';
  const refusal = { kind: 'badPrice', code: 2012, message: 'bad price' } as const;
  const refusedLine: BatchEvent = {
    ...closed(1, 'refused', 'bad price'),
    refusal: 'badPrice',
    code: 2012,
  } as BatchEvent;
  const broken: BrokenRules = {
    ...{ text: 'The rules of btc_usdt have changed.', advice: 'Use a price of 20000.' },
    fitting: { price: '20000', amount: '0.01' },
  };

  it.each<
    [
      what: string,
      events: readonly BatchEvent[],
      ending: Ending,
      rules: BrokenRules | undefined,
      hints: readonly string[],
    ]
  >([
    [
      'stopped by limits',
      [],
      { kind: 'limited', reason: 'the limits' },
      undefined,
      [`When that is over, continue: ${RESUME}`],
    ],
    [
      'whose host is away',
      [],
      { kind: 'unreachable', reason: 'no answer' },
      undefined,
      ['Check the host and the network: pit profile show', `Then continue: ${RESUME}`],
    ],
    [
      'that the exchange refuses',
      [],
      { kind: 'refused', refusal },
      undefined,
      ['If the order is PostOnly, its price must not cross the book.', 'See the book: pit depth MARKET'],
    ],
    [
      'whose lines break changed rules',
      [sent(1, 0, 1), refusedLine],
      FINISHED,
      broken,
      ['The rules of btc_usdt have changed.', 'Use a price of 20000.'],
    ],
    [
      'that was not recorded',
      [],
      { kind: 'unrecorded', failure: new Failure('internal', 'The disk is full.', { hint: 'Make room.' }) },
      undefined,
      ['Make room.'],
    ],
  ])('%s that placed nothing', (_, events, ending, rules, hints) => {
    expect(failureOf(recordedJob(lines(2), events), ending, rules).hints.map(adviceText)).toEqual(hints);
  });

  it('that placed nothing has the code of the first refusal, and that of a rejection as its kind', () => {
    expect(failureOf(recordedJob(lines(2), [sent(1, 0, 1), refusedLine]), FINISHED)).toMatchObject({
      ...{ kind: 'refused', code: 2012, refusal: 'badPrice', clientId: 'job1' },
      message: 'None of the 2 orders was placed: rejected by the exchange: bad price.',
    });
  });

  it.each<[what: string, wanted: number, rules: BrokenRules | undefined, hints: readonly string[]]>([
    ['of which nothing is left', 2, undefined, ['The answer lists the outcome of each line.']],
    ['of which a line is left', 3, undefined, [`To continue: ${RESUME}`]],
    [
      'whose lines break changed rules',
      2,
      broken,
      ['The rules of btc_usdt have changed.', 'Use a price of 20000.', 'The answer lists the outcome of each line.'],
    ],
  ])('%s that placed one line', (_, wanted, rules, hints) => {
    const events = [sent(1, 1), refusedLine, sent(2, 0), placed(2, '7')];
    const { failure } = batchAnswer(recordedJob(lines(wanted), events), FINISHED, rules);
    expect([failure?.kind, failure?.hints.map(adviceText)]).toEqual(['partial', hints]);
  });

  it('that is placed more than once names the list, and the duplicates', () => {
    const duplicated: BatchEvent = { kind: 'duplicated', orders: [[0, '9']] };
    const { rows, failure } = told(recordedJob(lines(1), [sent(1, 0), placed(1, '7'), duplicated]));
    expect(rows).toEqual(['job         job1', 'placed      1', 'duplicates  9']);
    expect(failure).toMatchObject({ kind: 'partial', message: 'Orders were placed more than once.', clientId: 'job1' });
    expect(failure?.hints.map(adviceText)).toEqual(['See the orders: pit orders btc_usdt']);
  });
});

describe('the answer of a batch for programs', () => {
  it('names an order that an answer named and nothing shows yet, and why a line was refused', () => {
    const events = [sent(1, 0), placed(1, '7'), sent(2, 1), closed(2, 'refused', 'bad price')];
    const { data } = batchAnswer(recordedJob(lines(3), events), FINISHED);
    expect(data).toMatchObject({ placed: 1, refused: 1, unknown: 0, notSent: 1, filled: null, averagePrice: null });
    expect(data.orders.map(({ line, outcome, id, reason }) => [line, outcome, id, reason])).toEqual([
      [1, 'placed', '7', null],
      [2, 'refused', null, 'bad price'],
      [3, 'notSent', null, null],
    ]);
  });

  it.each<[shown: number, text: string | undefined, filled: string | null]>([
    [0, undefined, null],
    [1, 'filled  at least 0.004 btc for 80 usdt, at 20,000.00 on average, fee 0.00001 btc', null],
    [2, 'filled  0.008 btc for 160 usdt, at 20,000.00 on average, fee 0.00002 btc', '0.008'],
  ])('sums up fills only if all of its orders are shown, here %i of 2', (shown, text, filled) => {
    const job = recordedJob(lines(2), [sent(1, 0, 1), placed(1, '7', '8')]);
    for (const id of ['7', '8'].slice(0, shown))
      job.listed.set(id, { ...ORDER, id, filled: '0.004', filledValue: '80', fee: '0.00001' });
    const { data, show } = batchAnswer(job, FINISHED);
    const rows = show(pipe())
      .split('\n')
      .filter((row) => row.startsWith('filled'));
    expect([rows[0], data.filled]).toEqual([text, filled]);
    expect(data.orders[0]).toMatchObject({ state: shown === 0 ? null : 'open', filled: shown === 0 ? null : '0.004' });
  });

  it.each<[orders: string, events: BatchEvent[], text: string[]]>([
    ['all of its orders', [sent(1, 0), lost(1), sent(2, 1), lost(2)], []],
    [
      'one of its orders',
      [sent(1, 0), placed(1, '7'), sent(2, 1), lost(2)],
      ['filled   at least 0.004 btc for 80 usdt, at 20,000.00 on average, fee 0.00001 btc'],
    ],
  ])('sums up nothing while it is unknown what became of %s', (_, events, text) => {
    const job = recordedJob(lines(2), events);
    job.listed.set('7', { ...ORDER, id: '7', filled: '0.004', filledValue: '80', fee: '0.00001' });
    const { data, show } = batchAnswer(job, FINISHED);
    expect(data).toMatchObject({ filled: null, filledValue: null, averagePrice: null, fee: null, feeCoin: null });
    const rows = show(pipe()).split('\n');
    expect(rows.filter((row) => row.startsWith('filled'))).toEqual(text);
  });
});

describe('the question of a batch', () => {
  const planned = (orders: readonly BatchLine[], more: Partial<PlannedBatch> = {}) =>
    ({
      plan: { side: 'buy', market: MARKET },
      lines: orders,
      summary: summaryOf(orders),
      ...more,
    }) as unknown as PlannedBatch;
  const resumed = recordedJob(lines(1), []);
  const [first] = lines(1);

  it.each<[string, PlannedBatch, boolean]>([
    ['Place this order: buy 0.01 btc_usdt at 20,000.00?', planned(lines(1)), false],
    ['Place these 2 orders: buy 0.02 btc_usdt in all at 20,000.00 to 20,001.00?', planned(lines(2)), false],
    [
      'Place these 2 orders: buy 0.02 btc_usdt in all at 20,000.00?',
      planned([...lines(1), ...(first === undefined ? [] : [first])]),
      false,
    ],
    ['Place this order as they are now: buy 0.01 btc_usdt at 20,000.00?', planned(lines(1)), true],
    ['Continue: buy 0.01 btc_usdt at 20,000.00?', planned(lines(1), { resumed }), false],
    ['Continue?', planned([], { resumed }), false],
  ])('is "%s"', (question, batch, isAgain) => {
    expect(batchQuestion(batch, isAgain)).toBe(question);
  });
});

describe('a batch that runs', () => {
  /** A running job, what its terminal shows at each request, and what it warns of. */
  async function running(count: number, outcomes: readonly Outcome[] = [], verbose = false) {
    const exchange = new ScriptedExchange({}, outcomes);
    const trading = tradingOf(exchange);
    const shown: string[] = [];
    const warned: string[] = [];
    const asked: unknown[] = [];
    const stopping = new AbortController();
    let show: (() => string) | undefined;
    let during: (request: Request, running: RunningJob) => Failure | undefined = () => undefined;
    const output = {
      errorScreen: pipe(),
      warn: (text: string) => warned.push(text),
      live: (text: (room: number) => string, meaning: () => string, everyMs: number) => {
        asked.push(everyMs);
        show = () => `${meaning()}: ${text(60)}`;
        return () => {
          show = undefined;
        };
      },
    };
    const look = () => {
      const text = show?.();
      if (text !== undefined && text !== shown.at(-1)) shown.push(text);
    };
    const { sleep } = trading.host;
    Object.assign(trading.host, {
      sleep: (milliseconds: number) => {
        look();
        return sleep(milliseconds);
      },
    });
    const job = await begin(trading, { lines: lines(count) });
    const context = { trading, output, budget: trading.budget, globals: { verbose } } as unknown as WriteContext;
    const run = new RunningJob(context);
    exchange.onRequest = (request) => {
      look();
      return during(request, run) ?? undefined;
    };
    return {
      ...{ run, job, exchange, trading, shown, warned, asked, stopping },
      isShown: () => show !== undefined,
      ran: (at: typeof during = () => undefined) => {
        during = at;
        return run.run(job, stopping.signal);
      },
    };
  }

  it.each<[string, lag: number, text: RegExp]>([
    ['is found at once', 0, /^good: 20\/40 .*50% 0 s$/],
    ['is found late', 6, /^faint: Waiting before checking again…$/],
  ])(
    'shows what it does, and nothing once it has ended: a first request without an answer %s',
    async (_, lag, text) => {
      const { ran, shown, warned, asked, isShown, exchange } = await running(40, [LOST_DONE]);
      exchange.lag = lag;
      await ran();
      expect(shown).toEqual([
        expect.stringMatching(/^good: 0\/40 .* 1 s$/),
        'faint: Finding out what is unknown…',
        expect.stringMatching(text),
        'faint: Checking for duplicates…',
      ]);
      expect([warned, asked, isShown()]).toEqual([[], [100], false]);
    },
  );

  it('counts orders that were rejected as done in its progress', async () => {
    const { ran, shown } = await running(40, [{ accepts: (position) => position < 5 }]);
    await ran();
    expect(shown).toContainEqual(expect.stringMatching(/^good: 20\/40 .*50% /));
  });

  it('shows nothing beside the lines of --verbose', async () => {
    const { ran, asked } = await running(1, [], true);
    await ran();
    expect(asked).toEqual([]);
  });

  it('has the time that its requests take beside that of the command', async () => {
    const { ran, trading } = await running(400);
    const before = trading.budget.milliseconds;
    await ran();
    // 20 requests of 20 orders each; 57 requests may leave within 1,010 ms, because three of the key's 60 permits are for cancellations
    expect(trading.budget.milliseconds - before).toBe(355);
  });

  it('warns if it could not be checked for duplicates', async () => {
    const { ran, warned } = await running(1, [LOST_DONE]);
    let lists = 0;
    await ran(({ kind }) => {
      if (kind === 'list') lists += 1;
      return kind === 'list' && lists > 1 ? AWAY : undefined;
    });
    expect(warned).toEqual([BATCH_NOT_CHECKED_FOR_DUPLICATES]);
  });

  it('leaves nothing before it has begun', async () => {
    const { run } = await running(1);
    expect([run.left(), run.soFar()]).toEqual([null, undefined]);
  });

  it('leaves nothing to do once it has ended', async () => {
    const { run, ran } = await running(2);
    await ran();
    const left = run.left();
    expect([left?.advice, left?.clientId]).toEqual([['2 of 2 orders placed.', 'Nothing is left to do.'], JOB]);
  });

  it.each<[string, count: number, at: Request['kind'], outcomes: readonly Outcome[], readonly string[]]>([
    [
      'the check for duplicates',
      1,
      'list',
      [LOST_DONE],
      ['1 of 1 order placed.', 'The check for repeated requests did not finish.', 'Complete it: pit resolve'],
    ],
    [
      'requests that have as many orders as are not sent yet',
      180,
      'batch',
      [],
      [
        '20 of 180 orders placed, 80 unknown, 80 not sent.',
        `To continue: pit order batch buy btc_usdt --resume ${JOB}`,
      ],
    ],
    [
      'the last request',
      21,
      'batch',
      [],
      ['20 of 21 orders placed, 1 unknown.', `To continue: pit order batch buy btc_usdt --resume ${JOB}`],
    ],
  ])('says what is left after a signal during %s', async (_, count, at, outcomes, advice) => {
    const { ran, stopping } = await running(count, outcomes);
    let left: readonly string[] = [];
    const interrupted = ran(({ kind }, run) => {
      if (kind !== at || run.soFar()?.data.placed === 0) return undefined;
      stopping.abort(new Error('stopped'));
      left = adviceParts(run.left()?.advice).map(adviceText);
      return undefined;
    });
    await expect(interrupted).rejects.toThrow('stopped');
    expect(left).toEqual(advice);
  });
});
