import { describe, expect, it } from 'vitest';
import { byReason, stillOpenFailure } from '../../../src/commands/cancel/all-markets.js';
import { cancelAgain, cancelAllAnswer, cancelAnswer, cancelTable } from '../../../src/commands/cancel/cancel-result.js';
import type { Order } from '../../../src/domain/order.js';
import { Failure, type Hint, suggest } from '../../../src/errors.js';
import { WRONG_KEYS } from '../../../src/exchange/exchange.js';
import type { CancelAttempt, CancelResult } from '../../../src/trading/cancel/cancel-orders.js';
import type { UnknownWrite } from '../../../src/trading/settling/unknown-writes.js';
import { adviceText } from '../../support/advice.js';
import { pipe, terminal } from '../../terminal/screens.js';

const RESULT: CancelResult = {
  outcome: 'cancelled',
  id: '7',
  clientId: null,
  market: 'btc_usdt',
  price: null,
  amount: null,
  filled: null,
  filledValue: null,
  code: 1000,
  message: null,
};
const done: CancelAttempt = { result: RESULT, failure: null, wasRejected: false };
const failed: CancelAttempt = {
  result: { ...RESULT, outcome: 'refused', code: 3001, message: 'order not found' },

  failure: 'refused',
  wasRejected: true,
};

function failureOf(...attempts: CancelAttempt[]): unknown {
  try {
    return cancelAnswer('btc_usdt', attempts, []).failure;
  } catch (error) {
    return error;
  }
}

describe('the failure of several cancellations', () => {
  it.each([
    ['refused', 'The order was not cancelled: order not found.', [failed]],
    ['refused', 'None of the 2 orders was cancelled: order not found.', [failed, failed]],
    ['partial', '1 of 2 orders cancelled, 1 refused: order not found.', [done, failed]],
  ])('the failure is %s with the message: %s', (kind, message, attempts) => {
    expect(failureOf(...attempts)).toMatchObject({ kind, message });
  });

  it('no failure is reported if all were cancelled', () => {
    expect(failureOf(done, done)).toBeUndefined();
  });

  it('no failure is reported for all orders of a market if one filled before, and none is left', () => {
    const all = { attempts: [done, failed], stillOpen: [], orders: new Map(), failure: null };
    expect(cancelAllAnswer('btc_usdt', all, []).failure).toBeUndefined();
  });
});

describe('an order of an algo order that was not cancelled', () => {
  it.each([
    ['Algo order aaaaaaa placed it and may place more. To end that', [failed], ['aaaaaaa']],
    ['Algo order aaaaaaa placed some of these orders and may place more. To end that', [failed, failed], ['aaaaaaa']],
    [
      'Algo orders aaaaaaa, abbbbbb placed some of these orders and may place more. To end them',
      [failed, failed],
      ['aaaaaaa', 'abbbbbb'],
    ],
  ])('names the command that ends what may place more: %s', (note, attempts, algos) => {
    expect(() => cancelAnswer('btc_usdt', attempts, [], algos)).toThrow(
      expect.objectContaining({ hints: expect.arrayContaining([{ note, argv: ['algo', 'cancel', ...algos] }]) }),
    );
  });
});

describe('many cancellations with an unknown outcome', () => {
  const lost = (count: number): CancelAttempt[] =>
    Array.from({ length: count }, (_, index) => ({
      result: { ...RESULT, outcome: 'unknown', id: `9000${index}`, code: null, message: 'no answer in time' },
      failure: 'unknown',
      wasRejected: false,
    }));
  const ofAll = (count: number) => {
    const attempts = lost(count);
    const orders = new Map<string, Order>();
    return cancelAllAnswer('btc_usdt', { attempts, stillOpen: [], orders, failure: null }, []).failure;
  };
  const hints = (count: number) =>
    ofAll(count)?.hints.map((hint) => (typeof hint === 'string' ? hint : hint.argv.join(' ')));

  it('are counted, with the cause that was seen, and no other one', () => {
    expect(ofAll(400)?.message).toBe(
      'It is unknown whether every order was cancelled: 0 of 400 orders cancelled, 400 unknown (no answer in time).',
    );
  });

  it('are not listed in the hint, which is the same command again', () => {
    expect(hints(400)).toEqual(['cancel btc_usdt --all']);
  });

  it('are named by the output alone if they were named in the command', () => {
    const { failure } = cancelAnswer('btc_usdt', lost(11), []);
    expect(failure?.hints).toEqual(['Cancelling them again does no harm.']);
  });

  it('are named in the hint if they were named in the command, and are few', () => {
    const { failure } = cancelAnswer('btc_usdt', lost(10), []);
    const ids = lost(10).map(({ result }) => result.id ?? '');
    expect(failure?.hints).toEqual([suggest('Cancelling again does no harm', 'cancel', 'btc_usdt', ...ids)]);
  });
});

describe('the same cancellation again', () => {
  it.each<[what: string, orders: Parameters<typeof cancelAgain>[1], words: readonly string[]]>([
    ['of an order names its id', [{ id: '7' }], ['7']],
    ['of an order by the client id names that with its flag', [{ clientId: 'mine1' }], ['--id', 'mine1']],
    ['of several names them without a flag', [{ clientId: 'mine1' }, { clientId: 'mine2' }], ['mine1', 'mine2']],
  ])('%s', (_, orders, words) => {
    expect(cancelAgain('btc_usdt', orders)).toEqual(
      suggest('Cancelling again does no harm', 'cancel', 'btc_usdt', ...words),
    );
  });
});

describe('what is left of all orders of a market', () => {
  const left = (attempts: readonly CancelAttempt[], stillOpen: readonly string[], failure: Failure | null = null) =>
    cancelAllAnswer('btc_usdt', { attempts, stillOpen, orders: new Map(), failure }, []).failure;
  const gone: CancelAttempt = { ...failed, result: { ...failed.result, id: '6', message: 'already filled' } };
  const lost: CancelAttempt = {
    ...{ result: { ...RESULT, outcome: 'unknown', id: '8', message: 'no answer in time' }, failure: 'unknown' },
    wasRejected: false,
  };

  it('has the reason of the first order that is still open, and counts those that are not as done', () => {
    expect(left([gone, failed], ['7'])).toMatchObject({
      ...{ kind: 'partial', code: 3001, message: '1 order is still open: order not found.' },
    });
  });

  it('is seen in the open orders, and cancelled by the same command again', () => {
    const again = [
      suggest('See what is open', 'orders', 'btc_usdt'),
      suggest('To continue', 'cancel', 'btc_usdt', '--all'),
    ];
    expect(left([done], ['7'])?.hints).toEqual(again);
    expect(left([done], [], new Failure('unreachable', 'Connection reset.'))?.hints).toEqual(again);
  });

  it('is unknown also if nothing was sent before the list could not be read', () => {
    const unread = new Failure('unreachable', 'Connection reset.');
    expect(left([], [], unread)?.message).toBe('It is unknown whether open orders are left: Connection reset.');
  });

  it('has no reason if the exchange said that the order is cancelled', () => {
    const said = { ...done, result: { ...RESULT, message: 'was already cancelled' } };
    expect(left([said], ['7'])).toMatchObject({ kind: 'partial', code: null, message: '1 order is still open.' });
  });

  it('has the exit code of the refusal if nothing was done and the list could not be read', () => {
    const unread = new Failure('unreachable', 'Connection reset.');
    expect(() => left([{ ...failed, failure: 'limited' }], [], unread)).toThrow(
      expect.objectContaining({
        ...{ kind: 'limited', message: 'It is unknown whether open orders are left: Connection reset.' },
      }),
    );
  });

  it('counts beside an unknown outcome what was cancelled and what was refused', () => {
    expect(left([done, gone, lost], [])?.message).toBe(
      'It is unknown whether every order was cancelled: 1 of 3 orders cancelled, 1 refused, 1 unknown (no answer in time).',
    );
  });
});

const earlier = (id: string, operation: UnknownWrite['operation'] = 'order'): UnknownWrite => ({
  ...{ id, clientId: id, operation, market: 'btc_usdt', coins: null, replaces: null },
  advice: `The outcome of ${id} is unknown.`,
});

describe('an order that was named and not cancelled', () => {
  const named = (changes: Partial<CancelResult>, why: CancelAttempt['failure'] = 'refused') =>
    ({ ...failed, failure: why, result: { ...failed.result, ...changes } }) satisfies CancelAttempt;

  it.each<[what: string, attempts: readonly CancelAttempt[], hints: readonly string[]]>([
    ['and is known is shown', [named({ amount: '2' })], ['See the order: pit order show btc_usdt 7']],
    [
      'by its client id is shown by that',
      [named({ amount: '2', clientId: 'mine1' })],
      ['See the order: pit order show btc_usdt --id mine1'],
    ],
    ['and is not known may be among all orders', [named({})], ['See your orders: pit orders btc_usdt --state all']],
    [
      'beside others is among the open orders',
      [done, named({ amount: '2' })],
      ['See the orders there are: pit orders btc_usdt'],
    ],
    [
      'and may not be placed yet has its own outcome found first',
      [named({ clientId: 'lost1' })],
      [
        'It is unknown whether it was placed. Find out: pit resolve lost1',
        'See your orders: pit orders btc_usdt --state all',
      ],
    ],
  ])('%s', (_, attempts, hints) => {
    let failure: Failure | undefined;
    try {
      failure = cancelAnswer('btc_usdt', attempts, [earlier('lost1')]).failure;
    } catch (error) {
      failure = error as Failure;
    }
    expect(failure?.hints.map(adviceText)).toEqual(hints);
  });

  it('because of the keys is about the keys', () => {
    expect(() => cancelAnswer('btc_usdt', [named({}, 'credentials')], [])).toThrow(
      expect.objectContaining({ kind: 'credentials', hints: WRONG_KEYS }),
    );
  });
});

describe('all orders of a market beside earlier writes with an unknown outcome', () => {
  const MAY_APPEAR = 'so orders may still be open or appear in btc_usdt.';

  it.each<
    [what: string, stillOpen: readonly string[], unknown: readonly UnknownWrite[], kind: string, message: string]
  >([
    ['none', [], [], 'none', ''],
    ['a withdrawal, which places no order', [], [earlier('out1', 'withdraw')], 'none', ''],
    ['an order', [], [earlier('one1')], 'unknown', `An earlier write has an unknown outcome, ${MAY_APPEAR}`],
    [
      'an order and one that is left',
      ['7'],
      [earlier('one1')],
      'unknown',
      `1 order is still open. An earlier write has an unknown outcome, ${MAY_APPEAR}`,
    ],
    [
      'two orders',
      [],
      [earlier('one1'), earlier('two1')],
      'unknown',
      `2 earlier writes have an unknown outcome, ${MAY_APPEAR}`,
    ],
  ])('%s', (_, stillOpen, unknown, kind, message) => {
    const { failure } = cancelAllAnswer(
      'btc_usdt',
      { attempts: [done], stillOpen, orders: new Map(), failure: null },
      unknown,
    );
    expect([failure?.kind ?? 'none', failure?.message ?? '']).toEqual([kind, message]);
  });

  it.each<[what: string, unknown: readonly UnknownWrite[], argv: readonly string[]]>([
    ['one order is named', [earlier('one1')], ['resolve', 'one1']],
    ['a job is not named, which would close it', [earlier('job1', 'batch')], ['resolve']],
    ['several are not named', [earlier('one1'), earlier('two1')], ['resolve']],
  ])('%s in the command that finds out', (_, unknown, argv) => {
    const { failure } = cancelAllAnswer(
      'btc_usdt',
      { attempts: [], stillOpen: [], orders: new Map(), failure: null },
      unknown,
    );
    expect(failure?.hints).toEqual([
      suggest('Find out', ...argv),
      suggest('Then cancel what is open', 'cancel', 'btc_usdt', '--all'),
    ]);
  });

  it('are not named if an order was refused and nothing was done, which keeps its own exit code', () => {
    const unread = new Failure('unreachable', 'Connection reset.');
    const all = (failure: Failure | null, attempts: readonly CancelAttempt[]) =>
      cancelAllAnswer('btc_usdt', { attempts, stillOpen: ['7'], orders: new Map(), failure }, [earlier('one1')]);
    expect(() => all(null, [{ ...failed, failure: 'limited' }])).toThrow(
      expect.objectContaining({ kind: 'limited', message: '1 order is still open: order not found.' }),
    );
    expect(all(unread, [done]).failure?.message).toBe(
      `It is unknown whether open orders are left: Connection reset. An earlier write has an unknown outcome, ${MAY_APPEAR}`,
    );
  });
});

describe('what went wrong in several markets', () => {
  const failure = (message: string) => new Failure('unreachable', message);

  it('says a reason that they share once, with each market once', () => {
    const [full, reset] = ['The disk is full.', 'Connection reset.'];
    expect(
      byReason([
        { market: 'btc_usdt', failure: failure(full) },
        { market: 'eth_usdt', failure: failure(reset) },
        { market: 'eos_usdt', failure: failure(full) },
        { market: 'btc_usdt', failure: failure(full) },
      ]),
    ).toEqual(['btc_usdt, eos_usdt: The disk is full.', 'eth_usdt: Connection reset.']);
  });
});

describe('what is left in several markets', () => {
  const again = suggest('Cancel what is left', 'cancel', '--all', '--all-markets');
  const lost = { ...failed, result: { ...RESULT, outcome: 'unknown' }, failure: 'unknown' } as const;
  const emptied = (market: string, attempts: readonly CancelAttempt[], stillOpen: readonly string[] = []) => ({
    market,
    attempts,
    stillOpen,
    failure: null,
  });

  it('is nothing if all were cancelled, or filled before', () => {
    expect(stillOpenFailure([emptied('btc_usdt', [done, failed])], undefined, again)).toBeUndefined();
  });

  it('is named by market, with the command that cancels it', () => {
    const failure = stillOpenFailure([emptied('btc_usdt', [done, failed], ['7'])], undefined, again);
    expect(failure).toMatchObject({ kind: 'partial', message: 'Orders may still be open: 1 still open in btc_usdt.' });
    expect(failure?.hints).toEqual([again]);
  });

  it.each<[what: string, writes: readonly UnknownWrite[], message: string, hints: readonly Hint[]]>([
    ['one is named', [earlier('one1')], '1 earlier write', [suggest('Find out', 'resolve', 'one1')]],
    ['two are not named', [earlier('one1'), earlier('two1')], '2 earlier writes', [suggest('Find out', 'resolve')]],
    ['a job is not named', [earlier('job1', 'batch')], '1 earlier write', [suggest('Find out', 'resolve')]],
  ])('may come of earlier writes: %s in the command that finds out', (_, writes, message, hints) => {
    const failure = stillOpenFailure([emptied('btc_usdt', [done])], undefined, again, writes);
    expect(failure).toMatchObject({
      kind: 'unknown',
      message: `Orders may still be open: ${message} without a known outcome.`,
      hints: [...hints, again],
    });
  });

  it('may be in markets that could not be read, or are not listed', () => {
    const full = new Failure('unreachable', 'The disk is full.');
    const outcomes = ['btc_usdt', 'eth_usdt'].map((market) => ({ ...emptied(market, []), failure: full }));
    expect(stillOpenFailure(outcomes, new Failure('limited', 'Too many requests'), again)).toMatchObject({
      kind: 'partial',
      message:
        'Orders may still be open: not all markets could be read: Too many requests; btc_usdt, eth_usdt: The disk is full.',
    });
  });

  it('may still be open if it could not be read after it was cancelled, and is left out if its own outcome is known', () => {
    const unread = new Failure('unreachable', 'getOrders: no answer.');
    const cancelled = { ...done, result: { ...done.result, id: '5' } };
    const outcome = { ...emptied('btc_usdt', [cancelled, lost], ['5', '7']), failure: unread };
    expect(stillOpenFailure([outcome], undefined, again)).toMatchObject({
      kind: 'unknown',
      message:
        'Orders may still be open: 1 cancellation without a known outcome; 1 may still be open in btc_usdt; btc_usdt: getOrders: no answer.',
    });
  });

  it('begins with the cancellation without a known outcome, and the same command finds it out', () => {
    const failure = stillOpenFailure([emptied('btc_usdt', [done, lost]), emptied('eth_usdt', [])], undefined, again);
    expect(failure).toMatchObject({
      kind: 'unknown',
      message: 'Orders may still be open: 1 cancellation without a known outcome.',
    });
    expect(failure?.hints).toEqual([again]);
  });
});

describe('the table of cancellations', () => {
  const rows: CancelAttempt[] = (['cancelled', 'refused', 'unknown'] as const).map((outcome, index) => ({
    result: {
      ...RESULT,
      outcome,
      id: `90000000${index}`,
      price: '29000',
      amount: '2',
      filled: '1',
      message: 'a message',
    },
    failure: outcome === 'cancelled' ? null : outcome,
    wasRejected: false,
  }));

  it.each([
    [80, ['outcome', 'order', 'price', 'amount', 'filled', 'message']],
    [50, ['outcome', 'order', 'price', 'amount', 'filled']],
    [40, ['outcome', 'order', 'price', 'filled']],
    [32, ['outcome', 'order', 'filled']],
    [22, ['outcome', 'order']],
  ])('keeps in %i columns what matters most', (width, columns) => {
    const [header = ''] = cancelTable(rows, '').show(terminal(width)).split('\n');
    expect(header.trim().split(/ {2,}/)).toEqual(columns);
  });

  it('has the message of the exchange without the marks of a quotation', () => {
    const quoted = { ...failed, result: { ...failed.result, message: '“order not found”' } };
    expect(cancelTable([quoted], '').data).toMatchObject([{ message: 'order not found' }]);
  });

  it('names an order by the client id that it was cancelled by', () => {
    const named = { ...done, result: { ...RESULT, clientId: 'mine1' } };
    const [, row = ''] = cancelTable([named], '').show(pipe()).split('\n');
    expect(row.split(/ {2,}/)).toEqual(['cancelled', 'mine1', '-', '-', '-', '-']);
  });

  it('names the market of each if there are several, and says that there are none', () => {
    const other = { ...done, result: { ...RESULT, market: 'eth_usdt' } };
    const [header = '', row = ''] = cancelTable([done, other], '').show(pipe()).split('\n');
    expect([header.split(/ {2,}/)[1], row.split(/ {2,}/)[1]]).toEqual(['market', 'btc_usdt']);
    expect(cancelTable([], 'No orders.').show(pipe())).toBe('No orders.');
  });

  it('shows what was cancelled as good, what was refused as bad, and what is unknown as a warning', () => {
    const screen = terminal(80, true);
    const shown = cancelTable(rows, '').show(screen);
    const { good, bad, warn } = screen.paint;
    for (const text of [good('cancelled'), bad('refused'), warn('unknown')]) expect(shown).toContain(text);
  });
});

describe('the total of cancel --all', () => {
  const order = (id: string, side: 'buy' | 'sell', filled: string): Order => {
    const rest = {
      clientId: null,
      type: 'limit',
      fee: null,
      feeCoin: null,
      feeDiscount: false,
      filledValue: '0',
      time: 1,
    } as const;
    return { ...rest, id, market: 'btc_usdt', side, price: '100', amount: '2', filled, state: 'cancelled', status: 1 };
  };
  const attempt = (id: string, outcome: 'cancelled' | 'refused' | 'unknown', filled: string | null): CancelAttempt => {
    const result = { ...RESULT, outcome, id, price: '100', amount: '2', filled };
    return { result, failure: outcome === 'cancelled' ? null : outcome, wasRejected: false };
  };
  const total = (
    attempts: readonly CancelAttempt[],
    orders: readonly Order[],
    stillOpen: readonly string[] = [],
    failure: Failure | null = null,
  ) => {
    const records = new Map(orders.map((one) => [one.id, one]));
    const { show } = cancelAllAnswer('btc_usdt', { attempts, stillOpen, orders: records, failure }, []);
    return show(pipe()).split('\n').at(-1);
  };

  it('sums what the cancelled orders held: the base coin of sells, the value of buys', () => {
    const orders = [order('1', 'buy', '0.5'), order('2', 'sell', '0'), order('3', 'sell', '1.25')];
    const attempts = [
      attempt('1', 'cancelled', '0.5'),
      attempt('2', 'cancelled', '0'),
      attempt('3', 'cancelled', '1.25'),
    ];
    expect(total(attempts, orders)).toBe('Total: 3 cancelled. Released 150 usdt and 2.75 btc.');
  });

  it('counts each outcome, and takes the fill from the outcome, which may be newer than the list', () => {
    const attempts = [attempt('1', 'cancelled', '1.5'), attempt('2', 'refused', '2')];
    expect(total(attempts, [order('1', 'buy', '0'), order('2', 'sell', '2')])).toBe(
      'Total: 1 cancelled, 1 refused. Released 50 usdt.',
    );
  });

  it('names no amount if that of one order is unknown', () => {
    expect(total([attempt('1', 'cancelled', null)], [order('1', 'buy', '0')])).toBe('Total: 1 cancelled.');
    expect(total([attempt('9', 'cancelled', '0')], [])).toBe('Total: 1 cancelled.');
  });

  it('names no amount if the cancelled order held nothing', () => {
    expect(total([attempt('1', 'cancelled', '2')], [order('1', 'buy', '2')])).toBe('Total: 1 cancelled.');
  });

  it('counts an order that another command cancelled apart, and not as released', () => {
    const [own, others] = [attempt('1', 'cancelled', '0'), attempt('2', 'cancelled', '0')];
    const earlier = { ...others, result: { ...others.result, message: 'was already cancelled' } };
    expect(total([own, earlier], [order('1', 'buy', '0'), order('2', 'buy', '0')])).toBe(
      'Total: 1 cancelled, 1 already cancelled. Released 200 usdt.',
    );
  });

  it('is left out if nothing was open', () => {
    expect(total([], [])).toBe('No open orders in btc_usdt.');
  });

  it('says what may still be open if it could not be read again, without what was cancelled since', () => {
    const attempts = [attempt('1', 'cancelled', '0'), attempt('2', 'unknown', null)];
    const orders = [order('1', 'buy', '0'), order('2', 'sell', '0.5')];
    expect(total(attempts, orders, ['1', '2'], new Failure('unreachable', 'No answer.'))).toBe(
      'Total: 1 cancelled, 1 unknown. Released 200 usdt. 1 may still be open with 1.5 btc.',
    );
  });

  it('says what is still open', () => {
    const open = order('2', 'sell', '0.5');
    expect(
      total([attempt('1', 'cancelled', '0'), attempt('2', 'unknown', null)], [order('1', 'buy', '0'), open], ['2']),
    ).toBe('Total: 1 cancelled, 1 unknown. Released 200 usdt. 1 still open with 1.5 btc.');
    const parts = [attempt('1', 'cancelled', '0'), attempt('2', 'refused', '0')];
    expect(total(parts, [order('1', 'buy', '0')], ['2'])).toBe(
      'Total: 1 cancelled, 1 refused. Released 200 usdt. 1 still open.',
    );
  });
});

it('the table of cancellations has the amounts in groups of three digits, and the market if there are several', () => {
  const row = (market: string, changes: Partial<CancelResult>): CancelAttempt => ({
    ...done,
    result: { ...RESULT, market, ...changes },
  });
  const attempts = [
    row('btc_usdt', { price: '30000', amount: '12345.5', filled: '2345.25' }),
    row('eth_usdt', { id: '8', clientId: 'mine' }),
  ];
  const lines = cancelTable(attempts, '').show(terminal(120)).split('\n');
  expect(lines.find((line) => line.includes('btc_usdt'))).toMatch(/7 .*12,345\.5.*2,345\.25/);
  expect(lines.find((line) => line.includes('eth_usdt'))).toContain('mine');
  expect(cancelTable(attempts.slice(0, 1), '').show(terminal(120))).not.toContain('btc_usdt');
});
