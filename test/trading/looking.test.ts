import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../src/client/exchange-client.js';
import type { OrderTerms } from '../../src/trading/journal/intent.js';
import { placeOrder } from '../../src/trading/order/place.js';
import { settleOrder } from '../../src/trading/order/settle.js';
import { KEYS } from '../client/support.js';
import type { FakeHost } from '../support/fake-host.js';
import { FAULTS, type FaultServer, respond, serveFaults } from '../support/fault-server.js';
import { accountOf, type TestAccount } from './support/account.js';
import { CLIENT_ID, NOT_FOUND } from './support/exchange.js';

const TERMS: OrderTerms = {
  ...{ market: 'btc_usdt', side: 'buy', type: 'limit', account: 'spot' },
  ...{ price: '30000', amount: '0.01', borrow: false, repay: false },
};

/** An exchange with a clock of its own that has no order, and answers no write. */
function serve(time: () => number, onWrite: () => void = () => undefined): Promise<FaultServer> {
  return serveFaults({
    answer: ({ target }) => {
      if (!target.startsWith('/api/getOrder')) {
        onWrite();
        return FAULTS['a reset after reading'];
      }
      return respond(NOT_FOUND, '200 OK', [`Date: ${new Date(time()).toUTCString()}`]);
    },
  });
}

/** The account with a client that remembers of the exchange's clock how far it was ahead, in ms. */
function remembering(account: TestAccount, url: string, ahead: number): TestAccount {
  const { host, budget } = account;
  const clockMemory = { read: () => ahead, write: () => undefined };
  const hosts = { baseUrl: url, tradeUrl: url };
  return { ...account, client: new ExchangeClient({ host, hosts, credentials: () => KEYS, budget, clockMemory }) };
}

describe('that the exchange would not take a request any more', () => {
  it('is judged by its clock as the look itself shows it, not as a command long ago did', async () => {
    let host: FakeHost | undefined;
    const server = await serve(() => host?.now() ?? 0);
    const account = accountOf(server.url, { tolerance: 60_000, budgetMs: 20_000 });
    host = account.host;
    const write = { operation: 'order', terms: TERMS } as const;
    const entry = account.journal.begin<'order'>(write, { id: CLIENT_ID, reqTime: host.now() });
    const stale = remembering(account, server.url, 90_000);
    expect(await settleOrder(stale, entry)).toMatchObject({ outcome: 'unknown' });
    expect(account.journal.open()).toHaveLength(1);
  });

  it("is not believed when this machine's clock jumps", async () => {
    let host: FakeHost | undefined;
    let jumped = 0;
    const jump = () => {
      jumped = 90_000;
      void host?.sleep(jumped);
    };
    const server = await serve(() => (host?.now() ?? 0) - jumped, jump);
    const account = accountOf(server.url, { tolerance: 60_000, budgetMs: 120_000 });
    host = account.host;
    expect(await placeOrder(account, TERMS, { id: CLIENT_ID })).toMatchObject({ outcome: 'unknown' });
  });
});
