import { describe, expect, it } from 'vitest';
import { ExchangeClient } from '../../src/exchange/exchange-client.js';
import type { Permits } from '../../src/exchange/limiter/permits.js';
import { sendCall } from '../../src/trading/call/call.js';
import { SendGate } from '../../src/trading/journal/entry.js';
import { placeOrder } from '../../src/trading/orders/place.js';
import { withdrawLimits } from '../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../src/trading/withdrawals/send.js';
import { KEYS } from '../exchange/support.js';
import { type FaultServer, respond, serveFaults } from '../support/fault-server.js';
import { listed } from './support/funds.js';
import { TERMS } from './support/terms.js';
import { type TestTrading, tradingOf } from './support/trading.js';

const ID = 'mine0001';
const WANTED = {
  coin: 'btc',
  amount: '0.5',
  fee: '0.0005',
  address: '1mxZTPRKv7J1AxiUiXMXZ3JEtd8NGHVMKM',
  internal: false,
};

type Send = (trading: TestTrading, gate: SendGate) => Promise<{ readonly outcome: string }>;

const WRITES: [name: string, operation: string, send: Send][] = [
  ['an order', 'order', (trading, gate) => placeOrder(trading, TERMS, { id: ID, gate })],
  [
    'a withdrawal',
    'withdraw',
    (trading, gate) =>
      sendWithdrawal(trading, WANTED, { id: ID, limits: async () => withdrawLimits({}), password: 'secret', gate }),
  ],
  [
    'a call',
    'setExpressState',
    (trading, gate) => sendCall(trading, { method: 'setExpressState', parameters: {} }, ID, gate),
  ],
];

/** An account whose requests wait for the rate limits, and a callback that runs during the wait. */
function waiting(server: FaultServer, meanwhile: () => void): TestTrading {
  const trading = tradingOf(server.url);
  const permit = { release: async () => {}, cancel: async () => {} };
  const slow: Pick<Permits, 'claim'> = {
    claim: async () => {
      meanwhile();
      return { permit };
    },
  };
  const { host, budget } = trading;
  const hosts = { baseUrl: server.url, tradeUrl: server.url };
  const client = new ExchangeClient({
    host,
    hosts,
    credentials: () => KEYS,
    budget,
    limits: () => ({ permitsOf: () => [slow] }),
  });
  return { ...trading, client };
}

describe.each(WRITES)('%s', (_, operation, send) => {
  const isWrite = ({ target }: { readonly target: string }) => target.startsWith(`/api/${operation}?`);

  it('cancels a request that waits for the rate limits, and leaves nothing unknown', async () => {
    const server = await serveFaults({ answer: () => respond(listed([])) });
    const gate = new SendGate();
    const answers: boolean[] = [];
    const trading = waiting(server, () => answers.push(gate.cancel()));
    expect(await send(trading, gate)).toMatchObject({ outcome: 'notSent', reason: 'it was cancelled' });
    expect([new Set(answers), server.requests.filter(isWrite)]).toEqual([new Set([true]), []]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(ID)?.outcome).toBe('notSent');
  });

  it('cancels no request that was already sent', async () => {
    const gate = new SendGate();
    const answers: boolean[] = [];
    const server = await serveFaults({
      answer: ({ target }) => {
        if (isWrite({ target })) answers.push(gate.cancel());
        return respond(isWrite({ target }) ? '{"code":1009,"message":"maintenance"}' : listed([]));
      },
    });
    const trading = tradingOf(server.url);
    await send(trading, gate);
    expect(answers).toEqual([false]);
  });
});
