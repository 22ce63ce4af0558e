import { describe, expect, it } from 'vitest';
import { amountMeaning } from '../../../src/commands/order/guided/amount.js';
import { orderWords } from '../../../src/commands/order/guided/command-line.js';
import { drawn, meaning } from '../../../src/commands/order/guided/meaning.js';
import { priceMeaning } from '../../../src/commands/order/guided/price.js';
import type { OrderRequest } from '../../../src/commands/order/request.js';
import { Decimal } from '../../../src/domain/decimal.js';
import { screenOf } from '../../../src/terminal/screen.js';
import { readAmount } from '../../../src/trading/expressions/amount-expression.js';
import { readPrice } from '../../../src/trading/expressions/price-expression.js';
import { Kept } from '../../terminal/screens.js';
import { MARKET } from '../../trading/support/market.js';

/** mid is 20000 */
const VIEW = { bids: [{ price: '19999', amount: '2' }], asks: [{ price: '20001', amount: '2' }], last: null };
const BUY = { market: MARKET, side: 'buy', available: Decimal.of('10000'), view: VIEW } as const;
const SELL = { ...BUY, side: 'sell', available: Decimal.of('3') } as const;

describe('what an amount means', () => {
  const HELP = 'A number of btc, a share like 50%, or a value like 100usdt. At least 0.001 btc and 5 usdt.';

  it.each([
    ['', HELP],
    ['0.', HELP],
    ['abc', HELP],
    ['0.25', '0.25 btc, about 5,000.25 usdt at the price of now'],
    ['50%', 'about 0.2499 btc, about 4,998.25 usdt at the price of now'],
    ['100usdt', 'about 0.0049 btc, about 98.01 usdt at the price of now'],
    ['0.25btc', '0.25 btc, about 5,000.25 usdt at the price of now'],
  ])('%j for a buy: %s', (typed, says) => {
    expect(amountMeaning(typed, BUY)).toEqual({ says, beware: [] });
  });

  it.each([
    ['50%', '1.5 btc, about 29,998.5 usdt at the price of now'],
    ['33.33%', '0.9999 btc, about 19,997.01 usdt at the price of now'],
  ])('%j for a sell: %s', (typed, says) => {
    expect(amountMeaning(typed, SELL)).toEqual({ says, beware: [] });
  });

  it.each([
    ['0.00001', 'The amount 0.00001 has more decimals than btc_usdt takes. At most 4 decimals: a lot is 0.0001.'],
    ['0.0009', 'The order 0.0009 is too small for btc_usdt. It must come to at least 0.001 btc.'],
    ['4.99usdt', 'The order of 4.99 usdt is too small for btc_usdt. It must come to at least 5 usdt.'],
    ['0.04%', 'The order of 4 usdt is too small for btc_usdt. It must come to at least 5 usdt.'],
    ['1eth', 'The amount is in eth, and this market trades btc for usdt. Write it in btc or as a value in usdt.'],
  ])('%s is told to be wrong while it is typed', (typed, wrong) => {
    expect(amountMeaning(typed, BUY)).toEqual({ says: '', beware: [wrong] });
  });

  it('bewares of more than there is', () => {
    expect(amountMeaning('0.5', BUY).beware).toEqual(['More than the 10,000 usdt that are available.']);
    expect(amountMeaning('3.0001', SELL).beware).toEqual(['More than the 3 btc that are available.']);
    expect(amountMeaning('3', SELL).beware).toEqual([]);
  });

  it('does with what is known', () => {
    const [blind, poor] = [
      { ...BUY, view: undefined },
      { ...BUY, available: undefined },
    ];
    expect(amountMeaning('0.5', blind).says).toBe('0.5 btc');
    expect(amountMeaning('100usdt', blind)).toEqual({ says: '', beware: [] });
    expect(amountMeaning('50%', poor).beware).toEqual([
      'A share of what is not known is not known either. Write the amount itself.',
    ]);
    expect(amountMeaning('5', poor).beware).toEqual([]);
  });
});

describe('what a price means', () => {
  const limits = { priceBand: Decimal.of('0.1') };
  const draft = { ...BUY, amount: readAmount('0.1'), limits };

  it.each([
    ['', 'A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.'],
    ['bid+', 'A number, or bid, ask or mid with an offset: bid+2ticks, ask-5, mid-0.5%.'],
    ['bid+2ticks', '19,999.02 usdt, 0.0049% below mid (20000). 0.1 btc for 1,999.902 usdt. It would rest in the book.'],
    ['ask', '20,001 usdt, 0.005% above mid (20000). 0.1 btc for 2,000.1 usdt. All would fill at once at 20,001.'],
    ['mid', '20,000 usdt, at mid (20000). 0.1 btc for 2,000 usdt. It would rest in the book.'],
  ])('%j: %s', (typed, says) => {
    expect(priceMeaning(typed, draft)).toEqual({ says, beware: [] });
  });

  it('tells what fills of more than the book holds, and what a share comes to', () => {
    expect(priceMeaning('ask+1', { ...draft, amount: readAmount('3') }).says).toContain(
      'At least 2 btc would fill at once at 20,001.',
    );
    const share = { ...SELL, amount: readAmount('50%'), limits };
    expect(priceMeaning('bid', share).says).toContain('1.5 btc for 29,998.5 usdt. All would fill at once');
    expect(priceMeaning('20000', { ...share, available: undefined }).says).toBe('20,000 usdt, at mid (20000). ');
  });

  it('bewares of the band on both sides, and of a price that no order can have', () => {
    expect(priceMeaning('22000.01', draft).beware).toEqual(['Beyond the price band: its name will have to be typed.']);
    expect(priceMeaning('17000', draft).beware).toEqual([
      'The price 17000 is 15% below mid (20000): such an order may rest for a long time.',
    ]);
    expect(priceMeaning('20000.001', draft).beware).toEqual([
      'The price 20000.001 has more decimals than btc_usdt takes. At most 2 decimals: a tick is 0.01.',
    ]);
    expect(priceMeaning('ask', { ...draft, view: { ...VIEW, asks: [] } }).beware).toEqual([
      'There is no ask in the book now, so a relative price has no meaning. Give the price as a number.',
    ]);
  });

  it('takes a number where the book cannot be read', () => {
    expect(priceMeaning('20000', { ...draft, view: undefined })).toEqual({ says: '20,000 usdt', beware: [] });
  });
});

it('lines below a question are broken between words, and what was wrong takes the place of what it means', () => {
  const screen = screenOf(new Kept(20), { NO_COLOR: '1' });
  const meant = meaning('one two three four five', 'beware of the dog in there');
  expect(drawn(screen, 'first', meant, undefined)).toBe('first\none two three four\nfive\nbeware of the dog in\nthere');
  expect(drawn(screen, 'first', meant, 'that is no answer')).toBe('first\nthat is no answer');
});

describe('the command line that does the same', () => {
  const request: OrderRequest = {
    side: 'buy',
    market: 'btc_usdt',
    amount: readAmount('50%'),
    at: readPrice('BID+2tick'),
    type: 'limit',
    account: 'spot',
    borrow: false,
    repay: false,
    id: 'mine1',
    overridden: [],
  };

  it('has the words themselves, and no id, which counts once', () => {
    expect(orderWords(request, { dryRun: false, yes: false }).join(' ')).toBe('order buy btc_usdt 50% --at bid+2ticks');
  });

  it('has every flag', () => {
    const whole: OrderRequest = {
      ...request,
      ...{ type: 'ioc', account: 'cross', borrow: true, repay: true, overridden: ['price-band', 'day-notional'] },
    };
    expect(orderWords(whole, { dryRun: true, yes: true }).join(' ')).toBe(
      'order buy btc_usdt 50% --at bid+2ticks --ioc --account cross --borrow --repay ' +
        '--override price-band --override day-notional --dry-run --yes',
    );
    expect(orderWords({ ...request, type: 'postOnly' }, { dryRun: false, yes: false })).toContain('--post-only');
  });
});
