import { beforeEach, describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.js';
import { monotonicMs } from '../../../src/platform/host.js';
import { awayFromMidnight } from '../../support/midnight.js';
import { temporaryHome } from '../../support/pit.js';
import type { PtyStep } from '../../support/pty.js';
import { atTerminal } from '../../support/terminal.js';
import { accountInfo, marketList, NO_ORDER, orderRow, parametersOf } from '../../support/wire.js';
import { useLiteralExchange } from '../literal-exchange.js';

const MARKETS = marketList({ btc_usdt: { amountScale: 6, minAmount: 0.0001, minNotional: 1 } });
const OPEN_ORDER = JSON.stringify(orderRow({ id: '7', price: 19_000, amount: 0.01, time: 1_648_461_600_123 }));

/** The orders that a request has placed, the first one with the id 8, by their ids. */
function placedBy(terms: URLSearchParams): Map<string, string> {
  const { lines, price, amount, side } = parametersOf(terms);
  const given = lines ?? `[[${price},${amount}]]`;
  const orders = (JSON.parse(given) as [number, number][]).map(([price, amount], index) => ({
    ...{ id: String(8 + index), side: side as Side, price, amount, time: Date.now() },
  }));
  return new Map(orders.map((order) => [order.id, JSON.stringify(orderRow(order))]));
}

/** Best first, 5 btc at each price. */
function book(bids: readonly number[], asks: readonly number[]): string {
  const levels = (prices: readonly number[]) => JSON.stringify(prices.map((price) => [price, 5]));
  return `{"asks":${levels(asks)},"bids":${levels(bids)},"timestamp":1700000000}`;
}

function funds(usdt: number): string {
  return accountInfo({ usdt: String(usdt) });
}

const CALM = book([19_999], [20_001]);
/** 40 % below. */
const FALLEN = book([11_999], [12_001]);
/** Half a percent below. */
const LOWER = book([19_899], [19_901]);
const ENOUGH = funds(1_000_000);

/** What the exchange answers at each reading; the last one repeats. */
let [books, accounts] = [[CALM], [ENOUGH]];
let readings = 0;
/** The orders that were placed last, by their ids, and their side. */
let placed = new Map<string, string>();
let placedSide: string | undefined;
function place(terms: URLSearchParams): void {
  placed = placedBy(terms);
  placedSide = parametersOf(terms).side;
}
const next = (answers: string[]) => (answers.length > 1 ? answers.shift() : answers[0]) ?? '';

const exchange = useLiteralExchange({
  '/data/v1/markets': MARKETS,
  '/data/v1/depth': () => {
    readings += 1;
    return next(books);
  },
  '/api/getAccountInfo': () => next(accounts),
  '/api/getOrders': (asked) => {
    const { pageNumber, side } = parametersOf(asked);
    const isListed = pageNumber === '1' && placed.size > 0 && placedSide === side;
    return isListed ? `[${[...placed.values()].reverse().join()}]` : NO_ORDER;
  },
  '/api/getOrder': (asked) => placed.get(asked.get('id') ?? '') ?? OPEN_ORDER,
  '/api/order': (terms) => {
    place(terms);
    return '{"code":"1000","message":"ok","id":"8"}';
  },
  '/api/orderMoreV2': (terms) => {
    place(terms);
    return '{"code":1000,"message":"ok","data":["8","9"]}';
  },
  '/api/cancelOrder': '{"code":1000,"message":"ok"}',
});

awayFromMidnight();
beforeEach(() => {
  [books, accounts, readings, placed] = [[CALM], [ENOUGH], 0, new Map()];
});

const YES: PtyStep = { await: '[y/N]', type: 'y\r' };
const NO: PtyStep = { await: '[y/N]', type: 'n\r' };
const AGAIN: PtyStep = { await: 'Not sent yet' };

/** Answers after that many milliseconds: the clock jumps once the book was read. */
async function answered(line: string, steps: readonly PtyStep[], afterMs = 0) {
  const before = exchange.asked.length;
  const { status, screen } = await atTerminal(line.split(' '), {
    home: temporaryHome(),
    environment: { ...exchange.extra.environment, NO_COLOR: '1' },
    columns: 100,
    rows: 100,
    steps,
    host: { monotonic: () => monotonicMs() + (readings > 0 ? afterMs : 0) },
  });
  const asked = exchange.asked.slice(before);
  const count = (path: string) => asked.filter((one) => one === path).length;
  const writes = ['/api/order', '/api/orderMoreV2', '/api/cancelOrder'].flatMap((path) =>
    count(path) > 0 ? path : [],
  );
  return { status, writes, screen: screen.replace(/\r\n/g, '\n'), depths: count('/data/v1/depth'), asked };
}

describe('an order that is confirmed while the market moves', () => {
  it('an order that a guard now blocks is not sent: its new preview asks for the name of the guard', async () => {
    books = [CALM, FALLEN];
    const line = 'order buy btc_usdt 0.01 --at 20050';
    const { status, writes, screen } = await answered(line, [YES, AGAIN, { await: 'Type price-band', type: 'y\r' }]);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toContain('Not sent yet. price-band now blocks this.');
    expect(screen).toMatch(/Not sent yet[\s\S]*bid, ask +11,999[\s\S]*price-band blocks this: the price 20,?050/);
  });

  it('sends the order once the name of the guard is typed, if no other guard blocks it then', async () => {
    books = [CALM, FALLEN];
    const steps = [YES, AGAIN, { await: 'Type price-band', type: 'price-band\r' }];
    const { status, writes, depths } = await answered('order buy btc_usdt 0.01 --at 20050', steps);
    expect([status, writes, depths]).toEqual([0, ['/api/order'], 3]);
  });

  it('sends the order without a second question if the guards allow it and its preview is fresh', async () => {
    books = [CALM, LOWER];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at ask', [YES]);
    expect([status, writes]).toEqual([0, ['/api/order']]);
    // what was confirmed, whatever the word means by now
    expect(screen).toMatch(/Placed.*20,001/);
  });

  it('resolves the order again if a guard now blocks what was confirmed', async () => {
    books = [CALM, FALLEN];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at ask', [YES, AGAIN, YES]);
    expect([status, writes]).toEqual([0, ['/api/order']]);
    // the second question names what is sent, which is not what the first one was about
    expect(screen).toMatch(/Place this order: [\s\S]*Place the changed order: buy 0\.01 btc_usdt at 12,001\.00\?/);
    expect(screen).toMatch(/Placed.*12,001/);
  });

  it('shows the order again if the balance no longer covers it', async () => {
    accounts = [ENOUGH, funds(10)];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at 19000', [YES, AGAIN, NO]);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toContain('Not sent yet. This needs 190 usdt');
  });

  it('shows the order again if it now reaches far past the best price', async () => {
    books = [book([19_999], [20_001]), book([19_599], [19_601])];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at 20001', [YES, AGAIN, NO]);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toContain('Not sent yet. The price is 2.05% past the best ask');
  });

  it('shows the order again if the book cannot be read for the guards', async () => {
    books = [CALM, '<html>'];
    const steps = [YES, AGAIN, { await: 'Type price-band', type: '\r' }];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at 20001', steps);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toContain('price-band blocks this: it cannot be checked');
  });

  it('checks the order again after the name of a guard was typed', async () => {
    books = [book([10_000], [25_000]), book([10_000], [22_000])];
    const steps = [{ await: 'Type price-band', type: 'price-band\r' }, AGAIN, { await: 'Type price-band', type: '\r' }];
    const line = 'order buy btc_usdt 0.01 --at 23000 --post-only';
    const { status, writes, screen } = await answered(line, steps);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toContain('Not sent yet. post-only now blocks this.');
  });

  it('reads the book once with --yes, as nobody is asked', async () => {
    books = [CALM, FALLEN];
    const { status, writes, depths } = await answered('order buy btc_usdt 0.01 --at 20050 --yes', []);
    expect([status, writes, depths]).toEqual([0, ['/api/order'], 1]);
  });
});

describe('an order whose preview is older than ten seconds', () => {
  const LATE = 11_000;

  it('says how old the reading of the book is, and asks again if the order would fill differently', async () => {
    books = [CALM, LOWER];
    const steps = [{ await: 'pit reads it again after your reply.', type: 'y\r' }, AGAIN, NO];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at 20050', steps, LATE);
    expect([status, writes]).toEqual([8, []]);
    // 11 seconds, and the time that the machine took
    expect(screen).toMatch(/The book was read (1[1-9]|[2-9]\d) s ago; pit reads it again after your reply\./);
    expect(screen).toMatch(
      /Not sent yet\. The preview was (1[1-9]|[2-9]\d) s old, and a different part would fill at once now\./,
    );
    expect(screen).toMatch(/Not sent yet[\s\S]*bid, ask +19,899/);
  });

  it('asks again if its relative price means another price', async () => {
    books = [CALM, LOWER];
    const steps = [YES, AGAIN, YES];
    const { status, writes, screen } = await answered('order buy btc_usdt 0.01 --at bid', steps, LATE);
    expect([status, writes]).toEqual([0, ['/api/order']]);
    expect(screen).toContain('and its price or amount would be different now.');
    expect(screen).toMatch(/Placed.*19,899/);
  });

  it('sends an order that would still only rest without a second question', async () => {
    books = [CALM, LOWER];
    const { status, writes } = await answered('order buy btc_usdt 0.01 --at 19000', [YES], LATE);
    expect([status, writes]).toEqual([0, ['/api/order']]);
  });

  it('sends the order without a second question if nothing has changed', async () => {
    const { status, writes } = await answered('order buy btc_usdt 0.01 --at ask', [YES], LATE);
    expect([status, writes]).toEqual([0, ['/api/order']]);
  });
});

describe('a batch that is confirmed while the market moves', () => {
  it('a batch that a guard now blocks is not sent', async () => {
    books = [CALM, FALLEN];
    const line = 'order batch buy btc_usdt --ladder 19000:19900:2 --amount 0.02';
    const steps = [YES, AGAIN, { await: 'Type price-band', type: 'y\r' }];
    expect(await answered(line, steps)).toMatchObject({ status: 8, writes: [] });
  });

  it('sends the batch as it was confirmed while its preview is fresh', async () => {
    books = [CALM, LOWER];
    const line = 'order batch buy btc_usdt --ladder bid-1%:bid:2 --amount 0.02';
    const { status, writes, screen } = await answered(line, [YES]);
    expect([status, writes]).toEqual([0, ['/api/orderMoreV2']]);
    expect(screen).not.toContain('Not sent yet');
  });

  it('shows a batch with a relative ladder again if its preview is old', async () => {
    books = [CALM, LOWER];
    const line = 'order batch buy btc_usdt --ladder bid-1%:bid:2 --amount 0.02';
    const { status, writes, screen } = await answered(line, [YES, AGAIN, YES], 11_000);
    expect([status, writes]).toEqual([0, ['/api/orderMoreV2']]);
    expect(screen).toMatch(/Not sent yet[\s\S]*to 19,899/);
  });

  it('shows the batch again if more of its orders would fill at once than an old preview says', async () => {
    books = [CALM, LOWER];
    const line = 'order batch buy btc_usdt --ladder 19800:19950:2 --amount 0.02';
    expect(await answered(line, [YES, AGAIN, NO], 11_000)).toMatchObject({ status: 8, writes: [] });
  });
});

describe('a replacement that is confirmed while the market moves', () => {
  it('a replacement that a guard now blocks is not begun: the old order stays', async () => {
    books = [CALM, FALLEN];
    const steps = [YES, AGAIN, { await: 'Type price-band', type: 'y\r' }];
    expect(await answered('order replace btc_usdt 7 --at 20000', steps)).toMatchObject({ status: 8, writes: [] });
  });

  it('shows the replacement again if its relative price means another price and its preview is old', async () => {
    books = [CALM, LOWER];
    const { status, writes, screen } = await answered('order replace btc_usdt 7 --at bid', [YES, AGAIN, NO], 11_000);
    expect([status, writes]).toEqual([8, []]);
    expect(screen).toMatch(/Not sent yet[\s\S]*19,899/);
  });
});
