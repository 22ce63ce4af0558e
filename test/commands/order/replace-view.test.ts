import { describe, expect, it } from 'vitest';
import { replacedAnswer } from '../../../src/commands/order/replace-view.js';
import type { OrderReference } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { WRONG_KEYS } from '../../../src/exchange/exchange.js';
import type { CancelOutcome, ConfirmedCancel } from '../../../src/trading/cancel/cancellation.js';
import type { ReplaceOutcome } from '../../../src/trading/replace/replace.js';
import type { Placement } from '../../../src/trading/settling/settle-sent-order.js';
import { adviceText } from '../../support/advice.js';
import { pipe } from '../../terminal/screens.js';
import { MARKET } from '../../trading/support/market.js';
import { TERMS } from '../../trading/support/terms.js';

const CANCELLED: ConfirmedCancel = {
  ...{ outcome: 'cancelled', id: '7', price: '29000.00', amount: '0.0100', filled: '0.0040', filledValue: '116' },
  ...{ code: 1000, message: 'success', failure: null },
};
const NOT_CANCELLED: CancelOutcome = {
  ...{ ...CANCELLED, outcome: 'refused', code: 3001, message: 'order not found', failure: 'refused' },
};
/** What is left of the wanted 0.01 btc. */
const REST = { ...TERMS, amount: '0.006' };
const PLACED: Placement = { outcome: 'placed', id: '8', duplicates: [], order: null };

/** What the command answers, or throws, for a replacement of order 7 by one of 0.01 btc at 30000. */
function ended(done: ReplaceOutcome, order: OrderReference = { id: '7' }) {
  const terms = { market: 'btc_usdt', order, wanted: TERMS };
  try {
    const answer = replacedAnswer({ output: undefined as never }, { terms, market: MARKET }, 'mine1', done);
    return { data: answer.data, text: answer.show(pipe()), failure: answer.failure };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { data: undefined, text: undefined, failure: error };
  }
}

const sent = (placement: Placement): ReplaceOutcome => ({ kind: 'sent', cancel: CANCELLED, terms: REST, placement });
const unplaced = (rest: typeof REST | null): ReplaceOutcome => {
  return { kind: 'unplaced', cancel: CANCELLED, rest, why: new Failure('usage', 'day-notional blocks this.') };
};

describe('a replacement', () => {
  it('that is done shows both orders', () => {
    const { data, text, failure } = ended(sent(PLACED));
    expect([failure, text]).toEqual([
      undefined,
      'Cancelled  7 with 0.004 of 0.01 filled\nPlaced  + BUY 0.006 btc_usdt at 30,000.00  spot  id 8',
    ]);
    expect(data).toMatchObject({
      ...{ outcome: 'placed', id: '8', clientId: 'mine1', amount: '0.006', notional: '180' },
      replaced: { outcome: 'cancelled', id: '7', filled: '0.0040', code: 1000 },
    });
  });

  it('of an order that filled before places nothing, and says what it filled', () => {
    const cancel = { ...NOT_CANCELLED, filled: '0.0100', filledValue: '290.000' };
    const { failure } = ended({ kind: 'filled', cancel }, { clientId: 'mine7' });
    expect(failure).toMatchObject({
      kind: 'refused',
      message: 'The order filled before it could be replaced: 0.01 btc for 290 usdt. Nothing was placed.',
    });
    expect(failure?.hints.map(adviceText)).toEqual(['See it: pit order show btc_usdt --id mine7']);
  });
});

describe('a replacement whose order was not cancelled', () => {
  const WHY = 'The order was not cancelled, and nothing was placed: order not found.';

  it.each<[what: string, cancel: CancelOutcome, kind: string, message: string]>([
    ['that was refused', NOT_CANCELLED, 'refused', WHY],
    ['that was not sent', { ...NOT_CANCELLED, outcome: 'notSent', failure: 'unreachable' }, 'unreachable', WHY],
    [
      'for no reason',
      { ...NOT_CANCELLED, message: null },
      'refused',
      'The order was not cancelled, and nothing was placed: the exchange gave no reason.',
    ],
  ])('by a cancellation %s changes nothing in the order', (_, cancel, kind, message) => {
    const { failure } = ended({ kind: 'kept', cancel });
    expect(failure).toMatchObject({ kind, message, clientId: 'mine1', code: 3001 });
    expect(failure?.hints.map(adviceText)).toEqual(['See the order: pit order show btc_usdt 7']);
  });

  it('because of the keys is about the keys', () => {
    const { failure } = ended({ kind: 'kept', cancel: { ...NOT_CANCELLED, failure: 'credentials' } });
    expect(failure).toMatchObject({ kind: 'credentials', hints: WRONG_KEYS });
  });

  it.each<[filled: string | null, rest: string]>([
    ['0.0040', '0.006'],
    [null, '0.01'],
  ])('as far as is known, with %s filled, is unknown, and the rest was not sent', (filled, rest) => {
    const cancel: CancelOutcome = {
      ...NOT_CANCELLED,
      filled,
      outcome: 'unknown',
      failure: 'unknown',
      message: 'no answer',
    };
    const { data, text, failure } = ended({ kind: 'kept', cancel }, { clientId: 'mine7' });
    expect(text).toBe('Unknown  cancel mine7');
    expect(failure).toMatchObject({
      ...{ kind: 'unknown', clientId: 'mine1' },
      message: 'It is unknown whether the order was cancelled: no answer. No new order was placed.',
    });
    expect(failure?.hints.map(adviceText)).toEqual(['Find its outcome: pit resolve mine1']);
    expect(data).toMatchObject({ outcome: 'notSent', id: null, amount: rest, replaced: { outcome: 'unknown' } });
  });
});

describe('a replacement whose new order was not placed', () => {
  const GONE = 'The order is cancelled with 0.004 of 0.01 filled, and no new order was placed: ';
  const refusal = { kind: 'badPrice', code: 2012, message: 'price is invalid' } as const;

  it.each<[what: string, done: ReplaceOutcome, outcome: string, why: string, hint: string]>([
    [
      'because of a guard',
      unplaced(REST),
      'notSent',
      'day-notional blocks this.',
      'To place the rest: pit order buy btc_usdt 0.006 --at 30000',
    ],
    [
      'because too little is left',
      unplaced(null),
      'notSent',
      'day-notional blocks this.',
      'The rest, 0.006, is below the minimum of btc_usdt and cannot be placed by itself.',
    ],
    [
      'because it was not sent',
      sent({ outcome: 'notSent', reason: 'no connection', failure: 'unreachable' }),
      'notSent',
      'The order was not sent: no connection.',
      'To place the rest: pit order buy btc_usdt 0.006 --at 30000',
    ],
    [
      'because it was rejected',
      sent({ outcome: 'refused', refusal }),
      'refused',
      'order: rejected by the exchange: price is invalid',
      'To place the rest: pit order buy btc_usdt 0.006 --at 30000',
    ],
  ])('%s fails with 9, and names the command that places the rest', (_, done, outcome, why, hint) => {
    const { data, text, failure } = ended(done);
    expect(failure).toMatchObject({ kind: 'partial', message: GONE + why, clientId: 'mine1' });
    expect([text, failure?.hints.map(adviceText)]).toEqual(['Cancelled  7 with 0.004 of 0.01 filled', [hint]]);
    expect(data).toMatchObject({ outcome, id: null, amount: '0.006', state: null, replaced: { outcome: 'cancelled' } });
  });

  it('by rules that have changed names a command that fits them', () => {
    const rules = { ...MARKET, priceScale: 0, tickSize: '1' };
    const terms = { ...REST, price: '30000.5' };
    const placement: Placement = { outcome: 'refused', refusal, rules };
    const { failure } = ended({ kind: 'sent', cancel: CANCELLED, terms, placement });
    expect(failure).toMatchObject({ kind: 'partial', code: 2012, refusal: 'badPrice' });
    expect(failure?.hints.map(adviceText)).toEqual(['To place the rest: pit order buy btc_usdt 0.006 --at 30000']);
  });

  it('says nothing of fills that are unknown', () => {
    const cancel = { ...CANCELLED, amount: null };
    const why = new Failure('usage', 'day-notional blocks this.');
    expect(ended({ kind: 'unplaced', cancel, rest: REST, why }).text).toBe('Cancelled  7');
  });
});
