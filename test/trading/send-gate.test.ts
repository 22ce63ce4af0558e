import { describe, expect, it } from 'vitest';
import { sendCall } from '../../src/trading/call/call.js';
import { SendGate } from '../../src/trading/journal/entry.js';
import { placeOrder } from '../../src/trading/orders/place.js';
import { withdrawLimits } from '../../src/trading/withdrawals/limits.js';
import { sendWithdrawal } from '../../src/trading/withdrawals/send.js';
import { refused, ScriptedExchange, type Write } from '../support/scripted-exchange.js';
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

const WRITES: [name: string, kind: Write['kind'], send: Send][] = [
  ['an order', 'order', (trading, gate) => placeOrder(trading, TERMS, { id: ID, gate })],
  [
    'a withdrawal',
    'withdrawal',
    (trading, gate) =>
      sendWithdrawal(trading, WANTED, { id: ID, limits: async () => withdrawLimits({}), password: 'secret', gate }),
  ],
  ['a call', 'call', (trading, gate) => sendCall(trading, { method: 'setExpressState', parameters: {} }, ID, gate)],
];

describe.each(WRITES)('%s', (_, kind, send) => {
  it('cancels a request before it leaves, and then nothing is unknown', async () => {
    const exchange = new ScriptedExchange();
    const gate = new SendGate();
    const answers: boolean[] = [];
    exchange.outcomeOf = () => {
      answers.push(gate.cancel());
      return undefined;
    };
    const trading = tradingOf(exchange);
    expect(await send(trading, gate)).toMatchObject({ outcome: 'notSent', reason: 'it was cancelled' });
    expect([answers, exchange.count(kind)]).toEqual([[true], 0]);
    expect(trading.journal.unsettledEntries()).toEqual([]);
    expect(trading.journal.archive.find(ID)?.outcome).toBe('notSent');
  });

  it('cancels no request that was already sent', async () => {
    const exchange = new ScriptedExchange({}, [], refused('inTrouble'));
    const gate = new SendGate();
    const answers: boolean[] = [];
    exchange.onRequest = (request) => {
      if (request.kind === kind) answers.push(gate.cancel());
      return undefined;
    };
    await send(tradingOf(exchange), gate);
    expect(answers).toEqual([false]);
  });
});
