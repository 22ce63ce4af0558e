import { beforeAll, describe, expect, it } from 'vitest';
import { Decimal } from '../../src/protocol/decimal.js';
import { TEXT, useDesk } from './desk.js';
import { product, same } from './orders-desk.js';

const desk = useDesk();

interface DryRun {
  readonly request: Readonly<Record<string, string>>;
  readonly preview: { readonly price: string; readonly amount: string; readonly notional: string };
}

interface Depth {
  readonly bids: readonly { readonly price: string }[];
  readonly asks: readonly { readonly price: string }[];
}

/** The best bid and ask, a number each for whole ticks of 0.01. */
async function best(): Promise<{ bid: bigint; ask: bigint }> {
  const { bids, asks } = await desk.json<Depth>('depth btc_usdt --size 1');
  const ticks = (price: string | undefined) => Decimal.of(price ?? '0').rescaled(2, 'down').units;
  return { bid: ticks(bids[0]?.price), ask: ticks(asks[0]?.price) };
}

function preview(words: string): Promise<DryRun> {
  return desk.json<DryRun>(`order ${words} --dry-run`);
}

describe('a relative price', () => {
  /** The market moves while the command runs: it is looked at again until it has stood still. */
  async function resolved(words: string): Promise<{ price: bigint; bid: bigint; ask: bigint }> {
    for (;;) {
      const before = await best();
      const price = Decimal.of((await preview(words)).preview.price).units;
      const after = await best();
      if (before.bid === after.bid && before.ask === after.ask) return { price, ...after };
    }
  }

  it.each<[at: string, side: 'buy' | 'sell', twice: (bid: bigint, ask: bigint) => bigint]>([
    ['bid', 'buy', (bid) => 2n * bid],
    ['ask', 'buy', (_, ask) => 2n * ask],
    ['mid', 'buy', (bid, ask) => ((bid + ask) / 2n) * 2n],
    ['mid', 'sell', (bid, ask) => ((bid + ask + 1n) / 2n) * 2n],
    ['bid+2ticks', 'sell', (bid) => 2n * (bid + 2n)],
    ['ask-1tick', 'buy', (_, ask) => 2n * (ask - 1n)],
    ['ask+5', 'sell', (_, ask) => 2n * (ask + 500n)],
  ])('%s of a %s is taken from the book, rounded to what costs nothing', async (at, side, twice) => {
    const { price, bid, ask } = await resolved(`${side} btc_usdt 0.01 --at ${at}`);
    expect(2n * price).toBe(twice(bid, ask));
  });

  it('with a share of the price is rounded down for a buy and up for a sell', async () => {
    const buy = await resolved('buy btc_usdt 0.01 --at bid-0.5%');
    expect(buy.price).toBe((buy.bid * 995n) / 1000n);
    const sell = await resolved('sell btc_usdt 0.01 --at ask+0.5%');
    expect(sell.price).toBe((sell.ask * 1005n + 999n) / 1000n);
  });
});

describe('a relative amount', () => {
  it('of a value never costs more than the value', async () => {
    const { amount, notional } = (await preview('buy btc_usdt 100usdt --at 20000.01')).preview;
    expect(amount).toBe('0.004999');
    expect(notional).toBe('99.98004999');
  });

  it('of a share is a share of what is available on that side', async () => {
    expect((await preview('sell btc_usdt 50% --at 90000')).preview.amount).toBe('2.500000');
    expect((await preview('buy btc_usdt 50% --at 20000')).preview.amount).toBe('6.250000');
    expect((await preview('sell btc_usdt 100% --at 90000')).preview.amount).toBe('5.000000');
  });

  it.each(['101%', '0', '-1', '1e3', '10eth', '1,5', 'all'])('%s is none', async (amount) => {
    await desk.failure(
      `order buy btc_usdt --at 20000 --dry-run -- ${amount}`.replace(' -- ', amount === '-1' ? ' -- ' : ' '),
      2,
    );
  });
});

describe('--dry-run', () => {
  beforeAll(() => desk.done('markets'));

  async function requests(): Promise<number> {
    return (await desk.json<{ requests: number }>('sandbox status')).requests;
  }

  it('sends nothing at all where nothing need be asked', async () => {
    const before = await requests();
    const answer = await preview('buy btc_usdt 0.01 --at 20000 --id dryRun01');
    await desk.done('cancel btc_usdt 1 2 --dry-run');
    expect(await requests()).toBe(before);
    expect(answer).toStrictEqual({
      dryRun: true,
      operation: 'order',
      request: {
        url: `${desk.served.address.tradeUrl}/api/order`,
        method: 'order',
        accesskey: '***',
        currency: 'btc_usdt',
        tradeType: '1',
        price: '20000',
        amount: '0.01',
        customerOrderId: 'dryRun01',
        sign: '***',
        reqTime: TEXT,
      },
      preview: { price: '20000', amount: '0.01', notional: '200', fee: null, warnings: [] },
    });
    await desk.failure('order show btc_usdt --id dryRun01', 3);
  });

  it('checks what an order would be checked for, and shows no key', async () => {
    await desk.failure('order buy btc_usdt 0.00001 --at 20000 --dry-run', 2);
    const { stdout, stderr } = await desk.run('order sell btc_usdt 0.01 --at ask --dry-run --verbose');
    const { accessKey, secretKey } = desk.served.address;
    for (const key of [accessKey, secretKey]) expect(stdout + stderr).not.toContain(key);
    expect(stdout).toContain('nothing was sent');
  });

  it('of several cancels is an array', async () => {
    const runs = await desk.json<DryRun[]>('cancel btc_usdt 17 18 --dry-run');
    expect(runs.map(({ request }) => request.id)).toEqual(['17', '18']);
  });

  it('names what the order comes to', async () => {
    const { price, amount, notional } = (await preview('buy btc_usdt 0.0123 --at bid')).preview;
    expect(same(notional, product(price, amount))).toBe(true);
  });
});
