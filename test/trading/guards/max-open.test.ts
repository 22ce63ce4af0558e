import { expect, it } from 'vitest';
import { AgentLimits } from '../../../src/trading/guards/agent-limits.js';
import type { RecordedWrite } from '../../../src/trading/journal/write.js';
import type { TradingContext } from '../../../src/trading/trading-context.js';

const TERMS = { market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot', price: '1', amount: '1' };
const write = (id: string) =>
  ({ id, operation: 'order', time: 1_000, reqTime: 1_000, terms: TERMS }) as unknown as RecordedWrite;

/** Placed one order before. The list of the exchange does not show it; asked for the order itself, the exchange says this. */
function trading(state: 'open' | 'cancelled' | 'filled' | undefined): TradingContext {
  const placed = { write: write('one'), outcome: 'placed', id: '17', duplicates: [] };
  return {
    host: { directories: { state: '/nowhere' } },
    journal: { writesSince: () => ({ unsettled: [], settled: [placed] }) },
    client: {
      async *orderPages() {
        yield { rows: [] };
      },
      findOrder: async () => (state === undefined ? undefined : { id: '17', state }),
    },
  } as unknown as TradingContext;
}

const limits = () => new AgentLimits({ maxOpen: 1 });

it.each(['open', undefined] as const)(
  'an order that no list shows counts as open while the exchange says %s of it',
  async (state) => {
    await expect(limits().requireRoom(trading(state), write('two'))).rejects.toThrow(
      'max-open blocks this: with it, 2 orders would be open, and the limit is 1. Nothing was sent.',
    );
  },
);

it.each(['cancelled', 'filled'] as const)(
  'an order that no list shows does not count once the exchange shows it as %s',
  async (state) => {
    await expect(limits().requireRoom(trading(state), write('two'))).resolves.toBeUndefined();
  },
);
