import { describe, expect, it } from 'vitest';
import { useWorld } from '../pit-home.js';

const pit = useWorld({
  markets: { btc_usdt: { bid: '29990.00', ask: '30000.00' } },
  balances: { usdt: '1000', btc: '1' },
});

/** What a dry run shows, without the ids that pit makes and where it would be sent. */
async function previewOf(line: string): Promise<string[]> {
  const rows = (await pit.done(`${line} --dry-run`)).split('\n');
  expect(rows.splice(-2)).toEqual(['Dry run: nothing was sent.', '']);
  return rows.filter((row) => !/^(exchange|client id|job) {2}/.test(row)).map((row) => row.replace(/ {2,}/, ': '));
}

describe('the preview of an order', () => {
  it('says what a buy costs that fills at once, and what is left', async () => {
    expect(await previewOf('order buy btc_usdt 0.01 --at ask')).toEqual([
      'side: + BUY',
      'market: btc_usdt',
      'amount: 0.01 btc',
      'price: 30,000.00 usdt',
      'from mid: 0.02% above 29,995.00',
      'bid, ask: 29,990.00, 30,000.00 usdt',
      'fills at once: all 0.01 btc at 30,000.00 usdt on average',
      'costs at most: 300 usdt before the fee',
      'fee: unknown (no fill among your newest buys in this market)',
      'available: 1,000 usdt, then 700',
      'type: limit',
      'account: spot',
    ]);
  });

  it('says what a sell brings that rests', async () => {
    expect(await previewOf('order sell btc_usdt 0.01 --at ask+10 --post-only')).toEqual([
      'side: - SELL',
      'market: btc_usdt',
      'amount: 0.01 btc',
      'price: 30,010.00 usdt',
      'from mid: 0.06% above 29,995.00',
      'bid, ask: 29,990.00, 30,000.00 usdt',
      'fills at once: nothing',
      'brings at least: 300.1 usdt before the fee',
      'fee: unknown (no fill among your newest sells in this market)',
      'available: 1 btc, then 0.99',
      'type: PostOnly (rejected if it would fill at once)',
      'account: spot',
    ]);
  });

  it('says that the exchange does not report margin balances', async () => {
    const preview = await previewOf('order sell btc_usdt 0.01 --at 30500 --ioc --account cross --borrow --repay');
    expect(preview.slice(-4)).toEqual([
      'available: unknown: the exchange does not report margin balances',
      'type: IOC (what does not fill at once is cancelled)',
      'account: cross margin, borrowing, repaying',
      'warning: Nothing would fill at once, so the exchange would cancel the whole order.',
    ]);
  });

  it('has the same numbers for programs', async () => {
    const { preview } = await pit.json<{ preview: unknown }>('order buy btc_usdt 0.01 --at ask --dry-run');
    expect(preview).toEqual({
      ...{ price: '30000.00', amount: '0.01', notional: '300', fee: null, feeCoin: null, warnings: [], guards: [] },
      ...{ spentCoin: 'usdt', balanceBefore: '1000.00000000', balanceAfter: '700.00000000' },
      ...{ bid: '29990.00', ask: '30000.00', mid: '29995.000', distance: '0.0167' },
      ...{ fillsAtOnce: '0.01', fillsAtLeast: false, averagePrice: '30000' },
    });
  });
});

describe('the preview of a batch', () => {
  it('sums up its orders, and says how many would fill at once', async () => {
    expect(await previewOf('order batch buy btc_usdt --ladder 28000:30010:3 --amount 0.03')).toEqual([
      'side: + BUY',
      'market: btc_usdt',
      'orders: 3 in 1 request, about 1 s',
      'amount: 0.03 btc',
      'prices: 28,000.00 to 30,010.00 usdt',
      'from mid: -6.66% to +0.06% of 29,995.00',
      'bid, ask: 29,990.00, 30,000.00 usdt',
      'fill at once: 1 of 3 reach the other side of the book',
      'costs at most: 870.15 usdt before the fee',
      'fee: unknown (no fill among your newest buys in this market)',
      'available: 1,000 usdt, then 129.85',
      'account: spot',
    ]);
  });

  it('says how long its requests take', async () => {
    const preview = await previewOf('order batch sell btc_usdt --ladder 31000:32000:2400 --amount 0.96');
    expect(preview).toContain('orders: 2,400 in 120 requests, about 3 s');
    expect(preview).toContain('fill at once: nothing');
  });

  it('names the account on margin, whose balance is unknown', async () => {
    const preview = await previewOf('order batch buy btc_usdt --ladder 28000:29000:3 --amount 0.03 --account isolated');
    expect(preview).toContain('available: unknown: the exchange does not report margin balances');
    expect(preview).toContain('account: isolated margin');
  });

  it('has the same numbers for programs', async () => {
    const line = 'order batch buy btc_usdt --ladder 28000:30010:3 --amount 0.03 --dry-run';
    const { preview } = await pit.json<{ preview: unknown }>(line);
    expect(preview).toEqual({
      ...{ price: null, amount: '0.03', notional: '870.15', fee: null, feeCoin: null, warnings: [], guards: [] },
      ...{ orders: 3, requests: 1, lowest: '28000.00', highest: '30010.00', fillingAtOnce: 1 },
      ...{ spentCoin: 'usdt', balanceBefore: '1000.00000000', balanceAfter: '129.85000000' },
      ...{ bid: '29990.00', ask: '30000.00', mid: '29995.000' },
    });
  });

  it('fails for a ladder that reaches zero', async () => {
    const error = await pit.failure('order batch buy btc_usdt --ladder 1000:bid-100%:3 --amount 0.03 --yes', 2);
    expect(error).toMatchObject({
      message: 'The ladder goes from 1000 to 0.00, which is not above zero.',
      hint: 'Choose a smaller offset.',
    });
  });
});

describe('the preview of an algo order', () => {
  it('says what a bracket does, and who knows of it', async () => {
    expect(await previewOf('order buy btc_usdt 0.01 --at 29000 --stop 28000 --take 31000')).toEqual([
      'side: + BUY',
      'market: btc_usdt',
      'amount: 0.01 btc',
      'kind: bracket',
      'price: 29,000.00 usdt, 3.32% below',
      'take-profit: 31,000.00 usdt, 3.36% above',
      'stop: 28,000.00 usdt, 6.66% below',
      'bid, ask: 29,990.00, 30,000.00 usdt',
      'does: pit places a limit order to buy 0.01 btc at 29,000.00.',
      ': Each fill is protected at once, by what it leaves after the fee.',
      ': A take-profit to sell what has filled rests at 31,000.00.',
      ': When the best bid is at or below 28,000.00, pit cancels the take-profit, waits for its outcome, and sells what is left.',
      ': It fills at once, up to 1% below the price that reached it, here 27,720.00; what does not fill rests there.',
      'exchange knows: the order of the entry, and the take-profit of what has filled',
      'only pit knows: that fills are to be protected, the stop: if no process of pit watches, nothing protects you',
      'available: 1,000 usdt',
    ]);
  });

  it.each([
    [
      'buy',
      '0.04 --at 29000 --stop 28000',
      'This needs 1,160 usdt but only 1,000 usdt is available: without more, it pauses when it would place its order.',
    ],
    [
      'sell',
      '2 --stop 28000',
      'This needs 2 btc but only 1 btc is available: without more, it sells only 1 btc, waits for the rest if other orders lock the coins, and otherwise ends as partial.',
    ],
    [
      'buy',
      '0.0325 --stop 30200',
      'This needs up to 991.315 of 1,000 usdt: if the price jumps past the stop, it buys less and ends as partial.',
    ],
  ])('warns of a %s of %s that the account cannot pay', async (side, terms, warning) => {
    const { preview } = await pit.json<{ preview: { warnings: string[] } }>(
      `order ${side} btc_usdt ${terms} --dry-run`,
    );
    expect(preview.warnings).toEqual([warning]);
  });
});
