import { expect, it } from 'vitest';
import type { Order } from '../../../src/domain/order.js';
import { AgentLimits } from '../../../src/trading/guards/agent-limits.js';
import type { KnownSide } from '../../../src/trading/history/known-side.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

const TERMS = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', price: '1', amount: '1' };
const write = (id: string) =>
  ({ id, operation: 'order', time: 1_000, reqTime: 1_000, terms: TERMS }) as unknown as RecordedWrite;

const NOW = 10_000_000;

/**
 * A context whose journal has an order for each of these ids, placed at that time, and whose exchange lists these orders, ten a page.
 * @param find what the exchange says of an order that is asked for by its id
 */
function trading(placed: Readonly<Record<string, number>>, listed: readonly Order[], find: (id: string) => unknown) {
  const sides = new Map<string, KnownSide>();
  const asked: string[] = [];
  const orders = Object.entries(placed).map(([id, reqTime]) => ({
    write: { ...write(`own${id}`), reqTime },
    outcome: 'placed',
    id,
    duplicates: [],
  }));
  const clock = { now: () => NOW, monotonic: () => 0 };
  const context = {
    host: { ...clock, directories: { state: '/nowhere' } },
    journal: { writesSince: () => ({ unsettled: [], settled: orders }) },
    requestLifetimeMs: 60_000,
    knownSides: {
      read: ({ side }: { side: string }) => sides.get(side),
      write: async ({ side }: { side: string }, known: KnownSide) => void sides.set(side, known),
    },
    reportProgress: () => undefined,
    client: {
      ...clock,
      facts: { ordersPerPage: 10 },
      async *orderPages(_market: string, side: string, isEnough: (rows: readonly Order[]) => boolean) {
        for (let from = 0; from === 0 || from < listed.length; from += 10) {
          asked.push(`${side} from ${from}`);
          const rows = listed.slice(from, from + 10);
          const hasOlder = from + 10 < listed.length;
          yield { rows, fresh: rows, hasOlder };
          if (isEnough(rows)) return;
        }
      },
      findOrder: async (_market: string, { id }: { id: string }) => {
        asked.push(id);
        return find(id);
      },
    },
  };
  return { trading: context as unknown as TradingContext, asked };
}

/** Placed one order before. The list of the exchange does not show it; asked for the order itself, the exchange says this. */
function unlisted(state: 'open' | 'cancelled' | 'filled' | undefined): TradingContext {
  const find = (id: string) => (state === undefined ? undefined : { id, state });
  return trading({ 17: 1_000 }, [], find).trading;
}

const limits = () => new AgentLimits({ maxOpen: 1 });

it.each(['open', undefined] as const)(
  'an order that no list shows counts as open while the exchange says %s of it',
  async (state) => {
    await expect(limits().requireRoom(unlisted(state), write('two'))).rejects.toThrow(
      'max-open blocks this: with it, 2 orders would be open, and the limit is 1. Nothing was sent.',
    );
  },
);

it.each(['cancelled', 'filled'] as const)(
  'an order that no list shows does not count once the exchange shows it as %s',
  async (state) => {
    await expect(limits().requireRoom(unlisted(state), write('two'))).resolves.toBeUndefined();
  },
);

it('closed orders are neither listed again nor asked for, however many there are', async () => {
  const listed = Array.from({ length: 40 }, (_, index): Order => {
    const number = 40 - index;
    const state = number === 3 || number === 5 ? 'open' : 'filled';
    return { id: String(number), state, time: number * 1_000 } as Order;
  });
  const placed = Object.fromEntries(listed.map(({ id, time }) => [id, time]));
  const { trading: context, asked } = trading(placed, listed, (id) => listed.find((one) => one.id === id));
  const requireRoom = (maxOpen: number) => new AgentLimits({ maxOpen }).requireRoom(context, write('new'));
  await expect(requireRoom(3)).resolves.toBeUndefined();
  expect(asked.splice(0)).toEqual(['buy from 0', 'buy from 10', 'buy from 20', 'buy from 30']);
  await expect(requireRoom(2)).rejects.toThrow('max-open blocks this: with it, 3 orders would be open');
  expect(asked).toEqual(['buy from 0', '5', '3']);
});
