import { describe, expect, it } from 'vitest';
import { amountMeaning, linesBelow, priceMeaning } from '../../../src/commands/order/guided/questions.js';
import type { OrderDraft } from '../../../src/commands/order/order-args.js';
import { draftArgs } from '../../../src/commands/order/order-args.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { screenOf } from '../../../src/terminal/screen.js';
import { parseAmount, parsePrice } from '../../../src/trading/expressions.js';
import { Kept } from '../../terminal/screens.js';
import { MARKET } from '../../trading/support/market.js';

/** mid is 20000 */
const VIEW = { bids: [{ price: '19999', amount: '2' }], asks: [{ price: '20001', amount: '2' }], last: null };
const BUY = { market: MARKET, side: 'buy', available: Decimal.of('10000'), view: VIEW } as const;
const SELL = { ...BUY, side: 'sell', available: Decimal.of('3') } as const;

describe('the meaning of an amount', () => {
  const HELP = 'An amount of btc, a share like 50%, or a value like 100usdt. At least 0.001 btc and 5 usdt.';

  it.each([
    ['', HELP],
    ['0.', HELP],
    ['abc', HELP],
    ['0.25', '0.25 btc, about 5,000.25 usdt at the current price'],
    ['50%', 'about 0.2499 btc, about 4,998.25 usdt at the current price'],
    ['100usdt', 'about 0.0049 btc, about 98.01 usdt at the current price'],
    ['0.25btc', '0.25 btc, about 5,000.25 usdt at the current price'],
  ])('the amount %j for a buy means: %s', (typed, text) => {
    expect(amountMeaning(typed, BUY)).toEqual({ text, warnings: [] });
  });

  it.each([
    ['50%', '1.5 btc, about 29,998.5 usdt at the current price'],
    ['33.33%', '0.9999 btc, about 19,997.01 usdt at the current price'],
  ])('the amount %j for a sell means: %s', (typed, text) => {
    expect(amountMeaning(typed, SELL)).toEqual({ text, warnings: [] });
  });

  it.each([
    ['0.00001', 'The amount 0.00001 has more decimals than btc_usdt takes. At most 4 decimals: a lot is 0.0001.'],
    ['0.0009', 'Amount 0.0009 is below the minimum of 0.001 btc. Use 0.001 or more.'],
    ['4.99usdt', 'Value 4.99 usdt is below the minimum of 5 usdt. Use 20.01usdt or more.'],
    ['0.04%', 'Value 4 usdt is below the minimum of 5 usdt. Check the price, or use an amount of 0.001 btc or more.'],
    ['1eth', 'The amount is in eth, but this market trades btc for usdt. Write it in btc, or as a value in usdt.'],
  ])('shows why %s is not a valid amount', (typed, wrong) => {
    expect(amountMeaning(typed, BUY)).toEqual({ text: '', warnings: [wrong] });
  });

  it('warns of an amount beyond the balance', () => {
    expect(amountMeaning('0.5', BUY).warnings).toEqual(['More than the 10,000 usdt available.']);
    expect(amountMeaning('3.0001', SELL).warnings).toEqual(['More than the 3 btc available.']);
    expect(amountMeaning('3', SELL).warnings).toEqual([]);
  });

  it('says as much as it can without the book or the balance', () => {
    const [blind, poor] = [
      { ...BUY, view: undefined },
      { ...BUY, available: undefined },
    ];
    expect(amountMeaning('0.5', blind).text).toBe('0.5 btc');
    expect(amountMeaning('100usdt', blind)).toEqual({ text: '', warnings: [] });
    expect(amountMeaning('50%', poor).warnings).toEqual([
      'A percentage needs the balance, which is unknown. Type the amount itself.',
    ]);
    expect(amountMeaning('5', poor).warnings).toEqual([]);
  });
});

describe('the meaning of a price', () => {
  const limits = { priceBand: Decimal.of('0.1') };
  const draft = { ...BUY, amount: parseAmount('0.1'), limits };

  it.each([
    ['', 'A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.'],
    ['bid+', 'A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.'],
    [
      'bid+2ticks',
      '19,999.02 usdt, 0.01% below mid (20,000.00). 0.1 btc for 1,999.902 usdt. It would rest in the book.',
    ],
    [
      'ask',
      '20,001.00 usdt, 0.01% above mid (20,000.00). 0.1 btc for 2,000.1 usdt. All would fill at once at 20,001.00.',
    ],
    ['mid', '20,000.00 usdt, at mid (20,000.00). 0.1 btc for 2,000 usdt. It would rest in the book.'],
  ])('the price %j means: %s', (typed, text) => {
    expect(priceMeaning(typed, draft)).toEqual({ text, warnings: [] });
  });

  it('says how much of a large order fills, and the amount of a share', () => {
    expect(priceMeaning('ask+1', { ...draft, amount: parseAmount('3') }).text).toContain(
      'At least 2 btc would fill at once at 20,001.00.',
    );
    const share = { ...SELL, amount: parseAmount('50%'), limits };
    expect(priceMeaning('bid', share).text).toContain('1.5 btc for 29,998.5 usdt. All would fill at once');
    expect(priceMeaning('20000', { ...share, available: undefined }).text).toBe('20,000.00 usdt, at mid (20,000.00). ');
  });

  it('warns of the band on both sides, and of an invalid price', () => {
    expect(priceMeaning('22000.01', draft).warnings).toEqual([
      'Outside the price band: you will have to type the name of the guard.',
    ]);
    expect(priceMeaning('17000', draft).warnings).toEqual([
      expect.stringMatching(/^The price 17,000\.00 is 15\.00% below mid \(20,000\.00\)/),
    ]);
    expect(priceMeaning('20000.001', draft).warnings).toEqual([
      'The price 20000.001 has more decimals than btc_usdt takes. At most 2 decimals: a tick is 0.01.',
    ]);
    expect(priceMeaning('ask', { ...draft, view: { ...VIEW, asks: [] } }).warnings).toEqual([
      expect.stringMatching(/^There is no ask in the book now/),
    ]);
  });

  it('accepts a number if the book cannot be read', () => {
    expect(priceMeaning('20000', { ...draft, view: undefined })).toEqual({ text: '20,000.00 usdt', warnings: [] });
  });
});

it('wraps the lines below a question between words, and shows a complaint instead of the meaning', () => {
  const screen = screenOf(new Kept(20), { NO_COLOR: '1' });
  const meant = { text: 'one two three four five', warnings: ['beware of the dog in there'] };
  expect(linesBelow(screen, 'first', meant, undefined)).toBe(
    'first\none two three four\nfive\nbeware of the dog in\nthere',
  );
  expect(linesBelow(screen, 'first', meant, 'that is no answer')).toBe('first\nthat is no answer');
});

describe('the command line for a guided order', () => {
  const request: OrderDraft = {
    side: 'buy',
    market: 'btc_usdt',
    amount: parseAmount('50%'),
    at: parsePrice('BID+2tick'),
    type: 'limit',
    account: 'spot',
    borrow: false,
    repay: false,
    id: 'mine1',
    overridden: [],
  };

  it('keeps relative prices and amounts, and omits the id, which can be used only once', () => {
    expect(draftArgs(request, { dryRun: false, yes: false }).join(' ')).toBe('order buy btc_usdt 50% --at bid+2ticks');
  });

  it('contains every flag', () => {
    const whole: OrderDraft = {
      ...request,
      ...{ type: 'ioc', account: 'cross', borrow: true, repay: true, overridden: ['price-band', 'day-notional'] },
    };
    expect(draftArgs(whole, { dryRun: true, yes: true }).join(' ')).toBe(
      'order buy btc_usdt 50% --at bid+2ticks --ioc --account cross --borrow --repay ' +
        '--override price-band --override day-notional --dry-run --yes',
    );
    expect(draftArgs({ ...request, type: 'postOnly' }, { dryRun: false, yes: false })).toContain('--post-only');
  });
});
